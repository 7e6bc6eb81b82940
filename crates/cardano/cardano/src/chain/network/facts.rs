//! The parameters of a network, such as the lengths of its epochs, the first epochs of its eras, f and k.

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

/// The first epochs of the eras, and the security parameter from the Byron genesis file.
///
/// A start that is `None` is not known, and no check uses it. If two eras have the same start, the network
/// never had the earlier era.
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
    /// The security parameter of the Byron genesis, if it differs from Shelley's. A Byron epoch and a chunk
    /// file each have ten times this number of slots.
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
    /// The built-in nonces, beginning with the first epoch of Shelley.
    pub(super) built_in_nonces: &'static [[u8; 32]],
    /// The nonces that a caller set. [`Network::known_nonce`] prefers them to the built-in nonces.
    pub(super) named_nonces: BTreeMap<u64, Nonce>,
    pub(super) system_start: Option<String>,
    pub(super) slot_length: Option<Duration>,
    /// The length of a Byron slot, which no Shelley genesis file contains.
    pub(super) byron_slot_length: Option<Duration>,
}

impl Network {
    /// Sets the extra entropy of `epoch`, which was decided by votes on the chain.
    pub fn set_extra_entropy(&mut self, epoch: u64, extra: Nonce) {
        self.extra_entropy.insert(epoch, extra);
    }

    /// The name of the network.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The BLAKE2b-256 hash of the Shelley genesis file, which identifies the network and is its first nonce.
    pub fn genesis_hash(&self) -> Hash<32> {
        self.genesis
    }

    /// The network magic, if the genesis file contains it.
    pub fn magic(&self) -> Option<u32> {
        self.magic
    }

    /// The security parameter k of Shelley: the number of blocks after which the chain is settled.
    pub fn security_param(&self) -> u64 {
        self.k
    }

    /// The active slots coefficient f.
    pub fn active_slots(&self) -> &ActiveSlots {
        &self.f
    }

    /// The number of slots in an epoch of Shelley or a later era.
    pub fn epoch_length(&self) -> u64 {
        self.epoch_length
    }

    /// The number of slots in a Byron epoch.
    pub fn byron_epoch_length(&self) -> u64 {
        self.byron_epoch_length
    }

    /// The number of slots in a chunk file.
    pub fn chunk_size(&self) -> u64 {
        self.byron_epoch_length
    }

    /// The number of the chunk file that contains a slot.
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

    /// The first slot of the first epoch that is not Byron.
    pub fn shelley_slot(&self) -> u64 {
        self.starts.shelley * self.byron_epoch_length
    }

    /// The extra entropy of an epoch. It is neutral except after rare votes.
    pub fn extra_entropy(&self, epoch: u64) -> Nonce {
        self.extra_entropy
            .get(&epoch)
            .copied()
            .unwrap_or(Nonce::Neutral)
    }

    /// The BLAKE2b-224 hashes of the keys of the genesis delegates, who made blocks in overlay slots before
    /// Babbage without any lottery. `None` if the genesis file does not list delegates.
    ///
    /// This is the initial list. A certificate on the chain can replace a delegate.
    pub fn delegates(&self) -> Option<&BTreeSet<Hash<28>>> {
        self.delegates.as_ref()
    }

    /// The delegate of each genesis key. The map's keys are the BLAKE2b-224 hashes of the genesis keys.
    /// `None` if the genesis file does not list delegates.
    pub fn delegations(&self) -> Option<&BTreeMap<Hash<28>, Delegate>> {
        self.delegations.as_ref()
    }

    /// The share of an epoch's slots that are in the overlay. `None` if the share is not known. Since Babbage
    /// the share is 0. On mainnet it was 1 in epochs 208 to 210, and it has been 0 since epoch 257.
    pub fn decentralization(&self, epoch: u64) -> Option<Decentralization> {
        if self.starts.babbage.is_some_and(|babbage| epoch >= babbage) {
            return Some(Decentralization::NONE);
        }
        self.decentralization.get(&epoch).copied()
    }

