//! The layout of the ledger states that node 11.1 writes when it is set to keep transaction outputs in memory
//! (ouroboros-consensus 4.1.0.0, cardano-ledger-core 1.21).

use std::convert::Infallible;
use std::fs;
use std::path::Path;

use klero_cardano::{Era, Nonce};
use klero_leader::Distribution;
use pallas_codec::minicbor::Encoder;
use pallas_codec::minicbor::data::Tag;
use pallas_codec::minicbor::encode::Error;

use crate::error::ForgeError;
use crate::ledger::{Delegator, Snapshot, State};

/// Parts of the states `ouroboros-consensus-cardano/golden/cardano/disk/ExtLedgerState_Babbage` and `_Conway`
/// of ouroboros-consensus (Apache-2.0): the certificates, deposits, governance and protocol parameters of a
/// young chain. One output was moved to `TABLES`, because nodes keep outputs in the file `tables`.
const BABBAGE: &[u8] = include_bytes!("babbage.cbor");
const CONWAY: &[u8] = include_bytes!("conway.cbor");
const TABLES: &[u8] = include_bytes!("tables.cbor");

/// The maximum number of entries in a map of definite length (`variableMapLenEncoding`).
const LONGEST_MAP: usize = 23;

type Writer = Encoder<Vec<u8>>;

type Result = core::result::Result<(), Error<Infallible>>;

impl State {
    /// The bytes of the file `state`.
    pub fn write(&self) -> Vec<u8> {
        let mut to = Encoder::new(Vec::new());
        self.encode(&mut to).expect("memory takes every write");
        to.into_writer()
    }

