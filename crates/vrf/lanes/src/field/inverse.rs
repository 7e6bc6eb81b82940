//! Inversion by division steps (Bernstein, Yang, "Fast constant-time gcd computation and modular
//! inversion", 2019). Many elements share one inversion.
//!
//! A division step maps a pair (f, g) with an odd f to another such pair. If g is even, the new pair is
//! (f, g/2). If g is odd, a counter chooses between (f, (g + f)/2) and (g, (g - f)/2). When the steps start
//! from (p, x), g becomes 0, and f becomes ±1, the greatest common divisor of p and x up to its sign. The
//! number of steps, and so the time, is the same for every x.
//!
//! A step depends only on the lowest bits of f and g. So 51 steps are done on the lowest limbs of f and g,
//! and the matrix of these steps is then applied to all limbs. The same matrices map (0, 1) to (d, e), where
//! f = d·x and g = e·x mod p, up to a power of 2. At the end f is ±1, so d is ±1/x up to this power of 2,
//! which one multiplication by a constant removes.
//!
//! An inversion takes half the time of raising one vector to the power p - 2.

use super::constants::{ONE, ZERO};
use super::element::{Field, Wide};
use super::limbs::{LOW_51, Limbs, multiple_of_p};
use super::portable::Portable;
use super::powers::mul;
use super::word::Vector;

/// Replaces each element of `a` by its inverse, in the first `lanes` lanes, with one inversion for all
/// (Montgomery's trick). Zeros stay zero and do not affect other inverses. The other lanes have no meaning
/// afterwards. `scratch` is as long as `a`. Constant time.
#[inline(always)]
pub fn invert_all<F: Field>(a: &mut [F], lanes: usize, scratch: &mut [F]) {
    let one = F::splat(ONE);
    let mut product = one;
    for (a, before) in a.iter_mut().zip(scratch.iter_mut()) {
        *before = product;
        product = mul(product, F::select(a.is_zero(), one, *a));
    }
    let mut inverse = invert_lanes(product, lanes);
    for (a, before) in a.iter_mut().zip(scratch.iter()).rev() {
        let zero = a.is_zero();
        let inverted = mul(inverse, *before);
        inverse = mul(inverse, F::select(zero, one, *a));
        *a = F::select(zero, *a, inverted);
    }
}

/// 1/a in the first `lanes` lanes, by one inversion. None of these lanes may be 0.
#[inline(always)]
fn invert_lanes<F: Field>(a: F, lanes: usize) -> F {
    let mut rows = [ZERO; 8];
    F::Word::store_rows(&a.limbs(), &mut rows);
    let lanes = &mut rows[..lanes];
    let mut product = Portable::splat(ONE);
    let mut before = [product; 8];
    for (lane, before) in lanes.iter().zip(&mut before) {
        *before = product;
        product = mul(product, Portable::splat(*lane));
    }
    let mut inverse = Portable::splat(invert(&product.canonical()));
    for (lane, before) in lanes.iter_mut().zip(before).rev() {
        let inverted = mul(inverse, before);
        inverse = mul(inverse, Portable::splat(*lane));
        *lane = inverted.words();
    }
    F::from_limbs(F::Word::load_rows(&rows.each_ref()))
}

/// The number of division steps that is enough for integers below 2^255, if the paper's δ starts at 1/2.
/// `checks/kernels` computes this number.
const DIVSTEPS: usize = 588;

/// The number of steps in one matrix. The lowest limbs of f and g determine these steps.
pub const STEPS_PER_MATRIX: usize = 51;

/// The number of steps that are done on one pair of packed words.
const STEPS_PER_WORD: usize = 17;

/// The width in bits of each of the three bit fields in a packed word.
const FIELD_BITS: usize = 21;

/// The number of matrices of an inversion.
const MATRICES: usize = DIVSTEPS.div_ceil(STEPS_PER_MATRIX);

/// The number of steps that an inversion takes.
pub const DIVISION_STEPS: usize = STEPS_PER_MATRIX * MATRICES;

/// 1/2^`DIVISION_STEPS`.
const SCALE: Limbs = [
    1783974367628745,
    1235059177589138,
    162179487966250,
    1269858824804569,
    1307613159047724,
];

/// An integer in limbs of 51 bits. The highest limb has the sign.
type Signed = [i64; 5];

/// A matrix of two rows. The magnitudes of a row's two entries add up to at most 2^51.
type Matrix = [[i64; 2]; 2];

