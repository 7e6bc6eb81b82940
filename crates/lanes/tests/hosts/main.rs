//! Every stage in every floating-point environment: the same results, no exception, and
//! the environment is afterwards what it was.

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
    // Two vectors and a few that are alone.
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

/// The results of each stage on the bytes. Only the stages use floating-point numbers.
fn every_stage(engine: Engine, bytes: &[[u8; 32]]) -> Vec<(&'static str, Vec<[u8; 32]>)> {
    let mut results = stages::through(engine, bytes);
    // With this number of terms the sums use a window for each lane, and the torsion test uses
    // the bits of the digits.
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
