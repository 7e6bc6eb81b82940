//! The prime in use, and what limbs of 2^255-19 stand for modulo it.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use klero_lanes::unstable::field::{Field, Limbs, Portable};

static MODULUS: AtomicU64 = AtomicU64::new(0);

/// 2^40/2q, rounded up.
static INVERSE: AtomicU64 = AtomicU64::new(0);

/// What limbs that are no small integers stand for.
static KNOWN: OnceLock<HashMap<Limbs, u64>> = OnceLock::new();

/// The prime in use.
#[inline(always)]
pub(crate) fn modulus() -> u64 {
    MODULUS.load(Ordering::Relaxed)
}

/// What divides integers below 2^20 by 2q: the product, divided by 2^40.
#[inline(always)]
pub(crate) fn inverse() -> u64 {
    INVERSE.load(Ordering::Relaxed)
}

/// Makes a prime the one in use of this process. Limbs that are `known` stand for the integer
/// beside them.
pub(crate) fn use_prime(q: u64, known: HashMap<Limbs, u64>) {
    MODULUS.store(q, Ordering::Relaxed);
    INVERSE.store((1u64 << 40).div_ceil(2 * q), Ordering::Relaxed);
    assert!(KNOWN.set(known).is_ok(), "one curve for a process");
}

/// The element, below 2q, that limbs stand for.
#[inline(always)]
pub(crate) fn residue(limbs: Limbs) -> u64 {
    let q = modulus();
    if limbs[1..] == [0; 4] && limbs[0] < 2 * q {
        return limbs[0];
    }
    of_constant_or_bytes(limbs, q)
}

#[inline(never)]
fn of_constant_or_bytes(limbs: Limbs, q: u64) -> u64 {
    let least = Portable::from_words(limbs).canonical();
    let known = KNOWN.get().expect("a curve is in use");
    known.get(&least).copied().unwrap_or_else(|| {
        let radix = (1 << 51) % q;
        least
            .iter()
            .rev()
            .fold(0, |value, limb| (value * radix + limb) % q)
    })
}
