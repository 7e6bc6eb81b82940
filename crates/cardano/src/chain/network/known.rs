//! Nonces that epochs of a network are known to have, from sources that do not depend on the
//! blocks at hand.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::chain::nonce::Nonce;

/// The known nonces of a network: those that are built in, and those that a caller adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownNonces {
    /// The first epoch whose nonce is built in.
    first: u64,
    /// The nonces that are built in, from there on.
    pub(super) built_in: &'static [[u8; 32]],
    /// Those that were added, which go before.
    added: BTreeMap<u64, Nonce>,
}

impl KnownNonces {
    /// The nonces of the epochs from `first` on, packed: 32 bytes for each.
    pub(super) fn built_in(first: u64, packed: &'static [u8]) -> KnownNonces {
        let (built_in, rest) = packed.as_chunks();
        debug_assert!(rest.is_empty(), "a nonce is cut off");
        KnownNonces {
            first,
            built_in,
            added: BTreeMap::new(),
        }
    }

    /// The nonce of an epoch.
    pub(super) fn of(&self, epoch: u64) -> Option<Nonce> {
        self.added
            .get(&epoch)
            .copied()
            .or_else(|| self.built_in_of(epoch))
    }

    /// The nonce of an epoch that is built in.
    pub(super) fn built_in_of(&self, epoch: u64) -> Option<Nonce> {
        let place = usize::try_from(epoch.checked_sub(self.first)?).ok()?;
        let nonce = self.built_in.get(place)?;
        Some(Nonce::Value((*nonce).into()))
    }

    /// The epochs whose nonces are built in.
    pub(super) fn all_built_in(&self) -> Option<RangeInclusive<u64>> {
        let after_first = self.built_in.len().checked_sub(1)?;
        Some(self.first..=self.first + after_first as u64)
    }

    /// Whether none is known.
    pub(super) fn is_empty(&self) -> bool {
        self.built_in.is_empty() && self.added.is_empty()
    }

    /// Adds one.
    pub(super) fn add(&mut self, epoch: u64, nonce: Nonce) {
        self.added.insert(epoch, nonce);
    }
}
