//! The content of a forged chain, to compare with what a reader finds in it.

use std::collections::BTreeMap;

use klero::SecretKey;
use klero_cardano::{Era, LastBlock, Network, Nonce, NonceState, Vrf};
use klero_leader::{Distribution, PoolId};

use crate::ledger;
use crate::lottery::Win;
use crate::mutant::Mutant;

/// Everything that a reader of the forged files should find.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Forged {
    /// The network, with its era starts and extra entropy.
    pub network: Network,
    /// Every epoch of the recipe, from 0.
    pub epochs: Vec<ForgedEpoch>,
    /// The stake of every epoch since Shelley, with the hashes of VRF keys.
    pub stake: Distribution,
    /// The VRF keys of the pools. They are no secrets: the recipe has their seed.
    pub vrf_keys: BTreeMap<PoolId, SecretKey>,
    /// The nonces after the last block.
    pub nonces: NonceState,
    /// The last block; none if every epoch was silent.
    pub tip: Option<LastBlock>,
    /// The state of the ledger after the last block, which is also in `ledger/`; none if that block is
    /// before Babbage.
    pub ledger: Option<ledger::State>,
    /// The blocks that are wrong, by slot, as far as they were made.
    pub mutants: BTreeMap<u64, Mutant>,
}

impl Forged {
    /// The stake by the epochs in which it decides.
    pub fn stake_by_epoch(&self) -> BTreeMap<u64, Distribution> {
        let since_shelley = self.epochs.iter().filter(|epoch| epoch.era != Era::Byron);
        since_shelley
            .map(|epoch| (epoch.epoch, self.stake.clone()))
            .collect()
    }
}

/// The content of one epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForgedEpoch {
    /// The number of the epoch.
    pub epoch: u64,
    /// The era of the whole epoch.
    pub era: Era,
    /// The epoch nonce; none in Byron and in an epoch without any block.
    pub nonce: Option<Nonce>,
    /// Blocks, boundary blocks included.
    pub blocks: u64,
    /// Boundary blocks: 1 or 0.
    pub boundary_blocks: u64,
    /// Blocks in overlay slots, where genesis delegates make them.
    pub overlay_blocks: u64,
    /// VRF proofs in its blocks.
    pub proofs: u64,
}

impl ForgedEpoch {
    /// Counts a block of Shelley or a later era.
    pub(crate) fn count(&mut self, win: &Win<'_>) {
        self.blocks += 1;
        self.overlay_blocks += u64::from(win.overlay);
        self.proofs += if let Vrf::Praos(_) = win.vrf { 1 } else { 2 };
    }
}
