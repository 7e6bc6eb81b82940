//! Compares the library, which verifies KES signatures in vector lanes, with a slow twin, on every engine.

mod slow;

use ed25519_dalek::{Signer, SigningKey};
use klero_audit::{verify_kes, verify_kes_on};
use klero_cardano::{InvalidKes, KesClaim};
use klero_ed25519::{Invalid, engines};
use klero_forge::KesKey;

use slow::{Case, blake2b_256, verify};

fn random32(seed: u64) -> [u8; 32] {
    blake2b_256(&seed.to_le_bytes())
}

fn number(seed: u64) -> usize {
    let [a, b, c, d, ..] = random32(seed);
    u32::from_le_bytes([a, b, c, d]) as usize
}

fn claim(case: &Case) -> KesClaim<'_> {
    KesClaim {
        key: &case.key,
        evolution: case.evolution,
        message: &case.message,
        signature: &case.signature,
    }
}

/// One signature at each evolution of a key.
fn honest(seed: u64) -> Vec<Case> {
    let mut key = KesKey::from_seed(random32(seed));
    let mut cases = Vec::new();
    loop {
        let evolution = key.evolution();
        let message = random32(seed + evolution).repeat(1 + evolution as usize % 20);
        cases.push(Case {
            key: key.verification_key(),
            evolution,
            signature: key.sign(&message),
            message,
        });
        if !key.evolve() {
            return cases;
        }
    }
}

/// A KES signature with a given leaf key and leaf signature. The root key is computed from the leaf key.
fn grown(leaf: [u8; 32], evolution: u64, leaf_signature: [u8; 64], message: &[u8]) -> Case {
    let mut signature = [0; 448];
    signature[..64].copy_from_slice(&leaf_signature);
    let mut key = leaf;
    for (level, pair) in signature[64..].chunks_exact_mut(64).enumerate() {
        pair[..32].copy_from_slice(&random32(level as u64));
        pair[32..].copy_from_slice(&random32(level as u64 + 9));
        let half = ((evolution >> level) & 1) as usize;
        pair[32 * half..][..32].copy_from_slice(&key);
        key = blake2b_256(pair);
    }
    Case {
        key,
        evolution,
        message: message.to_vec(),
        signature,
    }
}

/// Asserts that the twin and every engine agree, in batches of many sizes. Returns the number of valid cases.
fn check(cases: &[Case]) -> usize {
    let expected: Vec<bool> = cases.iter().map(verify).collect();
    let claims: Vec<KesClaim<'_>> = cases.iter().map(claim).collect();
    let reasons = verify_kes(&claims);
    for engine in engines() {
        let verdicts = verify_kes_on(engine, &claims);
        assert_eq!(verdicts, reasons, "{engine:?}");
        let (mut from, mut size) = (0, 1);
        while from < claims.len() {
            let to = claims.len().min(from + size);
            let some = verify_kes_on(engine, &claims[from..to]);
            assert_eq!(some, verdicts[from..to], "{engine:?} {from} {to}");
            (from, size) = (to, size % 37 + 1);
        }
    }
    for (i, (reason, expected)) in reasons.iter().zip(&expected).enumerate() {
        assert_eq!(reason.is_ok(), *expected, "{i}: {:02x?}", cases[i]);
    }
    expected.iter().filter(|valid| **valid).count()
}

#[test]
fn every_evolution_and_no_other() {
    let cases = honest(1);
    assert_eq!(cases.len(), 64);
    assert_eq!(check(&cases), 64);
    let mut others = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        for evolution in [
            0,
            1,
            31,
            32,
            63,
            64,
            65,
            128,
            64 + i as u64,
            u64::MAX,
            i as u64 ^ 1,
        ] {
            others.push(Case {
                evolution,
                ..case.clone()
            });
        }
    }
    // Each of the evolutions 0, 1, 31, 32 and 63 is right once.
    assert_eq!(check(&others), 5);
}

#[test]
fn an_altered_byte_anywhere() {
    let honest = honest(2);
    let mut cases = Vec::new();
    for place in 0..448 {
        let mut case = honest[number(place) % 64].clone();
        case.signature[place as usize] ^= 1 << (number(place + 1000) % 8);
        cases.push(case);
    }
    for (place, honest) in honest.iter().enumerate().take(32) {
        let mut case = honest.clone();
        case.key[place] ^= 1;
        cases.push(case.clone());
        case.key[place] ^= 1;
        case.message[place] ^= 0x80;
        cases.push(case.clone());
        case.message[place] ^= 0x80;
        case.message.pop();
        cases.push(case);
    }
    assert_eq!(check(&cases), 0);
    // Now a valid case stands before each altered one. Many cases have the same key and evolution.
    let mut mixed = Vec::new();
    for (i, case) in cases.into_iter().enumerate() {
        mixed.push(honest[i % 64].clone());
        mixed.push(case);
    }
    assert_eq!(check(&mixed), mixed.len() / 2);
}

