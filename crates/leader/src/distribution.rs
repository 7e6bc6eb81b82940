//! The stake of an epoch.

use alloc::collections::BTreeMap;
use alloc::format;

use crate::error::BadInput;
use crate::pool::{PoolId, VrfKeyHash};
use crate::stake::{NO_TOTAL, Stake};

/// The pools of an epoch with their stake, and the total active stake.
///
/// The stake decides who leads in the epoch: the node calls this snapshot "set". The stake that
/// decides in epoch e is the one that stood at the end of epoch e - 2.
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
    /// The pool's stake, and the total.
    pub stake: Stake,
    /// The hash of the VRF key that the pool registered, if known.
    pub vrf: Option<VrfKeyHash>,
}

/// The source of the total of a distribution.
///
/// The ledger's total is all delegated stake. It can be above the sum over the pools, since it counts
/// stake that is delegated to pools that have retired. On mainnet, it is above the sum by 300 lovelace
/// in epoch 222.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TotalSource {
    /// Given with the pools.
    Given,
    /// Computed as the sum over the pools.
    Sum,
}

impl Distribution {
    /// Begins a distribution, without pools and total.
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

/// A distribution whose pools are not all known yet.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct DistributionBuilder {
    pools: BTreeMap<PoolId, (u64, Option<VrfKeyHash>)>,
    sum: u64,
    pub(crate) total: Option<u64>,
}

impl DistributionBuilder {
    /// Adds a pool with its stake in lovelace, and the hash of the VRF key that it registered, if
    /// known. Returns an error and adds nothing if the pool is there already or the sum of all stake
    /// reaches 2^64 lovelace.
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

    /// Sets the total active stake, in lovelace. Without it, the total is the sum over the pools.
    pub fn total(&mut self, total: u64) {
        self.total = Some(total);
    }

    /// The distribution. An error if the total is zero, or less than the stake of one pool or of all pools.
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
