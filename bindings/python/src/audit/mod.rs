//! Audits of chains: epochs as they are checked.
//!
//! The audit runs on threads of its own and sends what it finds. It waits while nobody reads.

mod given;
mod message;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use klero_audit::{Epoch, Outcome, Report, read_anchors};
use klero_cardano::Finding;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::audit::given::failed;
use crate::audit::message::{Message, tell};
use crate::epoch::{epoch, epochs};
use crate::errors::AuditError;
use crate::table::Table;
use crate::threads::{Threads, pool};

/// Messages that wait for a reader, at most.
const WAITING: usize = 64;

/// How often a reader that waits looks for signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// An audit of a chain. Iterate over it to run it: it yields each epoch when it is checked, and
/// again if more is counted in it later, as where a block is out of place.
///
/// KeyboardInterrupt ends it in good order: what was read is checked, saved and reported.
#[pyclass(frozen, module = "klero")]
pub struct Audit {
    network: String,
    messages: Mutex<Receiver<Message>>,
    stop: Arc<AtomicBool>,
    seen: Mutex<Seen>,
    /// The process that has the threads.
    process: u32,
}

/// What an audit has told.
#[derive(Default)]
struct Seen {
    bytes: u64,
    total: u64,
    epochs: BTreeMap<u64, Epoch>,
    findings: Vec<Finding>,
    report: Option<Report>,
    ended: bool,
}

/// Audits a Cardano chain: verifies every VRF proof in a node's ImmutableDB, with the nonces
/// computed from the genesis on, every KES signature and operational certificate, and the blocks'
/// checksums, links, numbers, slots and bodies.
///
/// `path` is the node's database directory, or the directory `immutable` in it. `network` is
/// mainnet, preprod or preview; without it the files of the database tell. Any other network
/// has its Shelley genesis file in `shelley_genesis`, the first epochs of its eras, where they
/// are not where their blocks begin, in `era_starts` ({"shelley": 4, …}), and k of its Byron
/// genesis, if it differs, in `byron_k`.
///
/// `state` is a file: the audit starts after the block that it names, if it exists, and saves there
/// the end of the last epoch up to which all is valid.
///
/// `expect` says what a source that you trust knows of the chain, as `klero chain verify --expect` does, each
/// a text or a path. "SLOT:HASH" is a block that it must have, and "tip=SLOT:HASH" is its last block.
/// They tie all headers before them to the network. "EPOCH=HEX" is the nonce of an epoch. It is compared
/// with the computed nonce. If that nonce is in doubt, the given one replaces it from the first proof on that
/// is valid by it. Anything else is a JSON file: nonces, [{"epoch_no": 620, "nonce": "…"}, …], or a node's
/// checkpoints.json. The nonces of the public networks are built in. Without `state`, the files may begin
/// anywhere if nonces are known; then only the proofs of those epochs are verified. With
/// `require_anchor` the verdict is "not all checked", unless one of these or a known epoch nonce shows that
/// the chain is that of its network.
///
/// `stake` is a CSV file of what pools have in the epochs in which it decides: the columns `epoch`, `pool`
/// (56 hex digits or pool1…), `stake` (lovelace) and, if it has them, `vrf` (the hash of the VRF key in
/// hex) and `total`, also under the names that `klero chain verify --stake` reads. `stake_epoch` is the
/// epoch of a table without that column, and `stake_offset` is added to the column: 2 if it names the
/// epoch at whose end the stake stood. With it the audit checks who may lead. `decentralization` has the
/// share d of the genesis delegates before Babbage, by epoch, as text ({222: "0.6"}).
///
/// `only` names the checks to make, of "vrf", "kes", "certificates" and "bodies"; without it, all.
///
/// Iterate over the result to run the audit, on `threads` threads, by default one per
/// processor. Raises AuditError if it cannot start. What is wrong with a chain is no error: it is
/// in `findings` and `verdict`.
///
/// >>> import klero
/// >>> audit = klero.audit("db")
/// >>> for epoch in audit:
/// ...     if epoch.all_invalid:
/// ...         print(f"{audit.progress:.0%}: {epoch}")
/// >>> audit.verdict
/// 'all valid'
#[pyfunction]
#[pyo3(signature = (
    path, *, network=None, shelley_genesis=None, era_starts=None, byron_k=None,
    state=None, only=None, expect=None, require_anchor=false, stake=None, stake_epoch=None,
    stake_offset=0, decentralization=None, threads=None
))]
// The arguments are keywords in Python. The function is long because it takes each of them.
#[allow(clippy::too_many_arguments)]
pub fn audit(
    py: Python<'_>,
    path: PathBuf,
    network: Option<&str>,
    shelley_genesis: Option<PathBuf>,
    era_starts: Option<HashMap<String, u64>>,
    byron_k: Option<u64>,
    state: Option<PathBuf>,
    only: Option<Vec<String>>,
    expect: Option<Vec<PathBuf>>,
    require_anchor: bool,
    stake: Option<PathBuf>,
    stake_epoch: Option<u64>,
    stake_offset: u64,
    decentralization: Option<BTreeMap<u64, String>>,
    threads: Threads,
) -> PyResult<Audit> {
    if shelley_genesis.is_none() && (era_starts.is_some() || byron_k.is_some()) {
        return Err(PyValueError::new_err(
            "era_starts and byron_k belong to a network with shelley_genesis: expected that, too",
        ));
    }
    // First, because a directory that is not there tells no network.
    let audit = klero_audit::Audit::new(&path).map_err(failed)?;
    let mut network = given::network(&path, network, shelley_genesis, era_starts, byron_k)?;
    let mut anchors = Vec::new();
    for what in expect.unwrap_or_default() {
        let read = read_anchors(&what, &network, None);
        anchors.extend(read.map_err(|error| AuditError::new_err(format!("expect: {error}")))?);
    }
    given::decentralize(&mut network, decentralization.unwrap_or_default())?;
    let name = network.name().to_owned();
    let pool = pool(threads)?;
    let mut audit = audit.network(network).expect(anchors);
    if let Some(stake) = given::stake(stake.as_deref(), stake_epoch, stake_offset)? {
        audit = audit.stake(stake);
    }
    if let Some(names) = only {
        audit = audit.only(given::checks(&names)?);
    }
    if require_anchor {
        audit = audit.require_anchor();
    }
    if let Some(state) = state {
        audit = py.detach(|| audit.state(&state)).map_err(failed)?;
    }
    Ok(Audit::begin(name, audit, pool))
}

