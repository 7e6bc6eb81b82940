//! Tables of the base point in memory. `straus`, `base_comb` and `alone` make them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use once_cell::race::OnceBox;

use crate::formulas::comb_shape::{OF_EIGHTS, OF_LANES};
use crate::formulas::rows::AffineRow;

/// One table of multiples for each part of a scalar.
pub(super) type Multiples = Vec<Vec<AffineRow>>;

/// The comb of the base point, in blocks. A block has 15 arrays, and array w has word w of every entry.
#[repr(align(64))]
pub struct Combs(pub [[[u64; OF_LANES.entries()]; 15]; OF_LANES.blocks]);

/// A comb for vectors of eight elements. The first half of the blocks is in the lower half of each vector,
/// and the second half of the blocks is in the upper half.
pub(super) type CombsInEights = [[[[u64; 8]; 5]; OF_EIGHTS.entries()]; OF_EIGHTS.blocks / 2];

/// Tables of the base point.
pub struct Tables {
    pub(super) two: ByRadix<Multiples>,
    pub(super) eight: ByRadix<Multiples>,
    pub(super) combs: ByRadix<Combs>,
    pub(super) combs_in_eights: ByRadix<CombsInEights>,
}

impl Tables {
    /// Empty tables. Each is filled when it is first used.
    pub const fn new() -> Self {
        Self {
            two: ByRadix::new(),
            eight: ByRadix::new(),
            combs: ByRadix::new(),
            combs_in_eights: ByRadix::new(),
        }
    }
}

/// One table for the engines of each radix.
pub(super) struct ByRadix<T>([OnceBox<T>; 2]);

impl<T> ByRadix<T> {
    const fn new() -> Self {
        Self([const { OnceBox::new() }; 2])
    }

    /// The table for this radix.
    #[inline(always)]
    pub(super) fn get_or_init(&self, radix: u32, make: impl FnOnce() -> Box<T>) -> &T {
        self.0[usize::from(radix == 52)].get_or_init(make)
    }
}