/// 1/x mod p as tight limbs, for x below p. The inverse of 0 is 0. Constant time.
#[inline(never)]
fn invert(x: &Limbs) -> Limbs {
    let (mut f, mut g) = (signed(multiple_of_p(0)), signed(*x));
    let (mut d, mut e) = (signed(ZERO), signed(ONE));
    let mut counter = -1;
    for _ in 0..MATRICES {
        let [row_f, row_g] = steps(&mut counter, f[0], g[0]);
        (f, g) = (divided(row_f, &f, &g), divided(row_g, &f, &g));
        (d, e) = (reduced(row_f, &d, &e), reduced(row_g, &d, &e));
    }
    debug_assert_eq!(g, [0; 5], "not enough division steps");
    // If x is not 0, f is now 1 or -1. If x is 0, f is p and d is 0. 2p makes the limbs of ±d positive.
    let negative = f[4] >> 63;
    let positive = multiple_of_p(1);
    let d = unroll!(5, I => positive[I].wrapping_add(((d[I] ^ negative) - negative) as u64));
    mul(Portable::carry(Wide(d)), Portable::splat(SCALE)).words()
}

fn signed(limbs: Limbs) -> Signed {
    unroll!(5, I => limbs[I] as i64)
}

/// Does `STEPS_PER_MATRIX` division steps on the lowest limbs of f and g. Returns the matrix that
/// maps (f, g) to 2^`STEPS_PER_MATRIX` times the new (f, g).
///
/// The counter is -1/2 - δ, where δ is as in the paper and starts at 1/2.
fn steps(counter: &mut i64, mut f: i64, mut g: i64) -> Matrix {
    let mut matrix = [[1, 0], [0, 1]];
    for _ in 0..STEPS_PER_MATRIX / STEPS_PER_WORD {
        let rows = packed_steps(counter, f, g);
        let sum =
            |[u, v]: [i64; 2], f: i64, g: i64| u.wrapping_mul(f).wrapping_add(v.wrapping_mul(g));
        // Products may wrap around, but the bits of f and g that later steps depend on are correct.
        [f, g] = rows.map(|row| sum(row, f, g) >> STEPS_PER_WORD);
        let [[a, b], [c, d]] = matrix;
        matrix = rows.map(|row| [sum(row, a, c), sum(row, b, d)]);
    }
    matrix
}

/// Does `STEPS_PER_WORD` division steps on two packed words. One word holds f and its row (u, v) of the
/// matrix, and the other holds g and its row (q, r). A step changes u and v like f, and q and r like g.
///
/// The first word is f + u·2^21 + v·2^42, with only the low bits of f. Each term is signed. The rows begin as
/// multiples of 2^`STEPS_PER_WORD`. They are halved at most once in a step, so nothing is rounded. Each bit
/// field stays within ±2^18.
fn packed_steps(counter: &mut i64, f: i64, g: i64) -> Matrix {
    const LOW: i64 = (1 << STEPS_PER_WORD) - 1;
    let mut f = (f & LOW) + (1 << (STEPS_PER_WORD + FIELD_BITS));
    let mut g = (g & LOW) + (1 << (STEPS_PER_WORD + 2 * FIELD_BITS));
    // Two masks: `positive` is set if δ is positive, and `odd` is set if g is odd.
    let (mut positive, mut odd) = (*counter >> 63, -(g & 1));
    for _ in 0..STEPS_PER_WORD {
        let exchange = odd & positive;
        // If g is odd, the sum is g - f for a positive δ, else g + f. If g is even, the sum is g.
        let sum = g + (((f ^ positive) - positive) & odd);
        f ^= (f ^ g) & exchange;
        // The masks of the next step are computed without its f and g, which take longer. The next δ is 1 - δ
        // if δ is positive and g is odd, else δ + 1. For a positive δ, 1 - δ is positive only if δ is 1/2.
        positive = (*counter - 1) >> 63 ^ (*counter + 1) >> 63 & odd;
        odd = sum << 62 >> 63;
        g = sum >> 1;
        *counter = (*counter ^ exchange) - 1;
    }
    // Adding half of a bit field's range makes the field positive, so it does not borrow from the next field.
    const HALF: i64 = 1 << (FIELD_BITS - 1);
    [f, g].map(|word| {
        let row = (word + (HALF | HALF << FIELD_BITS | HALF << (2 * FIELD_BITS))) >> FIELD_BITS;
        [row & (2 * HALF - 1), row >> FIELD_BITS].map(|field| field - HALF)
    })
}

