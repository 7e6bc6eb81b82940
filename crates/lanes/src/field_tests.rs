//! Every operation of every backend's field against big integers, at the bounds that
//! the backend documents: all limbs at their largest, single limbs at their largest,
//! and at random; and every element that has more than one representation.
//!
//! Nothing but these tests reaches the bounds: the limbs of random points lie far
//! below them, and a carry that is lost once in 2^30 elements stays hidden.
//!
//! A test looks at a value as what it is in memory, its limbs one after the other,
//! a word in each for every lane: `limbs[i][lane]`.

use std::sync::LazyLock;

use num_bigint::BigUint;

use crate::backend::portable::Portable;
use crate::backend::{Field, LOW_51};
use crate::constants::*;
use crate::field::*;

static P: LazyLock<BigUint> = LazyLock::new(|| (BigUint::from(1u8) << 255) - 19u8);

/// What a backend documents of its limbs; even and odd ones may differ.
struct Bounds {
    /// Where the limbs have their weights: limb i counts 2^weight[i].
    weights: &'static [u32],
    /// Tight limbs are below.
    tight: [u64; 2],
    /// The sides of a product may have limbs of so many times the tight bounds; what is
    /// squared, those of the right side.
    factors: &'static [[u64; 2]],
    /// Wide limbs are below.
    wide: u64,
    /// Wide limbs that are subtracted are below.
    subtracted: [u64; 2],
    /// Limbs of p.
    p: &'static [u64],
}

const RADIX_51: [u32; 5] = [0, 51, 102, 153, 204];
#[cfg(target_arch = "x86_64")]
const RADIX_25_5: [u32; 10] = [0, 26, 51, 77, 102, 128, 153, 179, 204, 230];

const P_51: [u64; 5] = [LOW_51 - 18, LOW_51, LOW_51, LOW_51, LOW_51];
#[cfg(target_arch = "x86_64")]
const LOW_26: u64 = (1 << 26) - 1;
#[cfg(target_arch = "x86_64")]
const LOW_25: u64 = (1 << 25) - 1;

#[cfg(target_arch = "x86_64")]
const P_25_5: [u64; 10] = {
    let mut p = [LOW_26; 10];
    let mut i = 1;
    while i < 10 {
        p[i] = LOW_25;
        i += 2;
    }
    p[0] -= 18;
    p
};

/// A backend under test.
trait Tested: Field {
    const BOUNDS: Bounds;
}

impl Tested for Portable {
    const BOUNDS: Bounds = Bounds {
        weights: &RADIX_51,
        tight: [(1 << 51) + (1 << 32); 2],
        factors: &[[1, 1]],
        wide: 1 << 56,
        subtracted: [4 * P_51[0]; 2],
        p: &P_51,
    };
}

#[cfg(target_arch = "x86_64")]
impl Tested for crate::backend::ifma::Ifma {
    const BOUNDS: Bounds = Bounds {
        weights: &RADIX_51,
        tight: [(1 << 51) + (1 << 32); 2],
        factors: &[[1, 1]],
        wide: 1 << 63,
        subtracted: [P_51[0] << 10; 2],
        p: &P_51,
    };
}

/// AVX2 and AVX-512 F have one field in common.
#[cfg(target_arch = "x86_64")]
const BOUNDS_25_5: Bounds = Bounds {
    weights: &RADIX_25_5,
    tight: [LOW_26 + (1 << 14), LOW_25 + (1 << 14)],
    factors: &[[1, 1], [6, 2], [3, 3]],
    wide: 1 << 31,
    subtracted: [4 * P_25_5[0], 4 * P_25_5[1]],
    p: &P_25_5,
};

#[cfg(target_arch = "x86_64")]
impl Tested for crate::backend::avx2::Avx2 {
    const BOUNDS: Bounds = BOUNDS_25_5;
}

#[cfg(target_arch = "x86_64")]
impl Tested for crate::backend::avx512::Avx512 {
    const BOUNDS: Bounds = BOUNDS_25_5;
}

