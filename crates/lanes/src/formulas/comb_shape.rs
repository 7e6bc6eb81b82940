//! The shapes of the combs of the base point: numbers that their tables share with the code that
//! makes and reads them.

/// The shape of a comb of the base point: the way in which it is cut.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The number of teeth beside the top one, whose sign is the sign of the column.
    pub choices: usize,
    /// The number of tables that the comb is cut into.
    pub blocks: usize,
    /// The number of columns that each table serves.
    pub block: usize,
}

impl Shape {
    pub const fn columns(self) -> usize {
        self.block * self.blocks
    }

    /// The number of digits of a scalar.
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

/// The comb that two halves of eight lanes read. It has fewer entries, because these lanes read
/// every entry whole.
pub const OF_EIGHTS: Shape = Shape {
    choices: 3,
    blocks: 8,
    block: 8,
};
