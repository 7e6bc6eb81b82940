//! Stake from the JSON that `cardano-cli query stake-snapshot` prints.
//!
//! To support another format of stake, write a function like [`stake_snapshot`] for JSON, or like
//! `stake_table` for text. Export it in `lib.rs`, and test it in `tests/json.rs`. Also extend
//! `chain/stake.rs` of the crate `cli`, which opens the files.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use crate::distribution::Distribution;
use crate::error::BadInput;
use crate::pool::PoolId;

/// Reads the answer to `cardano-cli query stake-snapshot --all-stake-pools`. Returns the lovelace of each
/// pool and the ledger's total, by epoch. The answer has no VRF keys.
///
/// `epoch` is the epoch in which the node was asked. The snapshot "set" decides in that epoch, and "mark" in
/// the next epoch. The snapshot "go" decided in the epoch before. Snapshots without stake are left out,
/// because the older snapshots of a young network are still empty.
///
/// # Errors
/// Returns an error for the answer to another query (the message gives the query to use instead), for text of
/// another form (the message gives line and column), and for amounts that contradict each other.
///
/// ```
/// use klero_leader::{PoolId, stake_snapshot};
/// let json = r#"{
///   "pools": { "07070707070707070707070707070707070707070707070707070707":
///     { "stakeMark": 30, "stakeSet": 20, "stakeGo": 10 } },
///   "total": { "stakeMark": 300, "stakeSet": 200, "stakeGo": 100 } }"#;
/// let stake = stake_snapshot(json, 250)?;
/// assert_eq!(stake[&250].pool(&PoolId::new([7; 28])).unwrap().stake.pool(), 20);
/// assert_eq!(stake[&251].total(), 300);
/// # Ok::<(), klero_leader::BadInput>(())
/// ```
pub fn stake_snapshot(json: &str, epoch: u64) -> Result<BTreeMap<u64, Distribution>, BadInput> {
    let answer: StakeSnapshot = serde_json::from_str(json).map_err(|error| {
        BadInput(another(json).map_or_else(
            || format!("{error}; expected what `cardano-cli query stake-snapshot` prints"),
            ToString::to_string,
        ))
    })?;
    let snapshot = |amount_of: fn(&Amounts) -> u64| {
        let mut builder = Distribution::builder();
        for (pool, amounts) in &answer.pools.0 {
            builder.pool(*pool, amount_of(amounts), None)?;
        }
        let total = amount_of(&answer.total);
        builder.total(total);
        (total > 0).then(|| builder.build()).transpose()
    };
    let snapshots = [
        (epoch.checked_sub(1), snapshot(|amounts| amounts.stake_go)?),
        (Some(epoch), snapshot(|amounts| amounts.stake_set)?),
        (
            epoch.checked_add(1),
            snapshot(|amounts| amounts.stake_mark)?,
        ),
    ];
    let decide = snapshots.into_iter();
    Ok(decide
        .filter_map(|(epoch, stake)| Some((epoch?, stake?)))
        .collect())
}

/// Recognizes the form of a text that is not a stake snapshot. Returns a message that gives the form and the
/// input to use instead; `None` if the form is not known.
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

/// An object whose keys are pools. It keeps their order and repetitions, which a map would hide.
struct Pools(Vec<(PoolId, Amounts)>);

impl<'de> Deserialize<'de> for Pools {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pools, D::Error> {
        deserializer.deserialize_map(Pools(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Pools {
    type Value = Pools;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a field for each pool")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Pools, A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            self.0
                .push((name.parse().map_err(Error::custom)?, map.next_value()?));
        }
        Ok(self)
    }
}
