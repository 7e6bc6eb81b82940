//! What callers of an audit pass, in Klero's types.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use klero_audit::Check;
use klero_cardano::{Era, EraStarts, Network};
use klero_leader::{Distribution, stake_table};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{AuditError, TableError};

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

/// The stake in a CSV table, if one is given.
pub fn stake(
    file: Option<&Path>,
    epoch: Option<u64>,
    offset: u64,
) -> PyResult<Option<BTreeMap<u64, Distribution>>> {
    /// The longest table, in bytes. Each epoch of mainnet has some 300 kB.
    const LONGEST: u64 = 1 << 30;
    let refused = |fault: String| TableError::new_err(format!("stake: {fault}"));
    match file {
        Some(file) => {
            let csv = klero_support::read_text(file, LONGEST);
            let csv = csv.map_err(|error| refused(error.to_string()))?;
            let stake = stake_table(&csv, epoch, offset);
            stake.map(Some).map_err(|error| refused(error.to_string()))
        }
        None if epoch.is_some() => Err(PyValueError::new_err(
            "stake_epoch belongs to stake: expected that, too",
        )),
        None => Ok(None),
    }
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

/// The exception of an audit that cannot start.
pub fn failed(error: impl std::error::Error) -> PyErr {
    AuditError::new_err(error.to_string())
}