    /// Sets the share of an epoch's slots that are in the overlay, which was decided by votes on the chain.
    pub fn set_decentralization(&mut self, epoch: u64, d: Decentralization) {
        self.decentralization.insert(epoch, d);
    }

    /// The periods of KES keys, if the genesis file contains them, as the files of the public networks do.
    pub fn kes_periods(&self) -> Option<KesPeriods> {
        self.kes_periods
    }

    /// The nonce that an epoch of the real chain is known to have, independently of any database. A nonce
    /// from [`set_known_nonce`](Self::set_known_nonce) replaces the [built-in](Self::built_in_nonces) nonce.
    pub fn known_nonce(&self, epoch: u64) -> Option<Nonce> {
        let named = self.named_nonces.get(&epoch).copied();
        named.or_else(|| self.built_in_nonce(epoch))
    }

    /// The epochs whose nonces are built in. For a public network, these are all epochs from the first epoch
    /// of Shelley to the last epoch whose nonce was known when this version of the library was made.
    pub fn built_in_nonces(&self) -> Option<RangeInclusive<u64>> {
        let after_first = self.built_in_nonces.len().checked_sub(1)?;
        Some(self.starts.shelley..=self.starts.shelley + after_first as u64)
    }

    /// The [built-in](Self::built_in_nonces) nonce of an epoch.
    pub fn built_in_nonce(&self, epoch: u64) -> Option<Nonce> {
        let place = usize::try_from(epoch.checked_sub(self.starts.shelley)?).ok()?;
        let nonce = self.built_in_nonces.get(place)?;
        Some(Nonce::Value((*nonce).into()))
    }

    /// True if the nonce of at least one epoch is known.
    pub fn has_known_nonces(&self) -> bool {
        !self.built_in_nonces.is_empty() || !self.named_nonces.is_empty()
    }

    /// Sets the known nonce of an epoch. A walk uses this nonce for claims only if no nonce is built in and
    /// the walk does not compute one, for example after [`Start::Anywhere`](crate::Start::Anywhere).
    pub fn set_known_nonce(&mut self, epoch: u64, nonce: Nonce) {
        self.named_nonces.insert(epoch, nonce);
    }

    /// The time when the network began, as written in its Shelley genesis file (`systemStart`).
    #[must_use]
    pub fn system_start(&self) -> Option<&str> {
        self.system_start.as_deref()
    }

    /// The time from the [start of the network](Self::system_start) to the beginning of a slot. `None` if it
    /// exceeds 2^64 microseconds, or if the length of slots is not known. The length of a Byron slot is not
    /// in the Shelley genesis file, but it is built in for the public networks.
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

    /// The first slot of an epoch, or `u64::MAX` if the slot does not fit into 64 bits.
    pub fn first_slot(&self, epoch: u64) -> u64 {
        match epoch.checked_sub(self.starts.shelley) {
            Some(since) => since
                .saturating_mul(self.epoch_length)
                .saturating_add(self.shelley_slot()),
            None => epoch.saturating_mul(self.byron_epoch_length),
        }
    }

    /// The stability window of an era in slots, rounded up: 3k/f, and since Conway 4k/f. The candidate nonce
    /// of an epoch is frozen this many slots before the epoch ends.
    pub fn window(&self, era: Era) -> u64 {
        let slots =
            u128::from(era.stability_multiple() * self.k) * u128::from(self.f.denominator());
        slots
            .div_ceil(u128::from(self.f.numerator()))
            .try_into()
            .unwrap_or(u64::MAX)
    }

    /// True if a block of `era` at `slot` still changes the candidate nonce.
    pub fn feeds_candidate(&self, era: Era, slot: u64) -> bool {
        let next = self.first_slot(self.epoch(slot).saturating_add(1));
        slot.saturating_add(self.window(era)) < next
    }

    /// True if a block of `era` can be in `epoch`: in this epoch, `era` and all earlier eras have begun, but
    /// no later era has. An era whose first epoch is not known is ignored.
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
    /// Sets the first epoch of an era. The first epoch of Byron is always 0.
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

    /// The first epoch of an era, if it is known.
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
