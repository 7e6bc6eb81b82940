//! Ctrl-C and SIGTERM: for every command one handler.
//!
//! A command that can end early in good order polls an [`Interrupt`]: the first signal asks
//! it to stop, the second stops it. Any other command stops at the first: what it was
//! writing is abandoned, and standard error says what became of it.

use std::io::{IsTerminal, stderr};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{self, Error, INTERRUPTED};

/// Whether somebody polls for signals.
static POLLED: AtomicBool = AtomicBool::new(false);
/// Whether a signal came while somebody did.
static PRESSED: AtomicBool = AtomicBool::new(false);
/// Whether the command has begun to end, by a signal or by itself.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Listens from now on. To be called before any thread is started.
pub fn install() -> Result<(), Error> {
    let failed = |error| Error::at("cannot listen for Ctrl-C", error);
    match ctrlc::try_set_handler(on_signal) {
        Err(ctrlc::Error::MultipleHandlers) => {
            // Whoever started us made us ignore some of these signals: `nohup` hangups, a
            // shell Ctrl-C for what it runs in the background. They stay without effect.
            #[cfg(unix)]
            block_ignored().map_err(|error| failed(ctrlc::Error::System(error.into())))?;
            ctrlc::set_handler(on_signal).map_err(failed)
        }
        installed => installed.map_err(failed),
    }
}

/// Blocks, in this thread and those that it starts, which of the three signals are ignored.
#[cfg(unix)]
fn block_ignored() -> nix::Result<()> {
    use nix::sys::signal::{SigSet, Signal};
    let mut blocked = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // Where the system does not tell, it is `nohup` as a rule.
        let ignored = ignored_signals().map_or(signal == Signal::SIGHUP, |ignored| {
            ignored >> (signal as i32 - 1) & 1 == 1
        });
        if ignored {
            blocked.add(signal);
        }
    }
    blocked.thread_block()
}

/// A bit for each signal that is ignored, signal 1 the lowest; as Linux tells.
#[cfg(unix)]
fn ignored_signals() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

fn on_signal() {
    let asks = POLLED.load(Ordering::Relaxed) && !PRESSED.swap(true, Ordering::Relaxed);
    if !asks {
        begin_to_end();
        if stderr().is_terminal() {
            // Below "^C" or a progress bar.
            error::say("");
        }
        error::say(format_args!("klero: interrupted{}", outcome()));
        exit(INTERRUPTED.into());
    }
}

/// To be called before the process says its last word: only one of the command and the
/// handler of signals comes back from here.
pub fn begin_to_end() {
    while ENDING.swap(true, Ordering::Relaxed) {
        std::thread::park();
    }
}

/// Abandons what was not committed; what became of it, to stand after a message.
pub fn outcome() -> String {
    let outputs = klero_files::abandon();
    outputs.iter().map(|output| format!("; {output}")).collect()
}

/// A command's promise to end early when it is asked to.
pub struct Interrupt(());

impl Interrupt {
    /// From now on the first signal only asks.
    pub fn listen() -> Self {
        POLLED.store(true, Ordering::Relaxed);
        Self(())
    }

    /// Whether it was asked to stop.
    pub fn pressed(&self) -> bool {
        PRESSED.load(Ordering::Relaxed)
    }
}
