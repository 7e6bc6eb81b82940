//! The part of a node's ledger state that decides who may lead.
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

/// The ledger state of a node after a block, reduced to the part that decides who may lead.
///
/// States of nodes 9.0 to 11.1 can be read, in the Praos eras Babbage and Conway. Any other layout is
/// refused, and so is a state that contradicts itself.
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
    /// The first slot and the first epoch of the last block's era.
    pub era_start: (u64, u64),
    /// The epoch of the last block, and the five nonces after that block.
    pub nonces: NonceState,
    /// The nonce of the previous epoch; `None` in states of nodes before version 10.7.
    pub previous_nonce: Option<Nonce>,
    /// The stake that decides who may lead, for the epoch of the last block (the ledger's `nesPd`) and for
    /// the next epoch (the snapshot `mark`). Each distribution has only the pools with delegators. Its total
    /// is the ledger's: the stake of all delegators. This can be more than the sum over these pools, because
    /// the delegators of a retired pool add only to the total. If there is no stake, the total is 1, as in
    /// the ledger.
    ///
    /// The mark snapshot is fixed from the first block of an epoch on, and decides who may lead in the next
    /// epoch. At an epoch boundary, the ledger first makes `nesPd` from the mark snapshot, and then the mark
    /// snapshot becomes the set snapshot (cardano-ledger, `Conway/Rules/NewEpoch.hs` `newEpochTransition`,
    /// `Shelley/Rules/Snap.hs` `snapTransition`). So `set` decides in this epoch, and `go` decided in the
    /// previous epoch. In the first epoch of a chain that begins with stake, `set` and `go` are empty.
    pub stake: BTreeMap<u64, Distribution>,
    /// The result of comparing the state with the CRC-32 beside it.
    pub checksum: Checksum,
}

impl LedgerState {
    /// Reads a state. `path` is a directory in `ledger/`, or the file `state` in such a directory. For a node
    /// before 10.4, it is a file in `ledger/`. If there is a CRC-32 beside the state, it is checked first.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn load(path: &Path) -> Result<Self, LedgerError> {
        let in_directory = path.is_dir().then(|| path.join("state"));
        let path = in_directory.as_deref().unwrap_or(path);
        // If `path` is a link, the CRC-32 is beside the file to which the link points.
        let real = path.canonicalize();
        let checksum = checksum::compare(real.as_deref().unwrap_or(path))?;
        let (file, _) = klero_support::open(path)?;
        let state = Self::read(BufReader::with_capacity(READ as usize, file))?;
        Ok(Self { checksum, ..state })
    }

    /// Reads a state from a stream, up to the end of the stream. No CRC-32 is compared.
    ///
    /// The state takes about 100 bytes of memory for each pool of each distribution. If the state is from a
    /// node before 10.7, the stake of a snapshot's delegators is kept while the snapshot is read. That takes
    /// 40 to 120 bytes for each delegator, and at most 130 MB for the 1.3 million delegators of mainnet.
    /// Outputs, accounts and everything else are skipped.
    ///
    /// # Errors
    /// [`LedgerError`] if the stream is not exactly one state of a known layout.
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

/// Reads `ShelleyLedgerState`, which Shelley and all later eras use.
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
