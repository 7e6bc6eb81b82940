//! The kinds of things that can be wrong with a chain on disk.
//!
//! A [`Fault`] means that blocks are damaged, missing or out of place. A [`Warning`] means that
//! only an index is: the chunk file is the truth, and the blocks in it have been read.

use core::fmt;

use pallas_crypto::hash::Hash;

use crate::chain::era::Era;

/// Where something was found; what is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Number of the chunk file; of a block of an iterator, the one that it would be in.
    pub chunk: u64,
    /// Byte offset in the chunk file.
    pub offset: Option<u64>,
    /// Number of the block in the iterator that it comes from, from 0 on.
    pub item: Option<u64>,
    /// Slot of the block.
    pub slot: Option<u64>,
    /// Hash of the block.
    pub hash: Option<Hash<32>>,
}

/// Something wrong with the blocks of the chain. The walk goes on after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Where.
    pub location: Location,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The bytes of a block do not have the CRC-32 of the index, and the block is not proven
    /// intact otherwise.
    Crc {
        /// What the index says.
        expected: u32,
        /// What the bytes have.
        found: u32,
        /// What is known of the block's header.
        header: HeaderState,
    },
    /// A chunk file ends within a block, or before blocks that its index lists.
    Truncated {
        /// Length of the chunk file in bytes.
        length: u64,
        /// Where the incomplete block begins, if there is one.
        incomplete: Option<u64>,
        /// How many more blocks the index lists.
        missing: u64,
    },
    /// Bytes that are no block.
    Unreadable {
        /// Where the next block begins, or the end of the chunk; in an iterator, the bytes up to
        /// there of all its blocks.
        until: u64,
        /// What is wrong with them.
        reason: String,
    },
    /// Chunk files are missing in the middle of the numbering.
    MissingChunks {
        /// The first that is missing.
        first: u64,
        /// The last that is missing.
        last: u64,
    },
    /// A block's frame is right, but its header cannot be used.
    BadHeader {
        /// What is wrong with it.
        reason: String,
    },
    /// A block's body does not have the hash that its header names.
    BodyHash {
        /// The hash in the header.
        expected: Hash<32>,
        /// The hash of the body; `None` if it does not have the parts of its era.
        found: Option<Hash<32>>,
    },
    /// A block's body has the hash that its header names, but not the size.
    BodySize {
        /// Bytes by the header.
        expected: u64,
        /// Bytes of the body's parts.
        found: u64,
    },
    /// A block does not name the one before it as its predecessor.
    HashLink {
        /// Hash of the block before.
        before: Hash<32>,
        /// The predecessor it names.
        names: Option<Hash<32>>,
    },
    /// A block's number does not follow that of the one before it.
    BlockNumber {
        /// The number that should follow.
        expected: u64,
        /// The number it has.
        found: u64,
    },
    /// A block's slot is not after that of the one before it.
    SlotOrder {
        /// Slot of the block before.
        before: u64,
        /// Slot it has.
        found: u64,
    },
    /// A block's slot does not belong in its chunk file.
    OutsideChunk {
        /// First slot of the chunk.
        first: u64,
        /// Last slot of the chunk.
        last: u64,
        /// Slot of the block.
        found: u64,
    },
    /// A block's era comes before that of the block before it.
    EraBackwards {
        /// Era of the block before.
        before: Era,
        /// Era of the block.
        found: Era,
    },
    /// A block's era is not that of its epoch.
    EraOfEpoch {
        /// Epoch of the block.
        epoch: u64,
        /// Era of the block.
        found: Era,
    },
}

impl FaultKind {
    /// The name of the kind: lower case, with hyphens.
    ///
    /// ```
    /// use klero_cardano::FaultKind;
    /// let kind = FaultKind::MissingChunks { first: 3, last: 4 };
    /// assert_eq!(kind.name(), "missing-chunks");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            FaultKind::Crc { .. } => "crc",
            FaultKind::Truncated { .. } => "truncated",
            FaultKind::Unreadable { .. } => "unreadable",
            FaultKind::MissingChunks { .. } => "missing-chunks",
            FaultKind::BadHeader { .. } => "bad-header",
            FaultKind::BodyHash { .. } => "body-hash",
            FaultKind::BodySize { .. } => "body-size",
            FaultKind::HashLink { .. } => "hash-link",
            FaultKind::BlockNumber { .. } => "block-number",
            FaultKind::SlotOrder { .. } => "slot-order",
            FaultKind::OutsideChunk { .. } => "outside-chunk",
            FaultKind::EraBackwards { .. } => "era-backwards",
            FaultKind::EraOfEpoch { .. } => "era-of-epoch",
        }
    }
}

