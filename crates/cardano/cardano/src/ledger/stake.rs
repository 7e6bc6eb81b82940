//! Stake by pool: the three snapshots, and the distribution that decides who may lead.
//!
//! Sources, in cardano-ledger: `Cardano/Ledger/State/SnapShots.hs` (`SnapShots`, `SnapShot`,
//! `StakePoolSnapShot`, `calculatePoolDistr`), `State/Stake.hs` (`StakeWithDelegation`),
//! `State/PoolDistr.hs` (`PoolDistr`, `IndividualPoolStake`), `PoolParams.hs`, `Credential.hs`, and
//! `Binary/Encoding/Encoder.hs` (`encodeRatio`).

use std::collections::BTreeMap;
use std::io::BufRead;

use klero_leader::{Distribution, PoolId, VrfKeyHash};
use pallas_crypto::hash::Hash;

use crate::chain::era::Era;
use crate::ledger::cbor::Items;
use crate::ledger::error::LedgerError;

/// The stake and the VRF key hash of each pool, and the total stake of all delegators. A pool without
/// delegators has `None`.
pub(super) type Amounts = (BTreeMap<Hash<28>, Option<(u64, Hash<32>)>>, u64);

/// A stake credential as a pair: 0 for a script or 1 for a key, and the hash. It sorts as in the ledger.
type Credential = (u8, Hash<28>);

/// Reads `SnapShots`: mark, set, go, and fees. Returns only mark.
pub(super) fn mark_snapshot<R: BufRead>(
    items: &mut Items<R>,
    era: Era,
) -> Result<Amounts, LedgerError> {
    items.part = "the snapshots";
    items.list(4, "list")?;
    let mut next = |part| {
        items.part = part;
        snapshot(items, era)
    };
    let mark = next("the mark snapshot")?;
    let _set = next("the set snapshot")?;
    next("the go snapshot")?;
    items.part = "the snapshots";
    items.number("fees")?;
    Ok(mark)
}

/// Reads a `SnapShot`.
fn snapshot<R: BufRead>(items: &mut Items<R>, era: Era) -> Result<Amounts, LedgerError> {
    match items.list_as(|layout| layout.snapshot, "list")? {
        2 => with_pools(items, era),
        _ => with_delegations(items),
    }
}

/// Reads `[stake by delegator, pool by delegator, parameters by pool]`.
fn with_delegations<R: BufRead>(items: &mut Items<R>) -> Result<Amounts, LedgerError> {
    let (stake, total) = delegators(items)?;
    let mut delegated: BTreeMap<Hash<28>, u64> = BTreeMap::new();
    items.map("delegations", |items| {
        let delegator = credential(items, "delegator")?;
        let pool = delegated
            .entry(items.hash("pool of a delegator")?)
            .or_default();
        if let Ok(at) = stake.binary_search_by(|(other, _)| other.cmp(&delegator)) {
            add(items, pool, stake[at].1)?;
        }
        Ok(())
    })?;
    let pools = items.by_hash("pools", |items, pool| {
        let fields = items.list_as(|layout| layout.pool, "parameters of a pool")?;
        let at = items.position();
        let again = items.hash("pool in its parameters")?;
        if again != pool {
            let expected = format!("pool {pool}, as its key");
            return items.unexpected(at, "pool in its parameters", expected, again.to_string());
        }
        let vrf = items.hash("VRF key hash of a pool")?;
        items.skip_all(fields - 2, "parameters of a pool")?;
        let stake = delegated.get(&pool).copied();
        Ok(stake.map(|stake| (stake, vrf)))
    })?;
    Ok((pools, total))
}

/// Reads the stake of each delegator. Returns the pairs, sorted by delegator, and the sum of the stakes.
fn delegators<R: BufRead>(
    items: &mut Items<R>,
) -> Result<(Vec<(Credential, u64)>, u64), LedgerError> {
    let (mut stake, mut total) = (Vec::new(), 0);
    let at = items.position();
    items.map("stake", |items| {
        let delegator = credential(items, "delegator")?;
        let lovelace = items.number("stake of a delegator")?;
        stake.push((delegator, lovelace));
        add(items, &mut total, lovelace)
    })?;
    if !stake.is_sorted() {
        stake.sort_unstable();
    }
    match stake.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            let found = format!("{} twice", pair[0].0.1);
            items.unexpected(at, "stake", "each delegator once", found)
        }
        None => Ok((stake, total)),
    }
}