#[pymethods]
impl Audit {
    /// The name of the network.
    #[getter]
    fn network(&self) -> &str {
        &self.network
    }

    /// How much of the chain is checked, from 0 to 1.
    #[getter]
    fn progress(&self) -> f64 {
        let seen = self.seen();
        if seen.ended
            && seen
                .report
                .as_ref()
                .is_some_and(|report| !report.interrupted)
        {
            return 1.0;
        }
        seen.bytes as f64 / seen.total.max(1) as f64
    }

    /// The findings so far, in the order of the chain: a dict for each kind in
    /// a chunk file, as `klero chain verify --json` has it. `finding` is the kind, one of `FINDINGS`,
    /// `severity` "fault", "warning" or "note", `reason` a sentence, `count` how many there are.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = serde_json::to_string(&self.seen().findings).map_err(failed)?;
        py.import("json")?.call_method1("loads", (json,))
    }

    /// What the audit amounts to, once it has ended: "all valid", "something is wrong",
    /// "not all read", "not all checked" (a nonce is not known, an expected block was not reached,
    /// there is no block, no anchor where one is required, or blocks of Dijkstra, which is experimental)
    /// or "interrupted". None before.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        let seen = self.seen();
        Some(match seen.report.as_ref()?.outcome() {
            Outcome::AllValid => "all valid",
            Outcome::SomeInvalid => "something is wrong",
            Outcome::NotAllRead => "not all read",
            Outcome::NotAllChecked => "not all checked",
            Outcome::Interrupted => "interrupted",
        })
    }

    /// Slot and hash (32 bytes) of the last block that was read, by this audit or by earlier ones
    /// with its state file. None before the end, or without a block.
    #[getter]
    fn tip(&self) -> Option<(u64, [u8; 32])> {
        let seen = self.seen();
        let tip = seen.report.as_ref()?.tip.as_ref()?;
        Some((tip.slot, *tip.hash))
    }

    /// The slot up to which a known epoch nonce or an expected block shows that the chain is that of
    /// its network. None
    /// before the end, and if nothing shows it: then the chain is only consistent with itself.
    #[getter]
    fn tied_slot(&self) -> Option<u64> {
        self.seen().report.as_ref()?.tied
    }

    /// Whether the chain has blocks of Dijkstra, which is experimental: its headers are in flux, and Leios
    /// and Peras certificates are not checked. None before the end.
    #[getter]
    fn experimental(&self) -> Option<bool> {
        Some(self.seen().report.as_ref()?.is_experimental())
    }

    /// Ends the audit in good order: nothing more is read, and what was read is checked and
    /// reported. The iteration yields what is left.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Runs what is left of the audit. Returns the verdict.
    fn run(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        while self.__next__(py)?.is_some() {}
        Ok(self.verdict())
    }

    /// A table with a row for each epoch checked so far; after the end, for every epoch as the report
    /// has it. Its columns are those of the attributes of `Epoch`.
    fn table(&self) -> PyResult<Table> {
        let seen = self.seen();
        epochs(&seen.epochs).map(Table::of).map_err(failed)
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.process != process::id() {
            return Err(AuditError::new_err(
                "the audit was begun in another process: iterate over it there",
            ));
        }
        loop {
            let told = py.detach(|| self.next_message())?;
            if told.is_none() && self.seen().ended {
                return Ok(None);
            }
            if let Err(interrupt) = py.check_signals() {
                self.stop();
                // What is left takes a moment, and is bounded.
                while let Ok(Some(_)) = self.__next__(py) {}
                return Err(interrupt);
            }
            if let Some((number, of)) = told {
                return epoch(py, number, &of).map(Some);
            }
        }
    }

    fn __repr__(&self) -> String {
        let without_verdict = if self.seen().ended {
            "failed"
        } else {
            "running"
        };
        let verdict = self.verdict().unwrap_or(without_verdict);
        format!("<klero.Audit of {}: {verdict}>", self.network)
    }
}

