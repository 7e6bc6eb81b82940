//! A fault, warning or note with its location, as a line of text and as JSON.

use core::fmt::{self, Display};

use pallas_crypto::hash::Hash;
use serde::{Serialize, Serializer};

use crate::fault::{Fault, Severity};

/// The location of a finding. Parts that are not known are `None`, and are omitted in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The number of the chunk file. For a block from an iterator, this is the number of the chunk file that
    /// would contain the block.
    pub chunk: u64,
    /// Byte offset in the chunk file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The number of the block among the blocks of an iterator, counted from 0.
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

/// A fault at a location, or several faults of one kind in a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The fault, or the first of several faults.
    pub fault: Fault,
    /// The location of `fault`.
    pub at: Location,
    /// The number of faults of this kind in the chunk.
    pub count: u64,
    /// The location of the last of several faults; `None` if there is only one.
    pub last: Option<Location>,
}

impl Finding {
    /// Makes a finding of one fault at a location.
    pub fn new(fault: Fault, at: Location) -> Self {
        Self {
            fault,
            at,
            count: 1,
            last: None,
        }
    }

    /// Makes a finding of one fault at an unknown location in a chunk.
    pub(crate) fn in_chunk(chunk: u64, fault: Fault) -> Box<Self> {
        let at = Location {
            chunk,
            ..Location::default()
        };
        Box::new(Self::new(fault, at))
    }
}

/// Serializes the fields of the fault and of its location, and the fields `severity`, `reason` (the fault as
/// a sentence), `count` and `last`.
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
