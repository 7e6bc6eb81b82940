//! The numbers of rows.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use klero_arrow::{Fault, Rows};

/// Numbers the rows of a table, group by group.
#[derive(Default)]
pub struct Numbering {
    rows: u64,
    started: bool,
}

impl Numbering {
    /// Rows numbered so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The next group with its number. An empty one is the end of the table, unless it is the
    /// first.
    pub fn next(&mut self, batch: RecordBatch, faults: BTreeMap<usize, Fault>) -> Option<Rows> {
        let rows = batch.num_rows();
        if rows == 0 && self.started {
            return None;
        }
        self.started = true;
        let first_row = self.rows + 1;
        self.rows += rows as u64;
        Some(Rows {
            first_row,
            batch,
            faults,
        })
    }
}
