//! Runs a program, and lets one of its calls to the operating system fail.
//!
//! ptrace stops every thread before and after each call. Before the chosen one, its number is replaced
//! by one that no call has, so that nothing is done; after it, its result by an error. A short read or
//! write gets a count of one. The program needs no library or code for this, and calls that bypass
//! the C library are met, too.
//!
//! Calls count from the first `poll` on, with which Rust's runtime begins: before, the loader maps
//! libraries.

use std::collections::HashMap;
use std::fs::{File, read_link};
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, bail};
use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::calls::{Calls, Fault, path_argument};

/// The call that is to fail: which of its kind, from 1 on, and how.
#[derive(Clone, Copy)]
pub struct Plan {
    pub calls: &'static Calls,
    pub number: usize,
    pub fault: Fault,
}

/// A thread between the two stops of a call.
#[derive(Default)]
struct Thread {
    within: bool,
    /// What is to be put in place after the call.
    after: Option<After>,
}

enum After {
    Error(Errno),
    /// The third argument, which the program may still need.
    Count(u64),
}

/// Runs the program to its end. Returns its exit status, or `None` if a signal ended it; and what
/// the failed call was about, if there was one: a path, or what a descriptor stands for.
pub fn run(
    command: &mut Command,
    plan: Option<Plan>,
) -> anyhow::Result<(Option<i32>, Option<String>)> {
    // SAFETY: between fork and exec, this makes one call, which allocates nothing.
    unsafe { command.pre_exec(|| ptrace::traceme().map_err(io::Error::from)) };
    let child = command.spawn().context("cannot start the program")?;
    let main = Pid::from_raw(child.id().try_into()?);
    waitpid(main, None)?;
    let options =
        Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACECLONE | Options::PTRACE_O_EXITKILL;
    ptrace::setoptions(main, options)?;
    ptrace::syscall(main, None)?;
    let mut tracer = Tracer {
        plan,
        ..Tracer::default()
    };
    loop {
        match waitpid(None, Some(WaitPidFlag::__WALL))? {
            WaitStatus::PtraceSyscall(pid) => {
                while_it_lives(tracer.stopped(pid))?;
                go_on(pid, None)?;
            }
            WaitStatus::PtraceEvent(pid, ..) => go_on(pid, None)?,
            // A new thread begins with this one.
            WaitStatus::Stopped(pid, Signal::SIGSTOP) => go_on(pid, None)?,
            WaitStatus::Stopped(pid, signal) => go_on(pid, Some(signal))?,
            WaitStatus::Exited(pid, status) if pid == main => {
                return Ok((Some(status), tracer.failed));
            }
            WaitStatus::Signaled(pid, ..) if pid == main => return Ok((None, tracer.failed)),
            _ => {}
        }
    }
}

fn go_on(pid: Pid, signal: Option<Signal>) -> anyhow::Result<()> {
    while_it_lives(ptrace::syscall(pid, signal))
}

/// A thread that another has ended is not there any more.
fn while_it_lives(result: nix::Result<()>) -> anyhow::Result<()> {
    match result {
        Ok(()) | Err(Errno::ESRCH) => Ok(()),
        Err(error) => bail!("cannot trace: {error}"),
    }
}

#[derive(Default)]
struct Tracer {
    plan: Option<Plan>,
    threads: HashMap<Pid, Thread>,
    /// Whether calls count.
    begun: bool,
    /// The calls of the kind so far.
    count: usize,
    failed: Option<String>,
}

impl Tracer {
    fn stopped(&mut self, pid: Pid) -> nix::Result<()> {
        let thread = self.threads.entry(pid).or_default();
        thread.within = !thread.within;
        if !thread.within {
            let Some(after) = thread.after.take() else {
                return Ok(());
            };
            let mut registers = ptrace::getregs(pid)?;
            match after {
                After::Error(error) => registers.rax = -i64::from(error as i32) as u64,
                After::Count(count) => registers.rdx = count,
            }
            return ptrace::setregs(pid, registers);
        }
        let mut registers = ptrace::getregs(pid)?;
        let call = registers.orig_rax as i64;
        self.begun |= call == libc::SYS_poll;
        let Some(plan) = self.plan.filter(|plan| plan.calls.numbers.contains(&call)) else {
            return Ok(());
        };
        self.count += usize::from(self.begun);
        if !self.begun || self.count != plan.number {
            return Ok(());
        }
        let about = match path_argument(call) {
            Some(argument) => text_at(pid, [registers.rdi, registers.rsi][argument]),
            None => descriptor(pid, registers.rdi),
        };
        self.failed = Some(about);
        let after = match plan.fault {
            Fault::Error(error) => {
                registers.orig_rax = u64::MAX;
                After::Error(error)
            }
            Fault::Short => {
                let count = registers.rdx;
                registers.rdx = count.min(1);
                After::Count(count)
            }
        };
        self.threads.entry(pid).or_default().after = Some(after);
        ptrace::setregs(pid, registers)
    }
}

fn descriptor(pid: Pid, number: u64) -> String {
    let link = read_link(format!("/proc/{pid}/fd/{}", number as i32));
    link.map_or_else(
        |_| format!("{number:#x}"),
        |path| path.display().to_string(),
    )
}

/// The text at an address of the program.
fn text_at(pid: Pid, address: u64) -> String {
    let mut bytes = [0; 256];
    let memory = File::open(format!("/proc/{pid}/mem"));
    let read = memory.and_then(|memory| memory.read_at(&mut bytes, address));
    let bytes = &bytes[..read.unwrap_or(0)];
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(0)]).into_owned()
}
