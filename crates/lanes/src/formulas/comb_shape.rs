//! The shapes of the combs of the base point: numbers that their tables share with the code that
//! makes and reads them.

/// The shape of a comb of the base point: the way in which it is cut.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The number of teeth besides the top one, whose sign is the sign of the column.
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

/// The comb that each lane reads for a scalar of its own.
pub const OF_LANES: Shape = Shape {
    choices: 5,
    blocks: 4,
    block: 11,
};

/// The comb whose blocks two halves of eight lanes share. It has fewer entries, because every entry
/// is loaded as a vector for each choice.
pub const OF_EIGHTS: Shape = Shape {
    choices: 3,
    blocks: 8,
    block: 8,
};
