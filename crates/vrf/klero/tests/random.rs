//! Tests with random claims: honest, spoiled and arbitrary. The library must make the same proofs as the
//! model, and give the same verdicts, alone and in batches.

mod support;

use klero::{Claim, Prover, SecretKey, Verifier};
use klero_reference::{SUITES, Suite};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use support::case::{Case, honest, spoil};
use support::compare::{backends, check_alone, check_among, check_batch, subject, verdict};
use support::forger;
use support::rng::Rng;

every_suite!(claims, alpha_lengths, outputs);

/// The number of claims for each suite. It is small, because the model takes milliseconds for each claim.
const COUNT: usize = if cfg!(debug_assertions) { 20 } else { 60 };

/// Lengths of alpha: 0, 1 and edges. The hashed string is alpha, or alpha and 34 to 66 further bytes. At an
/// edge, such a string ends where a block of SHA-512 or BLAKE2b ends, or one byte before or after. This
/// counts with or without padding.
const EDGES: [usize; 16] = [
    0, 1, 45, 61, 76, 77, 78, 93, 94, 111, 112, 127, 128, 205, 239, 240,
];

/// Returns the model's proof and output, and asserts that the library makes the same.
fn proven(suite: &Suite, seed: [u8; 32], alpha: &[u8]) -> Case {
    let case = Case::honest(&SecretKey::from_seed(subject(suite), &seed), alpha);
    let model = Case::honest_by_model(suite, &seed, alpha);
    let context = || format!("{} {seed:02x?} {alpha:02x?}", suite.name);
    assert_eq!(case.key, model.key, "{}", context());
    assert_eq!(case.proof, model.proof, "{}", context());
    assert_eq!(case.output, model.output, "{}", context());
    model
}

fn claims(suite: &Suite) {
    let mut rng = Rng(0xc1a1);
    let mut seeds: Vec<[u8; 32]> = Vec::new();
    let mut cases = Vec::new();
    for index in 0..COUNT {
        // About half of the keys were used before.
        let seed = match seeds.len() {
            0 => rng.array(),
            len if rng.below(2) == 0 => seeds[rng.below(len)],
            _ => rng.array(),
        };
        seeds.push(seed);
        let len = rng.below(301);
        let mut case = proven(suite, seed, &rng.bytes(len));
        if rng.below(2) == 0 {
            case.output = None;
        }
        if rng.below(3) == 0 {
            case = case.changed(suite, format!("spoiled {index}"), |case| {
                spoil(&mut rng, case)
            });
        }
        check_alone(suite, &case);
        cases.push(case);
    }
    check_batch(suite, &cases);
    for _ in 0..8 {
        rng.shuffle(&mut cases);
        check_batch(suite, &cases[..1 + rng.below(cases.len())]);
        check_batch(suite, cases.iter().filter(|case| case.expected.is_ok()));
    }
}

/// Tests alphas with the lengths in `EDGES` on every suite. Also divides the lengths from 0 to 300 among the
/// suites: each of them is tested on one suite.
fn alpha_lengths(suite: &Suite) {
    let mut rng = Rng(0xa1fa);
    let number = SUITES.iter().position(|other| other == suite).unwrap();
    let every = (number..=300).step_by(SUITES.len());
    let cases: Vec<_> = EDGES
        .into_iter()
        .chain(every)
        .map(|len| {
            let alpha = rng.bytes(len);
            let case = proven(suite, rng.array(), &alpha);
            check_alone(suite, &case);
            case
        })
        .collect();
    check_batch(suite, &cases);
}

/// Tests that evaluating, proving and the model give the same outputs. Covers several keys, many numbers of
/// requests, and every backend.
fn outputs(suite: &Suite) {
    let mut rng = Rng(0xe7a1);
    let seeds: Vec<[u8; 32]> = (0..5).map(|_| rng.array()).collect();
    let keys: Vec<_> = seeds
        .iter()
        .map(|seed| SecretKey::from_seed(subject(suite), seed))
        .collect();
    for count in [0, 1, 2, 3, 7, 8, 9, 64, 65, 131] {
        let alphas: Vec<_> = (0..count).map(|i| rng.bytes(i % 70)).collect();
        let requests: Vec<_> = alphas
            .iter()
            .enumerate()
            .map(|(i, alpha)| (&keys[i % keys.len()], &alpha[..]))
            .collect();
        for backend in backends() {
            let prover = Prover::new().backend(backend);
            let proofs = prover.prove_many(&requests);
            let outputs = prover.evaluate_many(&requests);
            let proven: Vec<_> = proofs.into_iter().map(|(_, output)| output).collect();
            assert_eq!(outputs, proven, "{count} on {backend:?}");
            if let [(key, alpha), ..] = requests[..] {
                assert_eq!(prover.prove(key, alpha), key.prove(alpha));
                assert_eq!(prover.evaluate(key, alpha), key.evaluate(alpha));
            }
        }
        if let [(key, alpha), ..] = requests[..] {
            let model = Case::honest_by_model(suite, &seeds[0], alpha);
            assert_eq!(Some(key.evaluate(alpha).0.to_vec()), model.output);
            assert_eq!(key.evaluate_many(&[alpha; 3]), [key.evaluate(alpha); 3]);
            assert_eq!(key.prove_checked(alpha), Ok(key.prove(alpha)));
        }
    }
}

