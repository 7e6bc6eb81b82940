//! The parameters of a network: the lengths of its epochs, the first epochs of its eras, f, k.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::time::Duration;

use klero_leader::ActiveSlots;
use pallas_crypto::hash::Hash;
use serde::{Deserialize, Serialize};

use crate::chain::era::Era;
use crate::chain::kes::KesPeriods;
use crate::chain::nonce::Nonce;
use crate::chain::overlay::{Decentralization, Delegate};

/// The first epochs of the eras, and the one number of the Byron genesis that matters here.
///
/// An era that is not named is not checked. Two eras with the same start mean that the earlier one never was.
///
/// ```
/// use klero_cardano::EraStarts;
/// // A network that was born in Conway.
/// let starts = EraStarts { conway: Some(0), ..EraStarts::default() };
/// assert_eq!(starts.shelley, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EraStarts {
    /// First epoch that is not Byron: 0 for a network without Byron blocks.
    pub shelley: u64,
    /// First epoch of Allegra.
    pub allegra: Option<u64>,
    /// First epoch of Mary.
    pub mary: Option<u64>,
    /// First epoch of Alonzo.
    pub alonzo: Option<u64>,
    /// First epoch of Babbage.
    pub babbage: Option<u64>,
    /// First epoch of Conway.
    pub conway: Option<u64>,
    /// First epoch of Dijkstra.
    pub dijkstra: Option<u64>,
    /// The security parameter of the Byron genesis, where it differs from Shelley's. Ten times
    /// this is the length of a Byron epoch and of a chunk file, in slots.
    pub byron_k: Option<u64>,
}

/// A Cardano network.
///
/// ```
/// use klero_cardano::{Era, Network};
/// let mainnet = Network::mainnet();
/// assert_eq!(mainnet.epoch(4_492_800), 208);
/// assert_eq!(mainnet.first_slot(365), 72_316_800);
/// assert_eq!(mainnet.window(Era::Babbage), 129_600);
/// assert_eq!(mainnet.window(Era::Conway), 172_800);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    pub(super) name: String,
    pub(super) genesis: Hash<32>,
    /// True if the genesis file has lines that end with CR LF.
    pub(super) has_crlf: bool,
    pub(super) magic: Option<u32>,
    pub(super) k: u64,
    pub(super) f: ActiveSlots,
    pub(super) epoch_length: u64,
    pub(super) byron_epoch_length: u64,
    pub(super) starts: EraStarts,
    pub(super) extra_entropy: BTreeMap<u64, Nonce>,
    pub(super) delegates: Option<BTreeSet<Hash<28>>>,
    pub(super) delegations: Option<BTreeMap<Hash<28>, Delegate>>,
    pub(super) decentralization: BTreeMap<u64, Decentralization>,
    pub(super) kes_periods: Option<KesPeriods>,
    /// The nonces that are built in, from the first epoch of Shelley on.
    pub(super) built_in_nonces: &'static [[u8; 32]],
    /// The nonces that a caller named, which [`Network::known_nonce`] prefers.
    pub(super) named_nonces: BTreeMap<u64, Nonce>,
    pub(super) system_start: Option<String>,
    pub(super) slot_length: Option<Duration>,
    /// The length of a Byron slot, which no Shelley genesis file has.
    pub(super) byron_slot_length: Option<Duration>,
}

impl Network {
    /// Adds the extra entropy that the chain's own votes put on `epoch`'s nonce.
    pub fn set_extra_entropy(&mut self, epoch: u64, extra: Nonce) {
        self.extra_entropy.insert(epoch, extra);
    }

    /// The name of the network.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// BLAKE2b-256 of the Shelley genesis file: identifies the network, and is its first nonce.
    pub fn genesis_hash(&self) -> Hash<32> {
        self.genesis
    }

    /// The network magic, where the genesis file names it.
    pub fn magic(&self) -> Option<u32> {
        self.magic
    }

    /// The security parameter k of Shelley: blocks after which the chain is settled.
    pub fn security_param(&self) -> u64 {
        self.k
    }

    /// The active slots coefficient f.
    pub fn active_slots(&self) -> &ActiveSlots {
        &self.f
    }

