//! A node's database: its newest ledger state, and the nonces after its last block.

use std::fs;
use std::path::{Path, PathBuf};

use klero_cardano::{
    Era, Event, Immutable, LedgerState, Network, Nonce, NonceState, Resume, Severity, Start, Walk,
};

use crate::chain::stake::load_state;
use crate::ui::error::Error;

/// What a database says of an epoch, besides its network.
pub struct Node {
    /// The newest state of its ledger.
    pub state: LedgerState,
    /// The nonces after the last block of its chain.
    nonces: NonceState,
    era: Era,
    slot: u64,
}

impl Node {
    /// Reads the newest state in `ledger/`, and the chain from the last block of the state on.
    pub fn read(dir: &Path, network: &Network) -> Result<Self, Error> {
        let unreadable = |fault: String| Error::at(format_args!("--db {}", dir.display()), fault);
        let path = newest_state(dir)?;
        let state = load_state("--db", &path)?;
        let db = Immutable::open(dir).map_err(|error| Error::at("--db", error))?;
        let start = Start::After(Box::new(Resume {
            last: state.last.clone(),
            nonces: state.nonces.clone(),
        }));
        let walk = Walk::new(&db, network.clone(), start)
            .map_err(|error| unreadable(format!("{}: {error}", path.display())))?;
        let mut node = Self {
            nonces: state.nonces.clone(),
            era: state.last.era,
            slot: state.last.slot,
            state,
        };
        for event in walk {
            match event {
                Event::Block(block) => {
                    (node.era, node.slot) = (block.place.era, block.place.slot);
                    node.nonces = block.nonces.unwrap_or(node.nonces);
                }
                Event::Finding(finding) if finding.fault.severity() == Severity::Fault => {
                    return Err(unreadable(format!(
                        "{finding}; klero chain verify says more"
                    )));
                }
                Event::Finding(_) => {}
            }
        }
        Ok(node)
    }

    /// The epoch of the last block, or the next one.
    pub fn epoch(&self, next: bool) -> u64 {
        self.nonces.epoch.saturating_add(next.into())
    }

    /// The nonce of the epoch of the last block, or of the next one, once no block changes it.
    pub fn nonce(&self, epoch: u64, network: &Network) -> Result<Nonce, Error> {
        let mut nonces = self.nonces.clone();
        if epoch == self.epoch(true) && nonces.epoch != epoch {
            if network.feeds_candidate(self.era, self.slot) {
                let start = network.first_slot(epoch);
                let fixed = start.saturating_sub(network.window(self.era));
                return Err(Error::new(format!(
                    "the nonce of epoch {epoch} is fixed by the first block from slot {fixed} on, and \
                     the last block of the database is in slot {}: ask again later",
                    self.slot
                )));
            }
            nonces.tick(epoch, network.extra_entropy(epoch));
        }
        match nonces.epoch == epoch {
            true => Ok(nonces.eta0),
            false => Err(Error::new(format!(
                "--epoch {epoch}: the last block of the database is in epoch {}: expected this epoch \
                 or the next",
                self.nonces.epoch
            ))),
        }
    }
}

/// The state of the ledger after the latest slot. A node names a state by its slot, and what is kept
/// for a purpose, too, behind an underscore.
fn newest_state(dir: &Path) -> Result<PathBuf, Error> {
    let ledger = dir.join("ledger");
    let unreadable = |fault: &dyn std::fmt::Display| {
        Error::at(
            format_args!("--db: cannot read {}", ledger.display()),
            fault,
        )
    };
    let mut newest = None;
    for entry in fs::read_dir(&ledger).map_err(|error| unreadable(&error))? {
        let entry = entry.map_err(|error| unreadable(&error))?;
        let name = entry.file_name();
        let slot = name
            .to_str()
            .and_then(|name| name.split('_').next()?.parse::<u64>().ok());
        newest = newest.max(slot.map(|slot| (slot, entry.path())));
    }
    newest.map(|(_, path)| path).ok_or_else(|| {
        unreadable(&"there is no state, which a node names by its slot: expected the database of a node that has run")
    })
}
