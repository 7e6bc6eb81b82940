//! What was found wrong, one thing at a time, in the order of the chain.

use std::fmt;
use std::mem::discriminant;

use klero::Invalid;
use klero_cardano::{
    Block, ClaimKind, Fault, FaultKind, Hash, IndexFile, Note, NoteKind, Warning, WarningKind,
};
use serde_json::{Value, json};

/// Something wrong.
pub enum Finding {
    /// Blocks are damaged, missing or out of place.
    Fault(Fault),
    /// An index is damaged; the blocks are not.
    Warning(Warning),
    /// A proof does not hold.
    InvalidProof {
        /// The block that carries it.
        at: At,
        /// What it is for.
        kind: ClaimKind,
        /// Why not.
        reason: Invalid,
    },
    /// A leader value is at or above f.
    LeaderValue {
        /// The block that was made with it.
        at: At,
    },
    /// Something was not read.
    Note(Note),
}

/// A block, as a finding names it.
pub struct At {
    chunk: u64,
    epoch: u64,
    slot: u64,
    hash: Hash<32>,
}

impl From<&Block> for At {
    fn from(block: &Block) -> Self {
        Self {
            chunk: block.chunk,
            epoch: block.epoch,
            slot: block.place.slot,
            hash: block.place.hash,
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            chunk,
            epoch,
            slot,
            hash,
        } = self;
        write!(
            f,
            "epoch {epoch}, chunk {chunk:05}, slot {slot}, block {hash}"
        )
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(f, "fault ({}): {fault}", kind_name(&fault.kind)),
            Self::Warning(warning) => write!(f, "warning: {warning}"),
            Self::InvalidProof { at, kind, reason } => {
                write!(f, "invalid proof ({kind}): {at}: {reason}")
            }
            Self::LeaderValue { at } => {
                write!(f, "leader value: {at}: not below f, so no stake could lead")
            }
            Self::Note(note) => write!(f, "note: {note}"),
        }
    }
}

impl Finding {
    /// Whether both are of one kind, wherever they are.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fault(a), Self::Fault(b)) => match (&a.kind, &b.kind) {
                (FaultKind::Crc { header: a, .. }, FaultKind::Crc { header: b, .. }) => {
                    discriminant(a) == discriminant(b)
                }
                (a, b) => discriminant(a) == discriminant(b),
            },
            (Self::Warning(a), Self::Warning(b)) => {
                discriminant(&a.kind) == discriminant(&b.kind)
                    && file(&a.kind) == file(&b.kind)
                    && reason(&a.kind).eq(reason(&b.kind))
            }
            (
                Self::InvalidProof { kind, reason, .. },
                Self::InvalidProof {
                    kind: other_kind,
                    reason: other_reason,
                    ..
                },
            ) => kind == other_kind && reason == other_reason,
            (Self::LeaderValue { .. }, Self::LeaderValue { .. }) => true,
            (Self::Note(a), Self::Note(b)) => discriminant(&a.kind) == discriminant(&b.kind),
            _ => false,
        }
    }

    /// Takes in another that is like it. What a warning stands for it counts itself.
    pub fn merge(&mut self, other: &Self) {
        if let (Self::Warning(all), Self::Warning(more)) = (self, other)
            && let (
                WarningKind::IndexDamaged { places, .. },
                WarningKind::IndexDamaged { places: more, .. },
            ) = (&mut all.kind, &more.kind)
        {
            *places = places.saturating_add(*more);
        }
    }

    /// The slot and the hash of its block, where they are known.
    pub fn block(&self) -> (Option<u64>, Option<Hash<32>>) {
        match self {
            Self::Fault(fault) => (fault.location.slot, fault.location.hash),
            Self::InvalidProof { at, .. } | Self::LeaderValue { at } => {
                (Some(at.slot), Some(at.hash))
            }
            Self::Warning(_) | Self::Note(_) => (None, None),
        }
    }

    /// The finding for machines.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Fault(Fault { kind, location }) => json!({
                "finding": "fault",
                "kind": kind_name(kind),
                "chunk": location.chunk,
                "offset": location.offset,
                "slot": location.slot,
                "block": location.hash.map(|hash| hash.to_string()),
                "reason": kind.to_string().trim(),
            }),
            Self::Warning(warning) => json!({
                "finding": "warning",
                "chunk": warning.chunk,
                "reason": warning.to_string(),
            }),
            Self::InvalidProof { at, kind, reason } => {
                let mut value = at.to_json("invalid-proof");
                value["proof"] = kind.name().into();
                value["reason"] = reason.to_string().into();
                value
            }
            Self::LeaderValue { at } => {
                let mut value = at.to_json("leader-value");
                value["reason"] = "not below f".into();
                value
            }
            Self::Note(Note {
                chunk,
                offset,
                kind,
            }) => json!({
                "finding": "note",
                "kind": note_name(kind),
                "chunk": chunk,
                "offset": offset,
                "reason": kind.to_string(),
            }),
        }
    }
}

impl At {
    fn to_json(&self, finding: &str) -> Value {
        json!({
            "finding": finding,
            "epoch": self.epoch,
            "chunk": self.chunk,
            "slot": self.slot,
            "block": self.hash.to_string(),
        })
    }
}

/// The name of a kind of fault.
pub fn kind_name(kind: &FaultKind) -> &'static str {
    match kind {
        FaultKind::Crc { .. } => "crc",
        FaultKind::Truncated { .. } => "truncated",
        FaultKind::Unreadable { .. } => "unreadable",
        FaultKind::MissingChunks { .. } => "missing-chunks",
        FaultKind::BadHeader { .. } => "bad-header",
        FaultKind::HashLink { .. } => "hash-link",
        FaultKind::BlockNumber { .. } => "block-number",
        FaultKind::SlotOrder { .. } => "slot-order",
        FaultKind::OutsideChunk { .. } => "outside-chunk",
        FaultKind::EraBackwards { .. } => "era-backwards",
        FaultKind::EraOfEpoch { .. } => "era-of-epoch",
        _ => "other",
    }
}

/// The name of a note on a block that a node may be writing.
pub const HALF_WRITTEN: &str = "half-written";

/// The name of a note on a file that could not be read.
pub const IO: &str = "io";

/// The name of a kind of note.
pub fn note_name(kind: &NoteKind) -> &'static str {
    match kind {
        NoteKind::HalfWritten { .. } => HALF_WRITTEN,
        NoteKind::UnknownEra { .. } => "unknown-era",
        NoteKind::Io { .. } => IO,
        _ => "other",
    }
}

/// What a warning says is wrong with an index, without the numbers that tell where.
fn reason(kind: &WarningKind) -> impl Iterator<Item = char> {
    let reason = match kind {
        WarningKind::IndexDamaged { reason, .. } => reason,
        _ => "",
    };
    reason.chars().filter(|c| !c.is_ascii_digit())
}

/// The index file that a warning is about; without one, that is the secondary.
fn file(kind: &WarningKind) -> IndexFile {
    match kind {
        WarningKind::IndexMissing(file) | WarningKind::IndexDamaged { file, .. } => *file,
        _ => IndexFile::Secondary,
    }
}
