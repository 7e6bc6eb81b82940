//! A node's ledger state, as far as it bears on who may lead.
//!
//! Sources, in ouroboros-consensus: `Storage/LedgerDB/Snapshots.hs` (`encodeL`),
//! `Ledger/Extended.hs` (`encodeExtLedgerState`), `Shelley/Ledger/Ledger.hs`
//! (`encodeShelleyLedgerState`, `encodeShelleyTip`); in cardano-ledger
//! `Shelley/LedgerState/Types.hs` (`NewEpochState`, `EpochState`).

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use klero_leader::Distribution;

use crate::chain::era::Era;
use crate::chain::nonce::{Nonce, NonceState};
use crate::ledger::cbor::Items;
use crate::ledger::checksum::{self, Checksum};
use crate::ledger::error::LedgerError;
use crate::ledger::header::header_state;
use crate::ledger::stake::{Amounts, distribution, mark_snapshot, pool_distribution};
use crate::ledger::telescope::telescope;
use crate::limits::READ;
use crate::walk::LastBlock;

/// The ledger state of a node after some block, as far as it bears on who may lead.
///
/// States of node 9.0 to 11.1 are read, in Babbage and Conway, the eras of Praos. Another layout is refused,
/// and so is a state that contradicts itself.
///
/// ```
/// use klero_cardano::{Era, LedgerState};
/// // A node has it as `ledger/70000000/state`.
/// let state = LedgerState::load("testdata/ledger.state".as_ref())?;
/// assert_eq!((state.last.era, state.last.slot), (Era::Conway, 70_000_000));
/// assert_eq!((state.nonces.epoch, state.stake[&164].pools().len()), (164, 2));
/// for (id, pool) in state.stake[&165].pools() {
///     println!("{id} leads with {} in the next epoch", pool.stake);
/// }
/// # Ok::<(), klero_cardano::LedgerError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerState {
    /// The last block.
    pub last: LastBlock,
    /// The first slot and the first epoch of its era.
    pub era_start: (u64, u64),
    /// Its epoch, and the five nonces after it.
    pub nonces: NonceState,
    /// The nonce of the epoch before, which nodes store since version 10.7.
    pub previous_nonce: Option<Nonce>,
    /// The stake by the epochs in which it decides: this one, by the ledger's `nesPd`, and the next, by the
    /// snapshot `mark`. Each has the pools with delegators, and the ledger's own total, which is the stake of
    /// all delegators and can be more than the sum over these pools: a delegator of a pool that has retired
    /// adds only to the total. Where there is no stake, the total is 1, as in the ledger.
    ///
    /// The mark snapshot is fixed from the first block of an epoch on, and decides in the next one: at each
    /// boundary the ledger makes `nesPd` of the mark snapshot, then the mark snapshot becomes the set
    /// snapshot (cardano-ledger, `Conway/Rules/NewEpoch.hs` `newEpochTransition`, `Shelley/Rules/Snap.hs`
    /// `snapTransition`). So `set` decides in this epoch, and `go` decided in the one before. In the first
    /// epoch of a chain that begins with stake, both are empty.
    pub stake: BTreeMap<u64, Distribution>,
    /// The comparison of the state with the CRC-32 beside it.
    pub checksum: Checksum,
}

