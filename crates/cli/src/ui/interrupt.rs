//! Ctrl-C and SIGTERM: one handler for all commands.
//!
//! A command that can end early in an orderly way polls an [`Interrupt`]: the first signal requests it to
//! stop, which standard error says, and the second ends the process. For any other command the first signal
//! ends the process: its outputs are abandoned, and standard error says what became of them. Signals that
//! must have no effect are blocked here, too.

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
            // The process was started with some of these signals ignored: hangups by `nohup`,
            // Ctrl-C by a shell that runs it in the background. They must stay ignored.
            #[cfg(unix)]
            block_ignored().map_err(|error| failed(ctrlc::Error::System(error.into())))?;
            ctrlc::set_handler(on_signal).map_err(failed)
        }
        installed => installed.map_err(failed),
    }
}

/// Blocks SIGXFSZ, the signal of a write beyond the limit on the size of files (`ulimit -f`), in this thread
/// and those it starts. The signal would end the process without a word; while it is blocked, the write
/// fails, as on a full disk.
#[cfg(unix)]
fn block_file_limit() -> nix::Result<()> {
    use nix::sys::signal::{SigSet, Signal};
    let mut blocked = SigSet::empty();
    blocked.add(Signal::SIGXFSZ);
    blocked.thread_block()
}

/// Blocks SIGINT, SIGTERM and SIGHUP where they are ignored, in this thread and those it starts.
#[cfg(unix)]
fn block_ignored() -> nix::Result<()> {
    use nix::sys::signal::{SigSet, Signal};
    let mut blocked = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // If the system does not tell, `nohup` is the most likely cause.
        let ignored = ignored_signals().map_or(signal == Signal::SIGHUP, |ignored| {
            ignored >> (signal as i32 - 1) & 1 == 1
        });
        if ignored {
            blocked.add(signal);
        }
    }
    blocked.thread_block()
}

/// The ignored signals as set bits, signal 1 as the lowest one. `None` without Linux's `/proc`.
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
        // Below "^C" or a progress bar.
        say("");
    }
    if requests {
        return say("klero: interrupted; another signal ends it at once");
    }
    say(format_args!("klero: interrupted{}", outcome()));
    exit(INTERRUPTED.into());
}

/// Begins the end of the process; to be called before its last message. Only one of the command and the
/// signal handler returns from here, so that there is one last message.
pub fn begin_to_end() {
    while ENDING.swap(true, Ordering::Relaxed) {
        std::thread::park();
    }
}

/// Abandons outputs that were not committed. Returns what became of them, to be appended to a message.
pub fn outcome() -> String {
    let outputs = klero_support::abandon();
    outputs.iter().map(|output| format!("; {output}")).collect()
}

/// A handle of a command that polls for signals, to end early when one comes.
pub struct Interrupt(());

impl Interrupt {
    /// Begins to poll: from now on the first signal is a request.
    pub fn listen() -> Self {
        POLLED.store(true, Ordering::Relaxed);
        Self(())
    }

    /// True if the command is to stop.
    pub fn pressed(&self) -> bool {
        PRESSED.load(Ordering::Relaxed)
    }
}
