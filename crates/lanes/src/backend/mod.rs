//! A backend is a field, GF(2^255-19) with one element in each lane of a vector
//! register, and the words that such a register holds; nothing else.
//!
//! Everything above is written once over the trait [`Field`] in functions marked
//! `#[inline(always)]`; the entry points of the stages are compiled once for each
//! backend with its instruction set switched on (see `engine`), and the formulas
//! are inlined into them. A formula that is not inlined there would be compiled
//! without the instruction set and call every intrinsic through memory.
//!
//! # Limbs
//! In memory an element is five limbs of 51 bits, value Σ limb[i]·2^(51·i).
//!
//! Products and sums stay *wide* (uncarried) as long as they can; one *carry*
//! makes an element *tight* again. A formula may
//! * multiply tight elements,
//! * add up to three products or widened elements,
//! * subtract one product, widened element, or sum of two of them,
//!
//! before it carries. Each backend documents what that means in bits and asserts
//! it in debug builds.

/// An array of five, item `i` made by the expression. Not a closure: a closure is
/// a function of its own, compiled without the backend's instruction set.
macro_rules! five {
    ($i:ident => $item:expr) => {
        [
            {
                const $i: usize = 0;
                $item
            },
            {
                const $i: usize = 1;
                $item
            },
            {
                const $i: usize = 2;
                $item
            },
            {
                const $i: usize = 3;
                $item
            },
            {
                const $i: usize = 4;
                $item
            },
        ]
    };
}

