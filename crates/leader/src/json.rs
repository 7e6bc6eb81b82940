//! What `cardano-cli query stake-snapshot` prints, as JSON.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use crate::distribution::Distribution;
use crate::pool::PoolId;
use crate::stake::BadStake;

/// One of the three snapshots in the answer to `query stake-snapshot`: each decides in another epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Snapshot {
    /// Decides in the epoch after the one in which the node was asked.
    Mark,
    /// Decides in the epoch in which the node was asked.
    Set,
    /// Decided in the epoch before.
    Go,
}

/// Text that is no answer to `cardano-cli query stake-snapshot`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadJson {
    /// It is something else, and what to ask for.
    #[error("{0}")]
    Another(&'static str),
    /// It has another shape. The message names line and column.
    #[error("{0}; expected what `cardano-cli query stake-snapshot` prints")]
    Shape(serde_json::Error),
    /// The amounts are no distribution.
    #[error(transparent)]
    Distribution(#[from] BadStake),
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
    let answer: StakeSnapshot = serde_json::from_str(json)
        .map_err(|error| another(json).map_or(BadJson::Shape(error), BadJson::Another))?;
    let mut builder = Distribution::builder();
    for (pool, amounts) in answer.pools.0 {
        builder.pool(pool, amounts.of(snapshot), None)?;
    }
    builder.total(answer.total.of(snapshot));
    Ok(builder.build()?)
}

/// Names a text that is no stake snapshot, if it is known, and says what to ask for.
fn another(text: &str) -> Option<&'static str> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        let is_json = text.trim_start().starts_with(['{', '[']);
        return (!is_json && text.contains(':')).then_some("this is YAML: ask with --output-json");
    };
    let has = |name| value.get(name).is_some();
    match &value {
        _ if has("activeStakeSet") || has("poolStakeSet") => Some(
            "this is the form of cardano-cli before cardano-node#4279, which names no pool: ask with \
             a newer one",
        ),
        _ if value.is_array() || has("stake_distribution") || has("signers") => Some(
            "this is a stake distribution as Mithril lists it: expected a CSV table, or what \
             `cardano-cli query stake-snapshot --all-stake-pools` prints",
        ),
        Value::Object(fields) if fields.keys().any(|name| name.parse::<PoolId>().is_ok()) => Some(
            "this is the answer to `query stake-distribution`, whose fractions are not exact: ask \
             with `cardano-cli query stake-snapshot --all-stake-pools`",
        ),
        _ => None,
    }
}

#[derive(serde::Deserialize)]
struct StakeSnapshot {
    pools: Pools,
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

/// An object whose keys are pools: in order and with repetitions, which a map would hide.
struct Pools(Vec<(PoolId, Amounts)>);

impl<'de> Deserialize<'de> for Pools {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pools, D::Error> {
        deserializer.deserialize_map(PoolsVisitor)
    }
}

struct PoolsVisitor;

impl<'de> Visitor<'de> for PoolsVisitor {
    type Value = Pools;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a field for each pool")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pools, A::Error> {
        let mut pools = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            pools.push((name.parse().map_err(Error::custom)?, map.next_value()?));
        }
        Ok(Pools(pools))
    }
}
