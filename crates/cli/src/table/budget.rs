//! The memory that the pages of a group of rows need together, and its limit.

use std::sync::{Mutex, PoisonError};

use parquet::errors::{ParquetError, Result};

/// The largest total cost of the pages that one group of rows is read from, in bytes.
const PAGES: u64 = 1 << 30;

/// The memory that pages need, and its limit.
pub struct Budget(Mutex<Costs>);

struct Costs {
    /// Bytes for everything that was read for the current group.
    group: u64,
    /// For each column, bytes for its dictionary and for its last page, which the next group
    /// needs, too.
    columns: Vec<[u64; 2]>,
}

impl Budget {
    /// The budget of a file with this many leaf columns.
    pub fn new(columns: usize) -> Self {
        Self(Mutex::new(Costs {
            group: 0,
            columns: vec![[0; 2]; columns],
        }))
    }

    /// Changes the costs. A panic elsewhere leaves them valid: they are plain numbers.
    fn with<T>(&self, change: impl FnOnce(&mut Costs) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts the next group, which still needs only each column's dictionary and last page.
    pub fn next_group(&self) {
        self.with(|costs| costs.group = costs.columns.as_flattened().iter().sum());
    }

    /// Starts the next chunk of a column, whose dictionary and last page are no longer needed.
    pub fn begin_chunk(&self, column: usize) {
        self.with(|costs| costs.columns[column] = [0; 2]);
    }

    /// Adds the cost of a page, and refuses the page if all pages together cost too much.
    pub fn charge(&self, column: usize, is_dictionary: bool, cost: u64) -> Result<()> {
        self.with(|costs| {
            costs.columns[column][usize::from(!is_dictionary)] = cost;
            costs.group = costs.group.saturating_add(cost);
            if costs.group > PAGES {
                return Err(ParquetError::General(format!(
                    "the pages of some rows take {} bytes together, expected at most {PAGES}",
                    costs.group
                )));
            }
            Ok(())
        })
    }
}
