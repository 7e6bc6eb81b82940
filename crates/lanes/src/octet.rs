//! Two points in eight lanes, four coordinates each: how one claim alone fills
//! vectors.
//!
//! The coordinates of a point lie in the order (X, Z, Y, T), for then the four
//! products that end every operation, X = E·F, Z = F·G, Y = G·H and T = H·E (see
//! `point`), are those of the vector (E, F, G, H) and the same vector turned by one
//! lane. Between the two multiplications of an operation lies one carry.
//!
//! The two points need not have anything in common but the steps that they take:
//! U = s·B + m·Y and V = s·H + m·Γ of a verification have the same scalars.

use alloc::vec::Vec;

use crate::backend::{Field, Limbs};
use crate::constants::{ONE, TWO_D, ZERO};
use crate::point::Point;
use crate::scalar::{NAF_WIDTH, digit_count, naf, signed_digits};

/// Eight field elements, in as many vectors as a backend needs; see [`Field`] for
/// what the operations do and demand. Bit l of a mask is for element l.
pub(crate) trait Octet: Copy {
    type Wide: Copy;
    fn load(rows: [&Limbs; 8]) -> Self;
    fn store(self) -> [Limbs; 8];
    /// Limb i of element l from `limbs[i][l]`: as vectors hold them.
    fn load_lanes(limbs: &[[u64; 8]; 5]) -> Self;
    fn mul(self, other: Self) -> Self::Wide;
    fn square(self) -> Self::Wide;
    fn widen(self) -> Self::Wide;
    fn add(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn sub(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn carry(wide: Self::Wide) -> Self;
    fn select(mask: u8, set: Self, clear: Self) -> Self;
    fn select_wide(mask: u8, set: Self::Wide, clear: Self::Wide) -> Self::Wide;
    /// In each half, element l from element (ORDER >> 2l) mod 4.
    fn shuffle<const ORDER: i32>(self) -> Self;
    /// The same of sums.
    fn shuffle_wide<const ORDER: i32>(wide: Self::Wide) -> Self::Wide;
}

/// The arguments of N vectors one by one. Not `array::map`: a closure would be
/// compiled without the backend's instruction set.
macro_rules! each {
    ($n:ident, $i:ident => $item:expr) => {{
        let $i = 0;
        let mut out = [$item; $n];
        let mut $i = 1;
        while $i < $n {
            out[$i] = $item;
            $i += 1;
        }
        out
    }};
}

impl<F: Field, const N: usize> Octet for [F; N] {
    type Wide = [F::Wide; N];

    #[inline(always)]
    fn load(rows: [&Limbs; 8]) -> Self {
        let mut out = [F::splat(ZERO); N];
        for (i, out) in out.iter_mut().enumerate() {
            let mut own = [rows[0]; 8];
            own[..F::LANES].copy_from_slice(&rows[i * F::LANES..][..F::LANES]);
            *out = F::from_tight_words(F::load_words(&own));
        }
        out
    }

    #[inline(always)]
    fn store(self) -> [Limbs; 8] {
        let mut out = [ZERO; 8];
        for (i, vector) in self.into_iter().enumerate() {
            let mut rows = [ZERO; 8];
            F::store_words(&vector.to_words(), &mut rows);
            out[i * F::LANES..][..F::LANES].copy_from_slice(&rows[..F::LANES]);
        }
        out
    }

    #[inline(always)]
    fn load_lanes(limbs: &[[u64; 8]; 5]) -> Self {
        each!(N, i => {
            let from = i * F::LANES;
            F::from_tight_words(five!(I => F::load_lanes(&limbs[I][from..])))
        })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self::Wide {
        each!(N, i => self[i].mul(other[i]))
    }

    #[inline(always)]
    fn square(self) -> Self::Wide {
        each!(N, i => self[i].square())
    }

    #[inline(always)]
    fn widen(self) -> Self::Wide {
        each!(N, i => self[i].widen())
    }

    #[inline(always)]
    fn add(a: Self::Wide, b: Self::Wide) -> Self::Wide {
        each!(N, i => F::add(a[i], b[i]))
    }

    #[inline(always)]
    fn sub(a: Self::Wide, b: Self::Wide) -> Self::Wide {
        each!(N, i => F::sub(a[i], b[i]))
    }

    #[inline(always)]
    fn carry(wide: Self::Wide) -> Self {
        each!(N, i => F::carry(wide[i]))
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        each!(N, i => F::select(mask >> (i * F::LANES), set[i], clear[i]))
    }

    #[inline(always)]
    fn select_wide(mask: u8, set: Self::Wide, clear: Self::Wide) -> Self::Wide {
        each!(N, i => F::select_wide(mask >> (i * F::LANES), set[i], clear[i]))
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        F::shuffle::<ORDER, N>(self)
    }

    #[inline(always)]
    fn shuffle_wide<const ORDER: i32>(wide: Self::Wide) -> Self::Wide {
        F::shuffle_wide::<ORDER, N>(wide)
    }
}

/// The argument of a shuffle: which element each of four is taken from.
const fn order(from: [i32; 4]) -> i32 {
    from[0] | from[1] << 2 | from[2] << 4 | from[3] << 6
}

/// The mask of these elements in both halves.
const fn both(half: u8) -> u8 {
    half | half << 4
}

/// (X, Z, Y, T) of both points, uncarried.
#[derive(Clone, Copy)]
pub(crate) struct Products<O: Octet>(O::Wide);

/// (X, Z, Y, X + Y).
#[derive(Clone, Copy)]
pub(crate) struct ToDouble<O>(O);

/// (Y - X, Z, Y + X, T).
#[derive(Clone, Copy)]
pub(crate) struct ToAdd<O>(O);

/// (Y - X, 2Z, Y + X, 2d·T).
#[derive(Clone, Copy)]
pub(crate) struct Cached<O>(O);

/// (E, F, G, H).
#[derive(Clone, Copy)]
pub(crate) struct Completed<O>(O);

impl<O: Octet> Products<O> {
    #[inline(always)]
    pub(crate) fn load(points: [&Point; 2]) -> Self {
        let mut rows = [&ZERO; 8];
        for (point, rows) in points.into_iter().zip(rows.chunks_exact_mut(4)) {
            let (limbs, _) = point.0.as_chunks::<5>();
            for (row, at) in rows.iter_mut().zip([0, 2, 1, 3]) {
                *row = &limbs[at];
            }
        }
        Self(O::load(rows).widen())
    }

    #[inline(always)]
    pub(crate) fn store(self) -> [Point; 2] {
        let rows = O::carry(self.0).store();
        let mut points = [Point::IDENTITY; 2];
        for (point, rows) in points.iter_mut().zip(rows.chunks_exact(4)) {
            let (limbs, _) = point.0.as_chunks_mut::<5>();
            for (row, at) in rows.iter().zip([0, 2, 1, 3]) {
                limbs[at] = *row;
            }
        }
        points
    }

    #[inline(always)]
    pub(crate) fn to_double(self) -> ToDouble<O> {
        let x = O::shuffle_wide::<{ order([0, 0, 0, 0]) }>(self.0);
        let y = O::shuffle_wide::<{ order([2, 2, 2, 2]) }>(self.0);
        ToDouble(O::carry(O::select_wide(both(0b1000), O::add(x, y), self.0)))
    }

    #[inline(always)]
    pub(crate) fn to_add(self) -> ToAdd<O> {
        let swapped = O::shuffle_wide::<{ order([2, 1, 0, 3]) }>(self.0);
        let difference = O::sub(swapped, self.0);
        let sum = O::add(swapped, self.0);
        let sums = O::select_wide(both(0b0001), difference, sum);
        ToAdd(O::carry(O::select_wide(both(0b0101), sums, self.0)))
    }
}

impl<O: Octet> ToDouble<O> {
    #[inline(always)]
    pub(crate) fn double(self) -> Completed<O> {
        // A = X², Z², B = Y², W = (X + Y)².
        let squares = self.0.square();
        let a = O::shuffle_wide::<{ order([0, 0, 0, 0]) }>(squares);
        let b = O::shuffle_wide::<{ order([2, 2, 2, 2]) }>(squares);
        let w = O::shuffle_wide::<{ order([3, 3, 3, 3]) }>(squares);
        // E = A + B - W, F = A - B + 2Z², G = A - B, H = A + B: the signs as in
        // `point::ToDouble::double`. Elements that are not chosen go one subtraction
        // further than `Field` allows, A - B - W, which every backend's bounds bear.
        let ab = O::select_wide(both(0b0110), O::sub(a, b), O::add(a, b));
        let f = O::add(ab, O::add(squares, squares));
        let sums = O::select_wide(both(0b0010), f, ab);
        Completed(O::carry(O::select_wide(both(0b0001), O::sub(ab, w), sums)))
    }
}

impl<O: Octet> ToAdd<O> {
    #[inline(always)]
    pub(crate) fn add(self, other: &Cached<O>) -> Completed<O> {
        // A = (Y-X)·(Y'-X'), D = 2·Z·Z', B = (Y+X)·(Y'+X'), C = 2d·T·T'.
        let products = self.0.mul(other.0);
        let bd = O::shuffle_wide::<{ order([2, 1, 1, 2]) }>(products);
        let ac = O::shuffle_wide::<{ order([0, 3, 3, 0]) }>(products);
        // E = B - A, F = D - C, G = D + C, H = B + A.
        let sums = O::select_wide(both(0b0011), O::sub(bd, ac), O::add(bd, ac));
        Completed(O::carry(sums))
    }

    #[inline(always)]
    pub(crate) fn to_cached(self) -> Cached<O> {
        let two = [2, 0, 0, 0, 0];
        let factors = O::load([&ONE, &two, &ONE, &TWO_D, &ONE, &two, &ONE, &TWO_D]);
        Cached(O::carry(self.0.mul(factors)))
    }
}

impl<O: Octet> Cached<O> {
    /// From the limbs of the four values of both points.
    #[inline(always)]
    pub(crate) fn load_lanes(limbs: &[[u64; 8]; 5]) -> Self {
        Self(O::load_lanes(limbs))
    }

    /// Element l of `set` where bit l of the mask is set, else of `clear`; constant
    /// time.
    #[inline(always)]
    pub(crate) fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self(O::select(mask, set.0, clear.0))
    }

    #[inline(always)]
    pub(crate) fn negative(self) -> Self {
        let swapped = self.0.shuffle::<{ order([2, 1, 0, 3]) }>().widen();
        let zero = O::load([&ZERO; 8]).widen();
        let negative = O::sub(zero, self.0.widen());
        Self(O::carry(O::select_wide(both(0b1000), negative, swapped)))
    }
}

impl<O: Octet> Completed<O> {
    #[inline(always)]
    pub(crate) fn identity() -> Self {
        Self(O::load([&ZERO, &ONE, &ONE, &ONE, &ZERO, &ONE, &ONE, &ONE]))
    }

    #[inline(always)]
    pub(crate) fn products(self) -> Products<O> {
        Products(self.0.mul(self.0.shuffle::<{ order([1, 2, 3, 0]) }>()))
    }
}

/// The odd multiples of digits ±1, ±3, … of a non-adjacent form.
pub(crate) const ODD: usize = 1 << (NAF_WIDTH - 2);

/// P, 3P, 5P, …; constant time.
#[inline(always)]
pub(crate) fn odd_multiples<O: Octet>(of: [&Point; 2]) -> [Cached<O>; ODD] {
    let one = Products::<O>::load(of);
    let mut multiple = one.to_add();
    let mut table = [multiple.to_cached(); ODD];
    let two = one.to_double().double().products().to_add().to_cached();
    for entry in &mut table[1..] {
        multiple = multiple.add(&two).products().to_add();
        *entry = multiple.to_cached();
    }
    table
}

/// The odd multiples, and behind them their negatives.
#[inline(always)]
fn signed_odd_multiples<O: Octet>(of: [&Point; 2]) -> [Cached<O>; 2 * ODD] {
    let positive = odd_multiples::<O>(of);
    let mut table = [positive[0]; 2 * ODD];
    for i in 0..ODD {
        table[i] = positive[i];
        table[ODD + i] = positive[i].negative();
    }
    table
}

/// Where a table of odd multiples has that of a digit.
fn place(digit: i8) -> usize {
    let negative = if digit < 0 { ODD } else { 0 };
    negative + usize::from(digit.unsigned_abs() / 2)
}

/// s·A + m·B for two pairs of points A and B, or s·A - m·B; of the integers the
/// lowest 253 bits count. Variable time.
#[inline(always)]
pub(crate) fn sum_of_two<O: Octet>(
    s: &[u8; 32],
    a: [&Point; 2],
    m: &[u8; 32],
    b: [&Point; 2],
    subtract: bool,
) -> [Point; 2] {
    let (s, m) = (naf(s), naf(m));
    let (a, b) = (signed_odd_multiples::<O>(a), signed_odd_multiples::<O>(b));
    let top = (0..s.len()).rfind(|&bit| s[bit] != 0 || m[bit] != 0);
    let mut sum = Completed::<O>::identity();
    for bit in (0..=top.unwrap_or(0)).rev() {
        sum = sum.products().to_double().double();
        if s[bit] != 0 {
            sum = sum.products().to_add().add(&a[place(s[bit])]);
        }
        if m[bit] != 0 {
            let digit = if subtract { -m[bit] } else { m[bit] };
            sum = sum.products().to_add().add(&b[place(digit)]);
        }
    }
    sum.products().store()
}

/// Signed digits of this width for sums of few terms.
const FEW_WIDTH: usize = 5;

/// The largest magnitude of such a digit.
const FEW_LEVELS: usize = 1 << (FEW_WIDTH - 1);

/// -[16]P … [16]P.
#[inline(always)]
fn all_multiples<O: Octet>(of: [&Point; 2]) -> Vec<Cached<O>> {
    let one = Products::<O>::load(of).to_add().to_cached();
    let mut multiple = Completed::<O>::identity().products().to_add();
    let mut table = alloc::vec![multiple.to_cached(); 2 * FEW_LEVELS + 1];
    for level in 1..=FEW_LEVELS {
        multiple = multiple.add(&one).products().to_add();
        let cached = multiple.to_cached();
        table[FEW_LEVELS + level] = cached;
        table[FEW_LEVELS - level] = cached.negative();
    }
    table
}

/// Σ scalar·point: the terms of even number in the first half, the others in the
/// second; of the integers the lowest 255 bits count. Variable time.
#[inline(always)]
pub(crate) fn sums_of_few<O: Octet>(scalars: &[[u8; 32]], points: &[Point]) -> [Point; 2] {
    const COUNT: usize = digit_count(255, FEW_WIDTH);
    let mut pairs = Vec::with_capacity(scalars.len().div_ceil(2));
    for (scalars, points) in scalars.chunks(2).zip(points.chunks(2)) {
        let mut digits = [[0; COUNT]; 2];
        for (digits, scalar) in digits.iter_mut().zip(scalars) {
            signed_digits(scalar, 255, FEW_WIDTH, digits);
        }
        let of = [&points[0], points.get(1).unwrap_or(&Point::IDENTITY)];
        pairs.push((all_multiples::<O>(of), digits));
    }
    let mut sum = Completed::<O>::identity();
    for at in (0..COUNT).rev() {
        for _ in 0..FEW_WIDTH {
            sum = sum.products().to_double().double();
        }
        for (table, [first, second]) in &pairs {
            if first[at] != 0 || second[at] != 0 {
                let entry = |digit: i16| (FEW_LEVELS as i16 + digit) as usize;
                let (first, second) = (table[entry(first[at])], table[entry(second[at])]);
                let cached = Cached::select(0xf0, second, first);
                sum = sum.products().to_add().add(&cached);
            }
        }
    }
    sum.products().store()
}
