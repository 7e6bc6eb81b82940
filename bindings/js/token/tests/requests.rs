//! Whatever the request, an operation answers it, and panics never.

use klero_js_message::{Reader, Writer, answer};
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

const OPERATIONS: [fn() -> i32; 23] = [
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
    || make_statement(0),
    || make_statement(1),
    || key_to_seed(0),
];

fn message(fields: &[&[u8]]) -> Vec<u8> {
    let mut message = Writer::default();
    for field in fields {
        message.push(field);
    }
    message.finish().to_vec()
}

/// The first field of the response.
fn first(request: &[u8], operation: impl FnOnce() -> i32) -> Vec<u8> {
    let (number, response) = answer(request, operation);
    assert!(number >= 0, "{}", String::from_utf8_lossy(&response));
    Reader::new(&response).bytes().unwrap().to_vec()
}

#[test]
fn operations_without_a_request_are_errors() {
    for operation in &OPERATIONS[..12] {
        let (number, response) = answer(b"", operation);
        assert_eq!((number, &response[4..]), (-1, &b"malformed request"[..]));
    }
    free_key(7);
}

#[test]
fn any_request_is_answered() {
    // The keys 0 and 1.
    first(&message(&[b"aggregate", &[7; 32]]), || key_from_seed());
    first(&message(&[b"ed25519", &[7; 32]]), || key_from_seed());
    let no_limits = [0xff; 12]; // three absent fields
    let token = first(&message(&[&no_limits, b"all"]), || mint(0, 0));
    let text = first(&message(&[b"aggregate", &[7; 32]]), || key_from_seed());
    let fields: [&[u8]; 12] = [
        b"",
        &token,
        &text,
        &text[..20],
        b"\xff\xff",
        b"chain",
        b"method GET",
        b"/files/../x",
        &[7; 8],
        &[0xff; 8],
        &[0; 32],
        &[0; 64],
    ];
    let nested = [
        &fields[8..10],
        &fields[5..11],
        &[&[3; 8], b"aggregate", &[2; 32]],
    ]
    .map(message);

    let mut dice = 0x5eed_u32;
    let mut roll = |below: usize| {
        dice = dice.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        (dice >> 16) as usize % below
    };
    for _ in 0..3000 {
        let mut request = Writer::default();
        for part in 0..roll(9) {
            match (part, roll(10)) {
                (0, 0..8) => request.push(&token),
                (1, 0..8) | (_, 0) => request.push(&no_limits),
                (_, 1 | 2) => request.push_absent(),
                (_, 3) => request.push(&nested[roll(nested.len())]),
                _ => request.push(fields[roll(fields.len())]),
            }
        }
        let mut request = request.finish();
        if roll(10) == 0 && !request.is_empty() {
            let at = roll(request.len());
            request[at] ^= 1 << roll(8);
        }
        for operation in OPERATIONS {
            let (number, response) = answer(&request, operation);
            let mut response = Reader::new(&response);
            while !response.is_empty() {
                response.optional().unwrap();
            }
            assert!(number >= -3);
        }
    }
}
