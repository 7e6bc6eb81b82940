//! A fault, warning or note with its place, as a line and as JSON.

use core::fmt::{self, Display};

use pallas_crypto::hash::Hash;
use serde::{Serialize, Serializer};

use crate::fault::{Fault, Severity};

/// The place of a finding. Parts that are not known are `None`, and left out of JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The number of the chunk file; for a block from the caller's iterator, the number of
    /// the chunk that it would be in.
    pub chunk: u64,
    /// Byte offset in the chunk file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The number of the block in its iterator, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<u64>,
    /// Epoch of the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// Slot of the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u64>,
    /// Hash of the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<Hash<32>>,
}

/// A fault at a place, or several of one kind in a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The fault; of several, the first.
    pub fault: Fault,
    /// The place of that fault.
    pub at: Location,
    /// The number of faults of this kind in the chunk.
    pub count: u64,
    /// The place of the last one, if there are several.
    pub last: Option<Location>,
}

impl Finding {
    /// One fault at a place.
    pub fn new(fault: Fault, at: Location) -> Self {
        Self {
            fault,
            at,
            count: 1,
            last: None,
        }
    }

    /// One fault in a chunk, at no known place in it.
    pub(crate) fn in_chunk(chunk: u64, fault: Fault) -> Box<Self> {
        let at = Location {
            chunk,
            ..Location::default()
        };
        Box::new(Self::new(fault, at))
    }
}

/// Serializes the fields of the fault and of its place, and `severity`, `reason` (the fault as a
/// sentence), `count`, `last`.
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Json<'a> {
            #[serde(flatten)]
            fault: &'a Fault,
            #[serde(flatten)]
            at: &'a Location,
            severity: Severity,
            reason: String,
            count: u64,
            last: &'a Option<Location>,
        }
        Json {
            fault: &self.fault,
            at: &self.at,
            severity: self.fault.severity(),
            reason: self.fault.to_string(),
            count: self.count,
            last: &self.last,
        }
        .serialize(serializer)
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            fault,
            at,
            count,
            last,
        } = self;
        f.write_str(match fault.severity() {
            Severity::Fault => "",
            Severity::Warning => "warning: ",
            Severity::Note => "note: ",
        })?;
        write!(f, "{}: {at}: {fault}", fault.name())?;
        if *count == 1 {
            return Ok(());
        }
        write!(f, " ({count} like this in the chunk")?;
        if let Some(slot) = last.as_ref().and_then(|last| last.slot) {
            write!(f, ", the last at slot {slot}")?;
        }
        f.write_str(")")
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(epoch) = self.epoch {
            write!(f, "epoch {epoch}, ")?;
        }
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
