//! Measured numbers: the points at which one way of computing becomes faster than another.
//!
//! Unless a comment says otherwise, they were found with `klero bench` and the stages of
//! `bench/`, by trying neighbouring values in one run; none changes a result.

use crate::formulas::scalar::digit_count;

/// The numbers that differ from backend to backend, measured on Zen 4 (AVX-512 F also on
/// Cascade Lake; AVX-IFMA by its twin in the encoding of AVX-512).
pub(crate) struct Tuning {
    /// The number of items that take as long one by one as in one vector.
    pub(crate) few: usize,
    /// The number of items from which pairs, whose coordinates share vectors, take less time than
    /// single items in curve25519-dalek.
    pub(crate) pairs_from: usize,
    /// See [`Engine::sum_from`](crate::Engine::sum_from). The number for AVX-IFMA is chosen between
    /// those for IFMA and AVX2.
    pub(crate) sum_from: usize,
}

pub(crate) const PORTABLE: Tuning = Tuning {
    few: 0,
    pairs_from: usize::MAX,
    sum_from: 24,
};

#[cfg(target_arch = "x86_64")]
pub(crate) const AVX2: Tuning = Tuning {
    few: 3,
    pairs_from: 2,
    sum_from: 40,
};

#[cfg(target_arch = "x86_64")]
pub(crate) const AVX_IFMA: Tuning = Tuning {
    few: 2,
    pairs_from: 2,
    sum_from: 64,
};

#[cfg(target_arch = "x86_64")]
pub(crate) const AVX512: Tuning = Tuning {
    few: 5,
    pairs_from: 2,
    sum_from: 64,
};

#[cfg(target_arch = "x86_64")]
pub(crate) const IFMA: Tuning = Tuning {
    few: 3,
    pairs_from: 1,
    sum_from: 80,
};

/// The number of vectors that share an inversion. More vectors save 1 to 3 % of an encoding and
/// take more of the first-level cache.
pub(crate) const SHARED_INVERSION: usize = 16;

/// The number of vectors of points whose combs share an inversion: enough for the proofs of a group in
/// klero, if a vector has eight lanes. More would gain nothing, and take more of the second-level cache.
pub(crate) const COMBS_TOGETHER: usize = 8;

/// The number of points whose multiples are computed together: two vectors of eight.
pub(crate) const KNOWN_TOGETHER: usize = 16;

/// The number of terms of a long sum by which rows are fetched ahead; the rows lie in random order.
pub(crate) const AHEAD: usize = 6;

/// The number of terms, besides that of the base point, up to which a sum is faster with the
/// coordinates of two points in the lanes than with windows.
pub(crate) const FEW_TERMS: usize = 40;

/// The number of points from which 128 sums of random subsets and their torsion tests cost
/// less than a test of each point.
pub(crate) const SUBSETS_FROM: usize = 160;

/// The number of points from which the subsets are summed by windows of a byte: half as many as
/// windows of four bits, with 17 times as many levels.
pub(crate) const BYTES_FROM: usize = 600;

/// The number of messages from which hashing them in lanes takes less time than one after
/// the other.
pub(crate) const SHA512_WORTH_LANES: usize = 2;

/// The number of such messages for BLAKE2b, which takes less time alone than SHA-512.
pub(crate) const BLAKE2B_WORTH_LANES: usize = 3;

/// The width of signed digits that makes a sum of n terms cheapest: a vector of windows costs
/// an addition for each point and about four thirds of one for each level.
pub(crate) fn best_width(n: usize, bits: usize, lanes: usize) -> usize {
    let vectors = |width| digit_count(bits, width).div_ceil(lanes);
    let cost = |width: usize| vectors(width) * (3 * n + (4 << (width - 1)));
    (3..=8).min_by_key(|&width| cost(width)).unwrap_or(8)
}
