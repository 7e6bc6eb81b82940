//! What callers of an audit pass, in Klero's types.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use klero_arrow::{Rows, StakeColumns, StakeTable};
use klero_audit::{Check, ExpectedBlock};
use klero_cardano::{Era, EraStarts, Hash, Network, Nonce};
use klero_leader::Distribution;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{AuditError, TableError};
use crate::stream::Input;

/// The network: named, made from its genesis file, or found by the files of the database at `path`.
pub fn network(
    path: &Path,
    network: Option<&str>,
    shelley_genesis: Option<PathBuf>,
    era_starts: Option<HashMap<String, u64>>,
    byron_k: Option<u64>,
) -> PyResult<Network> {
    match (network, shelley_genesis) {
        (Some(_), Some(_)) => Err(PyValueError::new_err(
            "network and shelley_genesis were given: expected one of them",
        )),
        (Some(name), None) => Network::by_name(name).ok_or_else(|| {
            PyValueError::new_err(format!(
                "network {name:?}: expected mainnet, preprod or preview; any other needs \
                 shelley_genesis"
            ))
        }),
        (None, Some(file)) => {
            let starts = starts(era_starts.unwrap_or_default(), byron_k)?;
            Network::read_shelley_genesis("custom", &file, starts).map_err(failed)
        }
        (None, None) => Network::detect(path).map_err(failed),
    }
}

/// Sets the share of delegates in epochs, from its texts.
pub fn decentralize(network: &mut Network, shares: BTreeMap<u64, String>) -> PyResult<()> {
    for (epoch, d) in shares {
        let d = d
            .parse()
            .map_err(|error| PyValueError::new_err(format!("decentralization: {error}")))?;
        network.set_decentralization(epoch, d);
    }
    Ok(())
}

/// The stake in a table, if one is given.
pub fn stake(
    table: Option<&Bound<'_, PyAny>>,
    names: Option<BTreeMap<String, String>>,
    epoch: Option<u64>,
    offset: u64,
) -> PyResult<Option<BTreeMap<u64, Distribution>>> {
    match table {
        Some(table) => stake_of(table, stake_tables(names, epoch, offset)?).map(Some),
        None if names.is_some() || epoch.is_some() => Err(PyValueError::new_err(
            "stake_columns and stake_epoch belong to stake: expected that, too",
        )),
        None => Ok(None),
    }
}

/// How stake is read.
fn stake_tables(
    names: Option<BTreeMap<String, String>>,
    epoch: Option<u64>,
    offset: u64,
) -> PyResult<StakeTable> {
    let mut columns = StakeColumns::default();
    for (role, name) in names.unwrap_or_default() {
        *match role.as_str() {
            "epoch" => &mut columns.epoch,
            "pool" => &mut columns.pool,
            "stake" => &mut columns.stake,
            "vrf" => &mut columns.vrf,
            "total" => &mut columns.total,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "stake_columns: {role:?}: expected some of epoch, pool, stake, vrf, total"
                )));
            }
        } = name;
    }
    let tables = StakeTable::new().columns(columns).offset(offset);
    Ok(match epoch {
        Some(epoch) => tables.epoch(epoch),
        None => tables,
    })
}

fn stake_of(
    table: &Bound<'_, PyAny>,
    mut tables: StakeTable,
) -> PyResult<BTreeMap<u64, Distribution>> {
    let refused = |fault: String| TableError::new_err(format!("stake: {fault}"));
    let mut first_row = 1;
    for batch in Input::of(table)?.batches {
        let batch = batch.map_err(|error| refused(error.to_string()))?;
        let rows = batch.num_rows() as u64;
        let batch = Rows {
            first_row,
            ..Rows::from(batch)
        };
        first_row += rows;
        let added = tables.add(batch);
        added.map_err(|error| refused(error.to_string()))?;
    }
    tables.finish().map_err(|error| refused(error.to_string()))
}

/// A block that the chain must have.
pub fn expected((slot, hash): (u64, [u8; 32])) -> ExpectedBlock {
    let hash = Hash::new(hash);
    ExpectedBlock { slot, hash }
}

/// The checks of these names.
pub fn checks(names: &[String]) -> PyResult<Vec<Check>> {
    let check = |name: &String| {
        Check::from_name(name).ok_or_else(|| {
            let known = Check::ALL.map(Check::name).join(", ");
            PyValueError::new_err(format!("only: {name:?}: expected some of {known}"))
        })
    };
    names.iter().map(check).collect()
}

/// Where eras begin, and k of Byron.
fn starts(eras: HashMap<String, u64>, byron_k: Option<u64>) -> PyResult<EraStarts> {
    let mut starts = EraStarts {
        byron_k,
        ..EraStarts::default()
    };
    for (name, epoch) in eras {
        let mut known = Era::ALL.into_iter().filter(|era| *era != Era::Byron);
        let era = known.find(|era| era.name().eq_ignore_ascii_case(&name));
        let era = era.ok_or_else(|| {
            PyValueError::new_err(format!(
                "era_starts: {name:?} is not one of shelley, allegra, mary, alonzo, babbage, conway, \
                 dijkstra"
            ))
        })?;
        starts.set(era, epoch);
    }
    Ok(starts)
}

/// Nonces from their texts.
pub fn nonces(texts: BTreeMap<u64, String>) -> PyResult<BTreeMap<u64, Nonce>> {
    let nonces = texts.into_iter().map(|(epoch, text)| {
        let nonce = text.parse::<Nonce>();
        let nonce =
            nonce.map_err(|error| PyValueError::new_err(format!("epoch_nonces {epoch}: {error}")));
        Ok((epoch, nonce?))
    });
    nonces.collect()
}

/// The exception of an audit that cannot start.
pub fn failed(error: impl std::error::Error) -> PyErr {
    AuditError::new_err(error.to_string())
}
