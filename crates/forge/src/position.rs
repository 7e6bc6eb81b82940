//! Where the writer puts a block.

/// The place of a block in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// An ordinary block, by its slot since the start of the chain.
    Slot(u64),
    /// The boundary block (EBB) that opens the Byron epoch of this number; one
    /// chunk is one Byron epoch.
    Boundary(u64),
}
