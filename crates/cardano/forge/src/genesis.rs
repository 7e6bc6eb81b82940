//! The Shelley genesis file of a recipe, and the network that this file describes.

use std::collections::BTreeMap;

use klero_cardano::{Era, EraStarts, Hash, Network, Nonce};
use serde_json::{Value, json};

use crate::error::ForgeError;
use crate::hash::{blake2b_224, blake2b_256};
use crate::lottery::Makers;
use crate::recipe::Recipe;

/// The maximum number of epochs in a recipe.
const MOST_EPOCHS: u64 = 100_000;

/// The text of the Shelley genesis file.
pub(crate) fn file(recipe: &Recipe, makers: &Makers) -> Result<String, ForgeError> {
    let epoch_length = recipe.epoch_length()?;
    let f = recipe.f.numerator() as f64 / recipe.f.denominator() as f64;
    // A KES key has 64 evolutions. One stays free for the mutant `Expired`, whose certificate has ended.
    if !(1..=63).contains(&recipe.kes.evolutions) {
        return Err(ForgeError::Recipe(format!(
            "{} evolutions of KES keys: expected 1 to 63",
            recipe.kes.evolutions
        )));
    }
    let d = f64::from(recipe.overlay_percent.first().copied().unwrap_or(0)) / 100.0;
    // The hash of this file is the first nonce, so a recipe must always give the same text. The keys are in
    // alphabetical order, so that the text is the same whether or not the JSON library sorts them.
    let genesis = json!({
        "activeSlotsCoeff": f,
        "epochLength": epoch_length,
        "genDelegs": delegations(makers),
        "initialFunds": {},
        "maxKESEvolutions": recipe.kes.evolutions,
        "maxLovelaceSupply": 45_000_000_000_000_000u64,
        "networkId": "Testnet",
        "networkMagic": recipe.magic,
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
        "securityParam": recipe.k,
        "slotLength": 1,
        "slotsPerKESPeriod": recipe.kes.slots,
        "systemStart": "2017-09-23T21:44:51Z",
        "updateQuorum": 5
    });
    Ok(format!("{genesis:#}\n"))
}

/// The delegate of each genesis key, as JSON.
fn delegations(makers: &Makers) -> BTreeMap<String, Value> {
    let delegations = makers.delegates.iter().map(|(genesis_key, delegate)| {
        let vrf = delegate.vrf.public_key();
        let value = json!({
            "delegate": blake2b_224(&delegate.cold_key).to_string(),
            "vrf": blake2b_256(&[vrf.as_bytes()]).to_string(),
        });
        (genesis_key.to_string(), value)
    });
    delegations.collect()
}

/// Returns the network of a recipe. `genesis` has the bytes of the recipe's Shelley genesis file.
pub(crate) fn network(recipe: &Recipe, genesis: &[u8]) -> Result<Network, ForgeError> {
    let ordered = recipe
        .eras
        .is_sorted_by(|(before, _), (after, _)| before < after);
    if recipe.eras.is_empty() || !ordered {
        return Err(ForgeError::Recipe(
            "eras must be named once each, oldest first".into(),
        ));
    }
    let mut next = 0u64;
    let mut starts = EraStarts::default();
    let mut eras = recipe.eras.iter().peekable();
    for era in Era::ALL {
        // An era that the recipe leaves out begins together with the next era.
        if era == Era::Shelley || eras.peek().is_some() {
            starts.set(era, next);
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
    if *network.active_slots() != recipe.f {
        return Err(ForgeError::Recipe(format!(
            "f = {} has too many digits",
            recipe.f
        )));
    }
    for (epoch, entropy) in &recipe.extra_entropy {
        network.set_extra_entropy(*epoch, Nonce::Value(Hash::new(*entropy)));
    }
    Ok(network)
}
