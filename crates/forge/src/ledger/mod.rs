//! Ledger states as a node writes them.
//!
//! A node keeps the state of its ledger beside the chain, in `ledger/`. This writes one with any
//! content: that of a forged chain ([`Forged::ledger`](crate::Forged::ledger)), or one made up.
//! What bears on who may lead is all there; outputs, accounts and the like are a few items of every
//! type of CBOR. The bytes follow the sources that [`klero_cardano::ledger`] names.

use std::collections::BTreeMap;
use std::convert::Infallible;

use klero_cardano::{Era, Hash, LastBlock, Nonce, NonceState, PoolStake, StakeDistribution};
use klero_leader::Distribution;
use pallas_codec::minicbor::Encoder;
use pallas_codec::minicbor::data::Tag;
use pallas_codec::minicbor::encode::Error;

use crate::hash::blake2b_224;

/// What a ledger state says.
///
/// ```
/// use klero_cardano::{Era, LedgerState};
/// use klero_forge::ledger::Layout;
/// use klero_forge::{Recipe, forge};
/// let dir = tempfile::tempdir()?;
/// let forged = forge(&Recipe::of_eras(&[(Era::Conway, 1)]), dir.path(), |_, _| {})?;
/// let mut state = forged.ledger.unwrap();
/// state.last.number += 1; // no such block
/// let bytes = state.write(Layout::ALL[1]);
/// assert_eq!(LedgerState::read(&bytes[..])?.last, state.last);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The last block. Its era is that of the layout.
    pub last: LastBlock,
    /// Its epoch, and the nonces after it.
    pub nonces: NonceState,
    /// The nonce of the epoch before, for layouts that have it.
    pub previous: Nonce,
    /// The number of the last certificate of each issuer.
    pub counters: BTreeMap<Hash<28>, u64>,
    /// How many blocks each pool has made in this epoch.
    pub blocks: BTreeMap<Hash<28>, u64>,
    /// How many blocks each pool made in the epoch before.
    pub blocks_before: BTreeMap<Hash<28>, u64>,
    /// The snapshots mark, set and go.
    pub snapshots: [Snapshot; 3],
    /// The stake that decides in this epoch.
    pub stake: StakeDistribution,
}

/// A snapshot of stake: all delegators, and the registered pools with their VRF key hashes.
///
/// ```
/// use klero_cardano::Hash;
/// use klero_forge::ledger::{Delegator, Snapshot};
/// let pool = Hash::new([1; 28]);
/// let delegator = Delegator { script: false, hash: Hash::new([2; 28]), stake: 70, pool };
/// let snapshot = Snapshot {
///     delegators: vec![delegator],
///     pools: [(pool, Hash::new([3; 32]))].into(),
/// };
/// assert_eq!(snapshot.distribution().of(&pool).unwrap().stake, 70);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The delegators, in the order in which they are written.
    pub delegators: Vec<Delegator>,
    /// The pools.
    pub pools: BTreeMap<Hash<28>, Hash<32>>,
}

/// Somebody who delegates stake to a pool: see [`Snapshot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delegator {
    /// Whether the credential is a script, not a key.
    pub script: bool,
    /// The hash of the credential.
    pub hash: Hash<28>,
    /// Lovelace.
    pub stake: u64,
    /// The pool, which may have retired.
    pub pool: Hash<28>,
}

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

impl Snapshot {
    /// A snapshot in which each pool has one delegator.
    fn of_pools(stake: &Distribution) -> Self {
        let mut all = Self::default();
        for (id, pool) in stake.pools() {
            let id = Hash::new(*id.as_bytes());
            all.delegators.push(Delegator {
                script: false,
                hash: blake2b_224(&id[..]),
                stake: pool.stake.pool(),
                pool: id,
            });
            if let Some(vrf) = pool.vrf {
                all.pools.insert(id, Hash::new(*vrf.as_bytes()));
            }
        }
        all.delegators.sort_by_key(|by| by.hash);
        all
    }

    fn total(&self) -> u64 {
        let stakes = self.delegators.iter().map(|by| by.stake);
        stakes.fold(0, u64::wrapping_add).max(1)
    }

    /// The stake of a pool, and how many delegate to it.
    fn of(&self, pool: &Hash<28>) -> (u64, u64) {
        let of = self.delegators.iter().filter(|by| by.pool == *pool);
        of.fold((0, 0), |(stake, count), by| {
            (by.stake.wrapping_add(stake), count + 1)
        })
    }

    /// The stake of the pools that have delegators, as a reader must find it.
    pub fn distribution(&self) -> StakeDistribution {
        let pools = self.pools.iter().filter_map(|(pool, vrf)| {
            let (stake, delegators) = self.of(pool);
            let (pool, vrf) = (*pool, *vrf);
            (delegators > 0).then_some(PoolStake { pool, stake, vrf })
        });
        StakeDistribution {
            pools: pools.collect(),
            total: self.total(),
        }
    }
}

/// What a ledger counts along a chain, by issuers.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    counters: BTreeMap<Hash<28>, u64>,
    /// The blocks of pools, by epoch.
    blocks: BTreeMap<u64, BTreeMap<Hash<28>, u64>>,
}

impl Counts {
    /// A block of an epoch, made with the certificate of this number.
    pub(crate) fn add(&mut self, epoch: u64, issuer: Hash<28>, number: u64, in_overlay: bool) {
        self.counters.insert(issuer, number);
        if !in_overlay {
            let of_epoch = self.blocks.entry(epoch).or_default();
            *of_epoch.entry(issuer).or_default() += 1;
        }
    }

    /// The state after the last block, in a ledger whose stake never changed.
    pub(crate) fn into_state(
        mut self,
        last: LastBlock,
        nonces: NonceState,
        previous: Nonce,
        stake: &Distribution,
    ) -> State {
        let mut of = |epoch: Option<u64>| {
            let blocks = epoch.and_then(|epoch| self.blocks.remove(&epoch));
            blocks.unwrap_or_default()
        };
        let blocks = of(Some(nonces.epoch));
        let blocks_before = of(nonces.epoch.checked_sub(1));
        let snapshot = Snapshot::of_pools(stake);
        State {
            last,
            nonces,
            previous,
            blocks,
            blocks_before,
            counters: self.counters,
            stake: snapshot.distribution(),
            snapshots: [snapshot.clone(), snapshot.clone(), snapshot],
        }
    }
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
