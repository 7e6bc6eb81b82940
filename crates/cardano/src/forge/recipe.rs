//! What to forge, and the network that follows from it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::ForgeError;
use super::block::KES_PERIOD;
use super::lottery::{Epoch, Makers};
use crate::network::{EraStarts, Network};
use crate::{ActiveSlots, Era, Hash, Nonce, Protocol};

/// Slots a recipe may span in all: a hundred years of mainnet.
const MOST_SLOTS: u64 = 3_000_000_000;
/// Epochs a recipe may span in all.
const MOST_EPOCHS: u64 = 100_000;

/// A made-up network and its history.
///
/// ```
/// use klero_cardano::forge::Recipe;
/// let sample = Recipe::sample();
/// assert_eq!(sample.epoch_length()?, 400); // 10k/f
/// # Ok::<(), klero_cardano::forge::ForgeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Everything random follows from this.
    pub seed: [u8; 32],
    /// Network magic.
    pub magic: u32,
    /// The security parameter: an epoch has 10k/f slots, a Byron epoch and a chunk 10k.
    pub k: u64,
    /// The active slots coefficient as a decimal number, below 1, such that 10k/f is whole.
    pub f: String,
    /// Eras with the number of their epochs, oldest first. Eras may be left out: a chain
    /// without Byron begins with block 0 that has nothing before it.
    pub eras: Vec<(Era, u64)>,
    /// The stake of each pool, in any unit.
    pub stakes: Vec<u32>,
    /// Percent of the slots kept from the lottery (100·d) in the first epoch since Shelley, the
    /// second, and so on; 0 in epochs not named and since Babbage.
    pub overlay_percent: Vec<u32>,
    /// Extra entropy put on the nonce of an epoch of Shelley to Alonzo.
    pub extra_entropy: BTreeMap<u64, [u8; 32]>,
    /// Epochs in which nobody makes a block.
    pub silent: BTreeSet<u64>,
}

impl Recipe {
    /// The demonstration: about 3,000 blocks and 4,000 proofs from Byron to Conway, with an
    /// overlay at the start and extra entropy once. f is 1/2 so that short epochs have many
    /// blocks.
    pub fn sample() -> Self {
        Self {
            seed: *b"kleroterion: one lot per citizen",
            magic: 508,
            k: 20,
            f: "0.5".into(),
            eras: vec![
                (Era::Byron, 2),
                (Era::Shelley, 3),
                (Era::Allegra, 1),
                (Era::Mary, 1),
                (Era::Alonzo, 2),
                (Era::Babbage, 3),
                (Era::Conway, 3),
            ],
            stakes: vec![3, 2, 1],
            overlay_percent: vec![100, 40],
            extra_entropy: BTreeMap::from([(6, [0x5a; 32])]),
            silent: BTreeSet::new(),
        }
    }

    /// Slots of an epoch since Shelley: 10k/f.
    ///
    /// # Errors
    /// [`ForgeError::Recipe`] if k is 0 or too large, f is not a decimal number above 0 and
    /// below 1, or the result is not whole.
    pub fn epoch_length(&self) -> Result<u64, ForgeError> {
        let f = self.active_slots()?;
        let slots = 10 * u128::from(self.k) * u128::from(f.denominator());
        let whole = slots % u128::from(f.numerator()) == 0;
        match u64::try_from(slots / u128::from(f.numerator())) {
            Ok(slots @ 1..=MOST_SLOTS) if whole && f.numerator() < f.denominator() => Ok(slots),
            _ => Err(ForgeError::Recipe(format!(
                "k = {} and f = {}: expected f below 1 and 10k/f whole, 1 to {MOST_SLOTS}",
                self.k, self.f
            ))),
        }
    }

    pub(super) fn active_slots(&self) -> Result<ActiveSlots, ForgeError> {
        self.f
            .parse()
            .map_err(|error| ForgeError::Recipe(format!("{error}")))
    }

    /// The text of the Shelley genesis file.
    pub(super) fn genesis(&self, makers: &Makers) -> Result<String, ForgeError> {
        let epoch_length = self.epoch_length()?;
        // A text like ".5" is a fraction, but no JSON.
        let f: f64 = serde_json::from_str(&self.f)
            .map_err(|_| ForgeError::Recipe(format!("f = {}: expected a JSON number", self.f)))?;
        let d = f64::from(self.overlay_percent.first().copied().unwrap_or(0)) / 100.0;
        let delegates: BTreeMap<String, Value> = makers
            .delegations()
            .map(|delegation| {
                let value = json!({
                    "delegate": delegation.delegate.to_string(),
                    "vrf": delegation.vrf.to_string(),
                });
                (delegation.genesis_key.to_string(), value)
            })
            .collect();
        // The file's bytes are the first nonce: the keys stand in alphabetical order, so that
        // it does not matter whether the JSON library sorts them.
        let genesis = json!({
            "activeSlotsCoeff": f,
            "epochLength": epoch_length,
            "genDelegs": delegates,
            "initialFunds": {},
            "maxKESEvolutions": 62,
            "maxLovelaceSupply": 45_000_000_000_000_000u64,
            "networkId": "Testnet",
            "networkMagic": self.magic,
            "protocolParams": {
                "a0": 0.3,
                "decentralisationParam": d,
                "eMax": 18,
                "extraEntropy": { "tag": "NeutralNonce" },
                "keyDeposit": 2_000_000,
                "maxBlockBodySize": 65_536,
                "maxBlockHeaderSize": 1_100,
                "maxTxSize": 16_384,
                "minFeeA": 44,
                "minFeeB": 155_381,
                "minPoolCost": 340_000_000,
                "minUTxOValue": 1_000_000,
                "nOpt": 150,
                "poolDeposit": 500_000_000,
                "protocolVersion": { "major": 2, "minor": 0 },
                "rho": 0.003,
                "tau": 0.2
            },
            "securityParam": self.k,
            "slotLength": 1,
            "slotsPerKESPeriod": KES_PERIOD,
            "systemStart": "2017-09-23T21:44:51Z",
            "updateQuorum": 5
        });
        Ok(format!("{genesis:#}\n"))
    }