/// row·(a, b) / 2^51. The quotient is an integer. The magnitudes of a, b and the quotient are at most p.
fn divided([u, v]: [i64; 2], a: &Signed, b: &Signed) -> Signed {
    let column = |i: usize| i128::from(u) * i128::from(a[i]) + i128::from(v) * i128::from(b[i]);
    let mut carry = column(0);
    debug_assert_eq!(carry as u64 & LOW_51, 0);
    let mut out = [0; 5];
    for i in 1..5 {
        carry = (carry >> 51) + column(i);
        out[i - 1] = carry as i64 & LOW_51 as i64;
    }
    out[4] = (carry >> 51) as i64;
    debug_assert!((-1 << 51..1 << 51).contains(&out[4]));
    out
}

/// row·(a, b) mod p. The limbs of a, b and the result are at most 2^51 + 2^7 in magnitude.
fn reduced([u, v]: [i64; 2], a: &Signed, b: &Signed) -> Signed {
    let bounded = |x: &Signed| x.iter().all(|limb| limb.abs() <= (1 << 51) + (1 << 7));
    debug_assert!(bounded(a) && bounded(b));
    // In magnitude, a column is below 2^103, and its carry is below 2^52.
    let mut carry = 0;
    let mut out = [0; 5];
    for i in 0..5 {
        carry += i128::from(u) * i128::from(a[i]) + i128::from(v) * i128::from(b[i]);
        out[i] = carry as i64 & LOW_51 as i64;
        carry >>= 51;
    }
    // The carry is multiplied by 19, since 2^255 = 19 mod p.
    let lowest = out[0] + 19 * carry as i64;
    out[0] = lowest & LOW_51 as i64;
    out[1] += lowest >> 51;
    out
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;

    fn p() -> BigInt {
        (BigInt::from(1) << 255) - 19
    }

    fn integer(limbs: &Signed) -> BigInt {
        let limbs = limbs.iter().rev();
        limbs.fold(BigInt::ZERO, |sum, limb| (sum << 51) + limb)
    }

    fn limbs(value: &BigInt) -> Limbs {
        let limb = |i: usize| (value >> (51 * i)) & BigInt::from(LOW_51);
        std::array::from_fn(|i| u64::try_from(limb(i)).unwrap())
    }

    /// Integers near 0, p and powers of 2; the integers (p ± 1)/2 and p/3; and random integers.
    fn below_p() -> Vec<BigInt> {
        let mut all: Vec<_> = (0..20)
            .flat_map(|i| [BigInt::from(i), p() - 1 - i])
            .collect();
        for i in 0..255 {
            let power: BigInt = BigInt::from(1) << i;
            all.extend([&power - 1, power.clone(), &power + 1, p() - power]);
        }
        all.extend([(p() - 1) / 2, (p() + 1) / 2, p() / 3]);
        let mut random = BigInt::from(3);
        for _ in 0..300 {
            random = (&random * &random + 7) % p();
            all.push(random.clone());
        }
        all.retain(|x| (BigInt::ZERO..p()).contains(x));
        all
    }

    /// Integers for which the final d has a lowest limb near 2^51, above the lowest limb of p.
    fn with_large_limbs() -> Vec<BigInt> {
        let scale = integer(&signed(SCALE));
        let d = (0..18).flat_map(|below| {
            [0, 1, 1 << 20, LOW_51].map(|rest| (BigInt::from(rest) << 51) + LOW_51 - below)
        });
        let inverse = |d: BigInt| (d * &scale).modpow(&(p() - 2), &p());
        d.map(inverse).flat_map(|x| [p() - &x, x]).collect()
    }

    #[test]
    #[cfg_attr(miri, ignore = "a power of a big integer takes half a minute")]
    fn inverses_are_powers() {
        for x in [below_p(), with_large_limbs()].concat() {
            let inverse = invert(&limbs(&x)).map(|limb| limb as i64);
            assert_eq!(integer(&inverse) % p(), x.modpow(&(p() - 2), &p()));
        }
    }

    /// Tests slices of many lengths: values of at least p are inverted like their residues, zeros stay zero.
    #[test]
    #[cfg_attr(miri, ignore = "a power of a big integer takes half a minute")]
    fn all_encodings_have_inverses() {
        let top: BigInt = (BigInt::from(1) << 255) - 1;
        let mut values = vec![
            top.clone(),
            p(),
            p() + 1,
            BigInt::ZERO,
            BigInt::from(2),
            top,
        ];
        values.extend((0..10).map(|i| p() + i));
        for count in 0..values.len() {
            let values = &values[..count];
            let elements = values.iter().map(|x| Portable::splat(limbs(x)));
            let mut elements: Vec<_> = elements.collect();
            let mut scratch = elements.clone();
            invert_all(&mut elements, 1, &mut scratch);
            for (x, inverse) in values.iter().zip(elements) {
                let inverse = inverse.canonical().map(|limb| limb as i64);
                assert_eq!(integer(&inverse), x.modpow(&(p() - 2), &p()));
            }
        }
    }

    /// Tests that steps on words agree with single steps of the paper on whole integers.
    #[test]
    #[cfg_attr(miri, ignore = "big integers take minutes")]
    fn steps_are_those_of_integers() {
        let mut most = 0;
        for x in below_p() {
            // Twice δ is an odd integer.
            let (mut twice_delta, mut f, mut g) = (1, p(), x.clone());
            let (mut counter, mut fast_f, mut fast_g) =
                (-1, signed(multiple_of_p(0)), signed(limbs(&x)));
            let mut needed = 0;
            for _ in 0..MATRICES {
                for _ in 0..STEPS_PER_MATRIX {
                    needed += usize::from(g != BigInt::ZERO);
                    let odd = g.bit(0);
                    if twice_delta > 0 && odd {
                        (twice_delta, f, g) = (2 - twice_delta, g.clone(), (g - f) >> 1);
                    } else {
                        twice_delta += 2;
                        g = if odd { g + &f } else { g } >> 1;
                    }
                }
                let [row_f, row_g] = steps(&mut counter, fast_f[0], fast_g[0]);
                for [u, v] in [row_f, row_g] {
                    assert!(u.unsigned_abs() + v.unsigned_abs() <= 1 << STEPS_PER_MATRIX);
                }
                (fast_f, fast_g) = (
                    divided(row_f, &fast_f, &fast_g),
                    divided(row_g, &fast_f, &fast_g),
                );
                assert_eq!((integer(&fast_f), integer(&fast_g)), (f.clone(), g.clone()));
                assert_eq!(2 * counter, -1 - twice_delta);
            }
            most = most.max(needed);
        }
        assert!((500..=DIVSTEPS).contains(&most), "{most} steps");
    }

    /// Rows of two entries whose magnitudes add up to the maximum, 2^51.
    fn widest_rows() -> Vec<[i64; 2]> {
        let whole = 1 << STEPS_PER_MATRIX;
        let parts = [0, 1, whole / 2, whole - 1, whole];
        let signs = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
        let rows = parts
            .iter()
            .flat_map(|u| signs.map(|[s, t]| [s * u, t * (whole - u)]));
        rows.collect()
    }

    #[test]
    #[cfg_attr(miri, ignore = "big integers take minutes")]
    fn the_widest_limbs_are_reduced() {
        let widest = (1 << 51) + (1 << 7);
        // Each limb is -`widest`, 0 or `widest`.
        let all = |places: i64| -> Signed {
            std::array::from_fn(|i| (places / 3_i64.pow(i as u32) % 3 - 1) * widest)
        };
        for (row, a) in widest_rows()
            .into_iter()
            .flat_map(|row| (0..243).map(move |a| (row, a)))
        {
            for b in [a, 242 - a, 0, 121, 242] {
                let (a, b) = (all(a), all(b));
                let out = reduced(row, &a, &b);
                assert!(
                    out.iter().all(|limb| limb.abs() <= widest),
                    "{row:?} {a:?} {b:?}"
                );
                let exact = integer(&a) * row[0] + integer(&b) * row[1];
                assert_eq!(
                    (integer(&out) - exact) % p(),
                    BigInt::ZERO,
                    "{row:?} {a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "big integers take minutes")]
    fn the_largest_integers_are_divided() {
        // The highest limb has the sign.
        let signed = |x: &BigInt| -> Signed {
            std::array::from_fn(|i| {
                let limb = x >> (51 * i);
                let limb = if i < 4 {
                    limb & BigInt::from(LOW_51)
                } else {
                    limb
                };
                i64::try_from(limb).unwrap()
            })
        };
        let edges: Vec<BigInt> = [p(), p() - 1, BigInt::from(1), BigInt::ZERO]
            .into_iter()
            .flat_map(|x| [-&x, x])
            .collect();
        let mut divisible = 0;
        for row in widest_rows() {
            for (a, b) in edges.iter().flat_map(|a| edges.iter().map(move |b| (a, b))) {
                let sum = a * row[0] + b * row[1];
                let quotient: BigInt = &sum >> STEPS_PER_MATRIX;
                if &quotient << STEPS_PER_MATRIX == sum {
                    divisible += 1;
                    assert_eq!(integer(&divided(row, &signed(a), &signed(b))), quotient);
                }
            }
        }
        assert!(divisible > 200, "{divisible}");
    }

    #[test]
    fn scale_makes_up_for_all_steps() {
        let scale = integer(&signed(SCALE));
        assert_eq!((scale << DIVISION_STEPS) % p(), BigInt::from(1));
    }
}
