//! The same blocks of code and the same addresses for every secret.
//!
//! The processes that are compared are forks of one, so their memory is laid out alike to
//! the byte.

use std::num::NonZero;

use anyhow::{bail, ensure};
use klero::Backend;
use nix::libc;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};

use crate::copier::{self, Step};
use crate::subject::{FAMILIES, LEAKS, Leak, Part, Prover};

/// More blocks than any work here runs.
const MOST: usize = 1 << 22;

/// Checks one backend.
pub fn check(backend: Backend) -> anyhow::Result<()> {
    let mut traces = [Trace::new()?, Trace::new()?];
    let name = backend.name();
    let parts = Part::all(&FAMILIES);
    for part in &parts {
        let runs = part.runs(backend);
        let part_name = part.name();
        // Tables are made once.
        part.run(&runs[0], None);
        for leak in &LEAKS {
            let place = compare(&mut traces, part, &runs, Some(leak))?;
            ensure!(
                place.is_some(),
                "{name}: the trace does not show {} in {part_name}",
                leak.0
            );
        }
        if let Some(place) = compare(&mut traces, part, &runs, None)? {
            bail!("{name}: the secret shows in {part_name}: {place}");
        }
    }
    let (parts, runs) = (parts.len(), parts[0].runs(backend).len());
    println!("{name}: {parts} parts go the same way with each of {runs} secrets");
    Ok(())
}

/// Runs the part with each of the secrets, and says where the ways part. The secrets take
/// turns in one place, and nothing is allocated between the forks: else the addresses would
/// differ without a leak.
fn compare(
    [first, other]: &mut [Trace; 2],
    part: &Part,
    runs: &[Vec<Prover>],
    leak: Option<&Leak>,
) -> anyhow::Result<Option<String>> {
    let mut provers = runs[0].clone();
    for (number, run) in runs.iter().enumerate() {
        provers.copy_from_slice(run);
        let trace = if number == 0 {
            &mut *first
        } else {
            &mut *other
        };
        trace.follow(|| part.run(&provers, leak))?;
        if number == 0 {
            continue;
        }
        let (a, b) = (first.steps(), other.steps());
        if let Some(i) = a.iter().zip(b).position(|(a, b)| a != b) {
            let place = a[i].at.wrapping_sub(executable_start());
            return Ok(Some(format!(
                "from block {i} on, at {place:#x} of this program"
            )));
        }
        if a.len() != b.len() {
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

/// The blocks that a fork ran. The memory is shared with it: their number, then they.
struct Trace(*mut Shared);

struct Shared {
    count: usize,
    steps: [Step; MOST],
}

impl Trace {
    fn new() -> anyhow::Result<Self> {
        let size = NonZero::new(size_of::<Shared>()).expect("not empty");
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a place that nothing else has, which is never given back.
        let shared = unsafe { mmap_anonymous(None, size, access, MapFlags::MAP_SHARED)? };
        Ok(Self(shared.cast().as_ptr()))
    }

    fn steps(&self) -> &[Step] {
        // SAFETY: zeros are a `Shared`, and so is what forks write; none is running.
        let shared = unsafe { &*self.0 };
        &shared.steps[..shared.count]
    }

    /// Runs the work in a fork.
    fn follow(&mut self, work: impl FnOnce()) -> anyhow::Result<()> {
        // SAFETY: as above; and this program has one thread.
        let (shared, forked) = unsafe { (&mut *self.0, fork()?) };
        shared.count = 0;
        let ForkResult::Parent { child } = forked else {
            let followed = copier::trace(work, &mut shared.steps);
            let done = followed.is_ok();
            match followed {
                Ok(count) => shared.count = count,
                Err(error) => eprintln!("{error}"),
            }
            // SAFETY: ends the process, and nothing of the parent's runs in it.
            unsafe { libc::_exit(i32::from(!done)) }
        };
        let status = waitpid(child, None)?;
        ensure!(
            status == WaitStatus::Exited(child, 0) && shared.count > 50,
            "a run could not be followed: {status:?}, {} blocks",
            shared.count
        );
        Ok(())
    }
}
