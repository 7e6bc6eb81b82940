//! The plan of a chain: the epochs of a recipe in order.

use core::ops::Range;

use klero_cardano::{Decentralization, Era, Network, Nonce, Protocol};

use crate::error::ForgeError;
use crate::recipe::{MOST_SLOTS, Recipe};

/// One epoch of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Epoch {
    pub number: u64,
    pub era: Era,
    /// The slots of the epoch. In the last epoch of a plan, the last k slots are left out.
    pub slots: Range<u64>,
    /// True for an epoch without blocks.
    pub silent: bool,
    /// The percentage of slots that are in the overlay (TPraos).
    pub overlay_percent: u64,
    pub extra_entropy: Nonce,
    /// The next era, if this is the last epoch of its era. Some makers announce the next era early.
    pub upgrade: Option<Era>,
}

impl Epoch {
    /// The share of the slots that belong to the overlay.
    pub(crate) fn decentralization(&self) -> Decentralization {
        let d = format!("{}/100", self.overlay_percent).parse();
        d.expect("at most 100 percent")
    }
}

/// The epochs of a recipe, one after the other.
pub(crate) fn plan(recipe: &Recipe, network: &Network) -> Result<Vec<Epoch>, ForgeError> {
    let mut plan: Vec<Epoch> = Vec::new();
    let eras = recipe
        .eras
        .iter()
        .flat_map(|(era, n)| (0..*n).map(move |i| (*era, i + 1 == *n)));
    let next_era = |era| {
        recipe
            .eras
            .iter()
            .map(|(next, _)| *next)
            .find(|next| *next > era)
    };
    for (number, (era, last)) in (0u64..).zip(eras) {
        let tpraos = era.protocol() == Protocol::TPraos;
        let since_shelley = number.saturating_sub(network.era_starts().shelley) as usize;
        let percent = recipe
            .overlay_percent
            .get(since_shelley)
            .copied()
            .unwrap_or(0);
        plan.push(Epoch {
            number,
            era,
            slots: network.first_slot(number)..network.first_slot(number + 1),
            silent: recipe.silent.contains(&number),
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
    last.slots.end -= recipe.k;
    check_epochs(recipe, &plan)?;
    Ok(plan)
}

/// Checks the parts of a recipe that belong to epochs: the overlay, silent epochs and extra entropy.
fn check_epochs(recipe: &Recipe, plan: &[Epoch]) -> Result<(), ForgeError> {
    if let Some(percent) = recipe.overlay_percent.iter().find(|d| **d > 100) {
        let reason = format!("an overlay of {percent} percent of the slots");
        return Err(ForgeError::Recipe(reason));
    }
    for number in recipe.silent.iter().chain(recipe.extra_entropy.keys()) {
        let Some(epoch) = usize::try_from(*number).ok().and_then(|i| plan.get(i)) else {
            return Err(ForgeError::Recipe(format!(
                "epoch {number} is beyond the last"
            )));
        };
        if recipe.extra_entropy.contains_key(number) && epoch.era.protocol() != Protocol::TPraos {
            return Err(ForgeError::Recipe(format!(
                "extra entropy for epoch {number}, which is in {}: expected Shelley to Alonzo",
                epoch.era
            )));
        }
    }
    Ok(())
}