    /// Creates a directory and writes the files `state`, `tables` and `meta` into it.
    ///
    /// # Errors
    /// [`ForgeError::Io`].
    pub fn save(&self, dir: &Path) -> core::result::Result<(), ForgeError> {
        fs::create_dir_all(dir).map_err(|error| ForgeError::io(dir, error))?;
        let state = self.write();
        let both = [&state, TABLES].map(|bytes| crc32fast::hash(bytes).to_string());
        let checksum = crc32fast::hash(both.concat().as_bytes());
        let meta =
            format!(r#"{{"backend":"utxohd-mem","checksum":{checksum},"tablesCodecVersion":1}}"#);
        for (name, bytes) in [
            ("state", &state[..]),
            ("tables", TABLES),
            ("meta", meta.as_bytes()),
        ] {
            let path = dir.join(name);
            fs::write(&path, bytes).map_err(|error| ForgeError::io(&path, error))?;
        }
        Ok(())
    }

    fn encode(&self, to: &mut Writer) -> Result {
        let last = &self.last;
        to.array(2)?.u8(1)?.array(2)?;
        self.eras(to)?;
        to.array(2)?.u8(2)?.array(4)?.array(1)?.array(3)?;
        to.u64(last.slot)?.u64(last.number)?.bytes(&last.hash[..])?;
        self.new_epoch_state(to)?;
        // The number of blocks since voting ended (made up), and an empty list for no round of Peras.
        to.u32(2649)?.array(0)?;
        to.array(2)?.array(1)?.array(2)?.u8(last.era as u8)?;
        to.array(3)?.u64(last.slot)?.bytes(&last.hash[..])?;
        to.u64(last.number)?;
        self.eras(to)?;
        to.array(2)?.u8(0)?.array(8)?;
        to.array(2)?.u8(1)?.u64(last.slot)?;
        to.map(self.counters.len() as u64)?;
        for (issuer, number) in &self.counters {
            to.bytes(&issuer[..])?.u64(*number)?;
        }
        nonce(to, self.nonces.eta_v)?;
        nonce(to, self.nonces.eta_c)?;
        nonce(to, self.nonces.eta0)?;
        nonce(to, self.previous)?;
        nonce(to, self.nonces.lab)?;
        nonce(to, self.nonces.eta_h)
    }

    /// Writes where each past era began and ended, and where the current era began.
    fn eras(&self, to: &mut Writer) -> Result {
        let eras = self.eras.get(..=self.last.era as usize);
        let eras = eras.unwrap_or(&self.eras);
        to.array(eras.len() as u64)?;
        for (n, begin) in eras.iter().enumerate() {
            to.array(2)?;
            bound(to, begin)?;
            if let Some(end) = eras.get(n + 1) {
                bound(to, end)?;
            }
        }
        Ok(())
    }

    fn new_epoch_state(&self, to: &mut Writer) -> Result {
        let era = self.last.era;
        to.array(7)?.u64(self.nonces.epoch)?;
        for made in [&self.blocks_before, &self.blocks] {
            map(to, made.iter(), |to, (pool, blocks)| {
                to.bytes(&pool[..])?.u64(*blocks)?;
                Ok(())
            })?;
        }
        to.array(4)?.array(2)?.u64(1 << 50)?.u64(1 << 53)?;
        to.writer_mut()
            .extend_from_slice(if era >= Era::Conway { CONWAY } else { BABBAGE });
        to.array(4)?;
        for of in &self.snapshots {
            snapshot(to, era, of)?;
        }
        to.u64(77)?.array(2)?.map(0)?.u8(0)?;
        to.array(0)?;
        distribution(to, era, &self.stake)?;
        to.null()?;
        Ok(())
    }
}

fn map<T>(
    to: &mut Writer,
    entries: impl ExactSizeIterator<Item = T>,
    mut entry: impl FnMut(&mut Writer, T) -> Result,
) -> Result {
    let is_open = entries.len() > LONGEST_MAP;
    match is_open {
        true => to.begin_map()?,
        false => to.map(entries.len() as u64)?,
    };
    for of in entries {
        entry(to, of)?;
    }
    if is_open {
        to.end()?;
    }
    Ok(())
}

/// Writes the bound of an era: its time in picoseconds (each slot lasts one second), slot and epoch.
fn bound(to: &mut Writer, &(slot, epoch): &(u64, u64)) -> Result {
    let time = slot.saturating_mul(1_000_000_000_000);
    to.array(3)?.u64(time)?.u64(slot)?.u64(epoch)?;
    Ok(())
}

/// Writes the tag of a ratio or a set if the era is Conway or later. Earlier eras use versions of the
/// encoding below 9, which have no such tags.
fn tag(to: &mut Writer, era: Era, tag: u64) -> Result {
    if era >= Era::Conway {
        to.tag(Tag::new(tag))?;
    }
    Ok(())
}

fn ratio(to: &mut Writer, era: Era, numerator: u64, denominator: u64) -> Result {
    let (mut a, mut b) = (numerator, denominator);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    tag(to, era, 30)?;
    let a = a.max(1);
    to.array(2)?.u64(numerator / a)?.u64(denominator / a)?;
    Ok(())
}

fn snapshot(to: &mut Writer, era: Era, snapshot: &Snapshot) -> Result {
    to.array(2)?;
    map(to, snapshot.delegators.iter(), |to, by: &Delegator| {
        to.array(2)?.u8(by.script.into())?.bytes(&by.hash[..])?;
        to.array(2)?.u64(by.stake)?.bytes(by.pool.as_bytes())?;
        Ok(())
    })?;
    map(to, snapshot.pools.iter(), |to, (pool, vrf)| {
        let (stake, delegators) = snapshot.of(pool);
        to.bytes(pool.as_bytes())?.array(10)?.u64(stake)?;
        ratio(to, era, stake, snapshot.total())?;
        tag(to, era, 258)?;
        to.array(1)?.bytes(&[9; 28])?;
        to.u64(5)?
            .bytes(vrf.as_bytes())?
            .u64(500)?
            .u64(340_000_000)?;
        ratio(to, era, 1, 20)?;
        to.u64(delegators)?.array(2)?.u8(0)?.bytes(&[8; 28])?;
        Ok(())
    })
}

fn distribution(to: &mut Writer, era: Era, stake: &Distribution) -> Result {
    to.array(2)?;
    map(to, stake.pools(), |to, (pool, of)| {
        to.bytes(pool.as_bytes())?.array(3)?;
        ratio(to, era, of.stake.pool(), stake.total())?;
        // A real ledger has the VRF key hash of every pool. Here, an unknown hash is written as zeros.
        let vrf = of.vrf.map_or([0; 32], |vrf| *vrf.as_bytes());
        to.u64(of.stake.pool())?.bytes(&vrf)?;
        Ok(())
    })?;
    to.u64(stake.total())?;
    Ok(())
}

fn nonce(to: &mut Writer, nonce: Nonce) -> Result {
    match nonce {
        Nonce::Neutral => to.array(1)?.u8(0)?,
        Nonce::Value(hash) => to.array(2)?.u8(1)?.bytes(&hash[..])?,
    };
    Ok(())
}
