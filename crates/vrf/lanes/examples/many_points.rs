//! Decodes many public keys at once and computes a·B - b·Y for each key Y, on every backend that
//! this processor can run.
//!
//! ```text
//! cargo run --release -p klero-lanes --example many_points
//! ```

use std::time::Instant;

use klero_lanes::{Point, engines};

const KEYS: usize = 4096;

fn main() {
    // The public keys are multiples of the base point.
    let scalars: Vec<[u8; 32]> = (0..KEYS)
        .map(|i| {
            let mut scalar = [0; 32];
            scalar[..8].copy_from_slice(&(i as u64 + 1).to_le_bytes());
            scalar
        })
        .collect();
    let encodings = {
        let engine = klero_lanes::engine();
        let mut points = vec![Point::IDENTITY; KEYS];
        engine.mul_base_sub(
            &scalars,
            &[[0; 16]; KEYS],
            &[Point::BASE; KEYS],
            &mut points,
        );
        let mut encodings = vec![[0; 32]; KEYS];
        engine.encode(&points, &mut encodings);
        encodings
    };

    for engine in engines() {
        let start = Instant::now();
        let mut points = vec![Point::IDENTITY; KEYS];
        let mut on_curve = vec![false; KEYS];
        engine.decode(&encodings, &mut points, &mut on_curve);
        assert!(on_curve.iter().all(|&valid| valid));

        // i·B - 1·(i·B) is the identity.
        let mut one = [0; 16];
        one[0] = 1;
        let mut differences = vec![Point::IDENTITY; KEYS];
        engine.mul_base_sub(&scalars, &[one; KEYS], &points, &mut differences);
        let mut results = vec![[0; 32]; KEYS];
        engine.encode(&differences, &mut results);
        let mut identity = [0; 32];
        identity[0] = 1;
        assert!(results.iter().all(|result| *result == identity));

        let each = start.elapsed().as_secs_f64() * 1e6 / KEYS as f64;
        println!("{:<10} {each:6.2} µs for each key", engine.name());
    }
}
