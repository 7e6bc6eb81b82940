//! Points and integers for the tests.

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use klero_lanes::{Engine, Point};
use sha2::{Digest, Sha512};

pub fn random32(seed: u64) -> [u8; 32] {
    let digest = Sha512::digest(seed.to_le_bytes());
    digest[..32].try_into().unwrap()
}

pub fn load(engine: Engine, points: &[EdwardsPoint]) -> Vec<Point> {
    let encodings: Vec<_> = points.iter().map(|p| p.compress().to_bytes()).collect();
    let mut decoded = vec![Point::IDENTITY; points.len()];
    engine.decode(&encodings, &mut decoded, &mut vec![false; points.len()]);
    decoded
}

pub fn encode(engine: Engine, points: &[Point]) -> Vec<[u8; 32]> {
    let mut encodings = vec![[0; 32]; points.len()];
    engine.encode(points, &mut encodings);
    encodings
}

/// Asserts that each point equals the point that `expected` returns for its index.
#[track_caller]
pub fn expect(engine: Engine, points: &[Point], expected: impl Fn(usize) -> EdwardsPoint) {
    for (i, encoding) in encode(engine, points).into_iter().enumerate() {
        let expected = expected(i).compress().to_bytes();
        assert_eq!(encoding, expected, "{engine:?} {i}");
    }
}

/// Multiplies by the integer without reducing it modulo L, so that points with torsion have exact multiples.
pub fn exact(p: &EdwardsPoint, integer: &[u8]) -> EdwardsPoint {
    let mut sum = EdwardsPoint::identity();
    for byte in integer.iter().rev() {
        for bit in (0..8).rev() {
            sum += sum;
            if byte >> bit & 1 == 1 {
                sum += p;
            }
        }
    }
    sum
}

/// Random integers, and integers with long carries, with equal digits, or with the highest bits set.
pub fn edge_integers<const N: usize>(top: u8) -> Vec<[u8; N]> {
    let mut edges: Vec<[u8; N]> = [0, 0xff, 0x80, 0x7f, 0x88, 0x55, 0x10, 0x0f]
        .map(|byte| [byte; N])
        .to_vec();
    let mut one = [0; N];
    one[0] = 1;
    let mut highest = [0; N];
    highest[N - 1] = top;
    let order = -Scalar::ONE;
    let mut below_order = [0; N];
    below_order.copy_from_slice(&order.to_bytes()[..N]);
    edges.extend([one, highest, below_order]);
    edges.extend((0..12).map(|i| {
        let mut random = [0; N];
        random.copy_from_slice(&random32(i)[..N]);
        random
    }));
    for edge in &mut edges {
        edge[N - 1] &= (top << 1).wrapping_sub(1);
    }
    edges
}