/// The limbs of one element.
type Element = Vec<u64>;

/// A value of a field type or of its `Wide` from the limbs of each lane.
fn pack<F: Tested, T: Copy>(lanes: &[Element]) -> T {
    let count = F::BOUNDS.weights.len();
    assert_eq!(size_of::<T>(), count * F::LANES * 8);
    let words: Vec<u64> = (0..count)
        .flat_map(|i| (0..F::LANES).map(move |lane| lanes[lane % lanes.len()][i]))
        .collect();
    // SAFETY: T is an array of vectors of words and nothing else, as long as `words`.
    unsafe { words.as_ptr().cast::<T>().read_unaligned() }
}

/// The limbs of each lane.
fn unpack<F: Tested, T: Copy>(value: T) -> Vec<Element> {
    let count = F::BOUNDS.weights.len();
    assert_eq!(size_of::<T>(), count * F::LANES * 8);
    let mut words = vec![0u64; count * F::LANES];
    // SAFETY: as in `pack`.
    unsafe { words.as_mut_ptr().cast::<T>().write_unaligned(value) };
    let element = |lane| (0..count).map(|i| words[i * F::LANES + lane]).collect();
    (0..F::LANES).map(element).collect()
}

/// The integer that limbs stand for.
fn integer<F: Tested>(limbs: &[u64]) -> BigUint {
    let weights = F::BOUNDS.weights;
    limbs
        .iter()
        .zip(weights)
        .map(|(&limb, &weight)| BigUint::from(limb) << weight)
        .sum()
}

/// The integers of all lanes mod p.
fn residues<F: Tested, T: Copy>(value: T) -> Vec<BigUint> {
    let lanes = unpack::<F, T>(value);
    lanes.iter().map(|l| integer::<F>(l) % &*P).collect()
}

/// Panics unless every limb of every lane is below its bound.
fn assert_below<F: Tested, T: Copy>(value: T, [even, odd]: [u64; 2]) {
    for element in unpack::<F, T>(value) {
        for (i, limb) in element.into_iter().enumerate() {
            let bound = [even, odd][i % 2];
            assert!(limb < bound, "limb {i} is {limb:#x}, not below {bound:#x}");
        }
    }
}

/// A xorshift generator: the tests are the same in every run.
struct Dice(u64);

impl Dice {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }
}

/// The least residue of an integer below 2^255 as limbs of the backend, or the
/// integer itself: no limb exceeds its bits.
fn limbs_of<F: Tested>(value: &BigUint) -> Element {
    let weights = F::BOUNDS.weights;
    let ends = weights[1..].iter().chain(&[255]);
    weights
        .iter()
        .zip(ends)
        .map(|(&begin, &end)| {
            let limb = (value >> begin) % (BigUint::from(1u8) << (end - begin));
            u64::try_from(limb).unwrap()
        })
        .collect()
}

