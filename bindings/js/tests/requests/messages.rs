//! Requests from arbitrary bytes, for every operation.

use arbitrary::{Result, Unstructured};
use klero_js::{
    evaluate_many, free_key, key_from_encoded, key_from_libsodium, key_from_seed, key_to_envelope,
    key_to_libsodium, key_to_seed, prove_many, public_key_from_encoded, public_key_to_envelope,
    suites, verify_many,
};

use crate::requests::Honest;

/// The first six are tested without a request. The keys 0 to 4 are there, each of another suite.
pub const OPERATIONS: [fn() -> i32; 15] = [
    || key_from_seed(),
    || key_from_libsodium(),
    || public_key_to_envelope(),
    || public_key_from_encoded(),
    || key_from_encoded(),
    || verify_many(),
    || prove_many(0),
    || prove_many(4),
    || prove_many(5),
    || evaluate_many(2),
    || evaluate_many(3),
    || key_to_seed(1),
    || key_to_libsodium(1),
    || key_to_envelope(1),
    || suites(),
];

/// Both ways of hashing to the curve, and proofs of 80 and of 128 bytes.
const SUITES: [&str; 5] = [
    "praos",
    "draft13-bc",
    "draft10-tai",
    "rfc9381-ell2",
    "rfc9381-tai-bc",
];

thread_local! {
    /// Honest requests; the keys are made with them.
    pub static HONEST: Honest = honest();
}

fn honest() -> Honest {
    let mut honest = Honest::new();
    for (number, suite) in SUITES.iter().enumerate() {
        let suite = suite.as_bytes();
        let key = honest.ask(&[suite, &[7; 32]], || key_from_seed());
        honest.ask(&[suite, &key[1]], || public_key_to_envelope());
        honest.ask(&[hex::encode(&key[1]).as_bytes()], || {
            public_key_from_encoded()
        });
        honest.ask(&[suite, hex::encode([7; 32]).as_bytes()], || {
            let kept = key_from_encoded();
            free_key(kept as usize);
            kept
        });
        let secret = honest.ask(&[], || key_to_libsodium(number));
        let again = honest.ask(&[suite, &secret[0]], || {
            let kept = key_from_libsodium();
            free_key(kept as usize);
            kept
        });
        assert_eq!(again, key);
        let alphas: [&[u8]; 2] = [b"", b"a lottery"];
        let proofs = honest.ask(&alphas, || prove_many(number));
        let [proof, output, second, second_output] = &proofs[..] else {
            panic!("{} fields", proofs.len());
        };
        let claim: [&[u8]; 5] = [suite, &key[1], alphas[0], proof, output];
        honest.ask(&claim, || verify_many());
        let more: [&[u8]; 4] = [&key[1], alphas[1], second, second_output];
        honest.ask(&[&claim[..], &more].concat(), || verify_many());
    }
    honest
}

/// Every request is answered with fields, and with a number that the wrapper knows.
pub fn messages(bytes: &[u8]) -> Result<()> {
    let mut input = Unstructured::new(bytes);
    let operation = *input.choose(&OPERATIONS)?;
    let number = HONEST.with(|honest| honest.changed(&mut input, operation))?;
    assert!(number >= -2);
    if number >= SUITES.len() as i32 {
        free_key(number as usize);
    }
    Ok(())
}
