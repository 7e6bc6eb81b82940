//! The same instructions and the same addresses for every secret, seen by stepping.
//!
//! The processes that are compared are forks of one, so their memory is laid out
//! alike to the byte.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use anyhow::{Context, bail, ensure};
use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, Register, UsedMemory};
use klero::Suite;
use nix::libc::{self, user_regs_struct};
use nix::sys::ptrace;
use nix::sys::signal::{Signal, raise};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use crate::subject::{self, LEAKS};

/// The secrets that are compared, by their numbers: few, for a step takes its time, and
/// not two, which have every other bit in common.
const SECRETS: [u64; 3] = [1, 2, 3];

/// Where an instruction is, and a hash of the addresses that it touched.
#[derive(PartialEq)]
struct Step {
    at: u64,
    touched: u64,
}

pub fn check() -> anyhow::Result<()> {
    let backend = subject::backend()?;
    let name = backend.name();
    for (leak, function) in LEAKS {
        let difference = compare(subject::seed, function)?;
        ensure!(difference.is_some(), "the trace does not show {leak}");
    }
    // One proof takes a way of its own; as many as there are lanes share vectors.
    // Elligator takes the same way for every public key, as try-and-increment does not.
    for n in [1, backend.lanes() as u64] {
        let keys = |choice: u64| {
            let seeds: Vec<_> = (0..n).map(|i| subject::seed(choice << 32 | i)).collect();
            subject::keys(Suite::PRAOS, &seeds)
        };
        let difference = compare(keys, |keys| drop(subject::prove(keys)))?;
        if let Some(difference) = difference {
            bail!("{name}: the secret shows in {n} proofs: {difference}");
        }
    }
    println!("{name}: constant time by its trace");
    Ok(())
}

/// Runs the work on several secrets, and says where the ways part.
fn compare<S>(secret: impl Fn(u64) -> S, work: impl Fn(&S)) -> anyhow::Result<Option<String>> {
    // Tables are made once, and so is the choice of a backend.
    work(&secret(0));
    // All are forked before the first is followed, which changes this process.
    let children = SECRETS.map(|choice| Child::fork(|| secret(choice), &work));
    let mut first: Option<Vec<Step>> = None;
    for child in children {
        let steps = child?.follow()?;
        ensure!(steps.len() > 50, "only {} steps were seen", steps.len());
        let Some(first) = &first else {
            first = Some(steps);
            continue;
        };
        if let Some(i) = first.iter().zip(&steps).position(|(a, b)| a != b) {
            let before = first[i.saturating_sub(1)]
                .at
                .wrapping_sub(executable_start());
            let place = format!("from step {i} on, after {before:#x} of this program");
            return Ok(Some(place));
        }
        if first.len() != steps.len() {
            return Ok(Some("one run is longer".to_owned()));
        }
    }
    Ok(None)
}

/// Where this program begins in memory.
fn executable_start() -> u64 {
    unsafe extern "C" {
        static __ehdr_start: u8;
    }
    // The linker's symbol; only its address is taken.
    (&raw const __ehdr_start) as u64
}

/// A fork of this process, stopped before its work.
struct Child(Pid);

impl Child {
    fn fork<S>(secret: impl FnOnce() -> S, work: impl Fn(&S)) -> anyhow::Result<Self> {
        // SAFETY: this program has one thread.
        if let ForkResult::Parent { child } = unsafe { fork()? } {
            return Ok(Self(child));
        }
        let secret = secret();
        // The two stops are the ends of the trace.
        if ptrace::traceme()
            .and_then(|()| raise(Signal::SIGSTOP))
            .is_ok()
        {
            work(&secret);
            let _ = raise(Signal::SIGSTOP);
        }
        // SAFETY: ends the process, and nothing of the parent's runs in it.
        unsafe { libc::_exit(0) }
    }

    /// Every step of its work.
    fn follow(&self) -> anyhow::Result<Vec<Step>> {
        follow(self.0).context("cannot follow a process of this program with ptrace")
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = nix::sys::signal::kill(self.0, Signal::SIGKILL);
        let _ = waitpid(self.0, None);
    }
}

fn follow(child: Pid) -> anyhow::Result<Vec<Step>> {
    let mut memory = HashMap::new();
    let mut info = InstructionInfoFactory::new();
    let mut steps = Vec::new();
    let stopped = |signal| Ok(WaitStatus::Stopped(child, signal));
    ensure!(waitpid(child, None) == stopped(Signal::SIGSTOP));
    loop {
        ptrace::step(child, None)?;
        let status = waitpid(child, None);
        if status == stopped(Signal::SIGSTOP) {
            return Ok(steps);
        }
        ensure!(status == stopped(Signal::SIGTRAP), "{status:?}");
        // What is about to be executed.
        let registers = ptrace::getregs(child)?;
        let at = registers.rip;
        let used = match memory.entry(at) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let code = code(child, at)?;
                let mut decoder = Decoder::with_ip(64, &code, at, DecoderOptions::NONE);
                let instruction = decoder.decode();
                ensure!(!instruction.is_invalid(), "unknown instruction at {at:#x}");
                new.insert(info.info(&instruction).used_memory().to_vec())
            }
        };
        let mut hasher = DefaultHasher::new();
        for used in used.iter() {
            address(used, &registers)
                .with_context(|| format!("the address of {used:?} at {at:#x}"))?
                .hash(&mut hasher);
        }
        steps.push(Step {
            at,
            touched: hasher.finish(),
        });
    }
}

/// The 16 bytes of code at an address; zeros where no more memory is.
fn code(child: Pid, at: u64) -> anyhow::Result<[u8; 16]> {
    let mut code = [0; 16];
    let first = ptrace::read(child, at as ptrace::AddressType)?;
    let second = ptrace::read(child, (at + 8) as ptrace::AddressType).unwrap_or(0);
    code[..8].copy_from_slice(&first.to_le_bytes());
    code[8..].copy_from_slice(&second.to_le_bytes());
    Ok(code)
}

/// The address of one memory operand. `None` if it is in a vector register, as those
/// of gathers: no secret may be near them, and nothing here uses them.
fn address(used: &UsedMemory, registers: &user_regs_struct) -> Option<u64> {
    used.virtual_address(0, |register, _, _| {
        Some(match register {
            Register::RAX => registers.rax,
            Register::RBX => registers.rbx,
            Register::RCX => registers.rcx,
            Register::RDX => registers.rdx,
            Register::RSI => registers.rsi,
            Register::RDI => registers.rdi,
            Register::RBP => registers.rbp,
            Register::RSP => registers.rsp,
            Register::R8 => registers.r8,
            Register::R9 => registers.r9,
            Register::R10 => registers.r10,
            Register::R11 => registers.r11,
            Register::R12 => registers.r12,
            Register::R13 => registers.r13,
            Register::R14 => registers.r14,
            Register::R15 => registers.r15,
            Register::FS => registers.fs_base,
            Register::GS => registers.gs_base,
            Register::CS | Register::DS | Register::ES | Register::SS => 0,
            _ => return None,
        })
    })
}
