//! Reads and writes the bytes of text tables, compressed or not.
//!
//! A row must fit into memory, and a quote that is never closed makes the rest of a file a single row. So
//! bytes are counted after decompression, and a row that does not end within [`MAX_ROW`] bytes is refused,
//! even if the compressed file is small.

use std::cell::Cell;
use std::io::{self, BufReader, Read, Write};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use klero_support::{Output, open_or_pipe};

use super::limits::MAX_ROW;
use crate::args::source::Source;
use crate::ui::error::Error;

/// The binary logarithm of the largest Zstandard window: 128 MiB, as in Zstandard's own tools.
const ZSTD_WINDOW: u32 = 27;
/// The size of a read buffer, in bytes.
const BUFFER: usize = 1 << 16;

/// The compression of a text table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878).
    Zstd,
}

/// Counts of the bytes that were read, shared by the input and the reader of the table.
#[derive(Clone, Default)]
pub struct Meter {
    read: Rc<Cell<u64>>,
    decompressed: Rc<Cell<u64>>,
    row: Rc<Cell<u64>>,
}

impl Meter {
    /// The number of bytes read from the file.
    pub fn total(&self) -> u64 {
        self.read.get()
    }

    /// Starts counting the next row.
    pub fn end_row(&self) {
        self.row.set(0);
    }
}

/// A file that counts the bytes that are read from it.
struct Counted {
    inner: Box<dyn Read>,
    meter: Meter,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Repeats a read that a signal interrupted: the csv crate would take the interruption for a failure.
        let count = loop {
            match self.inner.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.meter.read.set(self.meter.read.get() + count as u64);
        Ok(count)
    }
}

/// The decompressed bytes of a table.
pub struct Input {
    inner: Box<dyn Read>,
    meter: Meter,
}

impl Input {
    /// Opens a file, a pipe or standard input. Also returns the meter and, for a file, its length in bytes.
    pub fn open(
        source: &Source,
        compression: Compression,
    ) -> Result<(Self, Meter, Option<u64>), Error> {
        let (inner, length): (Box<dyn Read>, _) = match source {
            Source::Stdin => (Box::new(io::stdin().lock()), None),
            Source::File(path) => {
                let (file, length) = open_or_pipe(path)?;
                (Box::new(file), length)
            }
        };
        let meter = Meter::default();
        let counted = Counted {
            inner,
            meter: meter.clone(),
        };
        let inner: Box<dyn Read> = match compression {
            Compression::None => Box::new(counted),
            Compression::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(
                BUFFER, counted,
            ))),
            Compression::Zstd => {
                Box::new(unzstd(counted).map_err(|error| source.unreadable(error))?)
            }
        };
        let input = Self {
            inner,
            meter: meter.clone(),
        };
        Ok((input, meter, length))
    }
}

fn unzstd(file: Counted) -> io::Result<impl Read> {
    let mut decoder = zstd::Decoder::new(file)?;
    decoder.window_log_max(ZSTD_WINDOW)?;
    Ok(decoder)
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let (total, row) = (&self.meter.decompressed, &self.meter.row);
        total.set(total.get() + count as u64);
        row.set(row.get() + count as u64);
        if row.get() > MAX_ROW {
            return Err(io::Error::other(format!(
                "no row ends within {} MiB before byte {}; is a quote not closed?",
                MAX_ROW >> 20,
                total.get()
            )));
        }
        Ok(count)
    }
}

/// The output of a text table, compressed or not.
pub enum Sink {
    /// Uncompressed.
    Plain(Output),
    /// Through gzip.
    Gzip(GzEncoder<Output>),
    /// Through Zstandard.
    Zstd(zstd::Encoder<'static, Output>),
}

impl Sink {
    /// Begins a file in `output`.
    pub fn new(output: Output, compression: Compression) -> Result<Self, Error> {
        Ok(match compression {
            Compression::None => Self::Plain(output),
            Compression::Gzip => Self::Gzip(GzEncoder::new(output, flate2::Compression::default())),
            Compression::Zstd => {
                let name = output.name().to_owned();
                let begin = || {
                    let mut encoder = zstd::Encoder::new(output, 0)?;
                    encoder.include_checksum(true)?;
                    Ok(encoder)
                };
                Self::Zstd(begin().map_err(|error| Error::write(name, &error))?)
            }
        })
    }

    /// The name of the file, for messages.
    pub fn name(&self) -> &str {
        self.output().name()
    }

    fn output(&self) -> &Output {
        match self {
            Self::Plain(output) => output,
            Self::Gzip(encoder) => encoder.get_ref(),
            Self::Zstd(encoder) => encoder.get_ref(),
        }
    }

    /// The number of bytes in the file so far, after compression.
    pub fn written(&self) -> u64 {
        self.output().written()
    }

    /// Ends the compression, and puts the complete file in place.
    pub fn commit(self) -> Result<(), Error> {
        let name = self.name().to_owned();
        let output = match self {
            Self::Plain(output) => Ok(output),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        };
        Ok(output
            .map_err(|error| Error::write(name, &error))?
            .commit()?)
    }
}

impl Write for Sink {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(output) => output.write(buffer),
            Self::Gzip(encoder) => encoder.write(buffer),
            Self::Zstd(encoder) => encoder.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(output) => output.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_read_is_repeated() {
        struct Interrupted(bool);
        impl Read for Interrupted {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if !std::mem::replace(&mut self.0, true) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                buffer[0] = 7;
                Ok(1)
            }
        }
        let mut counted = Counted {
            inner: Box::new(Interrupted(false)),
            meter: Meter::default(),
        };
        assert_eq!(counted.read(&mut [0; 4]).unwrap(), 1);
        assert_eq!(counted.meter.total(), 1);
    }
}
