//! The CPU time and the memory of this process.

/// The CPU time that this thread has used, in seconds; on systems other than Unix, wall time.
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

/// The CPU time that all threads of this process have used, in seconds; 0 on systems other
/// than Unix.
pub fn process_seconds() -> f64 {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(unix))]
    0.0
}

/// Keeps this thread on its current processor, whose caches are warm, until dropped.
pub(crate) struct Pinned {
    #[cfg(target_os = "linux")]
    before: Option<rustix::thread::CpuSet>,
}

impl Pinned {
    /// Errors are ignored: pinning only makes the times steadier.
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

/// Runs `work` and returns its result and, on Linux, the largest rise of this process's memory
/// use meanwhile, in bytes.
pub fn peak_memory<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    // "5" resets the peak to the current use.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_time_are_seen() {
        let start = [cpu_seconds(), process_seconds()];
        let (buffer, bytes) = peak_memory(|| vec![1u8; 1 << 24]);
        assert!(bytes.is_none_or(|bytes| bytes > 1 << 23), "{bytes:?}");
        drop(buffer);
        assert!(cpu_seconds() > start[0] && process_seconds() >= start[1]);
    }
}