    /// Slots of an epoch in Shelley and later eras.
    pub fn epoch_length(&self) -> u64 {
        self.epoch_length
    }

    /// Slots of a Byron epoch.
    pub fn byron_epoch_length(&self) -> u64 {
        self.byron_epoch_length
    }

    /// Slots of a chunk file.
    pub fn chunk_size(&self) -> u64 {
        self.byron_epoch_length
    }

    /// The number of the chunk file of a slot.
    pub fn chunk(&self, slot: u64) -> u64 {
        slot / self.chunk_size()
    }

    /// The first slot of a chunk file.
    pub fn chunk_start(&self, chunk: u64) -> u64 {
        chunk.saturating_mul(self.chunk_size())
    }

    /// The first epochs of the eras, as far as they are known.
    pub fn era_starts(&self) -> &EraStarts {
        &self.starts
    }

    /// First slot of the first epoch that is not Byron.
    pub fn shelley_slot(&self) -> u64 {
        self.starts.shelley * self.byron_epoch_length
    }

    /// The extra entropy of an epoch: neutral, except after rare votes.
    pub fn extra_entropy(&self, epoch: u64) -> Nonce {
        self.extra_entropy
            .get(&epoch)
            .copied()
            .unwrap_or(Nonce::Neutral)
    }

    /// Hashes (BLAKE2b-224) of the keys of the genesis delegates, who made blocks in overlay
    /// slots before Babbage without any lottery. `None` when the genesis file names none.
    ///
    /// A certificate on the chain can replace a delegate; this is the first list.
    pub fn delegates(&self) -> Option<&BTreeSet<Hash<28>>> {
        self.delegates.as_ref()
    }

    /// The delegate of each genesis key, by the hashes (BLAKE2b-224) of these keys. `None` when the
    /// genesis file names none.
    pub fn delegations(&self) -> Option<&BTreeMap<Hash<28>, Delegate>> {
        self.delegations.as_ref()
    }

    /// The share of the slots of an epoch that is the overlay, where it is known: 0 since Babbage, on mainnet
    /// already since epoch 257, and 1 in mainnet's epochs 208 to 210.
    pub fn decentralization(&self, epoch: u64) -> Option<Decentralization> {
        if self.starts.babbage.is_some_and(|babbage| epoch >= babbage) {
            return Some(Decentralization::NONE);
        }
        self.decentralization.get(&epoch).copied()
    }

    /// Sets the share of the slots of an epoch that is the overlay, as the chain's own votes made it.
    pub fn set_decentralization(&mut self, epoch: u64, d: Decentralization) {
        self.decentralization.insert(epoch, d);
    }

    /// The periods of KES keys, if the genesis file names them, as those of the public networks do.
    pub fn kes_periods(&self) -> Option<KesPeriods> {
        self.kes_periods
    }

    /// The nonce that an epoch of the real chain has, by a source that does not depend on the database at
    /// hand: added by a caller, or else [built in](Self::built_in_nonces).
    pub fn known_nonce(&self, epoch: u64) -> Option<Nonce> {
        let named = self.named_nonces.get(&epoch).copied();
        named.or_else(|| self.built_in_nonce(epoch))
    }

    /// The epochs whose nonces are built in: of a public network, all from Shelley's first to the last before
    /// this version was made.
    pub fn built_in_nonces(&self) -> Option<RangeInclusive<u64>> {
        let after_first = self.built_in_nonces.len().checked_sub(1)?;
        Some(self.starts.shelley..=self.starts.shelley + after_first as u64)
    }

    /// The nonce of an epoch that is [built in](Self::built_in_nonces).
    pub fn built_in_nonce(&self, epoch: u64) -> Option<Nonce> {
        let place = usize::try_from(epoch.checked_sub(self.starts.shelley)?).ok()?;
        let nonce = self.built_in_nonces.get(place)?;
        Some(Nonce::Value((*nonce).into()))
    }

    /// True if the nonce of any epoch is known.
    pub fn has_known_nonces(&self) -> bool {
        !self.built_in_nonces.is_empty() || !self.named_nonces.is_empty()
    }

