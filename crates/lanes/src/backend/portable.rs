//! One lane of u64 limbs: for every processor, and the twin that the vector
//! backends are compared with.
//!
//! Tight: limbs below 2^51 + 2^32. Wide: limbs below 2^56; products are carried at once
//! (their columns are u128), so there is little left to carry later.
//!
//! The largest column of a product is the lowest: one product of limbs and 4 times
//! 19 that have wrapped around, 77·(2^51 + 2^32)² < 2^109. The highest, which carries
//! into it again, is five products, below 2^105.

use super::{Field, LOW_51, Limbs, TIGHT, Word};

#[derive(Clone, Copy)]
pub(crate) struct Portable(Limbs);

const WIDE: u64 = 1 << 56;
const COLUMN: u128 = 1 << 109;
const TOP_COLUMN: u128 = 1 << 105;

/// 4·p, limb by limb at least 2^53 - 2^7: keeps differences positive.
const BIAS: Limbs = [
    4 * (LOW_51 - 18),
    4 * LOW_51,
    4 * LOW_51,
    4 * LOW_51,
    4 * LOW_51,
];

fn wide_product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// Columns of a product to limbs below 2^51 + 2^13.
#[inline(always)]
fn carry_columns(mut c: [u128; 5]) -> Limbs {
    debug_assert!(c[..4].iter().all(|&column| column < COLUMN) && c[4] < TOP_COLUMN);
    let mut out = [0; 5];
    for i in 0..4 {
        c[i + 1] += c[i] >> 51;
        out[i] = c[i] as u64 & LOW_51;
    }
    out[4] = c[4] as u64 & LOW_51;
    // The top carry is below 2^54, 19 times it below 2^59.
    out[0] += 19 * (c[4] >> 51) as u64;
    out[1] += out[0] >> 51;
    out[0] &= LOW_51;
    out
}

impl Portable {
    fn check(self) -> Self {
        debug_assert!(self.0.iter().all(|&limb| limb < TIGHT));
        self
    }
}

impl Word for u64 {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }

    #[inline(always)]
    fn big_endian(self) -> Self {
        Self::from_be(self)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        self >> BITS
    }

    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        self.rotate_right(BITS as u32)
    }

    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        a ^ b ^ c
    }

    #[inline(always)]
    fn choose(mask: Self, set: Self, clear: Self) -> Self {
        clear ^ (mask & (set ^ clear))
    }

    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        (a & b) | (c & (a | b))
    }
}

impl Field for Portable {
    const LANES: usize = 1;
    type Wide = Limbs;
    type Word = u64;

    #[inline(always)]
    fn load_words<const N: usize>(rows: &[&[u64; N]; 8]) -> [u64; N] {
        *rows[0]
    }

    #[inline(always)]
    fn store_words<const N: usize>(words: &[u64; N], rows: &mut [[u64; N]; 8]) {
        rows[0] = *words;
    }

    #[inline(always)]
    fn load_lanes(words: &[u64]) -> u64 {
        words[0]
    }

    #[inline(always)]
    fn store_lanes(word: u64, words: &mut [u64]) {
        words[0] = word;
    }

    #[inline(always)]
    fn from_tight_words(words: [u64; 5]) -> Self {
        Self(words).check()
    }

    #[inline(always)]
    fn to_words(self) -> [u64; 5] {
        self.0
    }

    #[inline(always)]
    fn splat(limbs: Limbs) -> Self {
        Self(limbs).check()
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Limbs {
        let (a, b) = (self.check().0, other.check().0);
        let b19 = five!(I => 19 * b[I]);
        let mut columns = [0; 5];
        for i in 0..5 {
            for j in 0..5 {
                // i + j >= 5 wraps around with 2^255 = 19.
                let b = if i + j < 5 { b[j] } else { b19[j] };
                columns[(i + j) % 5] += wide_product(a[i], b);
            }
        }
        carry_columns(columns)
    }

    #[inline(always)]
    fn square(self) -> Limbs {
        let [a0, a1, a2, a3, a4] = self.check().0;
        let (a3_19, a4_19) = (19 * a3, 19 * a4);
        let m = wide_product;
        carry_columns([
            m(a0, a0) + 2 * (m(a1, a4_19) + m(a2, a3_19)),
            m(a3, a3_19) + 2 * (m(a0, a1) + m(a2, a4_19)),
            m(a1, a1) + 2 * (m(a0, a2) + m(a4, a3_19)),
            m(a4, a4_19) + 2 * (m(a0, a3) + m(a1, a2)),
            m(a2, a2) + 2 * (m(a0, a4) + m(a1, a3)),
        ])
    }

    power_2_250_minus_1!(Portable,);

    #[inline(always)]
    fn widen(self) -> Limbs {
        self.0
    }

    #[inline(always)]
    fn add(a: Limbs, b: Limbs) -> Limbs {
        five!(I => a[I] + b[I])
    }

    #[inline(always)]
    fn sub(a: Limbs, b: Limbs) -> Limbs {
        debug_assert!(b.iter().zip(BIAS).all(|(&limb, bias)| limb <= bias));
        five!(I => a[I] + BIAS[I] - b[I])
    }

    #[inline(always)]
    fn carry(wide: Limbs) -> Self {
        debug_assert!(wide.iter().all(|&limb| limb < WIDE));
        let mut out = five!(I => wide[I] & LOW_51);
        for i in 0..4 {
            out[i + 1] += wide[i] >> 51;
        }
        out[0] += 19 * (wide[4] >> 51);
        Self(out).check()
    }

    #[inline(always)]
    fn carry_product(product: Limbs) -> Self {
        Self(product).check()
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        let mut limbs = self.0;
        // Once around, so that every limb is below 2^51 + 2^5.
        limbs = Self::carry(limbs).0;
        // q = 1 if the value is p or more: the carry out of value + 19.
        let mut q = (limbs[0] + 19) >> 51;
        for limb in &limbs[1..] {
            q = (limb + q) >> 51;
        }
        limbs[0] += 19 * q;
        for i in 0..4 {
            limbs[i + 1] += limbs[i] >> 51;
            limbs[i] &= LOW_51;
        }
        limbs[4] &= LOW_51;
        Self(limbs)
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        let limbs = self.canonical().0;
        u8::from(limbs.iter().fold(0, |any, limb| any | limb) == 0)
    }

    #[inline(always)]
    fn is_odd(self) -> u8 {
        (self.canonical().0[0] & 1) as u8
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        let mask = u64::from(mask & 1).wrapping_neg();
        Self(five!(I => clear.0[I] ^ (mask & (set.0[I] ^ clear.0[I]))))
    }

    #[inline(always)]
    fn select_wide(mask: u8, set: Limbs, clear: Limbs) -> Limbs {
        Self::select(mask, Self(set), Self(clear)).0
    }

    type Octet = [Self; 8];

    #[inline(always)]
    fn shuffle<const ORDER: i32, const N: usize>(octet: [Self; N]) -> [Self; N] {
        let mut out = octet;
        for (at, out) in out.iter_mut().enumerate() {
            *out = octet[at / 4 * 4 + (ORDER >> (2 * (at % 4)) & 3) as usize];
        }
        out
    }

    #[inline(always)]
    fn shuffle_wide<const ORDER: i32, const N: usize>(octet: [Limbs; N]) -> [Limbs; N] {
        let mut out = octet;
        for (at, out) in out.iter_mut().enumerate() {
            *out = octet[at / 4 * 4 + (ORDER >> (2 * (at % 4)) & 3) as usize];
        }
        out
    }
}
