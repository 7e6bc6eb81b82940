//! Ledger states as a node writes them.
//!
//! A node keeps the state of its ledger beside the chain, in `ledger/`. This module writes a state as node
//! 11.1 does, with any content: that of a forged chain ([`Forged::ledger`](crate::Forged::ledger)), or a
//! made-up one. The bytes follow the sources that [`klero_cardano::LedgerState`] names.

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
    /// First slot and epoch of each era, at least up to that of the last block.
    pub eras: Vec<(u64, u64)>,
    /// The epoch of the last block, and the nonces after it.
    pub nonces: NonceState,
    /// The nonce of the epoch before.
    pub previous: Nonce,
    /// The number of the last certificate of each issuer.
    pub counters: BTreeMap<Hash<28>, u64>,
    /// The number of blocks that each pool has made in this epoch.
    pub blocks: BTreeMap<Hash<28>, u64>,
    /// The number of blocks that each pool made in the epoch before.
    pub blocks_before: BTreeMap<Hash<28>, u64>,
    /// The snapshots mark, set and go.
    pub snapshots: [Snapshot; 3],
    /// The stake that decides in this epoch.
    pub stake: Distribution,
}

/// A snapshot of stake: all delegators, and the registered pools with their VRF key hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The delegators, in the order in which they are written.
    pub delegators: Vec<Delegator>,
    /// The registered pools.
    pub pools: BTreeMap<PoolId, VrfKeyHash>,
}

/// A delegator of stake to a pool: see [`Snapshot`].
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

    /// The stake of all delegators, at least 1.
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

    /// The stake of the pools that have delegators, as a reader must find it.
    ///
    /// # Panics
    /// If all stake together is 2^64 or more.
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

/// The first slot and epoch of each era of a network, up to `last`. An era without a known start begins with
/// the next.
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
