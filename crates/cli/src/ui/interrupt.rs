//! Ctrl-C and SIGTERM: one handler for all commands.
//!
//! A command that can end early in an orderly way polls an [`Interrupt`]. The first signal only asks such a
//! command to stop, which a message on standard error confirms, and the second signal ends the process. For
//! any other command, the first signal ends the process. Whenever a signal ends the process, unfinished
//! outputs are abandoned, and a message on standard error describes what became of them. This module also
//! blocks signals that must have no effect.

use std::io::{IsTerminal, stderr};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::ui::error::{Error, INTERRUPTED};
use crate::ui::terminal::say;

/// True if the command polls for signals.
static POLLED: AtomicBool = AtomicBool::new(false);
/// True if a signal has come since the command began to poll.
static PRESSED: AtomicBool = AtomicBool::new(false);
/// True if the process has begun to end, by a signal or by itself.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Installs the handler. Call it before any thread is started.
pub fn install() -> Result<(), Error> {
    let failed = |error| Error::at("cannot listen for Ctrl-C", error);
    #[cfg(unix)]
    block_file_limit().map_err(|error| failed(ctrlc::Error::System(error.into())))?;
    match ctrlc::try_set_handler(on_signal) {
        Err(ctrlc::Error::MultipleHandlers) => {
            // Some of the signals were already ignored when the process started: `nohup` ignores hangups, and
            // a shell ignores Ctrl-C for a process in the background. Ignored signals must stay ignored.
            #[cfg(unix)]
            block_ignored().map_err(|error| failed(ctrlc::Error::System(error.into())))?;
            ctrlc::set_handler(on_signal).map_err(failed)
        }
        installed => installed.map_err(failed),
    }
}

/// Blocks SIGXFSZ in this thread and the threads that it starts. This signal comes from a write beyond the
/// limit on the size of files (`ulimit -f`), and would end the process without a message. While the signal
/// is blocked, the write fails, as on a full disk.
#[cfg(unix)]
fn block_file_limit() -> nix::Result<()> {
    use nix::sys::signal::{SigSet, Signal};
    let mut blocked = SigSet::empty();
    blocked.add(Signal::SIGXFSZ);
    blocked.thread_block()
}

/// Blocks SIGINT, SIGTERM and SIGHUP, each if it is ignored, in this thread and the threads that it starts.
#[cfg(unix)]
fn block_ignored() -> nix::Result<()> {
    use nix::sys::signal::{SigSet, Signal};
    let mut blocked = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // If the system does not list ignored signals, `nohup` is assumed, which ignores only SIGHUP.
        let ignored = ignored_signals().map_or(signal == Signal::SIGHUP, |ignored| {
            ignored >> (signal as i32 - 1) & 1 == 1
        });
        if ignored {
            blocked.add(signal);
        }
    }
    blocked.thread_block()
}

/// A bit mask of the ignored signals. Its lowest bit is for signal 1. `None` without Linux's `/proc`.
#[cfg(unix)]
fn ignored_signals() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

fn on_signal() {
    let requests = POLLED.load(Ordering::Relaxed) && !PRESSED.swap(true, Ordering::Relaxed);
    if !requests {
        begin_to_end();
    }
    if stderr().is_terminal() {
        // The message begins on a new line, below "^C" or a progress bar.
        say("");
    }
    if requests {
        return say("klero: interrupted; another signal ends it at once");
    }
    say(format_args!("klero: interrupted{}", outcome()));
    exit(INTERRUPTED.into());
}

/// Begins the end of the process. The command and the signal handler must call this before their last
/// message. Only the first call returns. Any other caller waits here, and cannot print a second last message.
pub fn begin_to_end() {
    while ENDING.swap(true, Ordering::Relaxed) {
        std::thread::park();
    }
}

/// Abandons outputs that were not committed. Returns a description of their state, to append to a message.
pub fn outcome() -> String {
    let outputs = klero_support::abandon();
    outputs.iter().map(|output| format!("; {output}")).collect()
}

/// The handle with which a command polls for signals, so that a signal can end it early.
pub struct Interrupt(());

impl Interrupt {
    /// Begins to poll. From now on, the first signal only asks the command to stop.
    pub fn listen() -> Self {
        POLLED.store(true, Ordering::Relaxed);
        Self(())
    }

    /// True if the command should stop.
    pub fn pressed(&self) -> bool {
        PRESSED.load(Ordering::Relaxed)
    }
}
