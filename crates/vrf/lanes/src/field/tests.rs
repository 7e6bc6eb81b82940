//! Tests of every operation of every backend's field against big integers, at the bounds that the backend
//! documents. In the tested elements, all limbs or single limbs are at their largest, or limbs are random.
//! Every integer from p to 2^255 - 1 is tested, too. It represents the same element as a smaller integer.
//!
//! No other test reaches the bounds. The limbs of random points are far below them, so other tests
//! would not find a carry that is lost once in 2^30 elements.
//!
//! The tests use the backend's own loads, stores and conversions of limbs, which are also tested here.
//!
//! The file is long because it is a list of operations, each with its bounds and expected results.

use std::sync::LazyLock;

use num_bigint::BigUint;

use super::constants::*;
use super::element::{Field, Wide};
use super::inverse::invert_all;
use super::limbs::{LOW_51, Limbs, TIGHT, from_radix_52, multiple_of_p, to_radix_52, without_dirt};
use super::powers::*;
use super::word::Vector;

#[cfg(target_arch = "x86_64")]
mod dirt;
#[cfg(all(target_arch = "x86_64", unix, not(miri)))]
mod fences;
mod words;

static P: LazyLock<BigUint> = LazyLock::new(|| (BigUint::from(1u8) << 255) - 19u8);

const P_51: Limbs = multiple_of_p(0);

/// The limbs of an element of one lane.
type Element = Limbs;

/// Loads the limbs of each lane into vectors of words.
fn load<W: Vector>(lanes: &[Element]) -> [W; 5] {
    let rows: [_; 8] = std::array::from_fn(|lane| &lanes[lane % lanes.len()]);
    W::load_rows(&rows)
}

/// Stores vectors of words as the limbs of each lane.
fn store<W: Vector>(words: [W; 5]) -> Vec<Element> {
    let mut rows = [[0; 5]; 8];
    W::store_rows(&words, &mut rows);
    rows[..W::LANES].to_vec()
}

/// Makes an element of the field from the limbs of each lane.
fn pack<F: Field>(lanes: &[Element]) -> F {
    F::from_limbs(load(lanes))
}

/// Makes a wide value from the limbs of each lane.
fn pack_wide<F: Field>(lanes: &[Element]) -> Wide<F::Word> {
    Wide(load(lanes))
}

/// The limbs of each lane.
fn unpack<F: Field>(value: F) -> Vec<Element> {
    store(value.limbs())
}

/// The integer that tight limbs represent.
fn integer(limbs: &Element) -> BigUint {
    integer_in(51, limbs)
}

/// The integer that limbs of `radix` bits represent.
fn integer_in(radix: u32, limbs: &Element) -> BigUint {
    let limbs = limbs.iter().rev();
    limbs.fold(BigUint::ZERO, |sum, &limb| (sum << radix) + limb)
}

/// The integer of each lane, mod p.
fn residues<F: Field>(value: F) -> Vec<BigUint> {
    unpack(value).iter().map(|l| integer(l) % &*P).collect()
}

/// The integer of each lane of a wide value, mod p.
fn residues_wide<F: Field>(value: Wide<F::Word>) -> Vec<BigUint> {
    let rows = store(value.0);
    let integers = rows.iter().map(|l| integer_in(F::RADIX, l));
    integers.map(|integer| integer % &*P).collect()
}

/// Panics unless every limb is below the bound.
fn assert_below(lanes: Vec<Element>, bound: u64) {
    for (i, limb) in lanes.as_flattened().iter().enumerate() {
        assert!(
            *limb < bound,
            "limb {} is {limb:#x}, not below {bound:#x}",
            i % 5
        );
    }
}

/// Panics unless every limb of every lane is tight.
fn assert_tight<F: Field>(value: F) {
    assert_below(unpack(value), TIGHT);
}

/// A xorshift generator. Its seeds are fixed, so that the tests are the same in every run.
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

/// An integer below 2^255 as tight limbs, each below 2^51.
fn limbs_of(value: &BigUint) -> Element {
    limbs_in(51, value)
}

/// An integer below 2^255 as limbs of `radix` bits, each below 2^radix.
fn limbs_in(radix: u32, value: &BigUint) -> Element {
    let low = BigUint::from((1u64 << radix) - 1);
    std::array::from_fn(|i| u64::try_from((value >> (radix as usize * i)) & &low).unwrap())
}

