//! The limit of the memory that all pages of a group of rows need together.

use std::sync::{Mutex, PoisonError};

use parquet::errors::{ParquetError, Result};

/// The largest total cost of the pages of one group of rows, in bytes.
const PAGES: u64 = 1 << 30;

/// Adds up the memory that pages need, and enforces its limit.
pub struct Budget(Mutex<Costs>);

struct Costs {
    /// Bytes for everything that was read for the current group.
    group: u64,
    /// For each column, the bytes for its dictionary and for its last page. The next group needs both, too.
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

    /// Changes the costs. Ignores a poisoned lock: the costs are plain numbers, which stay valid in a panic.
    fn with<T>(&self, change: impl FnOnce(&mut Costs) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts the next group. It still needs the dictionary and the last page of each column, and no other
    /// earlier page.
    pub fn next_group(&self) {
        self.with(|costs| costs.group = costs.columns.as_flattened().iter().sum());
    }

    /// Starts the next chunk of a column. The dictionary and the last page of the previous chunk are dropped.
    pub fn begin_chunk(&self, column: usize) {
        self.with(|costs| costs.columns[column] = [0; 2]);
    }

    /// Adds the cost of a page. Refuses the page if all pages of the group together cost too much.
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
