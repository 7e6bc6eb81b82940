//! A chunk file that is read in pieces.
//!
//! Blocks are small, and chunk files are long. A sparse file can be longer than all memory, although it needs
//! no space on disk. So only one stretch of the file is in memory, and it moves forward with the reader. The
//! stretch is never longer than about twice the longest block.
//!
//! The hashes of parts of the stretch are requested one by one. They are all computed later, together in
//! lanes, when the stretch must move or the caller needs them. No hash is computed twice.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use pallas_crypto::hash::Hash;

use crate::disk::digests::Digests;
use crate::limits::{BLOCK, READ};

/// A file and the stretch of it that is in memory.
pub(crate) struct Pieces {
    file: File,
    length: u64,
    /// The byte of the file at which the stretch begins.
    start: u64,
    stretch: Vec<u8>,
    /// The digests of parts of this stretch and of earlier stretches.
    digests: Digests,
}

impl Pieces {
    /// Wraps a file of `length` bytes.
    pub(crate) fn new(file: File, length: u64) -> Self {
        Self {
            file,
            length,
            start: 0,
            stretch: Vec::new(),
            digests: Digests::default(),
        }
    }

    /// The length of the file in bytes when it was opened.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes from `start` to `end`, but at most one byte more than a block may have.
    pub(crate) fn get(&mut self, start: u64, end: u64) -> io::Result<&[u8]> {
        let most = start.saturating_add(BLOCK as u64 + 1);
        let end = end.min(self.length).min(most);
        if start >= end {
            return Ok(&[]);
        }
        let ends = self.start + self.stretch.len() as u64;
        if start < self.start || end > ends {
            self.read(start, end)?;
        }
        let from = (start - self.start) as usize;
        let bytes = self.stretch.get(from..from + (end - start) as usize);
        Ok(bytes.unwrap_or_default())
    }

    /// The CRC-32 of the bytes from `start` to `end`. Their number is not limited.
    pub(crate) fn crc(&mut self, mut start: u64, end: u64) -> io::Result<u32> {
        let mut crc = crc32fast::Hasher::new();
        let end = end.min(self.length);
        while start < end {
            let bytes = self.get(start, end)?;
            crc.update(bytes);
            start += bytes.len() as u64;
        }
        Ok(crc.finalize())
    }

    /// Requests the BLAKE2b-256 digest of `prefix` and the bytes from `start` to `end`. These bytes must be
    /// part of the last result of [`get`](Self::get). Returns the digest's index in
    /// [`digests`](Self::digests).
    pub(crate) fn hash(&mut self, prefix: &'static [u8], start: u64, end: u64) -> usize {
        let in_stretch = |at: u64| at.saturating_sub(self.start) as usize;
        let range = in_stretch(start)..in_stretch(end);
        debug_assert!(range.end <= self.stretch.len(), "not in memory");
        self.digests.ask(prefix, range)
    }

    /// Computes and returns all digests that were requested.
    pub(crate) fn digests(&mut self) -> &[Hash<32>] {
        self.digests.compute(&self.stretch);
        self.digests.all()
    }

    /// Moves the stretch to `start`. Unless the file ends, the stretch is at least twice as long as the
    /// request, so that it also covers an equally long request that begins slightly later.
    fn read(&mut self, start: u64, end: u64) -> io::Result<()> {
        self.digests.compute(&self.stretch);
        let length = (2 * (end - start)).max(READ).min(self.length - start);
        self.start = start;
        self.stretch.clear();
        self.stretch.reserve_exact(length as usize);
        self.file.seek(SeekFrom::Start(start))?;
        (&self.file).take(length).read_to_end(&mut self.stretch)?;
        if (self.stretch.len() as u64) < length {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("it became shorter than {} bytes", self.length),
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::hash::blake2b_256;
    use std::io::Write;

    #[test]
    fn any_part_of_a_file_in_little_memory() {
        let bytes: Vec<u8> = (0..11_000_000u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let length = bytes.len() as u64;
        let mut pieces = Pieces::new(file.try_clone().unwrap(), length);
        for (start, end) in [
            (0, 3),
            (0, 2_000_000),
            (1_999_999, 2_000_001),
            (5, 5 + BLOCK),
            (10_999_990, 11_000_000),
            (17, 16),
            (11_000_000, 12_000_000),
        ] {
            let expected = bytes.get(start..end.min(bytes.len())).unwrap_or_default();
            assert_eq!(pieces.get(start as u64, end as u64).unwrap(), expected);
            let crc = pieces.crc(start as u64, end as u64).unwrap();
            assert_eq!(crc, crc32fast::hash(expected));
        }
        assert_eq!(pieces.crc(0, u64::MAX).unwrap(), crc32fast::hash(&bytes));
        // The result has one byte more than a block may have, so the caller sees that the range is too long.
        assert_eq!(pieces.get(0, length).unwrap().len(), BLOCK + 1);
        assert!(pieces.stretch.capacity() < 3 * BLOCK);

        // Digests of parts that are no longer in memory.
        let asked: Vec<_> = (0..50u64).map(|n| (n * 200_003, n * n * 37)).collect();
        for (n, (start, length)) in asked.iter().enumerate() {
            pieces.get(*start, start + length).unwrap();
            assert_eq!(pieces.hash(b"x", *start, start + length), n);
        }
        let digests = asked.iter().map(|(start, length)| {
            let (start, length) = (*start as usize, *length as usize);
            blake2b_256(&[b"x", &bytes[start..start + length]])
        });
        assert_eq!(pieces.digests(), digests.collect::<Vec<_>>());

        file.set_len(10).unwrap();
        let error = pieces.get(10_999_000, 11_000_000).unwrap_err().to_string();
        assert_eq!(error, "it became shorter than 11000000 bytes");
    }
}
