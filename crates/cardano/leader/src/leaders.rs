//! The judge of headers, which decides who may lead in an epoch.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::fmt;

use crate::distribution::{Distribution, Pool};
use crate::estimate::Estimate;
use crate::pool::{PoolId, VrfKeyHash};
use crate::slots::ActiveSlots;
use crate::stake::Stake;
use crate::threshold::{Threshold, margin};
use crate::value::LeaderValue;

/// The pools of an epoch with their thresholds. Any number of threads can judge headers with them.
///
/// The slot of a header is not taken into account. In TPraos, slots that are reserved for genesis delegates
/// have no threshold, so the caller must not judge headers of these slots here.
///
/// ```
/// use klero_leader::{
///     ActiveSlots, Distribution, LeaderValue, Leaders, NoLeader, PoolId, VrfKeyHash,
/// };
/// let (cold_key, vrf_key) = ([1; 32], [2; 32]);
/// let (pool, vrf) = (PoolId::of_key(&cold_key), VrfKeyHash::of_key(&vrf_key));
/// let mut builder = Distribution::builder();
/// builder.pool(pool, 63_000_000_000_000, Some(vrf))?;
/// builder.total(22_000_000_000_000_000);
/// let leaders = Leaders::new(&builder.build()?, &ActiveSlots::new(1, 20)?);
///
/// let lead = leaders.judge(&pool, &vrf, &LeaderValue::Praos([0; 32]))?;
/// assert_eq!((lead.stake.pool(), lead.margin), (63_000_000_000_000, 0.0));
/// let verdict = leaders.judge(&pool, &vrf, &LeaderValue::Praos([1; 32]));
/// assert!(matches!(verdict, Err(NoLeader::ValueTooLarge(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Leaders {
    slots: ActiveSlots,
    pools: BTreeMap<PoolId, (Pool, Option<Estimate>)>,
}

/// The verdict that the issuer of a header leads, with the issuer's stake and margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The stake of the issuer, and the total stake.
    pub stake: Stake,
    /// The leader value divided by the largest leader value that leads ([`Threshold::margin`]).
    pub margin: f64,
}

/// The reason why the issuer of a header does not lead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLeader {
    /// The distribution does not have the issuer.
    #[error("pool {pool} has no stake in this epoch")]
    UnknownPool {
        /// The issuer.
        pool: PoolId,
    },
    /// The header's VRF key is not the one that the pool registered.
    #[error("the VRF key of pool {pool} hashes to {used}, expected {registered}")]
    OtherVrfKey {
        /// The issuer.
        pool: PoolId,
        /// The hash of the registered key, from the distribution.
        registered: VrfKeyHash,
        /// The hash of the key in the header.
        used: VrfKeyHash,
    },
    /// The leader value is not below the threshold.
    #[error("{0}")]
    ValueTooLarge(Box<ValueTooLarge>),
}

/// A leader value that does not lead, with the pool, its stake and the largest value that leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueTooLarge {
    /// The issuer.
    pub pool: PoolId,
    /// The stake of the issuer, and the total stake.
    pub stake: Stake,
    /// The leader value.
    pub value: LeaderValue,
    /// The largest leader value with which the pool leads; `None` if the pool leads with no value.
    pub last: Option<LeaderValue>,
}

impl ValueTooLarge {
    /// The leader value divided by the largest one that leads ([`Threshold::margin`]); at least 1.
    #[must_use]
    pub fn margin(&self) -> f64 {
        margin(&self.value, self.last.as_ref())
    }
}

impl fmt::Display for ValueTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pool, stake, value, ..
        } = self;
        let (margin, p) = (self.margin(), value.fraction());
        write!(
            f,
            "the leader value of pool {pool} is {margin:.6} times its threshold: p = {p:e} with a stake of \
             {stake}"
        )
    }
}

impl Leaders {
    /// Estimates the thresholds of all pools, each in less than a microsecond. For almost every honest value,
    /// the estimate is enough. [`judge`](Self::judge) computes the exact threshold only for other values.
    #[must_use]
    pub fn new(distribution: &Distribution, slots: &ActiveSlots) -> Leaders {
        let pools = distribution.pools().map(|(id, pool)| {
            let estimate = Estimate::new(pool.stake, slots);
            (*id, (*pool, estimate))
        });
        Leaders {
            pools: pools.collect(),
            slots: slots.clone(),
        }
    }

    /// Checks the issuer of a header, the hash of its VRF key, and its leader value, in the same order as the
    /// node (`doValidateVRFSignature` of `Ouroboros.Consensus.Protocol.Praos`). The VRF proof is checked
    /// elsewhere.
    pub fn judge(
        &self,
        issuer: &PoolId,
        vrf: &VrfKeyHash,
        value: &LeaderValue,
    ) -> Result<Lead, NoLeader> {
        let pool = *issuer;
        let (Pool { stake, vrf: known }, estimate) = *self
            .pools
            .get(issuer)
            .ok_or(NoLeader::UnknownPool { pool })?;
        if let Some(registered) = known
            && registered != *vrf
        {
            return Err(NoLeader::OtherVrfKey {
                pool,
                registered,
                used: *vrf,
            });
        }
        if let Some(margin) = estimate.and_then(|estimate| estimate.leads(value)) {
            return Ok(Lead { stake, margin });
        }
        let threshold = Threshold::new(stake, &self.slots);
        if threshold.leads(value) {
            let margin = threshold.margin(value);
            return Ok(Lead { stake, margin });
        }
        Err(NoLeader::ValueTooLarge(Box::new(ValueTooLarge {
            pool,
            stake,
            value: *value,
            last: threshold.last_like(value),
        })))
    }
}
