//! The eras of the chain, by the tags of blocks.
//!
//! A stored block is `[tag, block]`. Only the tag names the era: the protocol version
//! in a header announces what its maker supports, and is often that of a later era.
//!
//! To add an era: a variant here and in [`Era::ALL`], where its place is its tag less one; the compiler then
//! names the matches of this file and of `EraStarts` in `network/facts.rs`, which needs a field. Its first
//! epochs on the public networks go into `network/public.rs`. If headers change, so do `header.rs`,
//! `decode.rs` and `fields.rs`; if nonces do, `walk/nonces.rs`; if bodies do, `disk/body.rs`. `klero-forge`
//! makes its blocks (`lottery.rs`, `block.rs`) and has it in its recipes (`recipe.rs`), so that the tests of
//! the audit meet it. The message about unknown tags in `decode.rs` and `--era-start` in the command
//! (`chain/network.rs`) and in Python (`bindings/python/src/audit/given.rs`) name the eras.

use serde::{Deserialize, Serialize};

/// An era. Older eras compare as smaller.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
)]
#[non_exhaustive]
pub enum Era {
    /// Tags 0 (epoch boundary block) and 1. No VRF.
    Byron,
    /// Tag 2, the first era with a VRF.
    Shelley,
    /// Tag 3.
    Allegra,
    /// Tag 4.
    Mary,
    /// Tag 5, the last era of TPraos.
    Alonzo,
    /// Tag 6, the first era of Praos.
    Babbage,
    /// Tag 7.
    Conway,
    /// Tag 8, which no public network has yet: see [`is_experimental`](Era::is_experimental).
    Dijkstra,
}

/// The protocol that elects the makers of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Byron: genesis keys sign blocks in turn; there is no VRF.
    Byron,
    /// Shelley to Alonzo: one proof for the nonce and one for the lead.
    TPraos,
    /// Babbage and later: one proof for both.
    Praos,
}

impl Era {
    /// Every era, oldest first.
    pub const ALL: [Era; 8] = [
        Era::Byron,
        Era::Shelley,
        Era::Allegra,
        Era::Mary,
        Era::Alonzo,
        Era::Babbage,
        Era::Conway,
        Era::Dijkstra,
    ];

    /// The era of a block tag; `None` for a tag this version does not know.
    pub fn from_tag(tag: u8) -> Option<Era> {
        // Byron has two tags, each later era one.
        let place = usize::from(tag).saturating_sub(1);
        Era::ALL.get(place).copied()
    }

    /// The protocol in force.
    pub fn protocol(self) -> Protocol {
        match self {
            Era::Byron => Protocol::Byron,
            Era::Shelley | Era::Allegra | Era::Mary | Era::Alonzo => Protocol::TPraos,
            Era::Babbage | Era::Conway | Era::Dijkstra => Protocol::Praos,
        }
    }

    /// True if its headers can still change before the era begins. Certificates of Leios and Peras, which its
    /// blocks can have, are not checked.
    pub fn is_experimental(self) -> bool {
        self == Era::Dijkstra
    }

    /// The number of parts of a stored block, without its tag: header, bodies, witnesses, auxiliary data, and
    /// since Alonzo the list of invalid transactions. In Dijkstra: header and body.
    pub(crate) fn block_parts(self) -> u64 {
        match self {
            Era::Dijkstra => 2,
            Era::Byron => 3,
            Era::Shelley | Era::Allegra | Era::Mary => 4,
            Era::Alonzo | Era::Babbage | Era::Conway => 5,
        }
    }

    /// The multiple of `k/f` slots before the end of an epoch at which its candidate nonce is frozen.
    ///
    /// Babbage kept 3 by oversight (erratum 17.3 of the Shelley specification); 4 is right
    /// since Conway.
    pub fn stability_multiple(self) -> u64 {
        if self < Era::Conway { 3 } else { 4 }
    }

    /// The article that goes before [`name`](Self::name): "a" or "an".
    pub(crate) fn article(self) -> &'static str {
        match self {
            Era::Allegra | Era::Alonzo => "an",
            _ => "a",
        }
    }

    /// The name, as on the chain's own pages.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