    /// Names the nonce that an epoch is known to have. A walk makes claims with it where none is built
    /// in and the chain does not make one, as after [`Start::Anywhere`](crate::Start::Anywhere).
    pub fn set_known_nonce(&mut self, epoch: u64, nonce: Nonce) {
        self.named_nonces.insert(epoch, nonce);
    }

    /// The time when the network began, as its Shelley genesis file writes it (`systemStart`).
    #[must_use]
    pub fn system_start(&self) -> Option<&str> {
        self.system_start.as_deref()
    }

    /// The time from the [start of the network](Self::system_start) to the beginning of a slot. `None` if it
    /// exceeds 2^64 microseconds, or the length of slots is not known: the Shelley genesis file does not name
    /// Byron's, which is built in for the public networks.
    #[must_use]
    pub fn since_start(&self, slot: u64) -> Option<Duration> {
        let of_byron = slot.min(self.shelley_slot());
        let byron = match of_byron {
            0 => 0,
            _ => self.byron_slot_length?.as_micros() * u128::from(of_byron),
        };
        let shelley = self.slot_length?.as_micros() * u128::from(slot - of_byron);
        let micros = u64::try_from(byron.checked_add(shelley)?).ok()?;
        Some(Duration::from_micros(micros))
    }

    /// The epoch of a slot.
    pub fn epoch(&self, slot: u64) -> u64 {
        match slot.checked_sub(self.shelley_slot()) {
            Some(since) => self.starts.shelley + since / self.epoch_length,
            None => slot / self.byron_epoch_length,
        }
    }

    /// The first slot of an epoch (`u64::MAX` where it would be beyond).
    pub fn first_slot(&self, epoch: u64) -> u64 {
        match epoch.checked_sub(self.starts.shelley) {
            Some(since) => since
                .saturating_mul(self.epoch_length)
                .saturating_add(self.shelley_slot()),
            None => epoch.saturating_mul(self.byron_epoch_length),
        }
    }

    /// The stability window of an era in slots, 3k/f or 4k/f rounded up: how long before the
    /// end of an epoch its candidate nonce is frozen.
    pub fn window(&self, era: Era) -> u64 {
        let slots =
            u128::from(era.stability_multiple() * self.k) * u128::from(self.f.denominator());
        slots
            .div_ceil(u128::from(self.f.numerator()))
            .try_into()
            .unwrap_or(u64::MAX)
    }

    /// True if a block of `era` at `slot` still moves the candidate nonce.
    pub fn feeds_candidate(&self, era: Era, slot: u64) -> bool {
        let next = self.first_slot(self.epoch(slot).saturating_add(1));
        slot.saturating_add(self.window(era)) < next
    }

    /// True if a block of `era` can be in `epoch`, as far as the first epochs of the eras are known: this era
    /// and all before it have begun, and none after it has.
    pub fn admits(&self, era: Era, epoch: u64) -> bool {
        Era::ALL
            .into_iter()
            .all(|other| match self.starts.of(other) {
                Some(start) if other > era => epoch < start,
                Some(start) => epoch >= start,
                None => true,
            })
    }
}

impl EraStarts {
    /// Sets the first epoch of an era. Byron's is always 0.
    pub fn set(&mut self, era: Era, epoch: u64) {
        match era {
            Era::Byron => {}
            Era::Shelley => self.shelley = epoch,
            Era::Allegra => self.allegra = Some(epoch),
            Era::Mary => self.mary = Some(epoch),
            Era::Alonzo => self.alonzo = Some(epoch),
            Era::Babbage => self.babbage = Some(epoch),
            Era::Conway => self.conway = Some(epoch),
            Era::Dijkstra => self.dijkstra = Some(epoch),
        }
    }

    /// The first epoch of an era, where it is known.
    pub fn of(&self, era: Era) -> Option<u64> {
        match era {
            Era::Byron => Some(0),
            Era::Shelley => Some(self.shelley),
            Era::Allegra => self.allegra,
            Era::Mary => self.mary,
            Era::Alonzo => self.alonzo,
            Era::Babbage => self.babbage,
            Era::Conway => self.conway,
            Era::Dijkstra => self.dijkstra,
        }
    }
}