/// Limbs below the bounds: the extremes, the elements with several representations,
/// and random ones of which many limbs are extreme. A whole number of vectors.
fn elements<F: Tested>([even, odd]: [u64; 2], random: usize) -> Vec<Element> {
    let count = F::BOUNDS.weights.len();
    let bound = |i: usize| [even, odd][i % 2];
    let p = F::BOUNDS.p;
    let one = |value: u64| {
        let mut element = vec![0; count];
        element[0] = value;
        element
    };
    let mut elements = vec![
        one(0),
        one(1),
        one(2),
        one(18),
        one(19),
        one(20),
        (0..count).map(|i| bound(i) - 1).collect(),
        (0..count).map(|i| p[i].min(bound(i) - 1)).collect(),
    ];
    if cfg!(miri) {
        // The others take hours; Miri is there for what no value shows.
        return elements;
    }
    // p - 20 … p + 20 and 2^255 - 1, no limb above its bits.
    for near in 0..40u8 {
        let value = &*P + near - 20u8;
        if value.bits() <= 255 {
            elements.push(limbs_of::<F>(&value));
        }
    }
    elements.push(limbs_of::<F>(&(&*P + 18u8)));
    // One limb at its largest, or the whole of it moved down a place.
    for at in 0..count {
        let mut lonely = one(0);
        lonely[at] = bound(at) - 1;
        elements.push(lonely);
        let mut missing: Element = (0..count).map(|i| bound(i) - 1).collect();
        missing[at] = 0;
        elements.push(missing);
        // p + 2^k and p, with a carry left standing below.
        let next = (at + 1) % count;
        if next > 0 {
            let mut standing = p.to_vec();
            let bits = F::BOUNDS.weights[next] - F::BOUNDS.weights[at];
            if standing[at] + (1 << bits) < bound(at) {
                standing[at] += 1 << bits;
                standing[next] -= 1;
                elements.push(standing);
            }
        }
    }
    // Zero as a multiple of p, as far as the bounds let it go.
    for multiple in 1..1 << 11 {
        if (0..count).all(|i| p[i] * multiple < bound(i)) {
            elements.push(p.iter().map(|limb| limb * multiple).collect());
        }
    }
    let mut dice = Dice(0x5eed);
    for _ in 0..random {
        let element = (0..count).map(|i| match dice.below(6) {
            0 => bound(i) - 1,
            1 => p[i].min(bound(i) - 1),
            2 => (p[i] + 1 + dice.below(40)).min(bound(i) - 1),
            3 => dice.below(40),
            _ => dice.below(bound(i)),
        });
        elements.push(element.collect());
    }
    while elements.len() % F::LANES > 0 {
        elements.push(one(3));
    }
    elements
}

fn tight<F: Tested>(random: usize) -> Vec<Element> {
    elements::<F>(F::BOUNDS.tight, random)
}

/// Vectors of pairs: each element beside itself, beside the one before it, and
/// beside one at random.
fn pairs<F: Tested>(elements: &[Element]) -> Vec<(Vec<Element>, Vec<Element>)> {
    let mut dice = Dice(0xd1ce);
    let n = elements.len();
    let mut pairs = Vec::new();
    for chunk in elements.chunks(F::LANES) {
        pairs.push((chunk.to_vec(), chunk.to_vec()));
    }
    for turn in 0..3 {
        let partner = |i: usize, dice: &mut Dice| match turn {
            0 => 6, // all limbs at their largest
            1 => (i + n - 1) % n,
            _ => dice.below(n as u64) as usize,
        };
        let seconds: Vec<_> = (0..n)
            .map(|i| elements[partner(i, &mut dice)].clone())
            .collect();
        for (a, b) in elements.chunks(F::LANES).zip(seconds.chunks(F::LANES)) {
            pairs.push((a.to_vec(), b.to_vec()));
        }
    }
    if cfg!(miri) {
        pairs.truncate(2);
    }
    pairs
}

/// By Euler's criterion; 0 counts.
fn is_square(value: &BigUint) -> bool {
    let power = value.modpow(&((&*P - 1u8) >> 1), &P);
    power <= BigUint::from(1u8)
}

// -------------------------------------------------------------------- the tests

