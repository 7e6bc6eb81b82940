//! The load by other programs: they take caches, clock frequency and memory bandwidth from a
//! measurement even if they run on other processors.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::clock::process_seconds;

/// The number of hardware threads, and how many of them other programs kept busy.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Load {
    /// The number of hardware threads of the machine.
    pub threads: usize,
    /// The average number of them that other programs kept busy.
    pub others: f64,
}

impl Load {
    /// The largest value of `others` on an idle machine.
    const IDLE: f64 = 0.1;

    /// The warning to show above the times if the machine was not idle.
    pub fn warning(self) -> Option<String> {
        let Self { threads, others } = self;
        (others > Self::IDLE).then(|| {
            format!(
                "Other programs kept {others:.1} of the {threads} threads of this machine busy \
                 during the run. They share caches and clock frequency with the benchmark, so \
                 times are too long and ratios uncertain. Measure again on an idle machine."
            )
        })
    }
}

/// Watches the processors from [`start`](Self::start) to [`end`](Self::end).
pub(crate) struct Watch {
    start: Instant,
    before: Option<Ticks>,
    own: f64,
}

impl Watch {
    /// A shorter run is too inexact: the system counts hundredths of a second.
    const LEAST_SECONDS: f64 = 1.0;

    pub(crate) fn start() -> Self {
        Self {
            start: Instant::now(),
            before: Ticks::now(),
            own: process_seconds(),
        }
    }

    pub(crate) fn end(self) -> Option<Load> {
        let own = process_seconds() - self.own;
        let wall = self.start.elapsed().as_secs_f64();
        if wall < Self::LEAST_SECONDS {
            return None;
        }
        Ticks::now()?.since(self.before?, own / wall)
    }
}

/// The time of all processors together since the machine started, in units of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ticks {
    /// The number of processors that are online.
    pub(crate) threads: usize,
    busy: u64,
    idle: u64,
}

impl Ticks {
    pub(crate) fn now() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    /// Parses `/proc/stat`: a line `cpu` for all processors, then a line for each. The fields
    /// are user, nice, system, idle, iowait, irq, softirq, steal.
    fn parse(text: &str) -> Option<Self> {
        let all = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let fields: Result<Vec<u64>, _> = all.split_whitespace().take(8).map(str::parse).collect();
        let fields: [u64; 8] = fields.ok()?.try_into().ok()?;
        let [user, nice, system, idle, iowait, irq, softirq, steal] = fields;
        let of_one = |line: &&str| {
            let number = line.strip_prefix("cpu").unwrap_or_default();
            number.starts_with(|c: char| c.is_ascii_digit())
        };
        Some(Self {
            threads: text.lines().filter(of_one).count(),
            busy: user + nice + system + irq + softirq + steal,
            idle: idle + iowait,
        })
    }

    /// The load by other programs since `before`; `own` is the number of processors that this
    /// process kept busy.
    fn since(self, before: Self, own: f64) -> Option<Load> {
        let busy = self.busy.checked_sub(before.busy)? as f64;
        let idle = self.idle.checked_sub(before.idle)? as f64;
        let all = self.threads as f64 * busy / (busy + idle);
        all.is_finite().then(|| Load {
            threads: self.threads,
            others: (all - own).max(0.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "cpu  100 0 50 800 10 5 5 30 0 0\ncpu0 1 2 3\ncpu1 1 2 3\nintr 1\n";
    const AFTER: &str = "cpu  240 0 60 830 10 5 5 50 0 0\ncpu0 1 2 3\ncpu1 1 2 3\nintr 1\n";

    #[test]
    fn the_load_by_others_excludes_this_process() {
        let [before, after] = [BEFORE, AFTER].map(|text| Ticks::parse(text).unwrap());
        assert_eq!(before.threads, 2);
        // 170 of 200 ticks were busy: 1.7 processors, of which this process had 1.
        let load = after.since(before, 1.0).unwrap();
        assert!((load.others - 0.7).abs() < 1e-9, "{load:?}");
        assert!(load.warning().unwrap().contains("0.7 of the 2 threads"));
        assert_eq!(after.since(before, 1.75).unwrap().warning(), None);
        assert_eq!(before.since(before, 1.0), None);
        assert_eq!(Ticks::parse("cpu  1 2\n"), None);
    }
}