/// The method of that name for a field, with the attributes that its backend is compiled
/// with.
macro_rules! power_2_250_minus_1 {
    ($field:ty, $(#[$compile:meta])*) => {
        #[inline(always)]
        fn power_2_250_minus_1<const N: usize>(a: [$field; N]) -> [[$field; N]; 2] {
            $(#[$compile])*
            #[inline(never)]
            fn compiled<const N: usize>(a: [$field; N]) -> [[$field; N]; 2] {
                crate::field::power_2_250_minus_1(a)
            }
            // SAFETY: as for every block of the backend.
            #[allow(unused_unsafe)]
            unsafe {
                compiled(a)
            }
        }
    };
}

use crate::octet::Octet;

pub(crate) mod portable;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod doubles;
#[cfg(target_arch = "x86_64")]
pub(crate) mod ifma;
#[cfg(target_arch = "x86_64")]
mod mxcsr;
#[cfg(target_arch = "x86_64")]
mod words512;

/// Five limbs of 51 bits: Σ limb[i]·2^(51·i).
pub(crate) type Limbs = [u64; 5];

/// Tight limbs, and those in memory, are below: one bound for all backends, so that each
/// loads what any other stored. A carry leaves less.
pub(crate) const TIGHT: u64 = (1 << 51) + (1 << 32);

/// 2^10·p, limb by limb at least 2^61 - 2^15: keeps the vector backends' differences
/// positive.
#[cfg(target_arch = "x86_64")]
pub(crate) const BIAS: Limbs = [
    (LOW_51 - 18) << 10,
    LOW_51 << 10,
    LOW_51 << 10,
    LOW_51 << 10,
    LOW_51 << 10,
];

/// Asks for a row that will be loaded soon.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch(row: &[u64]) {
    for line in row.chunks(8) {
        // SAFETY: prefetching has no effect but on the cache.
        unsafe { core::arch::x86_64::_mm_prefetch::<3>(line.as_ptr().cast()) };
    }
}

/// The low 51 bits.
pub(crate) const LOW_51: u64 = (1 << 51) - 1;

/// Words in memory, as bytes.
#[inline(always)]
pub(crate) fn bytes_of(words: &mut [u64; 16]) -> &mut [u8; 128] {
    // SAFETY: the size is the same, bytes need no alignment, and any bytes are words.
    unsafe { &mut *core::ptr::from_mut(words).cast() }
}

/// A vector of one u64 in each lane, and what is done with each lane by itself.
pub(crate) trait Word: Copy {
    /// The same word in every lane.
    fn splat(word: u64) -> Self;

    /// What was loaded as the processor has it, read with the highest byte first.
    fn big_endian(self) -> Self;

    /// A sum modulo 2^64.
    fn add(self, other: Self) -> Self;

    /// All bits to the right, zeros from the left.
    fn shift_right<const BITS: i32>(self) -> Self;

    /// All bits to the right, and around to the left; BITS from 1 to 63.
    fn rotate_right<const BITS: i32>(self) -> Self;

    /// a ^ b ^ c.
    fn xor3(a: Self, b: Self, c: Self) -> Self;

    /// Bit by bit, that of `set` where the mask's is set, else that of `clear`.
    fn choose(mask: Self, set: Self, clear: Self) -> Self;

    /// Bit by bit, what two or three of them have.
    fn majority(a: Self, b: Self, c: Self) -> Self;
}

/// An element of GF(2^255-19) in each lane, tight; see the module page.
///
/// The methods use instructions that the processor must have: values of a
/// backend's type exist only below the entry points in `engine`, which are
/// reached after detection.
pub(crate) trait Field: Copy {
    /// How many elements are in one value; at most 8.
    const LANES: usize;

    /// Sums and differences of products, not yet carried.
    type Wide: Copy;

    /// A vector of one u64 in each lane.
    type Word: Word;

    /// Runs a stage in the floating-point environment that the backend needs, if it needs
    /// any. Every stage is run by this.
    #[inline(always)]
    fn run(stage: impl FnOnce()) {
        stage();
    }

    /// Word i of lane l from `rows[l][i]`.
    fn load_words<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self::Word; N];

    /// `rows[l][i]` from word i of lane l; only the first `LANES` rows are written.
    fn store_words<const N: usize>(words: &[Self::Word; N], rows: &mut [[u64; N]; 8]);

    /// Lane l from `words[l]`; there are at least `LANES`.
    fn load_lanes(words: &[u64]) -> Self::Word;

    /// `words[l]` from lane l; there are at least `LANES`.
    fn store_lanes(word: Self::Word, words: &mut [u64]);

    /// Asks for a row that will be loaded soon.
    #[inline(always)]
    fn prefetch<const N: usize>(row: &[u64; N]) {
        let _ = row;
    }

    /// From limbs that [`Self::to_words`] gave, or below 2^51.
    fn from_tight_words(words: [Self::Word; 5]) -> Self;

    /// To five limbs below 2^52 each.
    fn to_words(self) -> [Self::Word; 5];

    /// The same element in every lane; limbs at most 2^51 - 1.
    fn splat(limbs: Limbs) -> Self;

    /// The product.
    fn mul(self, other: Self) -> Self::Wide;

    /// The square.
    fn square(self) -> Self::Wide;

    /// (a^11, a^(2^250 - 1)) of N values at once, compiled with the instruction set and
    /// *not* inlined: it is long, and all that wants a root or an inverse has it.
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [[Self; N]; 2];

    /// The element itself, as a term of sums.
    fn widen(self) -> Self::Wide;

    /// A sum.
    fn add(a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// A difference.
    fn sub(a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// Back to tight limbs.
    fn carry(wide: Self::Wide) -> Self;

    /// Back to tight limbs, for one product or widened element alone: for nothing where
    /// products are carried at once.
    fn carry_product(product: Self::Wide) -> Self;

    /// The same element with limbs of its least residue: each below 2^51, the
    /// value below p.
    fn canonical(self) -> Self;

    /// Bit l is set if lane l is 0 mod p.
    fn is_zero(self) -> u8;

    /// Bit l is the lowest bit of lane l's least residue: "negative" in RFC 8032.
    fn is_odd(self) -> u8;

    /// Lane l of `set` where bit l of the mask is set, else of `clear`. Constant
    /// time.
    fn select(mask: u8, set: Self, clear: Self) -> Self;

    /// The same of sums.
    fn select_wide(mask: u8, set: Self::Wide, clear: Self::Wide) -> Self::Wide;

    /// Eight elements in `N = 8 / LANES` vectors: `[Self; N]`.
    type Octet: Octet;

    /// In each half of an octet, element l from element (ORDER >> 2l) mod 4.
    fn shuffle<const ORDER: i32, const N: usize>(octet: [Self; N]) -> [Self; N];

    /// The same of sums.
    fn shuffle_wide<const ORDER: i32, const N: usize>(octet: [Self::Wide; N]) -> [Self::Wide; N];
}