/// Elements with limbs below the bound: some with extreme limbs, some with several representations, and
/// random ones with many extreme limbs. They fill a whole number of vectors.
fn elements<F: Field>(radix: u32, bound: u64, random: usize) -> Vec<Element> {
    let p = limbs_in(radix, &P);
    let one = |value: u64| [value, 0, 0, 0, 0];
    let largest = [bound - 1; 5];
    let mut elements = vec![
        one(0),
        one(1),
        one(2),
        one(18),
        one(19),
        one(20),
        largest,
        p,
    ];
    if cfg!(miri) {
        // The others would take hours in Miri, which looks for undefined behaviour, not for wrong values.
        return elements;
    }
    // The integers from p - 20 to 2^255 - 1, with each limb below 2^radix.
    for near in 0..39u8 {
        elements.push(limbs_in(radix, &(&*P + near - 20u8)));
    }
    // One limb at its largest and the others 0, or one limb 0 and the others at their largest.
    for at in 0..5 {
        let mut lonely = one(0);
        lonely[at] = bound - 1;
        elements.push(lonely);
        let mut missing = largest;
        missing[at] = 0;
        elements.push(missing);
        // p with one carry undone: 2^radix more in one limb, and 1 less in the next.
        if at < 4 {
            let mut standing = p;
            if standing[at] + (1 << radix) < bound {
                standing[at] += 1 << radix;
                standing[at + 1] -= 1;
                elements.push(standing);
            }
        }
    }
    // Multiples of p whose limbs are below the bound. They are 0 mod p.
    for multiple in (1..1 << 11).take_while(|multiple| p[1] * multiple < bound) {
        elements.push(p.map(|limb| limb * multiple));
    }
    let mut dice = Dice(0x5eed);
    for _ in 0..random {
        elements.push(std::array::from_fn(|i| match dice.below(6) {
            0 => bound - 1,
            1 => p[i],
            2 => (p[i] + 1 + dice.below(40)).min(bound - 1),
            3 => dice.below(40),
            _ => dice.below(bound),
        }));
    }
    while elements.len() % F::LANES > 0 {
        elements.push(one(3));
    }
    elements
}

fn tight<F: Field>(random: usize) -> Vec<Element> {
    elements::<F>(51, TIGHT, random)
}

/// Elements with wide limbs below the bound.
fn wide<F: Field>(bound: u64, random: usize) -> Vec<Element> {
    elements::<F>(F::RADIX, bound, random)
}

/// Pairs of vectors. Each element is paired with itself, with the largest limbs, with the element
/// before it, and with a random element.
fn pairs<F: Field>(elements: &[Element]) -> Vec<(Vec<Element>, Vec<Element>)> {
    let mut dice = Dice(0xd1ce);
    let n = elements.len();
    let mut pairs = Vec::new();
    for chunk in elements.chunks(F::LANES) {
        pairs.push((chunk.to_vec(), chunk.to_vec()));
    }
    for turn in 0..3 {
        let partner = |i: usize, dice: &mut Dice| match turn {
            0 => 6, // The element with all limbs at their largest.
            1 => (i + n - 1) % n,
            _ => dice.below(n as u64) as usize,
        };
        let seconds: Vec<_> = (0..n).map(|i| elements[partner(i, &mut dice)]).collect();
        for (a, b) in elements.chunks(F::LANES).zip(seconds.chunks(F::LANES)) {
            pairs.push((a.to_vec(), b.to_vec()));
        }
    }
    if cfg!(miri) {
        pairs.truncate(2);
    }
    pairs
}

/// True if the value is a square, by Euler's criterion. 0 is a square.
fn is_square(value: &BigUint) -> bool {
    let power = value.modpow(&((&*P - 1u8) >> 1), &P);
    power <= BigUint::from(1u8)
}

// -------------------------------------------------------------------- the tests

