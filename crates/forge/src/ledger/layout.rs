//! How a ledger state is written: the layouts of the eras and of a node's versions.

use std::collections::BTreeMap;
use std::convert::Infallible;

use klero_cardano::{Era, Hash, Nonce, StakeDistribution};
use pallas_codec::minicbor::Encoder;
use pallas_codec::minicbor::data::Tag;
use pallas_codec::minicbor::encode::Error;

use crate::ledger::content::{Delegator, Snapshot, State};

/// How a state is written.
///
/// ```
/// use klero_forge::ledger::Layout;
/// assert_eq!(Layout::ALL.iter().filter(|layout| layout.newer).count(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The era of the last block.
    pub era: Era,
    /// Delegations are within the active stake, pools have ten fields, the Praos state has eight,
    /// and bounds have a round: node 10.7. Otherwise as in node 9.0 to 10.6.
    pub newer: bool,
    /// Maps are of indefinite length.
    pub open_maps: bool,
}

impl State {
    /// The bytes of the file.
    pub fn write(&self, layout: Layout) -> Vec<u8> {
        let mut to = Encoder::new(Vec::new());
        self.encode(&mut to, layout)
            .expect("memory takes every write");
        to.into_writer()
    }
}

type Writer = Encoder<Vec<u8>>;

type Result = core::result::Result<(), Error<Infallible>>;

impl Layout {
    /// Every layout that is read.
    pub const ALL: [Self; 8] = {
        let mut layouts = [Layout {
            era: Era::Babbage,
            newer: false,
            open_maps: false,
        }; 8];
        let mut n = 0;
        while n < 8 {
            if n & 1 == 1 {
                layouts[n].era = Era::Conway;
            }
            layouts[n].newer = n & 2 == 2;
            layouts[n].open_maps = n & 4 == 4;
            n += 1;
        }
        layouts
    };

    fn map<K, V>(
        self,
        to: &mut Writer,
        entries: impl ExactSizeIterator<Item = (K, V)>,
        mut entry: impl FnMut(&mut Writer, K, V) -> Result,
    ) -> Result {
        if self.open_maps {
            to.begin_map()?;
        } else {
            to.map(entries.len() as u64)?;
        }
        for (key, value) in entries {
            entry(to, key, value)?;
        }
        if self.open_maps {
            to.end()?;
        }
        Ok(())
    }

    fn numbers(self, to: &mut Writer, numbers: &BTreeMap<Hash<28>, u64>) -> Result {
        self.map(to, numbers.iter(), |to, key, number| {
            to.bytes(&key[..])?.u64(*number)?;
            Ok(())
        })
    }

    /// The lengths of eras, and where the current one began.
    fn eras(self, to: &mut Writer) -> Result {
        let bound = |to: &mut Writer, n: u64| -> Result {
            to.array(if self.newer { 4 } else { 3 })?;
            // Picoseconds, which need more than 64 bits after some months.
            to.tag(Tag::new(2))?
                .bytes(&[1, 2, 3, 4, 5, 6, 7, 8, n as u8])?;
            to.u64(n * 432_000)?.u64(n)?;
            if self.newer {
                to.u64(0)?;
            }
            Ok(())
        };
        let era = self.era as u64;
        to.array(era + 1)?;
        for n in 0..era {
            to.array(2)?;
            bound(to, n)?;
            bound(to, n + 1)?;
        }
        to.array(2)?;
        bound(to, era)
    }

    fn ratio(self, to: &mut Writer, numerator: u64, denominator: u64) -> Result {
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        if self.era >= Era::Conway {
            to.tag(Tag::new(30))?;
        }
        let a = a.max(1);
        to.array(2)?.u64(numerator / a)?.u64(denominator / a)?;
        Ok(())
    }

