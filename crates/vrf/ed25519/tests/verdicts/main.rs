//! Tests that every engine gives the same verdicts as one-at-a-time verifiers, on honest, damaged and
//! hostile signatures.

mod cases;
mod reference;
mod taming;

use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use klero_ed25519::{Claim, Invalid, Verdict, engines, verify, verify_many, verify_many_on};

use cases::{Case, random32};

/// Asserts that each engine gives the expected verdicts, for calls of many different sizes.
fn assert_verdicts(claims: &[Claim<'_>], expected: &[Verdict]) {
    for engine in engines() {
        assert_eq!(verify_many_on(engine, claims), expected, "{engine:?}");
        // With groups of 1 to 21 claims, the lanes hold all claims of a group, some of them, or none.
        let (mut from, mut size) = (0, 1);
        while from < claims.len() {
            let to = claims.len().min(from + size);
            let verdicts = verify_many_on(engine, &claims[from..to]);
            assert_eq!(verdicts, expected[from..to], "{engine:?} {from} {to}");
            (from, size) = (to, size % 21 + 1);
        }
    }
}

/// Verifies each claim in a call of its own.
fn one_by_one(claims: &[Claim<'_>]) -> Vec<Verdict> {
    let alone = |claim: &Claim<'_>| verify(claim.key, claim.message, claim.signature);
    claims.iter().map(alone).collect()
}

fn dalek(case: &Case, verify: fn(&VerifyingKey, &[u8], &Signature) -> bool) -> bool {
    let key = VerifyingKey::from_bytes(&case.key);
    key.is_ok_and(|key| verify(&key, &case.message, &Signature::from_bytes(&case.signature)))
}

/// The number of cases that a verifier accepts.
fn count(cases: &[Case], accept: impl Fn(&Case) -> bool) -> usize {
    cases.iter().filter(|case| accept(case)).count()
}

/// Returns each case twice, in random order, so that hostile and honest claims share vectors.
fn shuffled(cases: &[Case]) -> Vec<&Case> {
    let mut all: Vec<&Case> = cases.iter().chain(cases).collect();
    for i in (1..all.len()).rev() {
        let [a, b, c, d, ..] = random32(i as u64);
        all.swap(i, u32::from_le_bytes([a, b, c, d]) as usize % (i + 1));
    }
    all
}

fn check(cases: &[Case]) {
    for case in cases {
        let found = one_by_one(&[case.claim()])[0].is_ok();
        let strict = dalek(case, |key, message, signature| {
            key.verify_strict(message, signature).is_ok()
        });
        // The only difference: `verify_strict` also accepts keys that are not canonical.
        let canonical = reference::y_is_canonical(&case.key);
        assert_eq!(found, strict && canonical, "{case:02x?}");
        assert_eq!(found, reference::libsodium(case), "{case:02x?}");
    }
    let shuffled = shuffled(cases);
    let claims: Vec<_> = shuffled.iter().map(|case| case.claim()).collect();
    assert_verdicts(&claims, &one_by_one(&claims));
}

#[test]
fn honest_and_damaged_signatures() {
    let cases = cases::honest_and_damaged();
    assert_eq!(count(&cases, reference::libsodium), cases::HONEST);
    check(&cases);
}

#[test]
fn torsion_in_keys_and_in_r() {
    let cases = cases::torsion();
    let valid = count(&cases, reference::libsodium);
    // A signature can be valid although its key has a torsion component T: k·T may be the identity.
    assert!(valid > 8 && valid < cases.len() / 2);
    check(&cases);
}

#[test]
fn every_encoding_of_small_order() {
    let cases = cases::small_order();
    let mut identity = [0; 32];
    identity[0] = 1;
    assert!(cases.iter().any(|case| case.key == identity));
    assert!(!cases.iter().any(reference::libsodium));
    // Many signatures are invalid only because the key or R has small order.
    let lax = |case: &Case| {
        dalek(case, |key, message, signature| {
            key.verify(message, signature).is_ok()
        })
    };
    assert!(count(&cases, lax) > 8);
    // The cases include the test vectors of ZIP 215. All of these are valid by the rules of ZIP 215.
    let vector = |case: &Case| case.message == b"Zcash" && case.signature[32..] == [0; 32];
    assert_eq!(count(&cases, vector), 14 * 14);
    check(&cases);
}

#[test]
fn keys_and_r_that_are_not_canonical() {
    check(&cases::not_canonical());
}

#[test]
fn random_bytes() {
    check(&cases::random());
}

#[test]
fn every_reason_is_given() {
    use Invalid::*;
    let honest = &cases::honest_and_damaged()[0];
    let (key, message, signature) = (honest.key, &honest.message[..], honest.signature);
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = signature;
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        changed
    };
    let large_scalar = with(32, &[0xff; 32]);
    let mut identity = [0; 32];
    identity[0] = 1;
    let mut not_canonical = [0xff; 32];
    not_canonical[0] = 0xf0;
    // R is the identity, and so is s·B - k·A, because A = 5·B and s = 5·k.
    let small = cases::by_hand(0, 0, None, message);
    type Row<'a> = (&'a [u8], &'a [u8], &'a [u8], Verdict);
    let claims: [Row<'_>; 10] = [
        (&key, message, &signature, Ok(())),
        (&key[..31], message, &signature, Err(KeyLength(31))),
        (b"", message, b"", Err(KeyLength(0))),
        (&key, message, &signature[..63], Err(SignatureLength(63))),
        (&not_canonical, message, &large_scalar, Err(KeyNotCanonical)),
        (&[2; 32], message, &large_scalar, Err(ScalarNotCanonical)),
        (&[2; 32], message, &signature, Err(KeyNotOnCurve)),
        (&identity, message, &signature, Err(KeySmallOrder)),
        (&key, b"other", &signature, Err(Mismatch)),
        (&small.key, message, &small.signature, Err(RSmallOrder)),
    ];
    let claims = claims
        .map(|(key, message, signature, expected)| (Claim::new(key, message, signature), expected));
    let (claims, expected): (Vec<_>, Vec<_>) = claims.into_iter().unzip();
    assert_eq!(one_by_one(&claims), expected);
    assert_verdicts(&claims, &expected);
}

#[test]
fn nothing_in_nothing_out() {
    assert!(verify_many(&[]).is_empty());
}

/// Compiles only if the compiler warns about the unused verdicts.
#[test]
#[deny(unfulfilled_lint_expectations)]
fn verdicts_that_nobody_looks_at_are_a_warning() {
    #[expect(unused_must_use)]
    verify_many(&[]);
}
