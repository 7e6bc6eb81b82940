//! Ledger states as a node writes them.
//!
//! A node keeps the state of its ledger beside the chain, in `ledger/`. This module writes a state in the
//! format of node 11.1. The content can come from a forged chain ([`Forged::ledger`](crate::Forged::ledger))
//! or from the caller. The sources for the format are listed at [`klero_cardano::LedgerState`].

mod layout;

use std::collections::BTreeMap;

use klero_cardano::{Era, Hash, LastBlock, Network, Nonce, NonceState};
use klero_leader::{Distribution, PoolId, VrfKeyHash};

use crate::hash::blake2b_224;

/// The content of a ledger state.
///
/// ```
/// use klero_cardano::{Era, LedgerState};
/// use klero_forge::{Recipe, forge};
/// let dir = tempfile::tempdir()?;
/// let forged = forge(&Recipe::of_eras(&[(Era::Conway, 1)]), dir.path(), |_, _| {})?;
/// let mut state = forged.ledger.unwrap();
/// state.last.number += 1; // no such block
/// let bytes = state.write();
/// assert_eq!(LedgerState::read(&bytes[..])?.last, state.last);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The last block of the chain.
    pub last: LastBlock,
    /// The first slot and the first epoch of each era, at least up to the era of the last block.
    pub eras: Vec<(u64, u64)>,
    /// The epoch of the last block, and the nonces after that block.
    pub nonces: NonceState,
    /// The nonce of the previous epoch.
    pub previous: Nonce,
    /// The certificate number in the last block of each issuer.
    pub counters: BTreeMap<Hash<28>, u64>,
    /// The number of blocks that each pool has made in the epoch of the last block.
    pub blocks: BTreeMap<Hash<28>, u64>,
    /// The number of blocks that each pool made in the previous epoch.
    pub blocks_before: BTreeMap<Hash<28>, u64>,
    /// The snapshots `mark`, `set` and `go`, in this order.
    pub snapshots: [Snapshot; 3],
    /// The stake that decides the lottery in the epoch of the last block.
    pub stake: Distribution,
}

/// A snapshot of stake: all delegators, and the registered pools with their VRF key hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The delegators. They are written in the order of this list.
    pub delegators: Vec<Delegator>,
    /// The registered pools.
    pub pools: BTreeMap<PoolId, VrfKeyHash>,
}

/// A delegator in a [`Snapshot`], who delegates stake to a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delegator {
    /// True if the credential is a script, not a key.
    pub script: bool,
    /// The hash of the credential.
    pub hash: Hash<28>,
    /// The stake in lovelace.
    pub stake: u64,
    /// The pool, which may have retired.
    pub pool: PoolId,
}

impl Snapshot {
    /// A snapshot in which each pool has one delegator.
    pub(crate) fn of_pools(stake: &Distribution) -> Self {
        let mut all = Self::default();
        for (id, pool) in stake.pools() {
            all.delegators.push(Delegator {
                script: false,
                hash: blake2b_224(id.as_bytes()),
                stake: pool.stake.pool(),
                pool: *id,
            });
            if let Some(vrf) = pool.vrf {
                all.pools.insert(*id, vrf);
            }
        }
        all.delegators.sort_by_key(|by| by.hash);
        all
    }

    /// The sum of the stakes of all delegators, or 1 if the sum is 0.
    fn total(&self) -> u64 {
        let stakes = self.delegators.iter().map(|by| by.stake);
        stakes.fold(0, u64::wrapping_add).max(1)
    }

    /// The stake of a pool, and the number of its delegators.
    fn of(&self, pool: &PoolId) -> (u64, u64) {
        let of = self.delegators.iter().filter(|by| by.pool == *pool);
        of.fold((0, 0), |(stake, count), by| {
            (by.stake.wrapping_add(stake), count + 1)
        })
    }

    /// Returns the stake of each registered pool with delegators, as a reader of the snapshot must find it.
    ///
    /// # Panics
    /// May panic if the total stake is 2^64 or more.
    pub fn distribution(&self) -> Distribution {
        let mut builder = Distribution::builder();
        builder.total(self.total());
        for (pool, vrf) in &self.pools {
            let (stake, delegators) = self.of(pool);
            if delegators > 0 {
                builder
                    .pool(*pool, stake, Some(*vrf))
                    .expect("all stake is below 2^64");
            }
        }
        builder.build().expect("all stake is below 2^64")
    }
}

/// The first slot and the first epoch of each era of a network, up to the era `last`. An era without a known
/// start begins together with the next era.
pub(crate) fn eras(network: &Network, last: Era) -> Vec<(u64, u64)> {
    let starts = network.era_starts();
    let eras = Era::ALL.into_iter().filter(|era| *era <= last);
    let start = |era| {
        let mut since = Era::ALL.into_iter().filter(|of| (era..=last).contains(of));
        let epoch = since.find_map(|era| starts.of(era));
        let epoch = epoch.unwrap_or(starts.shelley);
        (network.first_slot(epoch), epoch)
    };
    eras.map(start).collect()
}