impl LedgerState {
    /// Reads a directory of `ledger/`, the file `state` in it, or a file of `ledger/` of a node before
    /// 10.4. A CRC-32 that is beside it is compared first.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn load(path: &Path) -> Result<Self, LedgerError> {
        let in_directory = path.is_dir().then(|| path.join("state"));
        let path = in_directory.as_deref().unwrap_or(path);
        // The CRC-32 is beside the file itself, not a link to it.
        let real = path.canonicalize();
        let checksum = checksum::compare(real.as_deref().unwrap_or(path))?;
        let (file, _) = klero_support::open(path)?;
        let state = Self::read(BufReader::with_capacity(READ as usize, file))?;
        Ok(Self { checksum, ..state })
    }

    /// Reads a state from a stream, to its end. No CRC-32 is compared.
    ///
    /// The state takes about 100 bytes of memory for each pool of each distribution. In the layout
    /// before node 10.7, the stake of a snapshot's delegators is kept while the snapshot is read,
    /// with 40 to 120 bytes for each: at most 130 MB for the 1.3 million of mainnet. Outputs,
    /// accounts and everything else are passed over.
    ///
    /// # Errors
    /// [`LedgerError`], unless the stream is a state of a known layout and nothing else.
    pub fn read(input: impl BufRead) -> Result<Self, LedgerError> {
        let mut items = Items::new(input);
        items.list(2, "version and content")?;
        items.exactly(1, "version")?;
        items.part = "the ledger";
        items.list(2, "ledger and header state")?;
        let eras = telescope(&mut items)?;
        let (last, epoch) = shelley_ledger(&mut items, eras.0)?;
        let nonces = header_state(&mut items, &eras, &last, epoch.number)?;
        items.end()?;
        let (nonces, previous_nonce) = nonces.ok_or(LedgerError::NoLastBlock)?;
        let era_start = match eras.1.last().map(Vec::as_slice) {
            Some([slot, epoch, ..]) => (*slot, *epoch),
            _ => (0, 0),
        };
        let this = epoch.number;
        let mut stake = BTreeMap::from([(this, distribution(this, epoch.stake)?)]);
        if let Some(next) = this.checked_add(1) {
            stake.insert(next, distribution(next, epoch.mark)?);
        }
        Ok(Self {
            last,
            era_start,
            nonces,
            previous_nonce,
            stake,
            checksum: Checksum::NotChecked,
        })
    }
}

/// The parts of `NewEpochState` that are kept.
struct Epoch {
    number: u64,
    mark: Amounts,
    stake: Amounts,
}

/// Reads `ShelleyLedgerState`, of Shelley and all later eras.
fn shelley_ledger<R: BufRead>(
    items: &mut Items<R>,
    era: Era,
) -> Result<(LastBlock, Epoch), LedgerError> {
    items.list(2, "version and content")?;
    items.exactly(2, "version")?;
    let fields = items.list_as(|layout| layout.ledger, "list")?;
    items.list(1, "last block")?;
    items.list(3, "last block")?;
    let last = LastBlock {
        era,
        boundary: false,
        slot: items.number("slot of the last block")?,
        number: items.number("number of the last block")?,
        hash: items.hash("hash of the last block")?,
    };
    let epoch = new_epoch_state(items, era)?;
    items.part = "the ledger";
    items.number("blocks since voting ended")?;
    if fields > 3 {
        for _ in 0..items.list_of(&[0, 1], "latest round of Peras")? {
            items.number("latest round of Peras")?;
        }
    }
    Ok((last, epoch))
}

fn new_epoch_state<R: BufRead>(items: &mut Items<R>, era: Era) -> Result<Epoch, LedgerError> {
    items.part = "the new epoch state";
    items.list(7, "list")?;
    let number = items.number("epoch")?;
    for what in [
        "blocks made in the epoch before",
        "blocks made in the epoch",
    ] {
        items.by_hash(what, |items, _| items.number(what))?;
    }
    items.part = "the epoch state";
    items.list(4, "list")?;
    items.list(2, "treasury and reserves")?;
    items.skip_all(2, "treasury and reserves")?;
    items.skip("certificates and outputs")?;
    let mark = mark_snapshot(items, era)?;
    items.part = "the epoch state";
    items.list(2, "likelihoods and reward pot")?;
    items.skip_all(2, "likelihoods and reward pot")?;
    items.part = "the new epoch state";
    let rewards = items.list_of(&[0, 1], "rewards")?;
    items.skip_all(rewards, "rewards")?;
    let stake = pool_distribution(items, era)?;
    items.part = "the new epoch state";
    items.skip("stashed addresses")?;
    Ok(Epoch {
        number,
        mark,
        stake,
    })
}
