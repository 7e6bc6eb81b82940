//! A reader that counts, and that stops a row which does not end.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use crate::error::Error;
use crate::input::Source;

/// The longest row of a text table, in bytes. A row must fit into memory, and
/// a quote that is never closed makes the rest of a file one row.
pub const MAX_ROW: u64 = 64 << 20;

/// What has been read so far; shared by the reader and whoever watches it.
#[derive(Clone, Default)]
pub struct Meter {
    total: Rc<Cell<u64>>,
    row: Rc<Cell<u64>>,
}

impl Meter {
    /// Bytes read.
    pub fn total(&self) -> u64 {
        self.total.get()
    }

    /// Says that a row has ended.
    pub fn end_row(&self) {
        self.row.set(0);
    }
}

/// A reader with its meter.
pub struct Metered {
    inner: Box<dyn Read>,
    meter: Meter,
}

impl Metered {
    /// Opens the source; also gives its meter and its length in bytes, where it
    /// has one.
    pub fn open(source: &Source) -> Result<(Self, Meter, Option<u64>), Error> {
        let length = match source {
            Source::Stdin => None,
            Source::File(path) => std::fs::metadata(path)
                .ok()
                .filter(|metadata| metadata.is_file())
                .map(|metadata| metadata.len()),
        };
        let meter = Meter::default();
        let inner = source.open()?;
        let metered = Self {
            inner,
            meter: meter.clone(),
        };
        Ok((metered, meter, length))
    }
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let (total, row) = (&self.meter.total, &self.meter.row);
        total.set(total.get() + count as u64);
        row.set(row.get() + count as u64);
        if row.get() > MAX_ROW {
            return Err(io::Error::other(format!(
                "a row longer than {MAX_ROW} bytes ends nowhere before byte {}",
                total.get()
            )));
        }
        Ok(count)
    }
}
