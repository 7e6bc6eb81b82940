//! A table of the blocks that pools were allowed to make, each with the margin of its pool's lead.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use klero_audit::Lead;

use super::run::Leads;
use crate::table::{Dialect, Format, Writer};
use crate::ui::error::Error;

/// A writer of the table. The table has a row for each [`Lead`].
pub struct Margins {
    writer: Box<dyn Writer>,
    name: String,
}

impl Margins {
    /// Creates the table. The file appears when the table is complete.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let format = Format::of_output(path)?;
        let mut margins = Self {
            writer: format.create(Some(path), &Dialect::default())?,
            name,
        };
        // This writes the columns, which even a table without rows must have.
        margins.write(&[])?;
        Ok(margins)
    }
}

impl Leads for Margins {
    fn write(&mut self, leads: &[Lead]) -> Result<(), Error> {
        let numbers = |of: fn(&Lead) -> u64| {
            Arc::new(UInt64Array::from_iter_values(leads.iter().map(of))) as ArrayRef
        };
        let pools = leads.iter().map(|lead| lead.pool.to_hex());
        let margins = leads.iter().map(|lead| lead.margin);
        let batch = RecordBatch::try_from_iter([
            ("epoch", numbers(|lead| lead.epoch)),
            ("slot", numbers(|lead| lead.slot)),
            ("pool", Arc::new(StringArray::from_iter_values(pools))),
            ("stake", numbers(|lead| lead.stake.pool())),
            ("total", numbers(|lead| lead.stake.total())),
            ("margin", Arc::new(Float64Array::from_iter_values(margins))),
        ]);
        let batch =
            batch.map_err(|error| Error::at(format_args!("cannot write {}", self.name), error))?;
        self.writer.write(&batch)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        self.writer.finish()
    }
}
