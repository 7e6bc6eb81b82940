//! Lines of bounded length: tokens on standard input, lists of revocation ids.

use std::io::{self, BufRead, Read};

use zeroize::Zeroizing;

/// Memory reserved for a line, in bytes. While it suffices, the buffer does not move, so that wiping
/// it leaves no copy of its own behind.
const ROOM: usize = 128 * 1024;

/// Reads lines of limited length.
pub struct Lines<R> {
    input: R,
    limit: usize,
    number: usize,
    buffer: Zeroizing<Vec<u8>>,
}

/// A line that is not blank.
pub struct Line<'a> {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its text without surrounding white space, or the number of its bytes if it is too long.
    pub content: Result<&'a [u8], usize>,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines of up to `limit` bytes.
    pub fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            limit,
            number: 0,
            buffer: Zeroizing::new(Vec::with_capacity(ROOM.min(limit.saturating_add(2)))),
        }
    }

    /// The next line that is not blank.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            self.buffer.clear();
            self.number += 1;
            // Room for the end of the line, "\r\n".
            let most = self.limit.saturating_add(2) as u64;
            let read = (&mut self.input)
                .take(most)
                .read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                return Ok(None);
            }
            let rest = match self.buffer.last() {
                Some(b'\n') => 0,
                _ => self.input.skip_until(b'\n')?,
            };
            if rest > 0 || self.buffer.trim_ascii().len() > self.limit {
                return Ok(Some(Line {
                    number: self.number,
                    content: Err(read.saturating_add(rest)),
                }));
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        Ok(Some(Line {
            number: self.number,
            content: Ok(self.buffer.trim_ascii()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, limit: usize) -> Vec<(usize, Result<Vec<u8>, usize>)> {
        let mut lines = Lines::new(text.as_bytes(), limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push((line.number, line.content.map(<[u8]>::to_vec)));
        }
        all
    }

    #[test]
    fn lines_are_trimmed_numbered_and_bounded() {
        let ok = |text: &str| Ok(text.as_bytes().to_vec());
        assert_eq!(all("", 4), []);
        assert_eq!(all("\n \r\n\t", 4), []);
        assert_eq!(all("abcd", 4), [(1, ok("abcd"))]);
        assert_eq!(
            all("abcd\r\n\n abc\nab\n", 4),
            [(1, ok("abcd")), (3, ok("abc")), (4, ok("ab"))]
        );
        // At the edge of what is read.
        assert_eq!(all("abcde\nx", 4), [(1, Err(6)), (2, ok("x"))]);
        assert_eq!(all("abcdef\nx", 4), [(1, Err(7)), (2, ok("x"))]);
        assert_eq!(all("abcdefghijkl\nx\n", 4), [(1, Err(13)), (2, ok("x"))]);
        assert_eq!(all("abcdefghijkl", 4), [(1, Err(12))]);
        assert_eq!(all("abcd\r", 4), [(1, ok("abcd"))]);
    }
}