/// Products and squares of tight elements; and what a formula may do with one before
/// it carries: add up to three, and subtract up to two.
fn products<F: Tested>() {
    let elements = tight::<F>(2000);
    for (a_limbs, b_limbs) in pairs::<F>(&elements) {
        let (a, b) = (pack::<F, F>(&a_limbs), pack::<F, F>(&b_limbs));
        let (x, y) = (residues::<F, F>(a), residues::<F, F>(b));
        let product: Vec<_> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
        let square: Vec<_> = x.iter().map(|x| x * x).collect();
        for (wide, expected) in [(a.mul(b), product), (a.square(), square), (a.widen(), x)] {
            let two = F::add(wide, wide);
            assert_below::<F, F::Wide>(two, F::BOUNDS.subtracted);
            let three = F::add(two, wide);
            // 3 - 2 = 1, and the bias is at its heaviest.
            let one = F::sub(three, two);
            for (wide, times) in [(wide, 1u8), (three, 3), (one, 1)] {
                let carried = F::carry(wide);
                assert_below::<F, F>(carried, F::BOUNDS.tight);
                let expected: Vec<_> = expected.iter().map(|e| e * times % &*P).collect();
                assert_eq!(residues::<F, F>(carried), expected);
            }
            let alone = F::carry_product(wide);
            assert_below::<F, F>(alone, F::BOUNDS.tight);
            assert_eq!(residues::<F, F>(alone), residues::<F, F>(F::carry(wide)));
        }
    }
}

/// Products and squares of all that may be a factor.
fn factors<F: Tested>() {
    let bounds = F::BOUNDS;
    for times in bounds.factors {
        let [left, right] = times.map(|times| {
            let bounds = bounds.tight.map(|bound| times * bound);
            elements::<F>(bounds, 2000)
        });
        for (a, b) in left.chunks(F::LANES).zip(right.chunks(F::LANES)) {
            let (a, b) = (pack::<F, F>(a), pack::<F, F>(b));
            let (x, y) = (residues::<F, F>(a), residues::<F, F>(b));
            let product: Vec<_> = x.iter().zip(&y).map(|(x, y)| x * y % &*P).collect();
            let square: Vec<_> = y.iter().map(|y| y * y % &*P).collect();
            for (wide, expected) in [(a.mul(b), product), (b.square(), square)] {
                let carried = F::carry_product(wide);
                assert_below::<F, F>(carried, bounds.tight);
                assert_eq!(residues::<F, F>(carried), expected);
            }
        }
    }
}

/// Sums and differences of wide values, and the carry, for all limbs that they may
/// have.
fn sums<F: Tested>() {
    let bounds = F::BOUNDS;
    let whole = elements::<F>([bounds.wide; 2], 4000);
    for limbs in whole.chunks(F::LANES) {
        let wide = pack::<F, F::Wide>(limbs);
        let carried = F::carry(wide);
        assert_below::<F, F>(carried, bounds.tight);
        assert_eq!(residues::<F, F>(carried), residues::<F, F::Wide>(wide));
    }
    // Two terms that add up to no more than is allowed.
    let half = elements::<F>([bounds.wide / 2; 2], 2000);
    for (a, b) in pairs::<F>(&half) {
        let (a, b) = (pack::<F, F::Wide>(&a), pack::<F, F::Wide>(&b));
        let sum = F::add(a, b);
        let expected: Vec<_> = residues::<F, F::Wide>(a)
            .iter()
            .zip(residues::<F, F::Wide>(b))
            .map(|(a, b)| (a + b) % &*P)
            .collect();
        assert_eq!(residues::<F, F>(F::carry(sum)), expected);
    }
    let left = elements::<F>(bounds.subtracted, 2000);
    for (a, b) in pairs::<F>(&left) {
        let (a, b) = (pack::<F, F::Wide>(&a), pack::<F, F::Wide>(&b));
        let difference = F::carry(F::sub(a, b));
        assert_below::<F, F>(difference, bounds.tight);
        let expected: Vec<_> = residues::<F, F::Wide>(a)
            .iter()
            .zip(residues::<F, F::Wide>(b))
            .map(|(a, b)| (a + &*P - b) % &*P)
            .collect();
        assert_eq!(residues::<F, F>(difference), expected);
    }
}

