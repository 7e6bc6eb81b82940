//! The records of a CSV file.
//!
//! The csv crate looks at each byte by itself. Most tables need that nowhere: a line without quotes is
//! a record, with a delimiter between its fields. So lines are divided here up to the first one with a
//! quote, or with a carriage return inside. From there on the csv crate reads.

use std::io::{BufRead, BufReader, Chain, Cursor, Read};
use std::mem;

use csv::{ByteRecord, Position};
use memchr::{memchr_iter, memchr2};

/// Size of a read buffer, in bytes.
const BUFFER: usize = 1 << 16;

/// Reads records, the header first. They may have different numbers of fields.
pub struct Records<R> {
    delimiter: u8,
    lines: Lines<R>,
    /// Lines before the current one, as the csv crate does not count them.
    before: u64,
}

enum Lines<R> {
    Simple {
        file: BufReader<R>,
        /// The current line.
        line: Vec<u8>,
    },
    Quoted(Box<csv::Reader<Rest<R>>>),
    /// After an error.
    Failed,
}

/// The line at which the csv crate begins, and what follows.
type Rest<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

impl<R: Read> Records<R> {
    /// Reads from `file`, whose fields have this delimiter between them.
    pub fn new(file: R, delimiter: u8) -> Self {
        Self {
            delimiter,
            lines: Lines::Simple {
                file: BufReader::with_capacity(BUFFER, file),
                line: Vec::new(),
            },
            before: 0,
        }
    }

    /// Reads the next record. Whether there is one.
    pub fn next(&mut self, record: &mut ByteRecord) -> csv::Result<bool> {
        while let Lines::Simple { file, line } = &mut self.lines {
            line.clear();
            if file.read_until(b'\n', line)? == 0 {
                record.clear();
                return Ok(false);
            }
            let Some(text) = simple(line, self.before == 0) else {
                self.quote()?;
                break;
            };
            self.before += 1;
            if text.is_empty() {
                continue;
            }
            record.clear();
            let mut start = 0;
            for end in memchr_iter(self.delimiter, text) {
                record.push_field(&text[start..end]);
                start = end + 1;
            }
            record.push_field(&text[start..]);
            record.set_position(Some(at(self.before)));
            return Ok(true);
        }
        let Lines::Quoted(records) = &mut self.lines else {
            return Ok(false);
        };
        let more = records.read_byte_record(record)?;
        let line = record.position().map_or(0, Position::line);
        record.set_position(Some(at(self.before + line)));
        Ok(more)
    }

    /// Leaves the current line, and what follows, to the csv crate.
    fn quote(&mut self) -> csv::Result<()> {
        let Lines::Simple { file, mut line } = mem::replace(&mut self.lines, Lines::Failed) else {
            return Ok(());
        };
        let is_first = self.before == 0;
        if !is_first {
            // The csv crate would take a byte order mark from the beginning.
            line.splice(..0, *b"-\n");
            self.before -= 1;
        }
        let mut records = csv::ReaderBuilder::new()
            .flexible(true)
            .has_headers(false)
            .delimiter(self.delimiter)
            .buffer_capacity(BUFFER)
            .from_reader(Cursor::new(line).chain(file));
        if !is_first {
            records.read_byte_record(&mut ByteRecord::new())?;
        }
        self.lines = Lines::Quoted(Box::new(records));
        Ok(())
    }
}

/// The text of a line without its end, if it has nothing that the csv crate must look at.
fn simple(line: &[u8], is_first: bool) -> Option<&[u8]> {
    let mut text = line.strip_suffix(b"\n").unwrap_or(line);
    if text.len() < line.len() {
        text = text.strip_suffix(b"\r").unwrap_or(text);
    }
    if is_first {
        text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    }
    memchr2(b'"', b'\r', text).is_none().then_some(text)
}

/// This line, as a position.
fn at(line: u64) -> Position {
    let mut position = Position::new();
    position.set_line(line.max(1));
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut next: impl FnMut(&mut ByteRecord) -> bool) -> Vec<Vec<Vec<u8>>> {
        let (mut records, mut record) = (Vec::new(), ByteRecord::new());
        while next(&mut record) {
            records.push(record.iter().map(<[u8]>::to_vec).collect());
        }
        records
    }

    #[test]
    fn records_are_those_of_the_csv_crate() {
        // All texts of up to six pieces.
        let pieces: [&[u8]; 7] = [b"x", b",", b"\n", b"\r\n", b"\"", b"\r", b"\xef\xbb\xbf"];
        for length in 0..=6 {
            for number in 0..7usize.pow(length) {
                let text: Vec<_> = (0..length)
                    .flat_map(|place| pieces[number / 7usize.pow(place) % 7])
                    .copied()
                    .collect();
                let mut records = csv::ReaderBuilder::new()
                    .flexible(true)
                    .has_headers(false)
                    .from_reader(&*text);
                let expected = all(|record| records.read_byte_record(record).unwrap());
                let mut records = Records::new(&*text, b',');
                let read = all(|record| records.next(record).unwrap());
                assert_eq!(read, expected, "{:?}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn a_record_has_the_line_it_begins_in() {
        let text = "a,b\r\n\n1,2\n\"3\n\",4\n\n5,6\n";
        let mut records = Records::new(text.as_bytes(), b',');
        let (mut lines, mut record) = (Vec::new(), ByteRecord::new());
        while records.next(&mut record).unwrap() {
            lines.push(record.position().unwrap().line());
        }
        assert_eq!(lines[..3], [1, 3, 4]);
    }
}
