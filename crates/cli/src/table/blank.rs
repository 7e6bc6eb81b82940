//! Blank lines in a CSV file with one column, which are rows with an empty value.
//!
//! The csv crate skips blank lines. In a file with several columns this is right, because a blank line is not
//! a row. In a file with one column, rows would be lost. So blank lines are replaced with `""` before the csv
//! crate reads them.

use std::io::{self, Read};

/// The position of a CSV parser in its file. The rules are those of the csv crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At the start of a line.
    Line,
    /// At the start of a line, after a carriage return. A line feed here is part of the previous line's end.
    AfterReturn,
    /// At the start of a field that is not the first of its line.
    Field,
    /// In a field without quotes.
    Bare,
    /// Between quotes.
    Quoted,
    /// After a quote in quoted text. This quote ends the field unless another quote follows.
    AfterQuote,
}

/// A reader of the bytes of a CSV file. If the file has one column, blank lines are read as `""`.
pub struct BlankLines<R> {
    inner: R,
    delimiter: u8,
    buffer: Vec<u8>,
    /// Bytes that are ready to be read, from `position` on.
    ready: Vec<u8>,
    position: usize,
    state: State,
    /// The number of bytes of a byte order mark that have been read; `usize::MAX` after any other byte.
    mark: usize,
    /// True if the header has been read to its end.
    header: bool,
    /// True if the header has several fields.
    several: bool,
}

impl<R: Read> BlankLines<R> {
    /// Reads from `inner`, whose fields are separated by `delimiter`.
    pub fn new(inner: R, delimiter: u8) -> Self {
        Self {
            inner,
            delimiter,
            buffer: vec![0; 1 << 16],
            position: 0,
            ready: Vec::new(),
            state: State::Line,
            mark: 0,
            header: false,
            several: false,
        }
    }

    fn take(&mut self, byte: u8) {
        if "\u{feff}".as_bytes().get(self.mark) == Some(&byte) {
            self.mark += 1;
            self.ready.push(byte);
            return;
        }
        self.mark = usize::MAX;
        let at_line = matches!(self.state, State::Line | State::AfterReturn);
        let end_of_line = matches!(byte, b'\r' | b'\n') && self.state != State::Quoted;
        if end_of_line {
            let second_half = byte == b'\n' && self.state == State::AfterReturn;
            if at_line && self.header && !self.several && !second_half {
                self.ready.extend(b"\"\"");
            }
            self.header |= !at_line;
        }
        self.ready.push(byte);
        self.state = match (self.state, byte) {
            (State::Quoted, b'"') => State::AfterQuote,
            (State::Quoted, _) => State::Quoted,
            (_, b'\r') => State::AfterReturn,
            (_, b'\n') => State::Line,
            (_, byte) if byte == self.delimiter => {
                self.several |= !self.header;
                State::Field
            }
            (State::Line | State::AfterReturn | State::Field | State::AfterQuote, b'"') => {
                State::Quoted
            }
            _ => State::Bare,
        };
    }
}

impl<R: Read> Read for BlankLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position == self.ready.len() {
            if self.several {
                return self.inner.read(buffer);
            }
            let count = self.inner.read(&mut self.buffer)?;
            self.position = 0;
            self.ready.clear();
            for index in 0..count {
                self.take(self.buffer[index]);
            }
        }
        let count = (&self.ready[self.position..]).read(buffer)?;
        self.position += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_become_empty_values_in_one_column_only() {
        let cases = [
            ("a\n1\n\n2\n\n", "a\n1\n\"\"\n2\n\"\"\n"),
            ("a\r\n\r\n\r\n1\r\n", "a\r\n\"\"\r\n\"\"\r\n1\r\n"),
            ("a\r\r1\r", "a\r\"\"\r1\r"),
            ("\n\r\na\n\n", "\n\r\na\n\"\"\n"),
            ("a\n\"x\n\n\"\"\n\n\"\n\n", "a\n\"x\n\n\"\"\n\n\"\n\"\"\n"),
            ("a\nx\"\n\n", "a\nx\"\n\"\"\n"),
            ("a\n1,\"\n\n\"\n\n", "a\n1,\"\n\n\"\n\"\"\n"),
            ("\u{feff}\"a,\n\n\"\n\n", "\u{feff}\"a,\n\n\"\n\"\"\n"),
            ("a,b\n1,2\n\n", "a,b\n1,2\n\n"),
            ("a\n1", "a\n1"),
            ("", ""),
        ];
        for (text, expected) in cases {
            let mut all = String::new();
            BlankLines::new(text.as_bytes(), b',')
                .read_to_string(&mut all)
                .unwrap();
            assert_eq!(all, expected, "{text:?}");
        }
        let mut all = String::new();
        let mut lines = BlankLines::new("a;b\n1;2\n\n".as_bytes(), b';');
        lines.read_to_string(&mut all).unwrap();
        assert_eq!(all, "a;b\n1;2\n\n");
    }
}
