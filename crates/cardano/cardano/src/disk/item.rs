//! The items that are read from a chunk, in order: its blocks as they are stored, and findings.

use pallas_crypto::hash::Hash;

use crate::chain::header::{BadHeader, Header, Vrf};
use crate::disk::begun::Begun;
use crate::disk::cbor::Frame;
use crate::disk::index::Entry;
use crate::disk::rules::Rules;
use crate::fault::Fault;
use crate::finding::{Finding, Location};

/// A block of a chunk, or a finding. Findings about an index come before all blocks of the chunk.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Block(Box<Stored>),
    /// A fault, or an error of reading. Blocks may be lost because of it.
    Lost(Box<Finding>),
    /// Blocks of an unknown era. If a block of a known era follows, `fault` is reported instead of a note.
    UnknownEra {
        tag: u8,
        fault: Box<Finding>,
    },
    /// The first part of a well-formed block at the end of the newest chunk. If that block cannot follow the
    /// last whole block, `fault` is reported instead of a note.
    HalfWritten {
        fault: Box<Finding>,
        bytes: u64,
        begun: Begun,
    },
    /// A finding about an index. No block is lost because of it.
    OfIndex(Box<Finding>),
}

impl Item {
    /// The number of the item's chunk.
    pub(crate) fn chunk(&self) -> u64 {
        match self {
            Item::Block(block) => block.chunk,
            Item::Lost(finding)
            | Item::UnknownEra { fault: finding, .. }
            | Item::HalfWritten { fault: finding, .. }
            | Item::OfIndex(finding) => finding.at.chunk,
        }
    }

    /// The VRF certificates, if the item is a block after Byron and its header can be used.
    pub(crate) fn vrf(&self) -> Option<&Vrf> {
        let Item::Block(block) = self else {
            return None;
        };
        let header = block.header.as_ref().ok()?;
        header.lottery.as_ref().map(|lottery| &lottery.vrf)
    }
}

/// A block as it was stored.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub chunk: u64,
    pub offset: u64,
    /// The block's number in the iterator, if the block is from one. `offset` then counts bytes from the
    /// start of the iterator's first block.
    pub item: Option<u64>,
    pub size: u64,
    pub header: Result<Header, BadHeader>,
    /// The bytes of the header, if it is signed and signatures are wanted.
    pub header_bytes: Option<Box<[u8]>>,
    pub crc: Crc,
    /// The block's index entry, if there is one.
    pub entry: Option<Entry>,
    /// The result of the body check; `None` if the body was not checked, or if a wrong CRC-32 explains why
    /// the body is wrong.
    pub body: Option<Result<(), Fault>>,
    /// The block's contribution to the evolving nonce. `None` in Byron, or if its header cannot be used.
    pub contribution: Option<Hash<32>>,
}

/// The result of comparing a block's bytes with the CRC-32 in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crc {
    /// The CRC-32 is equal, or the hashes in the header and the index prove that the block is intact.
    Holds,
    /// There is no CRC-32 to compare with.
    Unknown,
    /// The CRC-32 is different. `body` is true if the hash of the body is the one in the header.
    Fails {
        expected: u32,
        found: u32,
        body: bool,
    },
}

impl Stored {
    /// Decodes a block with these bytes and this frame. The hash of the header stays all zeros. Fields that
    /// depend on the chunk, its index or a comparison get no value (0, `None` or `Unknown`).
    pub(super) fn decode(bytes: &[u8], frame: &Frame, rules: &Rules) -> Self {
        let header_bytes = bytes.get(frame.header.clone()).unwrap_or_default();
        let header = Header::decode_unhashed(frame.tag, header_bytes, rules.byron_epoch_length);
        let is_signed = matches!(&header, Ok(header) if header.signing.is_some());
        let keeps_bytes = is_signed && rules.wanted.signatures;
        Self {
            chunk: 0,
            offset: 0,
            item: None,
            size: bytes.len() as u64,
            header,
            header_bytes: keeps_bytes.then(|| Box::from(header_bytes)),
            crc: Crc::Unknown,
            entry: None,
            body: None,
            contribution: None,
        }
    }

    /// True if the header contains the hash of the body.
    pub(crate) fn names_body(&self) -> bool {
        let header = self.header.as_ref();
        header.is_ok_and(|header| header.body_hash.is_some())
    }

    /// The location of the block, for messages.
    pub(crate) fn location(&self) -> Location {
        let place = match &self.header {
            Ok(header) => Some(&header.place),
            Err(bad) => bad.place.as_ref(),
        };
        Location {
            chunk: self.chunk,
            offset: self.item.is_none().then_some(self.offset),
            item: self.item,
            epoch: None,
            slot: place.map(|place| place.slot),
            hash: place.map(|place| place.hash),
        }
    }

    /// The hash of the predecessor, if the header can be used and contains it.
    pub(crate) fn prev_hash(&self) -> Option<Hash<32>> {
        self.header
            .as_ref()
            .ok()
            .and_then(|header| header.place.prev_hash)
    }
}
