//! Reading of CBOR from a stream, one item at a time.
//!
//! A ledger state has gigabytes, and only a little of it is kept, so it is read as a stream. No memory is
//! allocated in advance for a length or a count in the stream: the memory grows only with the entries that
//! were read and kept.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use pallas_crypto::hash::Hash;

use crate::ledger::error::LedgerError;
use crate::ledger::layout::{LAYOUTS, Layout};
use crate::limits::LEDGER_DEPTH;

/// The CBOR items of a stream.
pub(super) struct Items<R> {
    input: R,
    /// The number of bytes read so far.
    at: u64,
    /// The layouts that fit everything read so far.
    layouts: Vec<&'static Layout>,
    /// The name of the part of the state that is being read, for messages.
    pub(super) part: &'static str,
}

/// The head of an item.
#[derive(Clone, Copy)]
struct Head {
    /// The position of the item's first byte.
    at: u64,
    major: u8,
    /// The number, length, count, tag or simple value; `None` for an indefinite length or a break.
    argument: Option<u64>,
}

const NUMBER: u8 = 0;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const LIST: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;
const SIMPLE: u8 = 7;
const BREAK: u8 = 0xff;

impl Head {
    /// A description of the item, for messages.
    fn describe(self) -> String {
        let items = |n| if n == 1 { "item" } else { "items" };
        match (self.major, self.argument) {
            (NUMBER, Some(n)) => format!("the number {n}"),
            (BYTES, Some(n)) => format!("a string of {n} bytes"),
            (TEXT, Some(n)) => format!("a text of {n} bytes"),
            (LIST, Some(n)) => format!("a list of {n} {}", items(n)),
            (MAP, Some(n)) => format!("a map of {n} {}", items(n)),
            (TAG, Some(n)) => format!("tag {n}"),
            (SIMPLE, Some(n)) => format!("simple value {n}"),
            (SIMPLE, None) => "a break".into(),
            (BYTES, None) => "a string of indefinite length".into(),
            (TEXT, None) => "a text of indefinite length".into(),
            (LIST, None) => "a list of indefinite length".into(),
            (MAP, None) => "a map of indefinite length".into(),
            _ => "a negative number".into(),
        }
    }
}

