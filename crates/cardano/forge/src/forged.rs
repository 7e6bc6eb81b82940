//! The content of a forged chain, for comparison with the content that a reader finds in it.

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
    /// The stake of the pools in every epoch since Shelley, with the hashes of their VRF keys.
    pub stake: Distribution,
    /// The VRF keys of the pools. They are not really secret: anyone with the recipe can compute them.
    pub vrf_keys: BTreeMap<PoolId, SecretKey>,
    /// The nonces after the last block.
    pub nonces: NonceState,
    /// The last block; `None` if every epoch was silent.
    pub tip: Option<LastBlock>,
    /// The state of the ledger after the last block. It is also written to `ledger/`. `None` if there is no
    /// block, or if the last block is of an era before Babbage.
    pub ledger: Option<ledger::State>,
    /// Maps the slot of each block that was made wrong on purpose to the fault of the block.
    pub mutants: BTreeMap<u64, Mutant>,
}

impl Forged {
    /// Returns a map from each epoch after Byron to the stake that decides the lottery of the epoch.
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
    /// The epoch nonce; `None` in Byron and in an epoch without blocks.
    pub nonce: Option<Nonce>,
    /// The number of blocks, including boundary blocks.
    pub blocks: u64,
    /// The number of boundary blocks: 1 or 0.
    pub boundary_blocks: u64,
    /// The number of blocks in overlay slots, where genesis delegates make the blocks.
    pub overlay_blocks: u64,
    /// The number of VRF proofs in the blocks.
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