    /// The network whose Shelley genesis file has the given bytes.
    pub(super) fn network(&self, genesis: &[u8]) -> Result<Network, ForgeError> {
        let ordered = self
            .eras
            .is_sorted_by(|(before, _), (after, _)| before < after);
        if self.eras.is_empty() || !ordered {
            return Err(ForgeError::Recipe(
                "eras must be named once each, oldest first".into(),
            ));
        }
        let mut next = 0u64;
        let mut starts = EraStarts::default();
        let mut eras = self.eras.iter().peekable();
        for era in Era::ALL {
            // An era that is left out begins when the next one does.
            let start = eras.peek().map(|_| next);
            match era {
                Era::Byron => {}
                Era::Shelley => starts.shelley = next,
                Era::Allegra => starts.allegra = start,
                Era::Mary => starts.mary = start,
                Era::Alonzo => starts.alonzo = start,
                Era::Babbage => starts.babbage = start,
                Era::Conway => starts.conway = start,
            }
            if let Some((_, epochs)) = eras.next_if(|(named, _)| *named == era) {
                next = next.saturating_add(*epochs);
            }
        }
        if next > MOST_EPOCHS {
            return Err(ForgeError::Recipe(format!(
                "{next} epochs, expected {MOST_EPOCHS} at most"
            )));
        }
        let mut network = Network::from_shelley_genesis("forged", genesis, starts)?;
        if network.active_slots() != self.active_slots()? {
            return Err(ForgeError::Recipe(format!(
                "f = {} has too many digits",
                self.f
            )));
        }
        for (epoch, entropy) in &self.extra_entropy {
            network.set_extra_entropy(*epoch, Nonce::Value(Hash::new(*entropy)));
        }
        Ok(network)
    }

    /// The epochs one after the other.
    pub(super) fn plan(&self, network: &Network) -> Result<Vec<Epoch>, ForgeError> {
        let mut plan: Vec<Epoch> = Vec::new();
        let eras = self
            .eras
            .iter()
            .flat_map(|(era, n)| (0..*n).map(move |i| (*era, i + 1 == *n)));
        let next_era = |era| {
            self.eras
                .iter()
                .map(|(next, _)| *next)
                .find(|next| *next > era)
        };
        for (number, (era, last)) in (0u64..).zip(eras) {
            let tpraos = era.protocol() == Protocol::TPraos;
            let since_shelley = number.saturating_sub(network.era_starts().shelley) as usize;
            let percent = self
                .overlay_percent
                .get(since_shelley)
                .copied()
                .unwrap_or(0);
            plan.push(Epoch {
                number,
                era,
                slots: network.first_slot(number)..network.first_slot(number + 1),
                silent: self.silent.contains(&number),
                overlay_percent: if tpraos { percent.into() } else { 0 },
                extra_entropy: if tpraos {
                    network.extra_entropy(number)
                } else {
                    Nonce::Neutral
                },
                upgrade: if last { next_era(era) } else { None },
            });
        }
        let Some(last) = plan.last_mut() else {
            return Err(ForgeError::Recipe("a chain of no epochs".into()));
        };
        if last.slots.end > MOST_SLOTS {
            let slots = last.slots.end;
            return Err(ForgeError::Recipe(format!(
                "{slots} slots, expected {MOST_SLOTS} at most"
            )));
        }
        last.slots.end -= self.k;
        if let Some(d) = self.overlay_percent.iter().find(|percent| **percent > 100) {
            return Err(ForgeError::Recipe(format!(
                "an overlay of {d} percent of the slots"
            )));
        }
        for number in self.silent.iter().chain(self.extra_entropy.keys()) {
            let Some(epoch) = usize::try_from(*number).ok().and_then(|i| plan.get(i)) else {
                return Err(ForgeError::Recipe(format!(
                    "epoch {number} is beyond the last"
                )));
            };
            if self.extra_entropy.contains_key(number) && epoch.era.protocol() != Protocol::TPraos {
                return Err(ForgeError::Recipe(format!(
                    "extra entropy for epoch {number}, which is in {}: expected Shelley to Alonzo",
                    epoch.era
                )));
            }
        }
        Ok(plan)
    }
}
