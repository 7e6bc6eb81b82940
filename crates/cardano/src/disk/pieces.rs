//! A chunk file, read in pieces.
//!
//! Blocks are small and chunk files are long, and a sparse file can be longer than all memory
//! without a byte on the disk. So only a stretch of the file is in memory, which moves forward
//! with the reader. It is never longer than twice the longest block.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::limits::{BLOCK, READ};

/// A file and the stretch of it that is in memory.
pub(crate) struct Pieces<'a> {
    file: File,
    length: u64,
    /// Where the stretch begins in the file.
    start: u64,
    stretch: &'a mut Vec<u8>,
}

impl<'a> Pieces<'a> {
    /// A file of `length` bytes; `memory` is used for the stretch.
    pub(crate) fn new(file: File, length: u64, memory: &'a mut Vec<u8>) -> Self {
        memory.clear();
        Self {
            file,
            length,
            start: 0,
            stretch: memory,
        }
    }

    /// The length of the file in bytes when it was opened.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes from `start` to `end`; of more than a block can have, one more than that.
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

    /// The CRC-32 of the bytes from `start` to `end`, however many.
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

    /// Moves the stretch to `start`. It is twice as long as requested, so that a long
    /// request a little further on does not read all of it again.
    fn read(&mut self, start: u64, end: u64) -> io::Result<()> {
        let length = (2 * (end - start)).max(READ).min(self.length - start);
        self.start = start;
        self.stretch.clear();
        self.stretch.reserve_exact(length as usize);
        self.file.seek(SeekFrom::Start(start))?;
        (&self.file).take(length).read_to_end(self.stretch)?;
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
    use std::io::Write;

    #[test]
    fn any_part_of_a_file_in_little_memory() {
        let bytes: Vec<u8> = (0..11_000_000u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let mut memory = Vec::new();
        let length = bytes.len() as u64;
        let mut pieces = Pieces::new(file.try_clone().unwrap(), length, &mut memory);
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
        // One byte too many tells that there are too many.
        assert_eq!(pieces.get(0, length).unwrap().len(), BLOCK + 1);
        assert!(pieces.stretch.capacity() < 3 * BLOCK);

        file.set_len(10).unwrap();
        let error = pieces.get(10_999_000, 11_000_000).unwrap_err().to_string();
        assert_eq!(error, "it became shorter than 11000000 bytes");
    }
}