/// The least residue, and what is read off it, of every representation.
fn canonical<F: Tested>() {
    let elements = tight::<F>(20_000);
    for limbs in elements.chunks(F::LANES) {
        let element = pack::<F, F>(limbs);
        let expected = residues::<F, F>(element);
        let canonical = unpack::<F, F>(element.canonical());
        let (zero, odd) = (element.is_zero(), element.is_odd());
        assert_eq!(u32::from(zero) >> F::LANES, 0, "a bit beyond the lanes");
        assert_eq!(u32::from(odd) >> F::LANES, 0, "a bit beyond the lanes");
        for lane in 0..F::LANES {
            assert_eq!(canonical[lane], limbs_of::<F>(&expected[lane]));
            let is_zero = expected[lane] == BigUint::ZERO;
            assert_eq!(zero >> lane & 1 == 1, is_zero);
            assert_eq!(odd >> lane & 1 == 1, expected[lane].bit(0));
        }
    }
}

/// Elements go to memory and come back, limbs at their largest too.
fn words<F: Tested>() {
    fn rows<F: Tested, const N: usize>() {
        let mut dice = Dice(N as u64);
        let mut rows = [[0; N]; 8];
        for word in rows.as_flattened_mut() {
            *word = dice.word();
        }
        let words = F::load_words(&rows.each_ref());
        let mut out = [[7; N]; 8];
        F::store_words(&words, &mut out);
        assert_eq!(out[..F::LANES], rows[..F::LANES]);
        assert!(out[F::LANES..].iter().all(|row| *row == [7; N]));
    }
    rows::<F, 1>();
    rows::<F, 3>();
    rows::<F, 4>();
    rows::<F, 5>();
    rows::<F, 7>();
    rows::<F, 8>();
    rows::<F, 9>();
    rows::<F, 16>();
    rows::<F, 20>();
    rows::<F, 24>();
    // The largest limbs that a carry leaves behind.
    for limbs in elements::<F>([F::BOUNDS.wide; 2], 2000).chunks(F::LANES) {
        let element = F::carry(pack::<F, F::Wide>(limbs));
        let mut rows = [[0; 5]; 8];
        F::store_words(&element.to_words(), &mut rows);
        let expected = residues::<F, F>(element);
        for (row, expected) in rows.iter().zip(&expected) {
            assert!(row.iter().all(|limb| limb >> 52 == 0));
            assert_eq!(integer::<Portable>(row) % &*P, *expected);
        }
        // The same element, if not the same limbs.
        let back = F::from_tight_words(F::load_words(&rows.each_ref()));
        assert_below::<F, F>(back, F::BOUNDS.tight);
        assert_eq!(residues::<F, F>(back), expected);
        // Any limbs below 2^51, as they come from bytes.
        let rows = rows.map(|row| row.map(|limb| limb & LOW_51));
        let back = F::from_tight_words(F::load_words(&rows.each_ref()));
        for (row, residue) in rows.iter().zip(residues::<F, F>(back)) {
            assert_eq!(integer::<Portable>(row) % &*P, residue);
        }
    }
    for limbs in [ZERO, ONE, P_51, [LOW_51; 5], D, SIGMA] {
        let splat = F::splat(limbs);
        assert_below::<F, F>(splat, F::BOUNDS.tight);
        let expected = integer::<Portable>(&limbs) % &*P;
        assert_eq!(residues::<F, F>(splat), vec![expected; F::LANES]);
    }
}

/// Every lane obeys its own bit of the mask.
fn selections<F: Tested>() {
    let elements = tight::<F>(100);
    for (set_limbs, clear_limbs) in pairs::<F>(&elements).into_iter().take(20) {
        let (set, clear) = (pack::<F, F>(&set_limbs), pack::<F, F>(&clear_limbs));
        for mask in 0..=u8::MAX {
            let selected = unpack::<F, F>(F::select(mask, set, clear));
            let negated = residues::<F, F>(negate_if(mask, set));
            for lane in 0..F::LANES {
                let is_set = mask >> lane & 1 == 1;
                let [taken, left] = [&set_limbs, &clear_limbs].map(|limbs| &limbs[lane]);
                assert_eq!(&selected[lane], if is_set { taken } else { left });
                let value = integer::<F>(taken) % &*P;
                let negative = (&*P - &value) % &*P;
                assert_eq!(negated[lane], if is_set { negative } else { value });
            }
        }
    }
}

