use num_bigint::{BigInt, Sign};

use super::*;
use crate::field::Portable;

fn integer_of(bytes: &[u8; 32]) -> BigInt {
    BigInt::from_bytes_le(Sign::Plus, bytes)
}

fn order() -> BigInt {
    (BigInt::from(1) << 255u32) + 8 * BigInt::from(27742317777372353535851937790883648493u128)
}

/// Checks the properties that hold for every k. Returns the number of bits of each item's longer coordinate.
fn check(scalars: &[BigInt]) -> Vec<u64> {
    let k: Vec<[u8; 32]> = scalars
        .iter()
        .map(|k| {
            let mut bytes = [0; 32];
            let digits = k.to_bytes_le().1;
            bytes[..digits.len()].copy_from_slice(&digits);
            bytes
        })
        .collect();
    let mut halves = vec![Halves::ZERO; k.len()];
    halve::<Portable>(&k, &mut halves);
    let bits = scalars.iter().zip(&halves).map(|(k, halves)| {
        let (u, v) = (integer_of(&halves.u), integer_of(&halves.v));
        let signed = if halves.u_is_negative { -&u } else { u.clone() };
        assert_eq!((signed - &v * k) % order(), BigInt::ZERO, "{k}");
        assert!(v.bit(0) && u.bits() <= 253 && v.bits() <= 160, "{k}");
        u.bits().max(v.bits())
    });
    bits.collect()
}

fn random(seed: u64) -> BigInt {
    let mut state = seed;
    let mut words = [0u32; 8];
    for word in &mut words {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        *word = (state >> 32) as u32;
    }
    words[7] >>= 4;
    BigInt::from_slice(Sign::Plus, &words)
}

#[test]
fn halves_of_scalars_as_they_come() {
    let count = if cfg!(miri) { 9 } else { 2000 };
    let scalars: Vec<BigInt> = (0..count).map(random).collect();
    let bits = check(&scalars);
    assert!(bits.iter().filter(|&&bits| bits <= 131).count() * 100 >= 99 * bits.len());
    assert!(
        bits.iter().all(|&bits| bits < 150),
        "{:?}",
        bits.iter().max()
    );
}

/// Tests scalars near 0, scalars near simple fractions of 8·L (with denominators of at most 40), and
/// scalars with long runs of equal bits.
#[test]
fn halves_of_scalars_at_the_edges() {
    let mut scalars = Vec::new();
    let largest = (BigInt::from(1) << 253u32) - 1;
    let parts = if cfg!(miri) { 8..=9 } else { 4..=40 };
    for part in parts {
        for (numerator, near) in (0..=part / 4 + 1).flat_map(|n| (-2..=2).map(move |o| (n, o))) {
            scalars.push(order() * numerator / part + near);
        }
    }
    for bit in (0..253u32).step_by(if cfg!(miri) { 50 } else { 1 }) {
        let power = BigInt::from(1) << bit;
        scalars.extend([&power - 1, power.clone(), &power + 1, &largest - &power]);
    }
    scalars.retain(|k| *k >= BigInt::ZERO && *k <= largest);
    check(&scalars);
}

#[test]
fn bits_above_253_do_not_count() {
    let mut halves = [Halves::ZERO; 2];
    let mut k = [[0x77; 32], [0x77; 32]];
    k[0][31] = 0x17;
    k[1][31] = 0xf7;
    halve::<Portable>(&k, &mut halves);
    assert_eq!(halves[0].u, halves[1].u);
    assert_eq!(halves[0].v, halves[1].v);
}