#[test]
fn pairs_swapped_moved_and_taken_from_another_key() {
    let (one, two) = (honest(3), honest(4));
    let mut cases = Vec::new();
    for (case, other) in one.iter().zip(&two) {
        for level in 0..6 {
            let at = 64 + 64 * level;
            let mut swapped = case.clone();
            swapped.signature[at..at + 64].rotate_left(32);
            cases.push(swapped);
            let mut taken = case.clone();
            taken.signature[at..at + 64].copy_from_slice(&other.signature[at..at + 64]);
            cases.push(taken);
        }
        let mut wrong_leaf = case.clone();
        wrong_leaf.signature[..64].copy_from_slice(&other.signature[..64]);
        cases.push(wrong_leaf);
        let mut wrong_root = case.clone();
        wrong_root.key = other.key;
        cases.push(wrong_root);
    }
    assert_eq!(check(&cases), 0);
}

/// Leaf keys that are the neutral element, of mixed order, or not a point. If the key A is the neutral
/// element, these signatures satisfy s·B = R + k·A for every k, and only the strict rules reject the key.
#[test]
fn hostile_leaves() {
    let (mut neutral, mut not_canonical, mut base) = ([0; 32], [0xff; 32], [0x66; 32]);
    neutral[0] = 1;
    (not_canonical[0], not_canonical[31]) = (0xee, 0x7f);
    base[0] = 0x58;
    let (zero, one) = ([0; 32], neutral);
    let message = random32(7);
    let secret = SigningKey::from_bytes(&random32(8));
    let (leaf, honest) = (secret.verifying_key().to_bytes(), secret.sign(&message));
    // This key has mixed order. The equation holds only if both sides are multiplied by the cofactor 8.
    let [mixed_message, mixed, by_mixed] = [
        "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
        "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        "21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7\
         e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405",
    ]
    .map(|text| hex::decode(text).unwrap());
    let mixed: [u8; 32] = mixed.try_into().unwrap();
    let by_mixed: [u8; 64] = by_mixed.try_into().unwrap();
    let mut cases = Vec::new();
    for evolution in 0..64 {
        cases.push(grown(leaf, evolution, honest.to_bytes(), &message));
        cases.push(grown(mixed, evolution, by_mixed, &mixed_message));
        for (key, r, s) in [
            (neutral, base, one),
            (not_canonical, base, one),
            (neutral, neutral, zero),
            (not_canonical, neutral, zero),
            ([2; 32], base, one),
        ] {
            let signature = [r, s].concat().try_into().unwrap();
            cases.push(grown(key, evolution, signature, &message));
        }
    }
    assert_eq!(check(&cases), 64);
}

#[test]
fn reasons() {
    let cases = honest(5);
    let case = &cases[37];
    let with = |change: fn(&mut Case)| {
        let mut case = case.clone();
        change(&mut case);
        verify_kes(&[claim(&case)])[0]
    };
    assert_eq!(with(|_| {}), Ok(()));
    assert_eq!(
        with(|case| case.evolution = 64),
        Err(InvalidKes::Evolution(64))
    );
    for (level, at) in [(0, 447), (1, 383), (5, 64)] {
        let mut case = case.clone();
        case.signature[at] ^= 1;
        let verdict = verify_kes(&[claim(&case)])[0];
        assert_eq!(verdict, Err(InvalidKes::Path(level)));
    }
    assert_eq!(
        with(|case| case.message[0] ^= 1),
        Err(InvalidKes::Leaf(Invalid::Mismatch))
    );
    assert_eq!(
        with(|case| case.signature[32..64].fill(0xff)),
        Err(InvalidKes::Leaf(Invalid::ScalarNotCanonical))
    );
}

/// The compiler must warn here. If it does not, this test does not compile.
#[test]
#[deny(unfulfilled_lint_expectations)]
fn verdicts_that_nobody_looks_at_are_a_warning() {
    #[expect(unused_must_use)]
    verify_kes(&[]);
}
