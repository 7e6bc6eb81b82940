//! Tests every stage in every floating-point environment that a host may have set. The results must be the
//! same, no exception may trap, and afterwards the environment, with its exception flags, must be unchanged.

#![cfg(all(target_arch = "x86_64", not(miri)))]

mod host;
#[path = "../fuzzed/stages.rs"]
#[allow(dead_code)]
mod stages;

use klero_lanes::{Engine, Point, engines};
use sha2::{Digest, Sha512};

#[test]
fn stages_in_any_host() {
    if !host::in_a_child("stages_in_any_host") {
        return;
    }
    // Two vectors of eight lanes, or four vectors of four lanes, and three more items.
    let bytes: Vec<[u8; 32]> = (0..19u64).map(random32).collect();
    for engine in engines() {
        let expected = every_stage(engine, &bytes);
        for environment in host::environments() {
            eprintln!("{engine:?} with MXCSR = {environment:#06x}");
            let (results, after) = host::within(environment, || every_stage(engine, &bytes));
            assert_eq!(after, environment, "MXCSR is {after:#06x} afterwards");
            for ((stage, result), (_, expected)) in results.iter().zip(&expected) {
                assert_eq!(result, expected, "{stage}");
            }
        }
    }
}

/// The results of each stage on the bytes. Nothing here except the stages uses floating-point numbers.
fn every_stage(engine: Engine, bytes: &[[u8; 32]]) -> Vec<(&'static str, Vec<[u8; 32]>)> {
    let mut results = stages::through(engine, bytes);
    // For 640 terms, each lane of a sum computes a window of its own, and the torsion test computes a sum for
    // each bit of the scalars.
    let points: Vec<Point> = (0..640u16)
        .map(|i| {
            if i % 3 == 0 {
                Point::IDENTITY
            } else {
                Point::BASE
            }
        })
        .collect();
    let scalars: Vec<[u8; 16]> = (0..640u16)
        .map(|i| [i as u8 ^ (i >> 8) as u8; 16])
        .collect();
    let mut encodings = [[0; 32]; 2];
    let (sum, free) = engine.random_combination(&points, &scalars);
    let again = engine.multiscalar_mul(&[0; 32], &points, &scalars, 128);
    engine.encode(&[sum, again], &mut encodings);
    results.push(("sums_of_windows", encodings.to_vec()));
    results.push(("torsion_free", vec![[free.into(); 32]]));
    results
}

fn random32(seed: u64) -> [u8; 32] {
    let digest = Sha512::digest(seed.to_le_bytes());
    digest[..32].try_into().unwrap()
}
