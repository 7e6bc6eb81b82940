//! Measured numbers. Most are the sizes from which on one way of computing is faster than another.
//!
//! Unless a comment says otherwise, the numbers were found with `klero bench` and the benchmarks of stages
//! in `bench/`, by trying neighbouring values in one run. None of the numbers changes a result.

use crate::formulas::scalar::digit_count;

/// The numbers that differ from backend to backend, measured on Zen 4. AVX-512 F was also measured on Cascade
/// Lake. For AVX-IFMA, `AvxIfmaTwin` was measured: the same instructions in the encoding of AVX-512.
pub(crate) struct Tuning {
    /// The number of items, left over by full vectors, that take as long one by one as in one more vector.
    pub(crate) few: usize,
    /// The least number of items left over by full vectors for which computing in pairs (the coordinates of
    /// two points share vectors) takes less time than computing one by one in curve25519-dalek.
    pub(crate) pairs_from: usize,
    /// The result of [`Engine::sum_from`](crate::Engine::sum_from). The number for AVX-IFMA was not measured:
    /// it was chosen so that it lies between the numbers for AVX2 and IFMA.
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

/// The number of vectors that share an inversion. More vectors would save 1 to 3 % of the time of
/// an encoding, but would need more of the first-level cache.
pub(crate) const SHARED_INVERSION: usize = 16;

/// The number of vectors of points whose combs share an inversion. With eight lanes, this is enough for all
/// proofs that klero makes together. More vectors would gain nothing, and need more second-level cache.
pub(crate) const COMBS_TOGETHER: usize = 8;

/// The number of points whose multiples are computed together. They fill two vectors of eight.
pub(crate) const KNOWN_TOGETHER: usize = 16;

/// The number of terms by which a long sum prefetches table rows, which it reads in random order.
pub(crate) const AHEAD: usize = 6;

/// The largest number of terms for which a sum takes less time with the coordinates of two points in the
/// lanes than with a window in each lane. The term of the base point is not counted.
pub(crate) const FEW_TERMS: usize = 40;

/// The least number of points for which it costs less to sum 128 random subsets of the points and test these
/// sums for torsion than to test each point.
pub(crate) const SUBSETS_FROM: usize = 160;

/// The least number of points for which the subsets are summed in windows of eight bits instead of four. This
/// halves the number of windows, but gives each window 17 times as many levels.
pub(crate) const BYTES_FROM: usize = 600;

/// The least number of messages for which SHA-512 takes less time in lanes than one after the other.
pub(crate) const SHA512_WORTH_LANES: usize = 2;

/// The corresponding number for BLAKE2b. It is larger because one BLAKE2b takes less time than one SHA-512.
pub(crate) const BLAKE2B_WORTH_LANES: usize = 3;

/// The width of signed digits for which a sum of n terms costs least. A vector of windows costs one
/// addition for each point, and about four thirds of an addition for each level.
pub(crate) fn best_width(n: usize, bits: usize, lanes: usize) -> usize {
    let vectors = |width| digit_count(bits, width).div_ceil(lanes);
    let cost = |width: usize| vectors(width) * (3 * n + (4 << (width - 1)));
    (3..=8).min_by_key(|&width| cost(width)).unwrap_or(8)
}
