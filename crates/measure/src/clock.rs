//! What the clock and the memory of this process say.

/// The seconds of CPU time that this thread has used; where there is no such clock (not a
/// Unix), seconds of wall time.
///
/// ```
/// let start = klero_measure::cpu_seconds();
/// assert!(klero_measure::cpu_seconds() >= start);
/// ```
pub fn cpu_seconds() -> f64 {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(unix))]
    {
        use std::sync::OnceLock;
        use std::time::Instant;
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_secs_f64()
    }
}

/// The seconds of CPU time that all threads of this process have used; 0 where there is no
/// such clock.
pub(crate) fn process_seconds() -> f64 {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(unix))]
    0.0
}

/// Keeps this thread on the processor that it is on, as long as this lives: its caches
/// are warm.
pub(crate) struct Pinned {
    #[cfg(target_os = "linux")]
    before: Option<rustix::thread::CpuSet>,
}

impl Pinned {
    /// It only makes the numbers steadier; where it is forbidden, they are not.
    pub(crate) fn here() -> Self {
        #[cfg(target_os = "linux")]
        {
            use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
            let before = sched_getaffinity(None).ok();
            let mut set = CpuSet::new();
            set.set(sched_getcpu());
            let _ = sched_setaffinity(None, &set);
            Self { before }
        }
        #[cfg(not(target_os = "linux"))]
        Self {}
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(before) = &self.before {
            let _ = rustix::thread::sched_setaffinity(None, before);
        }
    }
}

/// Runs `work` and gives its result and, on Linux, by how many bytes the memory that this
/// process had in use rose meanwhile at most.
///
/// ```
/// let (buffer, bytes) = klero_measure::peak_memory(|| vec![1u8; 1 << 24]);
/// assert!(bytes.is_none_or(|bytes| bytes > 1 << 23), "{bytes:?}");
/// # drop(buffer);
/// ```
pub fn peak_memory<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    // "5" sets the peak to what is in use now.
    let reset = std::fs::write("/proc/self/clear_refs", "5").ok();
    let before = reset.and_then(|()| status("VmRSS:"));
    let result = work();
    let rise = before.and_then(|before| Some(status("VmHWM:")?.saturating_sub(before)));
    (result, rise)
}

/// A field of `/proc/self/status` in bytes.
fn status(field: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}