/// What is known of the header in a block with a wrong CRC-32.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderState {
    /// Its hash is the one the index or the next block names: the damage is in the body, or,
    /// where a body cannot be proven (Byron), perhaps in the index.
    Intact,
    /// Nothing vouches for it.
    Unproven,
    /// It cannot be decoded; the reason.
    Unreadable(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.item {
            Some(item) => write!(f, "item {item}")?,
            None => write!(f, "chunk {:05}", self.chunk)?,
        }
        if let Some(offset) = self.offset {
            write!(f, ", byte {offset}")?;
        }
        if let Some(slot) = self.slot {
            write!(f, ", slot {slot}")?;
        }
        if let Some(hash) = self.hash {
            write!(f, ", block {hash}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Kinds that name their place themselves say it better than the general form.
        match &self.kind {
            FaultKind::Unreadable { reason, .. } if self.location.item.is_some() => {
                write!(f, "{}: no block: {reason}", self.location)
            }
            FaultKind::Truncated { .. } | FaultKind::MissingChunks { .. } => {
                write!(f, "chunk {:05}", self.location.chunk)?;
                self.kind.fmt(f)
            }
            _ => write!(f, "{}: {}", self.location, self.kind),
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Crc {
                expected,
                found,
                header,
            } => {
                write!(f, "CRC-32 is {found:08x}, the index says {expected:08x}; ")?;
                match header {
                    HeaderState::Intact => f.write_str("the header is intact"),
                    HeaderState::Unproven => f.write_str("the header may be altered"),
                    HeaderState::Unreadable(reason) => {
                        write!(f, "the header is unreadable: {reason}")
                    }
                }
            }
            FaultKind::Truncated {
                length,
                incomplete,
                missing,
            } => {
                write!(f, " truncated at byte {length}")?;
                if let Some(start) = incomplete {
                    write!(f, ": block starting at byte {start} incomplete")?;
                }
                match missing {
                    0 => Ok(()),
                    _ => write!(f, ", {missing} more in the index"),
                }
            }
            FaultKind::Unreadable { until, reason } => {
                write!(f, "no readable block up to byte {until}: {reason}")
            }
            FaultKind::MissingChunks { first, last } if first == last => f.write_str(" is missing"),
            FaultKind::MissingChunks { last, .. } => write!(f, " to {last:05} are missing"),
            FaultKind::BadHeader { reason } => write!(f, "unusable header: {reason}"),
            FaultKind::BodyHash { expected, found } => {
                match found {
                    Some(hash) => write!(f, "body hash is {hash}")?,
                    None => f.write_str("the body does not have the parts of its era")?,
                }
                write!(f, ", the header says {expected}")
            }
            FaultKind::BodySize { expected, found } => {
                let found = counted(*found, "byte");
                write!(f, "the body has {found}, the header says {expected}")
            }
            FaultKind::HashLink { before, names } => {
                write!(
                    f,
                    "broken link: the block before is {before}, this one names "
                )?;
                match names {
                    Some(hash) => hash.fmt(f),
                    None => f.write_str("none"),
                }
            }
            FaultKind::BlockNumber { expected, found } => {
                write!(f, "block number is {found}, expected {expected}")
            }
            FaultKind::SlotOrder { before, found } => {
                write!(
                    f,
                    "slot {found} is not after slot {before} of the block before"
                )
            }
            FaultKind::OutsideChunk { first, last, found } => {
                write!(
                    f,
                    "slot {found} is not among the chunk's slots {first} to {last}"
                )
            }
            FaultKind::EraBackwards { before, found } => {
                write!(f, "{} {found} block after one of {before}", found.article())
            }
            FaultKind::EraOfEpoch { epoch, found } => {
                write!(
                    f,
                    "{} {found} block in epoch {epoch}, which is not of that era",
                    found.article()
                )
            }
        }
    }
}

impl std::error::Error for Fault {}

/// `1 byte`, `5 bytes`.
pub(crate) fn counted(n: u64, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        _ => format!("{n} {one}s"),
    }
}

/// Something wrong with an index. The blocks themselves have been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Number of the chunk.
    pub chunk: u64,
    /// What is wrong.
    pub kind: WarningKind,
}

/// The kinds of warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningKind {
    /// An index file is not there.
    IndexMissing(IndexFile),
    /// An index file disagrees with its chunk.
    IndexDamaged {
        /// Which.
        file: IndexFile,
        /// What is wrong, and where first.
        reason: String,
        /// In how many places.
        places: u64,
    },
    /// No usable index vouches for the bytes of some blocks.
    CrcUnchecked {
        /// How many blocks.
        blocks: u64,
    },
}

/// An index file of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexFile {
    /// `NNNNN.primary`
    Primary,
    /// `NNNNN.secondary`
    Secondary,
}

impl IndexFile {
    /// The extension of the file's name.
    pub fn extension(self) -> &'static str {
        match self {
            IndexFile::Primary => "primary",
            IndexFile::Secondary => "secondary",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chunk = self.chunk;
        match &self.kind {
            WarningKind::IndexMissing(file) => {
                write!(f, "{chunk:05}.{} is missing", file.extension())
            }
            WarningKind::IndexDamaged {
                file,
                reason,
                places,
            } => {
                write!(f, "{chunk:05}.{} is damaged: {reason}", file.extension())?;
                match places {
                    0 | 1 => Ok(()),
                    _ => write!(f, " (and {})", counted(places - 1, "more place")),
                }
            }
            WarningKind::CrcUnchecked { blocks } => {
                let blocks = counted(*blocks, "block");
                write!(f, "chunk {chunk:05}: CRC-32 of {blocks} not checked")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many() {
        let warning = |kind| Warning { chunk: 7, kind }.to_string();
        for (blocks, words) in [(1, "1 block not"), (2, "2 blocks not")] {
            let text = warning(WarningKind::CrcUnchecked { blocks });
            assert_eq!(text, format!("chunk 00007: CRC-32 of {words} checked"));
        }
        for (places, words) in [
            (1, ""),
            (2, " (and 1 more place)"),
            (3, " (and 2 more places)"),
        ] {
            let text = warning(WarningKind::IndexDamaged {
                file: IndexFile::Primary,
                reason: "x".into(),
                places,
            });
            assert_eq!(text, format!("00007.primary is damaged: x{words}"));
        }
    }

    #[test]
    fn articles() {
        let epoch = |found| FaultKind::EraOfEpoch { epoch: 3, found }.to_string();
        assert!(epoch(Era::Alonzo).starts_with("an Alonzo block in epoch 3"));
        assert!(epoch(Era::Mary).starts_with("a Mary block"));
        let (before, found) = (Era::Conway, Era::Allegra);
        let backwards = FaultKind::EraBackwards { before, found }.to_string();
        assert_eq!(backwards, "an Allegra block after one of Conway");
    }
}