#[test]
fn long_alpha() {
    let alpha = Rng(20).bytes(1 << 20);
    for suite in &SUITES {
        let case = proven(suite, [9; 32], &alpha);
        let got = verdict(Verifier::new(subject(suite)).verify(&case.claim()));
        assert_eq!(got, case.expected, "{}", suite.name);
    }
}

// ------------------------------------------------------------ arbitrary bytes

/// Makes `len` bytes: random bytes, a repeated point of small order, or one repeated byte. Rarely makes
/// another number of random bytes.
fn field(len: usize) -> impl Strategy<Value = Vec<u8>> {
    let small: Vec<_> = forger::small_order_encodings().concat();
    prop_oneof![
        6 => prop::collection::vec(any::<u8>(), len),
        1 => prop::collection::vec(any::<u8>(), 0..200),
        1 => any::<Index>().prop_map(move |at| {
            let at = 32 * at.index(14);
            small[at..at + 32].iter().copied().cycle().take(len).collect()
        }),
        1 => any::<u8>().prop_map(move |byte| vec![byte; len]),
    ]
}

/// Makes a part of a claim. `None` leaves the part as it is.
fn part(len: usize) -> impl Strategy<Value = Option<Vec<u8>>> {
    prop::option::of(field(len))
}

/// Takes an honest claim of any suite. Each of its parts may be replaced by arbitrary bytes. After that, a
/// range of its proof may be overwritten with arbitrary bytes.
fn arbitrary_claim() -> impl Strategy<Value = (&'static Suite, Case)> {
    (
        select((0..SUITES.len()).collect::<Vec<_>>()),
        any::<Index>(),
    )
        .prop_flat_map(|(suite, pick)| {
            let suite = &SUITES[suite];
            let honest = honest_pool(suite);
            let honest = honest[pick.index(honest.len())].clone();
            let splice = prop::option::of((any::<Index>(), field(32)));
            let parts = (
                part(32),
                part(20),
                part(suite.proof_len()),
                part(64),
                splice,
            );
            (Just(suite), Just(honest), parts).prop_map(
                |(suite, honest, (key, alpha, proof, output, splice))| {
                    let case = honest.changed(suite, "arbitrary", |case| {
                        case.key = key.unwrap_or(case.key.clone());
                        case.alpha = alpha.unwrap_or(case.alpha.clone());
                        case.proof = proof.unwrap_or(case.proof.clone());
                        case.output = output.or(case.output.clone());
                        if let Some((at, bytes)) = splice {
                            let at = at.index(case.proof.len() + 1);
                            let end = case.proof.len().min(at + bytes.len());
                            case.proof[at..end].copy_from_slice(&bytes[..end - at]);
                        }
                    });
                    (suite, case)
                },
            )
        })
}

/// Three honest claims for each suite, made once.
fn honest_pool(suite: &Suite) -> &'static [Case] {
    static POOLS: std::sync::LazyLock<Vec<Vec<Case>>> =
        std::sync::LazyLock::new(|| SUITES.iter().map(|suite| honest(suite, 3)).collect());
    let number = SUITES.iter().position(|other| other == suite).unwrap();
    &POOLS[number]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 300 } else { 1000 }))]

    #[test]
    fn arbitrary_bytes_get_the_verdict_of_the_model(
        (suite, case) in arbitrary_claim(),
        position in 0..=3usize,
    ) {
        check_alone(suite, &case);
        check_among(suite, honest_pool(suite), 3, position, &[case]);
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        key in prop::collection::vec(any::<u8>(), 0..70),
        alpha in prop::collection::vec(any::<u8>(), 0..70),
        proof in prop::collection::vec(any::<u8>(), 0..300),
        output in prop::option::of(prop::collection::vec(any::<u8>(), 0..130)),
    ) {
        let claim = Claim { key: &key, alpha: &alpha, proof: &proof, output: output.as_deref() };
        for suite in klero::Suite::ALL {
            prop_assert!(Verifier::new(*suite).verify(&claim).is_err());
            let _ = suite.proof_to_hash(&proof);
        }
        let _ = klero::PublicKey::from_bytes(&key);
    }
}
