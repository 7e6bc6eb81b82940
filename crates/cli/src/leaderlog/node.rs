//! A node's database: the newest ledger state, and the nonces after the last block of the chain.

use std::fs;
use std::path::{Path, PathBuf};

use klero_cardano::{
    Era, Event, Fault, Immutable, LedgerState, Network, Nonce, NonceState, Resume, Severity, Start,
    UnreadChunk, Walk, Wanted,
};

use crate::args::secrets::refuse_secret;
use crate::chain::stake::load_state;
use crate::ui::error::Error;

/// The newest ledger state of a database, and the nonces at the end of its chain.
pub struct Node {
    /// The newest ledger state.
    pub state: LedgerState,
    /// The nonces after the last block of the chain.
    nonces: NonceState,
    era: Era,
    /// The slot of the last block.
    pub slot: u64,
}

impl Node {
    /// Reads the newest state in `ledger/`, and the headers after the last block of the state. Fails if a
    /// block may be missing, because the nonces would then be wrong.
    pub fn read(dir: &Path, network: &Network) -> Result<Self, Error> {
        refuse_secret("--db", dir)?;
        let path = newest_state(dir)?;
        let state = load_state("--db", &path).map_err(|error| match error {
            Error::Message(fault) => {
                Error::new(format!("{fault} (does a node write it? then try again)"))
            }
            error => error,
        })?;
        let refused = |fault: String| Error::at(format_args!("--db {}", path.display()), fault);
        let (slot, (first_slot, first_epoch)) = (state.last.slot, state.era_start);
        let has_slots = network.first_slot(first_epoch) == first_slot;
        if !has_slots || network.epoch(slot) != state.nonces.epoch {
            return Err(refused(format!(
                "its epoch {first_epoch} begins with slot {first_slot}, and slot {slot} is in epoch {}, \
                 which it is not in {}: is the state of another network, or --era-start wrong?",
                state.nonces.epoch,
                network.name()
            )));
        }
        let db = Immutable::open(dir).map_err(|error| Error::at("--db", error))?;
        let start = Start::After(Box::new(Resume {
            last: state.last.clone(),
            nonces: state.nonces.clone(),
        }));
        let headers = Wanted {
            bodies: false,
            signatures: false,
        };
        let walk = Walk::reading(&db, network.clone(), start, headers, |chunks| {
            chunks.map(UnreadChunk::read)
        });
        let mut node = Self {
            nonces: state.nonces.clone(),
            era: state.last.era,
            slot,
            state,
        };
        for event in walk.map_err(|error| refused(error.to_string()))? {
            let damage = match event {
                Event::Block(block) if block.linked => {
                    (node.era, node.slot) = (block.place.era, block.place.slot);
                    node.nonces = block.nonces.unwrap_or(node.nonces);
                    continue;
                }
                Event::Block(block) => format!(
                    "the block in slot {} does not follow the one before",
                    block.place.slot
                ),
                Event::Finding(finding) if loses_blocks(&finding.fault) => {
                    format!("{}: {}", finding.at, finding.fault)
                }
                Event::Finding(_) => continue,
            };
            let damage = format!("{damage}; klero chain verify says more");
            return Err(Error::at(format_args!("--db {}", dir.display()), damage));
        }
        Ok(node)
    }

    /// The epoch of the last block, or the epoch after it if `next` is set.
    pub fn epoch(&self, next: bool) -> u64 {
        self.nonces.epoch.saturating_add(next.into())
    }

    /// Returns the nonce of `epoch`, which must be the epoch of the last block, or the next epoch once no
    /// block can change its nonce any more. Fails if another nonce is known for the epoch.
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
            nonces.tick(epoch, Nonce::Neutral);
        }
        if nonces.epoch != epoch {
            return Err(Error::new(format!(
                "--epoch {epoch}: the last block of the database is in epoch {}: expected this epoch \
                 or the next",
                self.nonces.epoch
            )));
        }
        match network.known_nonce(epoch) {
            Some(known) if known != nonces.eta0 => Err(Error::new(format!(
                "--db: the nonce of epoch {epoch} would be {}, but that of {} is known to be {known}",
                nonces.eta0,
                network.name()
            ))),
            _ => Ok(nonces.eta0),
        }
    }
}

/// True if a fault can hide a block of the chain, so that the nonces would be wrong. A block that the node is
/// still writing is not hidden, because it is not in the chain yet.
fn loses_blocks(fault: &Fault) -> bool {
    let is_unread = matches!(
        fault,
        Fault::Io { file: None, .. } | Fault::UnknownEra { .. }
    );
    is_unread || fault.severity() == Severity::Fault
}

/// Returns the path of the newest ledger state. A state is named by its slot, or by slot, `_` and purpose.
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
