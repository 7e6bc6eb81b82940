//! The CRC-32 that a node writes beside a state.
//!
//! Sources, in ouroboros-consensus: `Storage/LedgerDB/Snapshots.hs` (`snapshotToChecksumPath`,
//! `SnapshotMetadata`), `V1/Snapshots.hs` and `V2/InMemory.hs` in the same directory (`implTakeSnapshot`),
//! and `Util/CRC.hs` (`readCRC`, `crcOfConcat`).

use std::ffi::OsString;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use klero_support::ReadError;
use serde::Deserialize;

use crate::ledger::error::LedgerError;
use crate::limits::{CHECKSUM_FILE, READ};

/// The result of comparing a ledger state with the CRC-32 that the node wrote beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// The bytes have the CRC-32 that the node wrote.
    Right,
    /// There is no CRC-32, or it was written by the backend LMDB or LSM. It is not known which bytes the
    /// CRC-32 of these backends covers.
    NotChecked,
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "right",
            Self::NotChecked => "not checked",
        })
    }
}

/// The content of the file `meta`.
#[derive(Deserialize)]
struct Meta {
    backend: Backend,
    checksum: u32,
}

#[derive(Deserialize)]
enum Backend {
    #[serde(rename = "utxohd-mem")]
    Memory,
    #[serde(rename = "utxohd-lmdb", alias = "utxohd-lsm")]
    Disk,
}

/// Compares the CRC-32 of a state with the CRC-32s in the files `SLOT.checksum` (node 10.2 and 10.3),
/// `SLOT/checksum` and `SLOT/meta` (since node 10.4).
pub(super) fn compare(state: &Path) -> Result<Checksum, LedgerError> {
    let mut named = OsString::from(state);
    named.push(".checksum");
    let mut files = vec![digits(named.into())?];
    let mut in_meta = None;
    if state.file_name().is_some_and(|name| name == "state") {
        files.push(digits(state.with_file_name("checksum"))?);
        in_meta = meta(state.with_file_name("meta"))?;
    }
    let files: Vec<_> = files.into_iter().flatten().collect();
    if files.is_empty() && in_meta.is_none() {
        return Ok(Checksum::NotChecked);
    }
    let of_state = crc(state)?;
    for (file, expected) in files {
        equal(of_state, expected, file)?;
    }
    // The CRC-32 in `meta` covers either the state alone (backend `V1`) or the state and the tables.
    if let Some((file, expected)) = in_meta.filter(|(_, expected)| *expected != of_state) {
        equal(with_tables(state, of_state, &file)?, expected, file)?;
    }
    Ok(Checksum::Right)
}

/// Reads the CRC-32 from a file of eight hexadecimal digits, if the file exists.
fn digits(file: PathBuf) -> Result<Option<(PathBuf, u32)>, LedgerError> {
    let Some(text) = read(&file)? else {
        return Ok(None);
    };
    let mut expected = [0; 4];
    hex::decode_to_slice(text.trim_ascii_end(), &mut expected)
        .map_err(|_| unknown(&file, "expected 8 hexadecimal digits"))?;
    Ok(Some((file, u32::from_be_bytes(expected))))
}

/// Reads the CRC-32 from a file `meta`, if the file exists and its backend keeps unspent outputs in memory.
/// For other backends, it is not known which bytes the CRC-32 covers.
fn meta(file: PathBuf) -> Result<Option<(PathBuf, u32)>, LedgerError> {
    let Some(text) = read(&file)? else {
        return Ok(None);
    };
    let meta: Meta = serde_json::from_slice(&text).map_err(|error| unknown(&file, error))?;
    Ok(match meta.backend {
        Backend::Memory => Some((file, meta.checksum)),
        Backend::Disk => None,
    })
}

/// Combines the CRC-32 of the state with the CRC-32 of the tables beside it. Returns the CRC-32 of a text
/// that consists of the two CRC-32s in decimal, one after the other.
fn with_tables(state: &Path, of_state: u32, meta: &Path) -> Result<u32, LedgerError> {
    let mut tables = state.with_file_name("tables");
    if tables.is_dir() {
        // Up to node 10.6, `tables` is a directory.
        tables.push("tvar");
    }
    let missing = |error| {
        unknown(
            meta,
            format_args!("it covers the tables, which belong beside it: {error}"),
        )
    };
    let of_tables = crc(&tables).map_err(missing)?;
    Ok(crc32fast::hash(format!("{of_state}{of_tables}").as_bytes()))
}

fn equal(found: u32, expected: u32, file: PathBuf) -> Result<(), LedgerError> {
    match found == expected {
        true => Ok(()),
        false => Err(LedgerError::Checksum {
            found,
            expected,
            file,
        }),
    }
}

fn unknown(file: &Path, reason: impl ToString) -> LedgerError {
    let (file, reason) = (file.to_owned(), reason.to_string());
    LedgerError::UnknownChecksum { file, reason }
}

/// The bytes of a file; `None` if there is no such file.
fn read(file: &Path) -> Result<Option<Vec<u8>>, ReadError> {
    match klero_support::read(file, CHECKSUM_FILE) {
        Err(error) if error.is_not_found() => Ok(None),
        read => read.map(Some),
    }
}

fn crc(path: &Path) -> Result<u32, ReadError> {
    let (mut file, _) = klero_support::open(path)?;
    let (mut crc, mut bytes) = (crc32fast::Hasher::new(), vec![0; READ as usize]);
    loop {
        match file.read(&mut bytes) {
            Ok(0) => return Ok(crc.finalize()),
            Ok(n) => crc.update(&bytes[..n]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ReadError::new(path, error)),
        }
    }
}
