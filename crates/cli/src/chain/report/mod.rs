//! What is said of a check: as text for people, as JSON for machines.

mod json;
mod text;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

use klero_cardano::{LastBlock, Network};

pub use self::json::{Json, SHAPE};
pub use self::text::Text;
use super::check::Times;
use super::fold::Folded;
use super::judge::Judge;
use super::state::Saved;
use crate::error::{Error, Status};

/// Somebody who is told of a check from its begin to its end.
pub trait Report {
    /// What is about to be checked.
    fn begin(&mut self, begin: &Begin<'_>) -> Result<(), Error>;
    /// What was found next.
    fn findings(&mut self, findings: &[Folded]) -> Result<(), Error>;
    /// What it came to.
    fn end(&mut self, end: &End<'_>) -> Result<(), Error>;
}

/// Prints on standard output, at once.
pub fn print(text: impl Display) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| Error::write("standard output", &error))
}

/// A check before it begins.
pub struct Begin<'a> {
    /// The directory with the chunk files.
    pub dir: PathBuf,
    /// The network.
    pub network: &'a Network,
    /// Where it begins.
    pub origin: Origin,
    /// Bytes of chunk files ahead.
    pub bytes: u64,
}

/// Where a check begins.
pub enum Origin {
    /// The first block of the chain.
    Genesis,
    /// After this block, where a saved state stands.
    After(LastBlock),
    /// Wherever the files begin, with the nonces of these epochs.
    EpochNonces(Vec<u64>),
}

/// A check after its end.
pub struct End<'a> {
    /// The network.
    pub network: &'a Network,
    /// What was found.
    pub judge: &'a Judge,
    /// The last block that was read, by this run or by those before with its state.
    pub tip: Option<&'a LastBlock>,
    /// Bytes of chunk files that are in no block that was checked; the least there are, if a
    /// file could not be read.
    pub unread: u64,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
    /// Epochs whose nonce was given and that have no block.
    pub absent: Vec<u64>,
    /// The state file, if there is one.
    pub saved: Option<&'a Saved>,
    /// How long it took.
    pub times: Times,
}

/// What no check of this program covers.
const NOT_CHECKED: [&str; 4] = [
    "KES signatures",
    "operational certificates",
    "stake, except that no leader value may reach f",
    "block bodies, except their CRC-32",
];

impl End<'_> {
    /// How the command ends.
    pub fn status(&self) -> Status {
        let totals = &self.judge.totals;
        let wrong = !self.judge.faults.is_empty()
            || totals.invalid > 0
            || totals.leader_values.at_or_above_f > 0;
        if self.interrupted {
            Status::Interrupted
        } else if wrong {
            Status::SomeInvalid
        } else if self.judge.is_incomplete() {
            Status::NotAllRead
        } else if totals.valid < totals.proofs || !self.absent.is_empty() || self.is_empty() {
            Status::NotAllChecked
        } else {
            Status::AllValid
        }
    }

    /// There was no block at all, now or before.
    fn is_empty(&self) -> bool {
        self.judge.totals.blocks == 0 && self.saved.is_none_or(|saved| saved.after.is_none())
    }

    /// Blocks read and proofs verified in a second.
    fn rates(&self) -> [u64; 2] {
        let totals = &self.judge.totals;
        let seconds = self.times.all.as_secs_f64().max(1e-9);
        [totals.blocks, totals.valid + totals.invalid].map(|n| (n as f64 / seconds) as u64)
    }

    /// Epochs with many proofs of which none is valid: a sign that their nonce is wrong.
    fn wrong_nonces(&self) -> impl Iterator<Item = u64> {
        self.judge
            .epochs
            .iter()
            .filter(|(_, epoch)| epoch.counts.invalid > 10 && epoch.counts.valid == 0)
            .map(|(number, _)| *number)
    }
}
