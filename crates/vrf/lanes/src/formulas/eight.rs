//! Eight field elements: in one vector of eight lanes, in two of four lanes, or in eight of one lane.

use crate::field::{Field, Limbs, Vector, Wide, ZERO};

/// Eight field elements, in as many vectors as a backend needs. The operations and their bounds are the same
/// as in [`Field`]. Bit l of a mask is for element l.
pub trait Eight: Copy {
    type Wide: Copy;
    fn load(rows: [&Limbs; 8]) -> Self;
    fn store(self) -> [Limbs; 8];
    /// Loads word i of element l from `limbs[i][l]`. The words have the form of [`Field::row`].
    fn load_lanes(limbs: &[[u64; 8]; 5]) -> Self;
    fn mul(self, other: Self) -> Self::Wide;
    fn square(self) -> Self::Wide;
    fn widen(self) -> Self::Wide;
    fn add(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn sub(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn zero() -> Self::Wide;
    fn add_where(mask: u8, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn negate_where(mask: u8, a: Self::Wide) -> Self::Wide;
    fn carry(wide: Self::Wide) -> Self;
    fn select(mask: u8, set: Self, clear: Self) -> Self;
    /// Permutes the elements within each half: place l of a half gets the element that was at place
    /// (ORDER >> 2l) mod 4 of this half.
    fn shuffle<const ORDER: i32>(self) -> Self;
    /// Permutes sums within each half, as [`shuffle`](Self::shuffle) permutes elements.
    fn shuffle_wide<const ORDER: i32>(wide: Self::Wide) -> Self::Wide;
}

impl<F: Field, const N: usize> Eight for [F; N] {
    type Wide = [Wide<F::Word>; N];

    #[inline(always)]
    fn load(rows: [&Limbs; 8]) -> Self {
        let mut out = [F::splat(ZERO); N];
        for (i, out) in out.iter_mut().enumerate() {
            let mut own = [rows[0]; 8];
            own[..F::LANES].copy_from_slice(&rows[i * F::LANES..][..F::LANES]);
            *out = F::from_limbs(F::Word::load_rows(&own));
        }
        out
    }

    #[inline(always)]
    fn store(self) -> [Limbs; 8] {
        let mut out = [ZERO; 8];
        for (i, vector) in self.into_iter().enumerate() {
            let mut rows = [ZERO; 8];
            F::Word::store_rows(&vector.limbs(), &mut rows);
            out[i * F::LANES..][..F::LANES].copy_from_slice(&rows[..F::LANES]);
        }
        out
    }

    #[inline(always)]
    fn load_lanes(limbs: &[[u64; 8]; 5]) -> Self {
        unroll!(N, i => {
            let from = i * F::LANES;
            F::from_row(unroll!(5, I => F::Word::load(&limbs[I][from..])))
        })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self::Wide {
        unroll!(N, i => self[i].mul(other[i]))
    }

    #[inline(always)]
    fn square(self) -> Self::Wide {
        unroll!(N, i => self[i].square())
    }

    #[inline(always)]
    fn widen(self) -> Self::Wide {
        unroll!(N, i => self[i].widen())
    }

    #[inline(always)]
    fn add(a: Self::Wide, b: Self::Wide) -> Self::Wide {
        unroll!(N, i => F::add(a[i], b[i]))
    }

    #[inline(always)]
    fn sub(a: Self::Wide, b: Self::Wide) -> Self::Wide {
        unroll!(N, i => F::sub(a[i], b[i]))
    }

    #[inline(always)]
    fn zero() -> Self::Wide {
        [F::zero(); N]
    }

    #[inline(always)]
    fn add_where(mask: u8, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        unroll!(N, i => F::add_where(mask >> (i * F::LANES), a[i], b[i]))
    }

    #[inline(always)]
    fn negate_where(mask: u8, a: Self::Wide) -> Self::Wide {
        unroll!(N, i => F::negate_where(mask >> (i * F::LANES), a[i]))
    }

    #[inline(always)]
    fn carry(wide: Self::Wide) -> Self {
        unroll!(N, i => F::carry(wide[i]))
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        unroll!(N, i => F::select(mask >> (i * F::LANES), set[i], clear[i]))
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        if F::LANES == 1 {
            return unroll!(N, i => self[from::<ORDER>(i)]);
        }
        unroll!(N, i => self[i].shuffle::<ORDER>())
    }

    #[inline(always)]
    fn shuffle_wide<const ORDER: i32>(wide: Self::Wide) -> Self::Wide {
        if F::LANES == 1 {
            return unroll!(N, i => wide[from::<ORDER>(i)]);
        }
        unroll!(N, i => F::shuffle_wide::<ORDER>(wide[i]))
    }
}

/// The index of the element that a shuffle moves to index `at`. Used where each element has its own vector.
#[inline(always)]
const fn from<const ORDER: i32>(at: usize) -> usize {
    at / 4 * 4 + (ORDER >> (2 * (at % 4)) & 3) as usize
}
