//! The shapes of the base point's combs. The tables, and all code that makes or reads them, use these shapes.

/// The way in which a comb of the base point is cut into tables.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The number of teeth besides the top tooth. The sign of the top tooth is the sign of the column.
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

/// The comb from which each lane reads entries for its own scalar.
pub const OF_LANES: Shape = Shape {
    choices: 5,
    blocks: 4,
    block: 11,
};

/// The comb for few items. The first half of its blocks uses the lower four of eight lanes, the second half
/// the upper four. Tables have fewer entries here, because each choice loads every entry as a vector.
pub const OF_EIGHTS: Shape = Shape {
    choices: 3,
    blocks: 8,
    block: 8,
};
