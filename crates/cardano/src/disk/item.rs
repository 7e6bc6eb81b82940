//! The items of a chunk: blocks as they are stored, and the findings between them.

use pallas_crypto::hash::Hash;

use crate::chain::header::{BadHeader, Header, Vrf};
use crate::disk::begun::Begun;
use crate::disk::cbor::Frame;
use crate::disk::index::Entry;
use crate::disk::rules::Rules;
use crate::fault::Fault;
use crate::finding::{Finding, Location};

/// A block of a chunk, or a finding between its blocks.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Block(Box<Stored>),
    /// A fault, or a file that could not be read. Blocks may be lost there.
    Lost(Box<Finding>),
    /// Blocks of an unknown era; or this fault, if a block of a known era follows.
    UnknownEra {
        tag: u8,
        fault: Box<Finding>,
    },
    /// The first part of a well-formed block at the end of the newest chunk; or this fault, if that block
    /// cannot follow the last one.
    HalfWritten {
        fault: Box<Finding>,
        bytes: u64,
        begun: Begun,
    },
    /// A finding about an index. No block is lost by it.
    OfIndex(Box<Finding>),
}

impl Item {
    /// The number of its chunk.
    pub(crate) fn chunk(&self) -> u64 {
        match self {
            Item::Block(block) => block.chunk,
            Item::Lost(finding)
            | Item::UnknownEra { fault: finding, .. }
            | Item::HalfWritten { fault: finding, .. }
            | Item::OfIndex(finding) => finding.at.chunk,
        }
    }

    /// The VRF certificates of a block whose header can be used.
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
    /// Its number in an iterator. The `offset` then counts from the first block of the iterator.
    pub item: Option<u64>,
    pub size: u64,
    pub header: Result<Header, BadHeader>,
    /// The bytes of its header, if the header is signed and signatures are wanted.
    pub header_bytes: Option<Box<[u8]>>,
    pub crc: Crc,
    /// Its index entry.
    pub entry: Option<Entry>,
    /// The result of the check of its body; `None` if it was not checked, or if a wrong CRC-32 accounts for
    /// the fault.
    pub body: Option<Result<(), Fault>>,
    /// Its contribution to the evolving nonce, if its header can be used.
    pub contribution: Option<Hash<32>>,
}

/// The comparison of a block's bytes with the CRC-32 of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crc {
    /// Equal; or the hashes in header and index prove the block intact.
    Holds,
    /// There is no CRC-32 to compare with.
    Unknown,
    /// Different. `body` is true if the body has the hash that its header names.
    Fails {
        expected: u32,
        found: u32,
        body: bool,
    },
}

impl Stored {
    /// Decodes the block of these bytes and this frame. The hash of its header is still all zeros, and the
    /// fields that come from its chunk and its index are not set.
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

    /// True if its header names the hash of its body.
    pub(crate) fn names_body(&self) -> bool {
        let header = self.header.as_ref();
        header.is_ok_and(|header| header.body_hash.is_some())
    }

    /// Its location, for messages.
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

    /// The hash of the predecessor that it names, if it names one.
    pub(crate) fn prev_hash(&self) -> Option<Hash<32>> {
        self.header
            .as_ref()
            .ok()
            .and_then(|header| header.place.prev_hash)
    }
}
