//! Products of integers modulo L, the order of the group. Integers have a few words each, the least
//! word first. Residues need not be below L, because they only multiply points.
//!
//! L = 2^252 + δ, so 2^252 = -δ modulo L. To *fold* an integer is to multiply the part above its lowest 252
//! bits by -δ, and to add the product to these bits. The integer becomes up to 127 bits shorter. The
//! functions are only for public values. They work on any words: `checks/kernels` runs them on symbols.

use crate::field::word::Wide128;

/// δ = L - 2^252, below 2^125.
pub const DELTA: [u64; 2] = [0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6];

/// L.
pub const L: [u64; 4] = [DELTA[0], DELTA[1], 0, 1 << 60];

/// k·2^shift·L, which must be below 2^(64·N). k·2^shift must be below 2^64.
pub const fn multiple_of_l<const N: usize>(k: u64, shift: u32) -> [u64; N] {
    assert!(k.leading_zeros() >= shift);
    let (mut out, mut carry, mut i) = ([0; N], 0, 0);
    while i < 4 {
        let sum = ((L[i] as u128 * k as u128) << shift) + carry;
        (out[i], carry) = (sum as u64, sum >> 64);
        i += 1;
    }
    if N > 4 {
        out[4] = carry as u64;
    } else {
        assert!(carry == 0);
    }
    out
}

/// a·b, for integers that have at most N words together.
#[inline(always)]
pub fn times<W: Wide128, const N: usize>(a: &[W], b: &[W]) -> [W; N] {
    let mut out = [W::splat(0); N];
    for (i, a) in a.iter().enumerate() {
        let mut carry = W::splat(0);
        for (j, b) in b.iter().enumerate() {
            // The sum does not overflow: (2^64 - 1)² + 2·(2^64 - 1) is below 2^128.
            let sum = W::add_sums(a.product(*b), out[i + j].to_sum());
            let sum = W::add_sums(sum, carry.to_sum());
            out[i + j] = W::low(sum);
            carry = W::low(W::shift_sum_right::<64>(sum));
        }
        out[i + b.len()] = carry;
    }
    out
}

/// Folds x modulo L: the result is low + multiple - high·δ, for x = low + 2^252·high. `multiple`
/// must be a multiple of L that is at least high·δ.
#[inline(always)]
pub fn fold<W: Wide128, const N: usize>(x: &[W; N], multiple: &[u64; N]) -> [W; N] {
    let zero = W::splat(0);
    let (mut low, mut high) = ([zero; N], [zero; N]);
    low[..3].copy_from_slice(&x[..3]);
    low[3] = x[3].and(W::splat(u64::MAX >> 4));
    for i in 3..N {
        let above = if i + 1 < N { x[i + 1] } else { zero };
        high[i - 3] = x[i].shift_right::<60>().or(above.shift_left::<4>());
    }
    let high_delta = times::<W, N>(&high[..N - 3], &DELTA.map(W::splat));
    // Modulo 2^(64·N), -y is 1 + the complement of y. The first carry is this 1.
    let mut carry = W::splat(1).to_sum();
    for i in 0..N {
        let complement = W::splat(u64::MAX).sub(high_delta[i]);
        let sum = W::add_sums(low[i].to_sum(), W::splat(multiple[i]).to_sum());
        let sum = W::add_sums(W::add_sums(sum, complement.to_sum()), carry);
        (low[i], carry) = (W::low(sum), W::shift_sum_right::<64>(sum));
    }
    low
}

/// a + b, which must have at most N words.
#[inline(always)]
pub fn sum<W: Wide128, const N: usize>(a: &[W; N], b: &[W; N]) -> [W; N] {
    let (mut out, mut carry) = ([W::splat(0); N], W::splat(0).to_sum());
    for i in 0..N {
        let sum = W::add_sums(W::add_sums(a[i].to_sum(), b[i].to_sum()), carry);
        (out[i], carry) = (W::low(sum), W::shift_sum_right::<64>(sum));
    }
    out
}

/// a - b modulo 2^(64·N), and a word that is 1 if a >= b, else 0.
#[inline(always)]
pub fn difference<W: Wide128, const N: usize>(a: &[W; N], b: &[W; N]) -> ([W; N], W) {
    let (mut out, mut carry) = ([W::splat(0); N], W::splat(1).to_sum());
    for i in 0..N {
        let complement = W::splat(u64::MAX).sub(b[i]);
        let sum = W::add_sums(W::add_sums(a[i].to_sum(), complement.to_sum()), carry);
        (out[i], carry) = (W::low(sum), W::shift_sum_right::<64>(sum));
    }
    (out, W::low(carry))
}