impl<R: BufRead> Items<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            at: 0,
            layouts: LAYOUTS.iter().collect(),
            part: "the file",
        }
    }

    /// The position of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    /// Returns an error which says that an item is not the expected item.
    pub(super) fn unexpected<T>(
        &self,
        at: u64,
        what: &str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Result<T, LedgerError> {
        Err(LedgerError::Unexpected {
            at,
            place: self.place(what),
            expected: expected.into(),
            found: found.into(),
        })
    }

    fn place(&self, what: &str) -> String {
        format!("{what} of {}", self.part)
    }

    /// Calls `see` with the next bytes that are available, at least one. Does not consume them.
    fn look<T>(&mut self, what: &str, see: impl FnOnce(&[u8]) -> T) -> Result<T, LedgerError> {
        let at = self.at;
        loop {
            match self.input.fill_buf() {
                Ok([]) => {
                    let place = self.place(what);
                    return Err(LedgerError::Ends { at, place });
                }
                Ok(bytes) => return Ok(see(bytes)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(LedgerError::Io { at, error }),
            }
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.input.consume(bytes);
        self.at += bytes as u64;
    }

    fn fill(&mut self, mut bytes: &mut [u8], what: &str) -> Result<(), LedgerError> {
        while !bytes.is_empty() {
            let n = self.look(what, |here| {
                let n = here.len().min(bytes.len());
                bytes[..n].copy_from_slice(&here[..n]);
                n
            })?;
            bytes = &mut bytes[n..];
            self.consume(n);
        }
        Ok(())
    }

    fn discard(&mut self, mut bytes: u64, what: &str) -> Result<(), LedgerError> {
        while bytes > 0 {
            let n = self.look(what, |here| bytes.min(here.len() as u64))?;
            self.consume(n as usize);
            bytes -= n;
        }
        Ok(())
    }

    fn head(&mut self, what: &str) -> Result<Head, LedgerError> {
        let at = self.at;
        let first = self.look(what, |here| here[0])?;
        self.consume(1);
        let major = first >> 5;
        let argument = match first & 0x1f {
            short @ 0..=23 => Some(u64::from(short)),
            short @ 24..=27 => {
                let mut wide = [0; 8];
                self.fill(&mut wide[8 - (1 << (short - 24))..], what)?;
                Some(u64::from_be_bytes(wide))
            }
            31 if !matches!(major, 0 | 1 | TAG) => None,
            _ => {
                let found = format!("byte {first:#04x}");
                return self.unexpected(at, what, "an item of CBOR", found);
            }
        };
        Ok(Head {
            at,
            major,
            argument,
        })
    }

    fn refuse<T>(
        &self,
        head: Head,
        what: &str,
        expected: impl Into<String>,
    ) -> Result<T, LedgerError> {
        self.unexpected(head.at, what, expected, head.describe())
    }

    /// Reads the head of an item, which must have this major type and satisfy `fits`. Returns the argument.
    fn item(
        &mut self,
        major: u8,
        fits: impl FnOnce(u64) -> bool,
        what: &str,
        expected: impl FnOnce() -> String,
    ) -> Result<u64, LedgerError> {
        let head = self.head(what)?;
        match head.argument {
            Some(n) if head.major == major && fits(n) => Ok(n),
            _ => self.refuse(head, what, expected()),
        }
    }

    /// Reads the beginning of a list of `n` items.
    pub(super) fn list(&mut self, n: u64, what: &str) -> Result<(), LedgerError> {
        self.list_of(&[n], what).map(|_| ())
    }

    /// Reads the beginning of a list whose number of items is one of `counts`. Returns that number.
    pub(super) fn list_of(&mut self, counts: &[u64], what: &str) -> Result<u64, LedgerError> {
        let expected = || {
            let items = if counts == [1] { "item" } else { "items" };
            let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
            format!("a list of {} {items}", counts.join(" or "))
        };
        self.item(LIST, |n| counts.contains(&n), what, expected)
    }

    /// Reads the beginning of a list. `of` returns the numbers of items that a [`Layout`] allows. One of the
    /// remaining layouts must allow the number read; the other layouts are removed. Returns the number.
    pub(super) fn list_as(
        &mut self,
        of: impl Fn(&Layout) -> &'static [u64],
        what: &str,
    ) -> Result<u64, LedgerError> {
        let counts = self.layouts.iter().flat_map(|layout| of(layout));
        let mut counts: Vec<u64> = counts.copied().collect();
        counts.dedup();
        let n = self.list_of(&counts, what)?;
        self.layouts.retain(|layout| of(layout).contains(&n));
        Ok(n)
    }

    /// Reads the beginning of a list of any definite length. Returns the number of items.
    pub(super) fn any_list(&mut self, what: &str) -> Result<u64, LedgerError> {
        self.item(LIST, |_| true, what, || "a list of definite length".into())
    }

    pub(super) fn number(&mut self, what: &str) -> Result<u64, LedgerError> {
        self.item(NUMBER, |_| true, what, || "a number below 2^64".into())
    }

    /// Reads a number, which must be `number`.
    pub(super) fn exactly(&mut self, number: u64, what: &str) -> Result<(), LedgerError> {
        let expected = || format!("the number {number}");
        self.item(NUMBER, |n| n == number, what, expected)?;
        Ok(())
    }

    pub(super) fn tag(&mut self, tag: u64, what: &str) -> Result<(), LedgerError> {
        self.item(TAG, |n| n == tag, what, || format!("tag {tag}"))?;
        Ok(())
    }

    pub(super) fn hash<const N: usize>(&mut self, what: &str) -> Result<Hash<N>, LedgerError> {
        let expected = || format!("a string of {N} bytes");
        self.item(BYTES, |n| n == N as u64, what, expected)?;
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
        Ok(Hash::new(bytes))
    }

    /// Reads a map of definite or indefinite length. For each entry of the map, calls `entry`, which must
    /// read the key and the value.
    pub(super) fn map(
        &mut self,
        what: &str,
        mut entry: impl FnMut(&mut Self) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let head = self.head(what)?;
        if head.major != MAP {
            return self.refuse(head, what, "a map");
        }
        match head.argument {
            Some(n) => {
                for _ in 0..n {
                    entry(self)?;
                }
            }
            None => {
                while self.look(what, |here| here[0])? != BREAK {
                    entry(self)?;
                }
                self.consume(1);
            }
        }
        Ok(())
    }

    /// Reads a map whose keys are hashes. Each key must occur only once.
    pub(super) fn by_hash<T>(
        &mut self,
        what: &str,
        mut value: impl FnMut(&mut Self, Hash<28>) -> Result<T, LedgerError>,
    ) -> Result<BTreeMap<Hash<28>, T>, LedgerError> {
        let mut entries = BTreeMap::new();
        self.map(what, |items| {
            let at = items.at;
            let key = items.hash(what)?;
            let value = value(items, key)?;
            match entries.insert(key, value) {
                None => Ok(()),
                Some(_) => items.unexpected(at, what, "each key once", format!("{key} twice")),
            }
        })?;
        Ok(entries)
    }

    /// Skips `n` items.
    pub(super) fn skip_all(&mut self, n: u64, what: &str) -> Result<(), LedgerError> {
        (0..n).try_for_each(|_| self.skip(what))
    }

    /// Skips one item of any kind.
    pub(super) fn skip(&mut self, what: &str) -> Result<(), LedgerError> {
        // For each open list, map or tag, the number of items still to come, or `None` if a break ends it.
        let mut open: Vec<Option<u64>> = Vec::new();
        loop {
            let head = self.head(what)?;
            match (head.major, head.argument) {
                (BYTES | TEXT, Some(n)) => self.discard(n, what)?,
                (BYTES | TEXT, None) => self.skip_chunks(head, what)?,
                (LIST, n) => open.push(n),
                (MAP, None) => open.push(None),
                (MAP, Some(n)) => match n.checked_mul(2) {
                    Some(items) => open.push(Some(items)),
                    None => return self.refuse(head, what, "a map that can end"),
                },
                (TAG, _) => open.push(Some(1)),
                (SIMPLE, None) => match open.pop() {
                    Some(None) => {}
                    _ => return self.refuse(head, what, "an item"),
                },
                _ => {}
            }
            if open.len() > LEDGER_DEPTH {
                let expected = format!("at most {LEDGER_DEPTH} items within each other");
                return self.unexpected(head.at, what, expected, "more");
            }
            while open.last() == Some(&Some(0)) {
                open.pop();
            }
            match open.last_mut() {
                None => return Ok(()),
                Some(Some(left)) => *left -= 1,
                Some(None) => {}
            }
        }
    }

    /// Skips the chunks of a string of indefinite length, and the break after them.
    fn skip_chunks(&mut self, string: Head, what: &str) -> Result<(), LedgerError> {
        loop {
            let head = self.head(what)?;
            match (head.major, head.argument) {
                (SIMPLE, None) => return Ok(()),
                (major, Some(n)) if major == string.major => self.discard(n, what)?,
                _ => return self.refuse(head, what, "a chunk of a string"),
            }
        }
    }

    /// Checks that the stream has no more bytes.
    pub(super) fn end(&mut self) -> Result<(), LedgerError> {
        match self.look("end", |_| ()) {
            Err(LedgerError::Ends { .. }) => Ok(()),
            Err(error) => Err(error),
            Ok(()) => self.unexpected(self.at, "end", "no more bytes", "more bytes"),
        }
    }
}
