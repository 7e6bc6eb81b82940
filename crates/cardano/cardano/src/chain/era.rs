//! The eras of the chain, and the block tags that identify them.
//!
//! A stored block is `[tag, block]`. Only the tag identifies the era. The protocol version in a header is one
//! that the block's maker supports, and often belongs to a later era.
//!
//! To add an era, add a variant here and in [`Era::ALL`], where its index is its tag minus one. The compiler
//! then reports each `match` to extend, in this file and in `EraStarts` (`network/facts.rs`), which needs a
//! new field. Add the first epochs of the era to `network/public.rs`. If the era changes the header, update
//! `header.rs`, `decode.rs` and `fields.rs`. If it changes the nonces, update `walk/nonces.rs`. If it changes
//! the body, update `disk/body.rs`. Make its blocks in `klero-forge` (`lottery.rs`, `block.rs`) and add it to
//! the recipes (`recipe.rs`), so that the audit's tests cover it. Update the tags in both messages about
//! unknown tags (`decode.rs`, `disk/cbor.rs`), and two lists of eras: for `--era-start` in
//! `crates/cli/src/chain/network.rs`, and for `era_starts` in `bindings/python/src/audit/given.rs`.

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
    /// Tag 8. No public network uses it yet (see [`is_experimental`](Era::is_experimental)).
    Dijkstra,
}

/// The protocol that elects the makers of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Byron: genesis keys sign blocks in turn, and there is no VRF.
    Byron,
    /// Shelley to Alonzo: one proof feeds the nonce, and another shows the right to make the block.
    TPraos,
    /// Babbage and later: a single proof serves both purposes.
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
        // Byron has two tags. Each later era has one.
        let place = usize::from(tag).saturating_sub(1);
        Era::ALL.get(place).copied()
    }

    /// The protocol of this era.
    pub fn protocol(self) -> Protocol {
        match self {
            Era::Byron => Protocol::Byron,
            Era::Shelley | Era::Allegra | Era::Mary | Era::Alonzo => Protocol::TPraos,
            Era::Babbage | Era::Conway | Era::Dijkstra => Protocol::Praos,
        }
    }

    /// True if the format of this era's headers may still change before the era begins. Blocks of such an era
    /// can have certificates of Leios and Peras, which are not checked.
    pub fn is_experimental(self) -> bool {
        self == Era::Dijkstra
    }

    /// The number of parts of a stored block, not counting its tag. Since Shelley the parts are header,
    /// bodies, witnesses and auxiliary data. Alonzo adds the list of invalid transactions. Dijkstra has only
    /// header and body.
    pub(crate) fn block_parts(self) -> u64 {
        match self {
            Era::Dijkstra => 2,
            Era::Byron => 3,
            Era::Shelley | Era::Allegra | Era::Mary => 4,
            Era::Alonzo | Era::Babbage | Era::Conway => 5,
        }
    }

    /// The stability window as a multiple of `k/f` slots. In each epoch, the candidate nonce is frozen this
    /// long before the epoch ends.
    ///
    /// Babbage kept 3 by oversight (erratum 17.3 of the Shelley specification). Conway corrected it to 4.
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

    /// The name of the era, as Cardano's documentation spells it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
