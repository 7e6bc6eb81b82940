//! What can be wrong with a chain on disk, and what was not read of it.
//!
//! There are three severities. A fault means that blocks are damaged, missing or out of place. A
//! warning means that only an index is: the chunk file is the truth, and the blocks in it have been
//! read. A note is about bytes that were not read, although nothing is known to be wrong with them:
//! a chain that ends early is still a chain, and all blocks before its end are checked.

use pallas_crypto::hash::Hash;

use crate::chain::era::Era;

/// Something that was found in a chain, and where. The walk goes on after it, unless it is
/// [`UnknownEra`](FindingKind::UnknownEra) or the error of an iterator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was found.
    pub kind: FindingKind,
    /// Where.
    pub location: Location,
}

/// What a finding means for the blocks of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Blocks are damaged, missing or out of place.
    Fault,
    /// An index is missing or damaged; the blocks have been read.
    Warning,
    /// Something was not read.
    Note,
}

impl Severity {
    /// Its name: `fault`, `warning` or `note`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

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

/// The kinds of findings: faults, then warnings, then notes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
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
    /// The newest chunk ends in the first part of a block that follows on the one before it,
    /// as when a node is writing it. Every complete block was read.
    HalfWritten {
        /// The bytes that are there.
        bytes: u64,
    },
    /// The blocks from here on are of an era that this version does not know. The walk ends.
    UnknownEra {
        /// The tag of the first.
        tag: u8,
        /// Its slot, or the least slot it can have.
        slot: u64,
    },
    /// An index file is there and could not be read. The blocks were, without what it says of them.
    UnreadIndex {
        /// Which.
        file: IndexFile,
        /// The error of the operating system, or what the file is instead.
        reason: String,
    },
    /// A chunk file could not be read, or only in part, and the walk goes on after it; or the
    /// iterator that gives the blocks failed, and the walk ends.
    Io {
        /// The error of the operating system or of the iterator, or what the file is instead, or
        /// how long it is.
        reason: String,
    },
}

impl Finding {
    /// A finding in a chunk, at no known place in it.
    pub(crate) fn in_chunk(chunk: u64, kind: FindingKind) -> Self {
        let location = Location {
            chunk,
            ..Location::default()
        };
        Self { kind, location }
    }

    /// What it means for the blocks.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}

impl FindingKind {
    /// What it means for the blocks.
    pub fn severity(&self) -> Severity {
        match self {
            FindingKind::IndexMissing(_)
            | FindingKind::IndexDamaged { .. }
            | FindingKind::CrcUnchecked { .. } => Severity::Warning,
            FindingKind::HalfWritten { .. }
            | FindingKind::UnknownEra { .. }
            | FindingKind::UnreadIndex { .. }
            | FindingKind::Io { .. } => Severity::Note,
            _ => Severity::Fault,
        }
    }

    /// The name of the kind: lower case, with hyphens.
    pub fn name(&self) -> &'static str {
        match self {
            FindingKind::Crc { .. } => "crc",
            FindingKind::Truncated { .. } => "truncated",
            FindingKind::Unreadable { .. } => "unreadable",
            FindingKind::MissingChunks { .. } => "missing-chunks",
            FindingKind::BadHeader { .. } => "bad-header",
            FindingKind::BodyHash { .. } => "body-hash",
            FindingKind::BodySize { .. } => "body-size",
            FindingKind::HashLink { .. } => "hash-link",
            FindingKind::BlockNumber { .. } => "block-number",
            FindingKind::SlotOrder { .. } => "slot-order",
            FindingKind::OutsideChunk { .. } => "outside-chunk",
            FindingKind::EraBackwards { .. } => "era-backwards",
            FindingKind::EraOfEpoch { .. } => "era-of-epoch",
            FindingKind::IndexMissing(_) => "index-missing",
            FindingKind::IndexDamaged { .. } => "index-damaged",
            FindingKind::CrcUnchecked { .. } => "crc-unchecked",
            FindingKind::HalfWritten { .. } => "half-written",
            FindingKind::UnknownEra { .. } => "unknown-era",
            FindingKind::UnreadIndex { .. } => "unread-index",
            FindingKind::Io { .. } => "io",
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