/// Tests products and squares of tight elements, and the sums that a formula may make before it carries. In
/// such a sum, at most three terms are added, and at most two are subtracted.
fn products<F: Field>() {
    let elements = tight::<F>(2000);
    for (a_limbs, b_limbs) in pairs::<F>(&elements) {
        let (a, b) = (pack::<F>(&a_limbs), pack::<F>(&b_limbs));
        let (x, y) = (residues::<F>(a), residues::<F>(b));
        let product: Vec<_> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
        let square: Vec<_> = x.iter().map(|x| x * x).collect();
        for (called, wide) in [
            (a.product_called(b), a.mul(b)),
            (a.squared_called(), a.square()),
        ] {
            assert_tight(called);
            assert_eq!(residues::<F>(called), residues_wide::<F>(wide));
        }
        for (wide, expected) in [(a.mul(b), product), (a.square(), square), (a.widen(), x)] {
            let two = F::add(wide, wide);
            assert_below(store(two.0), F::BIAS[0] + 1);
            let three = F::add(two, wide);
            // Three equal terms minus two of them is one. No formula adds more than three terms and the bias.
            let one = F::sub(three, two);
            for (wide, times) in [(wide, 1u8), (three, 3), (one, 1)] {
                let carried = F::carry(wide);
                assert_tight(carried);
                let expected: Vec<_> = expected.iter().map(|e| e * times % &*P).collect();
                assert_eq!(residues::<F>(carried), expected);
            }
            let zero = F::difference(F::add(F::above(wide), wide), two);
            assert_eq!(F::carry(zero).is_zero(), F::splat(ZERO).is_zero());
            let alone = F::carry_product(wide);
            assert_tight(alone);
            assert_eq!(residues::<F>(alone), residues::<F>(F::carry(wide)));
        }
        for (above, wide) in [(a.mul_above(b), a.mul(b)), (a.square_above(), a.square())] {
            assert_eq!(residues_wide::<F>(above), residues_wide::<F>(wide));
            let zero = F::carry(F::difference(above, wide));
            assert_eq!(residues::<F>(zero), vec![BigUint::ZERO; F::LANES]);
        }
    }
}

/// Tests sums, differences and the carry of wide values, for limbs up to the largest that are allowed.
fn sums<F: Field>() {
    let whole = wide::<F>(F::WIDE, 4000);
    for limbs in whole.chunks(F::LANES) {
        let wide = pack_wide::<F>(limbs);
        let carried = F::carry(wide);
        assert_tight(carried);
        assert_eq!(residues::<F>(carried), residues_wide::<F>(wide));
    }
    // All limbs are below half of the bound, so the limbs of a sum of two terms are below the bound.
    let half = wide::<F>(F::WIDE / 2, 2000);
    for (a, b) in pairs::<F>(&half) {
        let (a, b) = (pack_wide::<F>(&a), pack_wide::<F>(&b));
        let sum = F::add(a, b);
        let expected: Vec<_> = residues_wide::<F>(a)
            .iter()
            .zip(residues_wide::<F>(b))
            .map(|(a, b)| (a + b) % &*P)
            .collect();
        assert_eq!(residues::<F>(F::carry(sum)), expected);
    }
    let left = wide::<F>(F::BIAS[0] + 1, 2000);
    for (a, b) in pairs::<F>(&left) {
        let (a, b) = (pack_wide::<F>(&a), pack_wide::<F>(&b));
        let difference = F::carry(F::sub(a, b));
        assert_tight(difference);
        let expected: Vec<_> = residues_wide::<F>(a)
            .iter()
            .zip(residues_wide::<F>(b))
            .map(|(a, b)| (a + &*P - b) % &*P)
            .collect();
        assert_eq!(residues::<F>(difference), expected);
    }
}

/// Tests the least residues of elements, and the checks for residues that are zero or odd.
fn canonical<F: Field>() {
    let elements = tight::<F>(20_000);
    for limbs in elements.chunks(F::LANES) {
        let element = pack::<F>(limbs);
        let expected = residues::<F>(element);
        let canonical = store(element.canonical());
        let (zero, odd) = (element.is_zero(), element.is_odd());
        assert_eq!(u32::from(zero) >> F::LANES, 0, "a bit beyond the lanes");
        assert_eq!(u32::from(odd) >> F::LANES, 0, "a bit beyond the lanes");
        for lane in 0..F::LANES {
            assert_eq!(canonical[lane], limbs_of(&expected[lane]));
            let is_zero = expected[lane] == BigUint::ZERO;
            assert_eq!(zero >> lane & 1 == 1, is_zero);
            assert_eq!(odd >> lane & 1 == 1, expected[lane].bit(0));
        }
    }
}

