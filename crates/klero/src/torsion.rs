//! Is there any small-order part in these points?
//!
//! edwards25519 has 8·L points, so a point is the sum of one of order L and one
//! of the 8-torsion. A linear combination cannot see the second part reliably:
//! an error of order 2, 4 or 8 vanishes with probability 1/2 or more, whatever
//! the coefficients.
//!
//! A random subset sum of the points shows torsion with probability at least
//! 1/2 if any point has it (toggle that point: the two sums cannot both be free
//! of torsion). 128 independent subset sums miss it with probability 2^-128.
//! Few points are tested one by one, exactly.

use alloc::vec;

use curve25519_dalek::edwards::EdwardsPoint;

/// How many subset sums are tested.
const SUMS: usize = 128;

/// Up to here testing each point costs less than 128 sums and their tests.
const FEW: usize = 2 * SUMS;

/// So many points share a table of all their subset sums.
const TABLE_POINTS: usize = 5;

/// True if no point has a torsion component; wrong with probability at most
/// 2^-128 over the bytes of `random`, and never wrong about torsion-free points.
pub(crate) fn all_torsion_free(points: &[EdwardsPoint], random: &mut blake3::OutputReader) -> bool {
    if points.len() <= FEW {
        return points.iter().all(EdwardsPoint::is_torsion_free);
    }
    let mut sums = vec![EdwardsPoint::default(); SUMS];
    let mut table = [EdwardsPoint::default(); 1 << TABLE_POINTS];
    for chunk in points.chunks(TABLE_POINTS) {
        // table[subset] = Σ of the chunk's points in the subset.
        let mut filled = 1;
        for &point in chunk {
            for subset in 0..filled {
                table[filled + subset] = table[subset] + point;
            }
            filled *= 2;
        }
        let mut subsets = [0; SUMS];
        random.fill(&mut subsets);
        for (sum, subset) in sums.iter_mut().zip(subsets) {
            *sum += table[usize::from(subset) % filled];
        }
    }
    sums.iter().all(EdwardsPoint::is_torsion_free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use curve25519_dalek::constants::EIGHT_TORSION;
    use curve25519_dalek::scalar::Scalar;

    #[test]
    fn one_point_with_torsion_is_seen_among_any_number() {
        for count in [1, 2, FEW, FEW + 1, FEW + 2, 3 * FEW] {
            let mut points: Vec<_> = (0..count as u64)
                .map(|i| EdwardsPoint::mul_base(&Scalar::from(i)))
                .collect();
            let verdict = |points: &[EdwardsPoint]| {
                let mut random = blake3::Hasher::new().update(&[count as u8]).finalize_xof();
                all_torsion_free(points, &mut random)
            };
            assert!(verdict(&points));
            for at in [0, count / 2, count - 1] {
                for torsion in &EIGHT_TORSION[1..] {
                    points[at] += torsion;
                    assert!(!verdict(&points), "{count} points, torsion at {at}");
                    points[at] -= torsion;
                }
            }
        }
    }
}
