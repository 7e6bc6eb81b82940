//! Requests from arbitrary bytes, for every operation.

use arbitrary::{Result, Unstructured};
use klero_js_token::devices::{
    assemble_seal, assemble_statement, entrust, seal_to_sign, statement_to_sign,
};
use klero_js_token::keys::{
    free_key, key_from_seed, key_to_seed, public_key_from_bytes, public_key_from_spki,
    public_key_from_text,
};
use klero_js_token::{
    append, append_statement, check, inspect, make_statement, mint, narrow, normalize_path,
    request_statement, seal, verify,
};

use crate::requests::{Honest, message};

/// The first twelve are tested without one. The keys 0, 1 and 2 are there.
pub const OPERATIONS: [fn() -> i32; 25] = [
    || key_from_seed(),
    || public_key_from_bytes(),
    || public_key_from_spki(),
    || public_key_from_text(),
    || entrust(),
    || seal_to_sign(),
    || assemble_seal(),
    || statement_to_sign(),
    || assemble_statement(),
    || narrow(),
    || append(),
    || request_statement(),
    || append_statement(),
    || seal(),
    || verify(),
    || inspect(),
    || check(),
    || normalize_path(),
    || mint(0, 0),
    || mint(1, 0),
    || mint(2, 0),
    || make_statement(0),
    || make_statement(1),
    || make_statement(3),
    || key_to_seed(0),
];

thread_local! {
    /// Honest requests; the keys are made with them.
    pub static HONEST: Honest = honest();
}

fn honest() -> Honest {
    let mut honest = Honest::new();
    let no_limits = [0xff; 12];
    let tokens = ["aggregate", "chain"].map(|scheme| {
        let key = honest.ask(&[scheme.as_bytes(), &[7; 32]], || key_from_seed());
        let number = usize::from(scheme == "chain");
        let caveat = b"before 2096-10-02T07:06:40Z";
        let token = honest.ask(&[&no_limits, b"all", caveat], || mint(number, 0));
        let root = message(&[&[0; 8], scheme.as_bytes(), &key[1]]);
        (scheme, token[0].clone(), root)
    });
    let party = honest.ask(&[b"ed25519", &[8; 32]], || key_from_seed());
    honest.ask(&[&party[0]], || public_key_from_text());
    honest.ask(&[b"ed25519", &party[1]], || public_key_from_bytes());
    honest.ask(&[b"/files/x"], || normalize_path());
    let challenge = message(&[b"nonce", b"service", &[1, 0, 0, 0, 0, 0, 0, 0]]);
    for (scheme, token, root) in tokens {
        let asked = |token: &[u8], more: &[&[u8]]| {
            let mut request = message(&[token, &no_limits, &root, &challenge]);
            // No relying party.
            request.extend([0xff; 4]);
            request.extend(message(more));
            request
        };
        let with = |more: &[&[u8]]| asked(&token, more);
        let narrowed = honest.answer(with(&[b"method GET"]), || narrow());
        honest.answer(with(&[b"bytes"]), || append());
        if scheme == "chain" {
            honest.answer(with(&[b"ed25519", &party[1]]), || entrust());
        }
        let question = honest.answer(with(&[]), || request_statement());
        let statement = honest.ask(&[&question[0], b"seen"], || make_statement(2));
        honest.ask(&[&question[0], b"ed25519", &party[1], b"seen"], || {
            statement_to_sign()
        });
        honest.answer(with(&[&statement[0]]), || append_statement());
        let sealed = honest.answer(with(&[]), || seal());
        let access: [&[u8]; 6] = [&[0; 8], b"service", b"/x", b"GET", b"a", b"b"];
        honest.answer(asked(&sealed[0], &access), || check());
        honest.answer(asked(&sealed[0], &[]), || verify());
        honest.answer(with(&[]), || inspect());
        honest.fields.push(narrowed[0].clone());
    }
    honest
}

/// Every request is answered with fields, and with a number that the wrapper knows.
pub fn messages(bytes: &[u8]) -> Result<()> {
    let mut input = Unstructured::new(bytes);
    let operation = *input.choose(&OPERATIONS)?;
    let number = HONEST.with(|honest| honest.changed(&mut input, operation))?;
    assert!(number >= -3);
    if number > 2 {
        free_key(number as usize);
    }
    Ok(())
}