/// Equality, inverses, square roots and the quartic character, where each lane holds
/// another case.
fn powers<F: Tested>() {
    if cfg!(miri) {
        return; // One power of a big integer takes half a minute.
    }
    let one = BigUint::from(1u8);
    let i = integer::<Portable>(&SQRT_M1);
    let elements = tight::<F>(40);
    for (a_limbs, b_limbs) in pairs::<F>(&elements) {
        let (a, b) = (pack::<F, F>(&a_limbs), pack::<F, F>(&b_limbs));
        let (x, y) = (residues::<F, F>(a), residues::<F, F>(b));
        let equal = equal(a, b);
        let [inverse_a, inverse_b] = invert([a, b]).map(residues::<F, F>);
        let [roots, fractions] = sqrt_ratio([a, b], [F::splat(ONE), a]);
        let [character] = quartic_character([a]).map(residues::<F, F>);
        for lane in 0..F::LANES {
            let (x, y) = (&x[lane], &y[lane]);
            assert_eq!(equal >> lane & 1 == 1, x == y);
            assert_eq!(inverse_a[lane], x.modpow(&(&*P - 2u8), &P));
            assert_eq!(inverse_b[lane], y.modpow(&(&*P - 2u8), &P));
            assert_eq!(character[lane], x.modpow(&((&*P - 1u8) >> 2), &P));
            for (u, v, (mask, root)) in [(x, &one, roots), (y, x, fractions)] {
                let is_root = mask >> lane & 1 == 1;
                let root = &residues::<F, F>(root)[lane];
                let ratio = u * v.modpow(&(&*P - 2u8), &P) % &*P;
                if *v == BigUint::ZERO && *u != BigUint::ZERO {
                    assert!(!is_root, "a root of a number over 0");
                    continue;
                }
                assert_eq!(is_root, is_square(&ratio));
                let turned = if is_root { ratio } else { &i * ratio };
                assert_eq!(root * root % &*P, turned % &*P);
            }
        }
    }
    // One inversion for all, zeros among them in every representation.
    let mut all: Vec<F> = elements.chunks(F::LANES).map(pack::<F, F>).collect();
    let before: Vec<_> = all.iter().flat_map(|a| residues::<F, F>(*a)).collect();
    let mut scratch = all.clone();
    invert_all(&mut all, &mut scratch);
    let after = all.iter().flat_map(|a| residues::<F, F>(*a));
    for (before, after) in before.iter().zip(after) {
        assert_eq!(after, before.modpow(&(&*P - 2u8), &P));
    }
}

/// The tests for a backend, left out where the processor lacks its instruction set.
macro_rules! backend {
    ($name:ident, $field:ty, $($feature:tt),*) => {
        mod $name {
            backend!(test $field, [$($feature),*] products factors sums canonical words selections powers);
        }
    };
    (test $field:ty, $features:tt $($test:ident)*) => {
        $(#[test]
        fn $test() {
            if backend!(found $features) {
                super::$test::<$field>();
            } else {
                eprintln!("!!! SKIPPED: this processor lacks the instruction set");
            }
        })*
    };
    (found [$($feature:tt),*]) => {
        true $(&& std::arch::is_x86_feature_detected!($feature))*
    };
}

backend!(portable, crate::backend::portable::Portable,);
#[cfg(target_arch = "x86_64")]
backend!(avx2, crate::backend::avx2::Avx2, "avx2", "bmi2");
#[cfg(target_arch = "x86_64")]
backend!(avx512, crate::backend::avx512::Avx512, "avx512f", "bmi2");
#[cfg(target_arch = "x86_64")]
backend!(
    ifma,
    crate::backend::ifma::Ifma,
    "avx512f",
    "avx512dq",
    "avx512vl",
    "avx512bw",
    "avx512ifma",
    "bmi2"
);