/// Reads `[stake and pool by delegator, fields by pool]`.
fn with_pools<R: BufRead>(items: &mut Items<R>, era: Era) -> Result<Amounts, LedgerError> {
    let mut total = 0;
    items.map("active stake", |items| {
        credential(items, "delegator")?;
        items.list(2, "stake and pool of a delegator")?;
        let lovelace = items.number("stake of a delegator")?;
        items.hash::<28>("pool of a delegator")?;
        add(items, &mut total, lovelace)
    })?;
    let pools = items.by_hash("pools", |items, _| {
        let fields = items.list_as(|layout| layout.pool, "fields of a pool")?;
        let stake = items.number("stake of a pool")?;
        let at = items.position();
        let share = ratio(items, era)?;
        check_share(items, at, share, stake, total.max(1))?;
        items.skip("owners of a pool")?;
        items.number("stake of a pool's owners")?;
        let vrf = items.hash("VRF key hash of a pool")?;
        items.skip_all(3, "pledge, cost and margin of a pool")?;
        let delegators = items.number("number of a pool's delegators")?;
        items.skip_all(fields - 9, "account of a pool")?;
        Ok((delegators > 0).then_some((stake, vrf)))
    })?;
    Ok((pools, total))
}

/// Reads `PoolDistr`, the distribution that decides who may lead in the epoch of the state.
pub(super) fn pool_distribution<R: BufRead>(
    items: &mut Items<R>,
    era: Era,
) -> Result<Amounts, LedgerError> {
    items.part = "the pool distribution";
    // Up to cardano-ledger-core 1.12, the distribution was only a map, without the total.
    items.list(2, "list")?;
    let mut shares = Vec::new();
    let pools = items.by_hash("pools", |items, _| {
        items.list(3, "fields of a pool")?;
        let at = items.position();
        let share = ratio(items, era)?;
        let stake = items.number("stake of a pool")?;
        let vrf = items.hash("VRF key hash of a pool")?;
        shares.push((at, share, stake));
        Ok(Some((stake, vrf)))
    })?;
    let total = items.number("total")?;
    for (at, share, stake) in shares {
        check_share(items, at, share, stake, total)?;
    }
    Ok((pools, total))
}

/// Checks the share that is stored beside a stake. The share must be the stake divided by the total.
fn check_share<R: BufRead>(
    items: &Items<R>,
    at: u64,
    (numerator, denominator): (u64, u64),
    stake: u64,
    total: u64,
) -> Result<(), LedgerError> {
    let product = |a, b| u128::from(a) * u128::from(b);
    if denominator > 0 && product(numerator, total) == product(stake, denominator) {
        return Ok(());
    }
    let expected = format!("{stake} of {total}, as the stakes say");
    items.unexpected(
        at,
        "share of a pool",
        expected,
        format!("{numerator}/{denominator}"),
    )
}

/// Reads a rational number. A tag precedes it since version 9 of the encoding, the version that Conway uses.
fn ratio<R: BufRead>(items: &mut Items<R>, era: Era) -> Result<(u64, u64), LedgerError> {
    if era >= Era::Conway {
        items.tag(30, "share of a pool")?;
    }
    items.list(2, "share of a pool")?;
    let numerator = items.number("share of a pool")?;
    Ok((numerator, items.number("share of a pool")?))
}

fn credential<R: BufRead>(items: &mut Items<R>, what: &str) -> Result<Credential, LedgerError> {
    items.list(2, what)?;
    let at = items.position();
    match items.number(what)? {
        kind @ 0..=1 => Ok((1 - kind as u8, items.hash(what)?)),
        other => items.unexpected(
            at,
            what,
            "0 (a key) or 1 (a script)",
            format!("the number {other}"),
        ),
    }
}

fn add<R: BufRead>(items: &Items<R>, sum: &mut u64, stake: u64) -> Result<(), LedgerError> {
    match sum.checked_add(stake) {
        Some(more) => {
            *sum = more;
            Ok(())
        }
        None => items.unexpected(
            items.position(),
            "stake",
            "a sum below 2^64",
            "more lovelace",
        ),
    }
}

/// The stake that decides who may lead in an epoch, with the total that the ledger uses.
pub(super) fn distribution(
    epoch: u64,
    (pools, total): Amounts,
) -> Result<Distribution, LedgerError> {
    let build = || {
        let mut builder = Distribution::builder();
        // The total is a divisor. So it is at least 1 here, as in the ledger.
        builder.total(total.max(1));
        for (pool, of) in pools {
            if let Some((stake, vrf)) = of {
                builder.pool(PoolId::new(*pool), stake, Some(VrfKeyHash::new(*vrf)))?;
            }
        }
        builder.build()
    };
    build().map_err(|error| LedgerError::Stake { epoch, error })
}
