//! The judge of headers: it decides who may lead in an epoch.

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

/// The pools of an epoch with their thresholds, which judge headers from any number of threads.
///
/// It knows no slots. In the slots of TPraos that are reserved for genesis delegates, there is no
/// threshold, and the caller must not ask.
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

/// The stake and the margin with which a header leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The stake of the pool.
    pub stake: Stake,
    /// The leader value divided by the last one that leads ([`Threshold::margin`]).
    pub margin: f64,
}

/// The reason why the issuer of a header does not lead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLeader {
    /// The distribution has no such pool.
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
        /// The key's hash in the distribution.
        registered: VrfKeyHash,
        /// The hash of the key in the header.
        used: VrfKeyHash,
    },
    /// The leader value is not below the threshold.
    #[error("{0}")]
    ValueTooLarge(Box<ValueTooLarge>),
}

/// A leader value that does not lead, with the pool, its stake and the last value that leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueTooLarge {
    /// The issuer.
    pub pool: PoolId,
    /// The pool's stake, and the total.
    pub stake: Stake,
    /// The leader value.
    pub value: LeaderValue,
    /// The last leader value with which the pool leads; `None` if it does not lead with any.
    pub last: Option<LeaderValue>,
}

impl ValueTooLarge {
    /// The leader value divided by the last one that leads: above 1 ([`Threshold::margin`]).
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
    /// Estimates the thresholds of all pools, each in less than a microsecond. The estimate decides
    /// almost every honest value; the exact threshold is computed only for others.
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

    /// Judges a header by its issuer, the hash of its VRF key, and its leader value, in the order of the
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
