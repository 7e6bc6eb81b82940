//! Products by the 52-bit multiplier in radix 2^52: fewer instructions than in radix 2^51, but more
//! multiplications among them.
//!
//! The kernels in radix 2^51 are in `ifma`. The module `detect` records which processors use which radix.
//!
//! The multiplier reads the low 52 bits of a word and ignores the others. So a word may have *dirt* above the
//! 52 bits of its limb, and a carry need not mask the limb: it adds the excess over 52 bits to the next limb,
//! and leaves the excess in the word. The high half of a product has the weight of the next column. (In radix
//! 2^51, it has twice that weight.) Upper columns are *folded*: the multiplier adds 608 times column i + 5 to
//! column i, since 2^260 = 608 mod p.
//!
//! The value of an element is Σ (w\[i\] mod 2^52)·2^(52·i), for i from 0 to 3, plus w\[4\]·2^208. The lowest
//! four words may have any value, and w\[4\] is below 2^47 + 2^29.
//!
//! * Columns: a product of limbs has halves below 2^52. Column 4 is the largest. It is the sum of five low
//!   halves, four high halves, the low half of the fold of column 9, and a number below 2^20 from the fold of
//!   column 8. So it is below 11·2^52.
//! * The highest column is the high half of the product of two words w\[4\]. So it is below 2^42 + 2^26,
//!   which is below 2^52/608. Its fold has no high half, which would have to be folded again.
//! * Wide limbs are integers below 2^63. A difference adds at least 2^57 - 2^15 to each limb. This is more
//!   than the largest subtrahend, which is the sum of two columns.
//! * Carry: a wide limb carries less than 2^12 into the next limb, so w\[4\] is below 2^47 + 2^12
//!   afterwards. In elements that are loaded from limbs in memory, w\[4\] is at most 2^47 + 2^28.
//!
//! In memory, limbs have radix 2^51, as on all other backends, unless only engines of radix 2^52 read them.

use super::element::{Field, Wide};
use super::ifma::{Outlined, Zmm, columns};
use super::limbs::{self, LOW_52, Limbs, TIGHT, check};
use super::word::{Madd52, Word};

/// An element whose four lowest words may have dirt above their limbs.
#[derive(Clone, Copy)]
pub struct Dirty<M: Madd52>([M::Word; 5]);

/// The field on eight lanes of AVX-512 IFMA, in radix 2^52.
pub type Ifma52 = Dirty<Zmm>;

/// An exclusive bound on the highest limb.
pub const TOP_LIMB: u64 = (1 << 47) + (1 << 29);

/// 2^260 mod p.
const FOLD: u64 = 608;

/// An exclusive bound on the highest column of a product. `FOLD` times a column below it has 52 bits.
const TOP_COLUMN: u64 = (1 << 52) / FOLD;

/// An exclusive bound on the columns of a product in radix 2^52.
const COLUMN: u64 = 11 << 52;

/// The mask of the highest limb's bits that have a weight below 2^255.
const LOW_47: u64 = (1 << 47) - 1;

/// 2^10·p in limbs of almost equal size, each at least 2^57 - 2^15. Each of the lower four limbs is
/// reduced by 992·2^52, which is added to the next limb as 992.
const EVEN_BIAS: Limbs = {
    let low = LOW_52 << 10;
    let mut bias = [low - (18 << 10), low, low, low, LOW_47 << 10];
    let mut i = 0;
    while i < 4 {
        bias[i] -= 992 << 52;
        bias[i + 1] += 992;
        i += 1;
    }
    bias
};

/// Folds columns 5 to 9 into columns 0 to 4. The excess of column i + 5 over 52 bits is folded directly into
/// column i + 1. It is not carried to column i + 6 first, so no column waits for another.
#[inline(always)]
fn fold<M: Madd52>(mut z: [M::Word; 10]) -> [M::Word; 5] {
    let by = M::Word::splat(FOLD);
    if M::Word::CHECKED {
        assert!(z[9].all_below(TOP_COLUMN), "the highest column");
    }
    for i in 0..4 {
        let excess = z[i + 5].shift_right::<52>();
        z[i] = M::low(z[i], z[i + 5], by);
        z[i + 1] = M::low(M::high(z[i + 1], z[i + 5], by), excess, by);
    }
    z[4] = M::low(z[4], z[9], by);
    unroll!(5, I => z[I])
}

