//! Compares runs: every secret must give the same blocks of code and the same addresses.
//!
//! The compared runs are forks of one process, so their memory has exactly the same layout.

use std::num::NonZero;

use anyhow::{bail, ensure};
use klero::Backend;
use nix::libc;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};

use super::copier::{self, Step};
use super::subject::{FAMILIES, LEAKS, Leak, Part, Prover};
use super::table;

/// The largest number of blocks in a trace; no part needs as many.
const MOST: usize = 1 << 22;

/// Checks one backend.
pub fn check(backend: Backend) -> anyhow::Result<()> {
    let mut traces = [Trace::new()?, Trace::new()?];
    let name = backend.name();
    let parts = Part::all(&FAMILIES).into_iter();
    for part in parts.filter(Part::is_for_the_trace) {
        let runs = part.runs(backend);
        let part_name = part.name();
        // The first run builds tables.
        part.run(&runs[0], None);
        for leak in &LEAKS {
            let place = compare(&mut traces, &part, &runs, Some(leak))?;
            ensure!(
                place.is_some(),
                "{name}: the trace does not show {} in {part_name}",
                leak.0
            );
        }
        if let Some(place) = compare(&mut traces, &part, &runs, None)? {
            bail!("{name}: the runs of {part_name} differ: {place}");
        }
        table::row(&part, runs.len());
    }
    Ok(())
}

/// Runs the part with each of the secrets, and returns where two runs first differ. All secrets
/// use the same memory, and nothing is allocated between the forks: otherwise addresses would
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

/// The address of the start of this program.
fn executable_start() -> u64 {
    unsafe extern "C" {
        static __ehdr_start: u8;
    }
    // A symbol of the linker, of which only the address is used.
    (&raw const __ehdr_start) as u64
}

/// The blocks that a fork ran, in memory shared with it.
struct Trace(*mut Shared);

struct Shared {
    count: usize,
    steps: [Step; MOST],
}

impl Trace {
    fn new() -> anyhow::Result<Self> {
        let size = NonZero::new(size_of::<Shared>()).expect("not empty");
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping, which is never unmapped.
        let shared = unsafe { mmap_anonymous(None, size, access, MapFlags::MAP_SHARED)? };
        Ok(Self(shared.cast().as_ptr()))
    }

    fn steps(&self) -> &[Step] {
        // SAFETY: zeros are a valid `Shared`, as is everything that forks write; none is running.
        let shared = unsafe { &*self.0 };
        &shared.steps[..shared.count]
    }

    /// Runs the work in a fork.
    fn follow(&mut self, work: impl FnOnce()) -> anyhow::Result<()> {
        // SAFETY: as above; no fork is running.
        let shared = unsafe { &mut *self.0 };
        // Before the fork, since a short one may have ended when this process goes on.
        shared.count = 0;
        // SAFETY: this program has one thread.
        let ForkResult::Parent { child } = (unsafe { fork()? }) else {
            let followed = copier::trace(work, &mut shared.steps);
            let done = followed.is_ok();
            match followed {
                Ok(count) => shared.count = count,
                Err(error) => eprintln!("{error}"),
            }
            // SAFETY: ends the fork without running the parent's destructors.
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