impl Audit {
    /// Begins an audit on the threads of a pool.
    fn begin(network: String, audit: klero_audit::Audit<'static>, pool: ThreadPool) -> Self {
        let (sender, messages) = sync_channel(WAITING);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        thread::spawn(move || {
            let report = pool.install(|| audit.run(|progress| tell(&sender, &stopped, &progress)));
            let report = report.map_err(|error| error.to_string());
            // Nobody reads any more if the audit was dropped.
            drop(sender.send(Message::Ended(Box::new(report))));
        });
        Self {
            network,
            messages: Mutex::new(messages),
            stop,
            seen: Mutex::default(),
            process: process::id(),
        }
    }

    /// Locked for moments only: nobody who holds it waits for anything.
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits a moment for the next message, and takes it: the epoch, if it is one. Threads that
    /// iterate at the same time take turns.
    fn next_message(&self) -> PyResult<Option<(u64, Box<Epoch>)>> {
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        if self.seen().ended {
            return Ok(None);
        }
        match messages.recv_timeout(PATIENCE) {
            Ok(message) => self.take(message),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                self.seen().ended = true;
                Err(AuditError::new_err("the audit ended by an internal error"))
            }
        }
    }

    fn take(&self, message: Message) -> PyResult<Option<(u64, Box<Epoch>)>> {
        let mut seen = self.seen();
        match message {
            Message::Started { bytes } => seen.total = bytes,
            Message::Verified { bytes } => seen.bytes = bytes,
            Message::Findings(findings) => seen.findings.extend(findings),
            Message::Epoch(number, epoch) => {
                seen.epochs.insert(number, Epoch::clone(&epoch));
                return Ok(Some((number, epoch)));
            }
            Message::Ended(report) => {
                seen.ended = true;
                let report = report.map_err(AuditError::new_err)?;
                seen.epochs.clone_from(&report.epochs);
                let saved = report.state.as_ref().and_then(|state| state.error.clone());
                seen.report = Some(report);
                if let Some(error) = saved {
                    let message = format!("the state was not saved: {error}");
                    return Err(AuditError::new_err(message));
                }
            }
        }
        Ok(None)
    }
}
