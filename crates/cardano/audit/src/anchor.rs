//! Anchors: facts about a chain, from sources other than its blocks. The chain must agree with them.

mod read;

use std::collections::BTreeSet;
use std::str::FromStr;

use klero_cardano::{Hash, Network, Nonce};
use serde::{Deserialize, Serialize};

use crate::error::AuditError;

pub use read::read_anchors;

/// A fact about a chain, from a source that does not depend on the audited blocks.
///
/// It is parsed from a text `SLOT:HASH`, `tip=SLOT:HASH` or `EPOCH=NONCE`. Only an [`Anchor::Number`] cannot
/// be written as such a text. [`read_anchors`] reads it from a file.
///
/// ```
/// use klero_audit::Anchor;
/// let hash = "194ee36836e277343903436534b4719ba54f8147e330b9dcaa7e1d8bdf6cc7ef";
/// let anchor: Anchor = format!("tip=5578:{hash}").parse()?;
/// assert_eq!(anchor, Anchor::Tip { slot: 5578, hash: hash.parse()? });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "anchor", rename_all = "kebab-case")]
pub enum Anchor {
    /// The chain has this block.
    Block {
        /// The slot of the block.
        slot: u64,
        /// The hash of the block.
        hash: Hash<32>,
    },
    /// A checkpoint of a node: if the chain has a block with this number, the block has this hash.
    Number {
        /// The number of the block.
        number: u64,
        /// The hash of the block with this number.
        hash: Hash<32>,
    },
    /// The chain ends with this block.
    Tip {
        /// The slot of the tip.
        slot: u64,
        /// The hash of the tip.
        hash: Hash<32>,
    },
    /// The epoch has this nonce, if the chain has the epoch.
    Nonce {
        /// The epoch that has this nonce.
        epoch: u64,
        /// The nonce that the epoch has.
        nonce: Nonce,
    },
}

/// The result of comparing the chain, as far as it was read, with a fact: an anchor or a ledger state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// The chain agrees with the fact.
    Yes,
    /// The chain contradicts the fact, which is a finding.
    No,
    /// The fact was not compared: the audit did not reach its place or began after it, or (for the nonce of
    /// an epoch) the audit computed no nonce for this epoch or only one that is in doubt.
    NotReached,
}

impl Met {
    /// Records the result of a comparison. Once a comparison has failed, later ones change nothing.
    pub(crate) fn compare(&mut self, agrees: bool) {
        if *self != Self::No {
            *self = if agrees { Self::Yes } else { Self::No };
        }
    }
}

/// The place of an anchor in a chain. Anchors are sorted by their places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Block(u64),
    Number(u64),
    Tip,
    Nonce(u64),
}

impl Anchor {
    fn key(&self) -> Key {
        match *self {
            Self::Block { slot, .. } => Key::Block(slot),
            Self::Number { number, .. } => Key::Number(number),
            Self::Tip { .. } => Key::Tip,
            Self::Nonce { epoch, .. } => Key::Nonce(epoch),
        }
    }

    /// True for a block and a tip, which must be in the chain. Other anchors may lie after the chain's end.
    #[must_use]
    pub fn must_be_met(&self) -> bool {
        matches!(self, Self::Block { .. } | Self::Tip { .. })
    }
}

/// Describes a contradiction between two anchors, or between an anchor and a known nonce of the network.
/// Returns `None` if there is none. Two blocks at the same slot are no contradiction, because the first block
/// of a Byron epoch can have the slot of the boundary block before it.
pub(crate) fn contradiction(anchors: &BTreeSet<Anchor>, network: &Network) -> Option<String> {
    let of_nonce = |anchor: &Anchor| match *anchor {
        Anchor::Nonce { epoch, nonce } => {
            let known = network.known_nonce(epoch).filter(|known| *known != nonce)?;
            let name = network.name();
            Some(format!(
                "the nonce of epoch {epoch} of {name} is known to be {known}: another one is expected"
            ))
        }
        _ => None,
    };
    let two = anchors.iter().zip(anchors.iter().skip(1));
    let mut two = two.filter(|(one, other)| one.key() == other.key());
    anchors.iter().find_map(of_nonce).or_else(|| {
        two.find_map(|(one, _)| match one.key() {
            Key::Block(_) => None,
            Key::Number(number) => Some(format!("two blocks of number {number} are expected")),
            Key::Tip => Some("two tips are expected".into()),
            Key::Nonce(epoch) => Some(format!("two nonces of epoch {epoch} are expected")),
        })
    })
}

/// Returns the anchors at a place. `anchors` must be sorted.
pub(crate) fn anchors_at(anchors: &mut [(Anchor, Met)], key: Key) -> &mut [(Anchor, Met)] {
    let from = anchors.partition_point(|(anchor, _)| anchor.key() < key);
    let after = anchors.partition_point(|(anchor, _)| anchor.key() <= key);
    &mut anchors[from..after]
}

impl FromStr for Anchor {
    type Err = AuditError;

    fn from_str(text: &str) -> Result<Self, AuditError> {
        // The text may be a secret, so the error does not repeat it.
        let bad = |expected: &str| AuditError::Anchor(format!("expected {expected}"));
        let block = |text: &str| -> Result<_, AuditError> {
            let (slot, hash) = text
                .split_once(':')
                .ok_or_else(|| bad("a slot, a colon and a hash"))?;
            let slot = slot.parse();
            let slot = slot.map_err(|_| bad("the number of a slot before the colon"))?;
            let hash = hash.parse();
            let hash = hash.map_err(|_| bad("a hash of 64 hexadecimal digits after the colon"))?;
            Ok((slot, hash))
        };
        let Some((name, value)) = text.split_once('=') else {
            let (slot, hash) = block(text)?;
            return Ok(Self::Block { slot, hash });
        };
        if name == "tip" {
            let (slot, hash) = block(value)?;
            return Ok(Self::Tip { slot, hash });
        }
        let epoch = name.parse();
        let nonce = value.parse();
        Ok(Self::Nonce {
            epoch: epoch.map_err(|_| bad("tip or the number of an epoch before the ="))?,
            nonce: nonce.map_err(|_| bad("64 hexadecimal digits or neutral after the ="))?,
        })
    }
}
