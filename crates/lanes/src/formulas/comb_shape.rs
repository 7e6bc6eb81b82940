//! How the combs of the base point are cut: numbers that their tables, and what makes and reads
//! them, have in common.

/// How a comb of the base point is cut.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The teeth beside the top one, whose sign is that of the column.
    pub choices: usize,
    /// The tables that it is cut into.
    pub blocks: usize,
    /// The columns that each of them serves.
    pub block: usize,
}

impl Shape {
    pub const fn columns(self) -> usize {
        self.block * self.blocks
    }

    /// The digits of a scalar.
    pub const fn digits(self) -> usize {
        self.columns() * (self.choices + 1)
    }

    pub const fn entries(self) -> usize {
        1 << self.choices
    }
}

/// The comb that lanes read.
pub const OF_LANES: Shape = Shape {
    choices: 5,
    blocks: 4,
    block: 11,
};

/// The comb that two halves of eight lanes read. It has fewer entries, because there each entry is
/// read whole.
pub const OF_EIGHTS: Shape = Shape {
    choices: 3,
    blocks: 8,
    block: 8,
};
