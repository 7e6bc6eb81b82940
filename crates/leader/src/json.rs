//! What `cardano-cli` prints of stake, as JSON.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use num_integer::Integer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use crate::distribution::{BadDistribution, Distribution};
use crate::pool::PoolId;
use crate::stake::{BadStake, Stake};

/// Which of the three snapshots in the answer to `query stake-snapshot`: each decides in another epoch.
///
/// ```
/// use klero_leader::{Snapshot, stake_snapshot};
/// let json = r#"{
///   "pools": { "07070707070707070707070707070707070707070707070707070707":
///     { "stakeMark": 30, "stakeSet": 20, "stakeGo": 10 } },
///   "total": { "stakeMark": 300, "stakeSet": 200, "stakeGo": 100 } }"#;
/// assert_eq!(stake_snapshot(json, Snapshot::Mark)?.total(), 300);
/// # Ok::<(), klero_leader::BadJson>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Snapshot {
    /// Decides in the epoch after the one in which the node was asked.
    Mark,
    /// Decides in the epoch in which the node was asked.
    Set,
    /// Decided in the epoch before.
    Go,
}

/// JSON that is no answer of `cardano-cli` on stake.
///
/// ```
/// let error = klero_leader::stake_distribution("{").unwrap_err();
/// assert_eq!(error.to_string(), "EOF while parsing an object at line 1 column 1");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadJson {
    /// It has another shape. The message names line and column.
    #[error(transparent)]
    Shape(#[from] serde_json::Error),
    /// The amounts are no distribution.
    #[error(transparent)]
    Distribution(#[from] BadDistribution),
    /// A fraction is above 1, or has no denominator.
    #[error("pool {pool}: numerator and denominator are no share of stake: {reason}")]
    Fraction {
        /// The pool.
        pool: PoolId,
        /// What is wrong with it.
        reason: BadStake,
    },
    /// Fractions of one amount in lovelace have a common denominator that fits 64 bits.
    #[error(
        "pool {pool}: its denominator has none in common with those before it that is below 2^64"
    )]
    NoCommonDenominator {
        /// The pool.
        pool: PoolId,
    },
}

/// Reads the answer to `cardano-cli query stake-snapshot --all-stake-pools`: lovelace of each pool, and the
/// ledger's total. It has no VRF keys.
///
/// ```
/// use klero_leader::{PoolId, Snapshot, stake_snapshot};
/// let json = r#"{
///   "pools": { "07070707070707070707070707070707070707070707070707070707":
///     { "stakeMark": 30, "stakeSet": 20, "stakeGo": 10 } },
///   "total": { "stakeMark": 300, "stakeSet": 200, "stakeGo": 100 } }"#;
/// let distribution = stake_snapshot(json, Snapshot::Set)?;
/// assert_eq!(distribution.pool(&PoolId::new([7; 28])).unwrap().stake.pool(), 20);
/// # Ok::<(), klero_leader::BadJson>(())
/// ```
pub fn stake_snapshot(json: &str, snapshot: Snapshot) -> Result<Distribution, BadJson> {
    let answer: StakeSnapshot = serde_json::from_str(json)?;
    let mut builder = Distribution::builder();
    for (pool, amounts) in answer.pools.0 {
        builder.pool(pool, amounts.of(snapshot), None)?;
    }
    builder.total(answer.total.of(snapshot));
    Ok(builder.build()?)
}

/// Reads the answer to `cardano-cli query stake-distribution`: the fraction of each pool. It has no VRF
/// keys.
///
/// **This is the stake of the moment, and no snapshot** (`poolsByTotalStakeFraction` of
/// `Cardano.Ledger.Shelley.API.Wallet`): asked at the end of epoch e, it is the stake that decides in
/// e + 2. [`stake_snapshot`] has what decides in the epoch itself.
///
/// The fractions are of all ada in circulation, while σ is of the active stake. So each is divided by
/// their sum, exactly: the result counts in units of their common denominator rather than in lovelace,
/// and its total is the sum, which may be slightly below the ledger's.
///
/// A fraction is an object with `numerator` and `denominator`, as the command prints it. A decimal
/// number is refused: it has lost digits that decide.
///
/// ```
/// use klero_leader::{PoolId, TotalSource, stake_distribution};
/// let json = r#"{
///   "07070707070707070707070707070707070707070707070707070707":
///     { "numerator": 1, "denominator": 4 },
///   "08080808080808080808080808080808080808080808080808080808":
///     { "numerator": 1, "denominator": 6 } }"#;
/// let distribution = stake_distribution(json)?;
/// let stake = distribution.pool(&PoolId::new([7; 28])).unwrap().stake;
/// assert_eq!((stake.pool(), stake.total()), (3, 5));
/// assert_eq!(distribution.total_source(), TotalSource::Sum);
/// # Ok::<(), klero_leader::BadJson>(())
/// ```
pub fn stake_distribution(json: &str) -> Result<Distribution, BadJson> {
    let fractions: Pools<Fraction> = serde_json::from_str(json)?;
    let mut common = 1u64;
    for (
        pool,
        Fraction {
            numerator,
            denominator,
        },
    ) in &fractions.0
    {
        let pool = *pool;
        Stake::new(*numerator, *denominator)
            .map_err(|reason| BadJson::Fraction { pool, reason })?;
        common = (denominator / common.gcd(denominator))
            .checked_mul(common)
            .ok_or(BadJson::NoCommonDenominator { pool })?;
    }
    let mut builder = Distribution::builder();
    for (
        pool,
        Fraction {
            numerator,
            denominator,
        },
    ) in fractions.0
    {
        // No overflow: the numerator is at most the denominator.
        builder.pool(pool, numerator * (common / denominator), None)?;
    }
    Ok(builder.build()?)
}

#[derive(serde::Deserialize)]
struct StakeSnapshot {
    pools: Pools<Amounts>,
    total: Amounts,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Amounts {
    stake_mark: u64,
    stake_set: u64,
    stake_go: u64,
}

impl Amounts {
    fn of(&self, snapshot: Snapshot) -> u64 {
        match snapshot {
            Snapshot::Mark => self.stake_mark,
            Snapshot::Set => self.stake_set,
            Snapshot::Go => self.stake_go,
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(expecting = "an object with numerator and denominator (a decimal number has lost digits)")]
struct Fraction {
    numerator: u64,
    denominator: u64,
}

/// An object whose keys are pools: in order and with repetitions, which a map would hide.
struct Pools<T>(Vec<(PoolId, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pools<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pools<T>, D::Error> {
        deserializer.deserialize_map(PoolsVisitor(PhantomData))
    }
}

struct PoolsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PoolsVisitor<T> {
    type Value = Pools<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a field for each pool")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pools<T>, A::Error> {
        let mut pools = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            pools.push((name.parse().map_err(Error::custom)?, map.next_value()?));
        }
        Ok(Pools(pools))
    }
}
