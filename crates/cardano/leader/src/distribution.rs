//! The stake of an epoch.

use alloc::collections::BTreeMap;
use alloc::format;

use crate::error::BadInput;
use crate::pool::{PoolId, VrfKeyHash};
use crate::stake::{NO_TOTAL, Stake};

/// The pools of an epoch with their stake, and the total active stake.
///
/// This stake decides who leads in the epoch. It is the node's snapshot "set". The stake that decides in
/// epoch e is the stake at the end of epoch e - 2.
///
/// ```
/// use klero_leader::{Distribution, PoolId, TotalSource};
/// let mut builder = Distribution::builder();
/// builder.pool(PoolId::new([1; 28]), 250, None)?;
/// builder.pool(PoolId::new([2; 28]), 750, None)?;
/// let distribution = builder.build()?;
/// assert_eq!((distribution.total(), distribution.total_source()), (1000, TotalSource::Sum));
/// # Ok::<(), klero_leader::BadInput>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    pools: BTreeMap<PoolId, Pool>,
    total: u64,
    total_source: TotalSource,
}

/// The stake and the VRF key of a pool in a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The pool's stake, and the total stake.
    pub stake: Stake,
    /// The hash of the VRF key that the pool registered, if known.
    pub vrf: Option<VrfKeyHash>,
}

/// The source of the total of a distribution.
///
/// The ledger's total is all delegated stake. This can be more than the stake of all pools together, because
/// it includes stake that is delegated to retired pools. On mainnet, it is 300 lovelace more in epoch 222.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TotalSource {
    /// Given with the pools.
    Given,
    /// Computed as the sum over the pools.
    Sum,
}

impl Distribution {
    /// Begins a distribution that has no pools and no total yet.
    pub fn builder() -> DistributionBuilder {
        DistributionBuilder::default()
    }

    /// The entry of a pool; `None` if the pool is not in the distribution.
    #[must_use]
    pub fn pool(&self, pool: &PoolId) -> Option<&Pool> {
        self.pools.get(pool)
    }

    /// All pools, in the order of their hashes.
    pub fn pools(&self) -> impl ExactSizeIterator<Item = (&PoolId, &Pool)> {
        self.pools.iter()
    }

    /// The total active stake, in lovelace; not zero.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The source of the total: given, or the sum over the pools.
    #[must_use]
    pub fn total_source(&self) -> TotalSource {
        self.total_source
    }
}

/// A distribution to which pools are still being added.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct DistributionBuilder {
    pools: BTreeMap<PoolId, (u64, Option<VrfKeyHash>)>,
    sum: u64,
    pub(crate) total: Option<u64>,
}

impl DistributionBuilder {
    /// Adds a pool with its stake in lovelace and, if known, the hash of the VRF key that it registered.
    /// Returns an error and adds nothing if the pool is there already, or if the sum of all stake reaches
    /// 2^64 lovelace.
    pub fn pool(
        &mut self,
        pool: PoolId,
        stake: u64,
        vrf: Option<VrfKeyHash>,
    ) -> Result<(), BadInput> {
        if self.pools.contains_key(&pool) {
            return Err(BadInput(format!("pool {pool} is there twice")));
        }
        self.sum = self.sum.checked_add(stake).ok_or_else(|| {
            BadInput(format!(
                "the sum of stake is 2^64 lovelace or more from pool {pool} on"
            ))
        })?;
        self.pools.insert(pool, (stake, vrf));
        Ok(())
    }

    /// Sets the total active stake, in lovelace. Without this call, the total is the sum over the pools.
    pub fn total(&mut self, total: u64) {
        self.total = Some(total);
    }

    /// Returns the distribution. It is an error if the total is zero, less than the stake of one pool, or
    /// less than the stake of all pools together.
    pub fn build(self) -> Result<Distribution, BadInput> {
        let total = self.total.unwrap_or(self.sum);
        if total == 0 {
            return Err(BadInput(NO_TOTAL.into()));
        }
        let share = |(pool, (stake, vrf))| {
            let share = Stake::new(stake, total).map_err(|_| {
                BadInput(format!(
                    "pool {pool} has {stake} lovelace, above the total of {total}"
                ))
            })?;
            Ok((pool, Pool { stake: share, vrf }))
        };
        let pools = self
            .pools
            .into_iter()
            .map(share)
            .collect::<Result<_, _>>()?;
        if self.sum > total {
            return Err(BadInput(format!(
                "the pools have {} lovelace together, above the total of {total}",
                self.sum
            )));
        }
        Ok(Distribution {
            pools,
            total,
            total_source: match self.total {
                Some(_) => TotalSource::Given,
                None => TotalSource::Sum,
            },
        })
    }
}