    fn snapshot(self, to: &mut Writer, snapshot: &Snapshot) -> Result {
        let credential = |to: &mut Writer, by: &Delegator| -> Result {
            to.array(2)?.u8(by.script.into())?.bytes(&by.hash[..])?;
            Ok(())
        };
        let delegators = || snapshot.delegators.iter().map(|by| (by, by));
        if self.newer {
            to.array(2)?;
            self.map(to, delegators(), |to, key, by| {
                credential(to, key)?;
                to.array(2)?.u64(by.stake)?.bytes(&by.pool[..])?;
                Ok(())
            })?;
            return self.map(to, snapshot.pools.iter(), |to, pool, vrf| {
                let (stake, delegators) = snapshot.of(pool);
                to.bytes(&pool[..])?.array(10)?.u64(stake)?;
                self.ratio(to, stake, snapshot.total())?;
                to.tag(Tag::new(258))?.array(1)?.bytes(&[9; 28])?;
                to.u64(5)?.bytes(&vrf[..])?.u64(500)?.u64(340_000_000)?;
                self.ratio(to, 1, 20)?;
                to.u64(delegators)?.array(2)?.u8(0)?.bytes(&[8; 28])?;
                Ok(())
            });
        }
        to.array(3)?;
        self.map(to, delegators(), |to, key, by| {
            credential(to, key)?;
            to.u64(by.stake)?;
            Ok(())
        })?;
        self.map(to, delegators(), |to, key, by| {
            credential(to, key)?;
            to.bytes(&by.pool[..])?;
            Ok(())
        })?;
        self.map(to, snapshot.pools.iter(), |to, pool, vrf| {
            to.bytes(&pool[..])?.array(9)?.bytes(&pool[..])?;
            to.bytes(&vrf[..])?.u64(500)?.u64(340_000_000)?;
            self.ratio(to, 1, 20)?;
            to.bytes(&[0xe0; 29])?
                .begin_array()?
                .bytes(&[9; 28])?
                .end()?;
            to.begin_array()?
                .array(2)?
                .u8(2)?
                .str("relay.example")?
                .end()?;
            to.null()?;
            Ok(())
        })
    }

    fn distribution(self, to: &mut Writer, stake: &StakeDistribution) -> Result {
        to.array(2)?;
        self.map(to, stake.pools.iter().map(|of| (of, of)), |to, of, _| {
            to.bytes(&of.pool[..])?.array(3)?;
            self.ratio(to, of.stake, stake.total)?;
            to.u64(of.stake)?.bytes(&of.vrf[..])?;
            Ok(())
        })?;
        to.u64(stake.total)?;
        Ok(())
    }
}

/// Outputs and whatever else is passed over: every type of item.
fn passed_over(to: &mut Writer) -> Result {
    to.begin_map()?;
    for n in 0..5 {
        to.bytes(&[n; 34])?
            .begin_array()?
            .i64(-5)?
            .f64(0.5)?
            .bool(true)?;
        to.begin_bytes()?.bytes(&[1; 64])?.bytes(&[])?.end()?;
        to.begin_str()?.str("text")?.end()?.tag(Tag::new(24))?;
        to.map(1)?
            .array(0)?
            .begin_map()?
            .end()?
            .null()?
            .undefined()?
            .end()?;
    }
    to.end()?;
    Ok(())
}

fn nonce(to: &mut Writer, nonce: Nonce) -> Result {
    match nonce {
        Nonce::Neutral => to.array(1)?.u8(0)?,
        Nonce::Value(hash) => to.array(2)?.u8(1)?.bytes(&hash[..])?,
    };
    Ok(())
}

impl State {
    fn encode(&self, to: &mut Writer, layout: Layout) -> Result {
        to.array(2)?.u8(1)?.array(2)?;
        layout.eras(to)?;
        to.array(2)?.u8(2)?.array(3)?.array(1)?.array(3)?;
        to.u64(self.last.slot)?.u64(self.last.number)?;
        to.bytes(&self.last.hash[..])?;
        self.new_epoch_state(to, layout)?;
        to.u32(2649)?
            .array(2)?
            .array(1)?
            .array(2)?
            .u8(layout.era as u8)?;
        to.array(3)?
            .u64(self.last.slot)?
            .bytes(&self.last.hash[..])?
            .u64(self.last.number)?;
        layout.eras(to)?;
        to.array(2)?
            .u8(0)?
            .array(if layout.newer { 8 } else { 7 })?;
        to.array(2)?.u8(1)?.u64(self.last.slot)?;
        layout.numbers(to, &self.counters)?;
        nonce(to, self.nonces.eta_v)?;
        nonce(to, self.nonces.eta_c)?;
        nonce(to, self.nonces.eta0)?;
        if layout.newer {
            nonce(to, self.previous)?;
        }
        nonce(to, self.nonces.lab)?;
        nonce(to, self.nonces.eta_h)
    }

    fn new_epoch_state(&self, to: &mut Writer, layout: Layout) -> Result {
        to.array(7)?.u64(self.nonces.epoch)?;
        layout.numbers(to, &self.blocks_before)?;
        layout.numbers(to, &self.blocks)?;
        to.array(4)?.array(2)?.u64(1 << 50)?.u64(1 << 53)?;
        passed_over(to)?;
        to.array(4)?;
        for snapshot in &self.snapshots {
            layout.snapshot(to, snapshot)?;
        }
        to.u64(77)?.array(2)?.map(0)?.u8(0)?;
        to.array(0)?;
        layout.distribution(to, &self.stake)?;
        to.null()?;
        Ok(())
    }
}