/// Tests that elements can be stored in memory and loaded again, even if their limbs are at their largest.
fn words<F: Field>() {
    fn rows<F: Field, const N: usize>() {
        let mut dice = Dice(N as u64);
        let mut rows = [[0; N]; 8];
        for word in rows.as_flattened_mut() {
            *word = dice.word();
        }
        let words = F::Word::load_rows(&rows.each_ref());
        let mut out = [[7; N]; 8];
        F::Word::store_rows(&words, &mut out);
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
    // Carried elements, with limbs up to the largest that a carry leaves.
    for limbs in wide::<F>(F::WIDE, 2000).chunks(F::LANES) {
        let element = F::carry(pack_wide::<F>(limbs));
        let mut rows = [[0; 5]; 8];
        F::Word::store_rows(&element.limbs(), &mut rows);
        let expected = residues::<F>(element);
        for (row, expected) in rows.iter().zip(&expected) {
            assert!(row.iter().all(|limb| limb >> 52 == 0));
            assert_eq!(integer(row) % &*P, *expected);
        }
        // The loaded element has the same residue, but its limbs may differ.
        let back = F::from_limbs(F::Word::load_rows(&rows.each_ref()));
        assert_tight(back);
        assert_eq!(residues::<F>(back), expected);
        // Rows in the backend's own radix can be loaded again, too.
        let mut own = [[0; 5]; 8];
        F::Word::store_rows(&element.row(), &mut own);
        let back = F::from_row(F::Word::load_rows(&own.each_ref()));
        assert_eq!(residues::<F>(back), expected);
        if F::RADIX == 52 {
            let limbs = own.map(from_radix_52);
            assert_eq!(unpack::<F>(element), limbs[..F::LANES]);
        }
        // Elements that are made from bytes can have any limbs below 2^51.
        let rows = rows.map(|row| row.map(|limb| limb & LOW_51));
        let back = F::from_limbs(F::Word::load_rows(&rows.each_ref()));
        for (row, residue) in rows.iter().zip(residues::<F>(back)) {
            assert_eq!(integer(row) % &*P, residue);
        }
    }
    for limbs in [ZERO, ONE, P_51, [LOW_51; 5], SQRT_M1] {
        let splat = F::splat(limbs);
        assert_tight(splat);
        let expected = integer(&limbs) % &*P;
        assert_eq!(residues::<F>(splat), vec![expected; F::LANES]);
    }
}

/// Tests selections, negations and sums under a mask: each lane depends on its own bit of the mask.
fn selections<F: Field>() {
    let elements = tight::<F>(100);
    for (set_limbs, clear_limbs) in pairs::<F>(&elements).into_iter().take(20) {
        let (set, clear) = (pack::<F>(&set_limbs), pack::<F>(&clear_limbs));
        for mask in 0..=u8::MAX {
            let selected = unpack::<F>(F::select(mask, set, clear));
            let sums = F::select_wide(mask, set.widen(), clear.widen());
            let selected_sums = store(sums.0);
            let negated = residues::<F>(negate_if(mask, set));
            let negated_sums = residues_wide::<F>(F::negate_where(mask, set.widen()));
            let added = F::add_where(mask, clear.widen(), set.widen());
            let added = residues_wide::<F>(added);
            for lane in 0..F::LANES {
                let is_set = mask >> lane & 1 == 1;
                let [taken, left] = [&set_limbs, &clear_limbs].map(|limbs| &limbs[lane]);
                let expected = integer(if is_set { taken } else { left }) % &*P;
                assert_eq!(integer(&selected[lane]) % &*P, expected);
                assert_eq!(integer_in(F::RADIX, &selected_sums[lane]) % &*P, expected);
                let value = integer(taken) % &*P;
                let negative = (&*P - &value) % &*P;
                let sum = integer(left) + if is_set { &value } else { &BigUint::ZERO };
                assert_eq!(added[lane], sum % &*P);
                let expected = if is_set { negative } else { value };
                assert_eq!([&negated[lane], &negated_sums[lane]], [&expected; 2]);
            }
        }
    }
}

/// Tests equality, square roots, inverses and the quartic character, with a different element in each lane.
fn powers<F: Field>() {
    if cfg!(miri) {
        return; // One power of a big integer takes half a minute.
    }
    let one = BigUint::from(1u8);
    let i = integer(&SQRT_M1);
    let elements = tight::<F>(40);
    for (a_limbs, b_limbs) in pairs::<F>(&elements) {
        let (a, b) = (pack::<F>(&a_limbs), pack::<F>(&b_limbs));
        let (x, y) = (residues::<F>(a), residues::<F>(b));
        let equal = equal(a, b);
        let [roots, fractions] = sqrt_ratio([a, b], [F::splat(ONE), a]);
        let [character] = quartic_character([a]).map(residues::<F>);
        for lane in 0..F::LANES {
            let (x, y) = (&x[lane], &y[lane]);
            assert_eq!(equal >> lane & 1 == 1, x == y);
            assert_eq!(character[lane], x.modpow(&((&*P - 1u8) >> 2), &P));
            for (u, v, (mask, root)) in [(x, &one, roots), (y, x, fractions)] {
                let is_root = mask >> lane & 1 == 1;
                let root = &residues::<F>(root)[lane];
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
    // One inversion for all elements. Several of them represent 0.
    let mut all: Vec<F> = elements.chunks(F::LANES).map(pack::<F>).collect();
    let before: Vec<_> = all.iter().flat_map(|a| residues::<F>(*a)).collect();
    let mut scratch = all.clone();
    invert_all(&mut all, F::LANES, &mut scratch);
    let after = all.iter().flat_map(|a| residues::<F>(*a));
    for (before, after) in before.iter().zip(after) {
        assert_eq!(after, before.modpow(&(&*P - 2u8), &P));
    }
}

/// Tests that converting an element between radixes does not change its value mod p.
#[test]
fn radixes_are_of_one_integer() {
    for limbs in tight::<super::portable::Portable>(20_000) {
        let converted = to_radix_52(limbs);
        let converted = without_dirt(converted);
        assert!(converted[4] <= (1 << 47) + (1 << 28));
        assert_eq!(integer_in(52, &converted), integer(&limbs));
        let back = from_radix_52(converted);
        assert_below(vec![back], (1 << 51) + (1 << 5));
        assert_eq!(integer(&back) % &*P, integer(&limbs) % &*P);
    }
}

/// Defines the tests of a backend. They are skipped if the processor lacks the backend's instruction set.
macro_rules! backend {
    ($name:ident, $field:ty, $($feature:tt),*) => {
        mod $name {
            backend!(test $field, [$($feature),*] products sums canonical words selections powers);
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

backend!(
    columns128,
    crate::field::portable::OneLane<crate::field::columns128::Columns128>,
);
backend!(
    columns64,
    crate::field::portable::OneLane<crate::field::columns64::Columns64>,
);
#[cfg(target_arch = "x86_64")]
backend!(avx2, crate::field::Avx2, "avx2", "fma", "bmi2");
#[cfg(target_arch = "x86_64")]
backend!(avx_ifma, crate::field::AvxIfma, "avx2", "avxifma", "bmi2");
#[cfg(all(target_arch = "x86_64", debug_assertions))]
backend!(
    avx_ifma_twin,
    crate::field::AvxIfmaTwin,
    "avx2",
    "avx512f",
    "avx512vl",
    "avx512ifma",
    "bmi2"
);
#[cfg(target_arch = "x86_64")]
backend!(avx512, crate::field::Avx512, "avx512f", "bmi2");

/// Defines the tests of a backend that multiplies 52-bit words in 512-bit registers.
#[cfg(target_arch = "x86_64")]
macro_rules! ifma_backend {
    ($name:ident, $field:ty) => {
        backend!(
            $name,
            $field,
            "avx512f",
            "avx512dq",
            "avx512vl",
            "avx512bw",
            "avx512ifma",
            "bmi2"
        );
    };
}

#[cfg(target_arch = "x86_64")]
ifma_backend!(ifma, crate::field::Ifma);
#[cfg(target_arch = "x86_64")]
ifma_backend!(ifma_alone, crate::field::IfmaAlone);
#[cfg(target_arch = "x86_64")]
ifma_backend!(ifma_52, crate::field::Ifma52);