/// a·b + `start`, in five columns.
#[inline(always)]
fn product<M: Madd52>(start: Limbs, a: [M::Word; 5], b: [M::Word; 5]) -> [M::Word; 5] {
    let mut z = columns::<M::Word>(start);
    for i in 0..5 {
        for j in 0..5 {
            z[i + j] = M::low(z[i + j], a[i], b[j]);
            z[i + j + 1] = M::high(z[i + j + 1], a[i], b[j]);
        }
    }
    fold::<M>(z)
}

/// a² + `start`, in five columns. All limbs of `start` except the lowest must be even.
#[inline(always)]
fn square<M: Madd52>(start: Limbs, a: [M::Word; 5]) -> [M::Word; 5] {
    let mut z = columns::<M::Word>(start.map(|limb| limb / 2));
    for i in 0..5 {
        for j in i + 1..5 {
            z[i + j] = M::low(z[i + j], a[i], a[j]);
            z[i + j + 1] = M::high(z[i + j + 1], a[i], a[j]);
        }
    }
    for column in &mut z[1..9] {
        *column = column.add(*column);
    }
    z[0] = M::Word::splat(start[0]);
    for i in 0..5 {
        z[2 * i] = M::low(z[2 * i], a[i], a[i]);
        z[2 * i + 1] = M::high(z[2 * i + 1], a[i], a[i]);
    }
    fold::<M>(z)
}

/// Carries wide limbs to the words of an element. Multiplies the excess over 255 bits by 19 = 2^255 mod p.
#[inline(always)]
fn carry<M: Madd52>(mut z: [M::Word; 5]) -> [M::Word; 5] {
    z[0] = M::low(z[0], z[4].shift_right::<47>(), M::Word::splat(19));
    z[4] = z[4].and(M::Word::splat(LOW_47));
    limbs::ripple(z)
}

impl<M: Outlined> Field for Dirty<M> {
    type Word = M::Word;
    const RADIX: u32 = 52;
    const WIDE: u64 = 1 << 63;
    const BIAS: Limbs = EVEN_BIAS;

    #[inline(always)]
    fn from_words(words: [M::Word; 5]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn words(self) -> [M::Word; 5] {
        self.0
    }

    #[inline(always)]
    fn from_limbs(limbs: [M::Word; 5]) -> Self {
        check(&limbs, TIGHT);
        Self(limbs::to_radix_52(limbs))
    }

    #[inline(always)]
    fn limbs(self) -> [M::Word; 5] {
        limbs::from_radix_52(self.0)
    }

    #[inline(always)]
    fn from_row(row: [M::Word; 5]) -> Self {
        Self(row)
    }

    #[inline(always)]
    fn row(self) -> [M::Word; 5] {
        self.0
    }

    /// Converts the limbs only once, for all lanes.
    #[inline(always)]
    fn splat(limbs: Limbs) -> Self {
        Self(limbs::splat(limbs::to_radix_52(limbs)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Wide<M::Word> {
        self.check_tight();
        other.check_tight();
        let out = product::<M>([0; 5], self.0, other.0);
        check(&out, COLUMN);
        Wide(out)
    }

    #[inline(always)]
    fn square(self) -> Wide<M::Word> {
        self.check_tight();
        let out = square::<M>([0; 5], self.0);
        check(&out, COLUMN);
        Wide(out)
    }

    #[inline(always)]
    fn product_called(self, other: Self) -> Self {
        M::product_called(self, other)
    }

    #[inline(always)]
    fn squared_called(self) -> Self {
        M::squared_called(self)
    }

    #[inline(always)]
    fn mul_above(self, other: Self) -> Wide<M::Word> {
        self.check_tight();
        other.check_tight();
        Wide(product::<M>(EVEN_BIAS, self.0, other.0))
    }

    #[inline(always)]
    fn square_above(self) -> Wide<M::Word> {
        self.check_tight();
        Wide(square::<M>(EVEN_BIAS, self.0))
    }

    #[inline(always)]
    fn carry(wide: Wide<M::Word>) -> Self {
        check(&wide.0, Self::WIDE);
        let out = Self(carry::<M>(wide.0));
        out.check_tight();
        out
    }

    #[inline(always)]
    fn widen(self) -> Wide<M::Word> {
        Wide(limbs::without_dirt(self.0))
    }

    #[inline(always)]
    fn canonical(self) -> [M::Word; 5] {
        limbs::canonical(self.limbs())
    }

    #[inline(always)]
    fn check_tight(self) {
        if M::Word::CHECKED {
            assert!(self.0[4].all_below(TOP_LIMB), "the highest limb");
        }
    }

    #[inline(always)]
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [Self; N] {
        M::power_2_250_minus_1(a)
    }
}
