//! How time and memory grow with the number of claims, far beyond one group.

use std::thread;
use std::time::Instant;

use klero::{Backend, Suite, Verifier};

use super::claims::{ALPHA_LEN, Claims};
use super::rows::name_of;
use crate::clock::{cpu_seconds, peak_memory};
use crate::figure::{Curve, Figure, Lines};
use crate::measured::Spread;
use crate::section::{Cell, Section, Table};

/// Time and memory for one number of claims.
#[derive(Clone, Copy, Debug)]
pub struct Grown {
    /// The number of claims.
    pub claims: usize,
    /// Microseconds of CPU time for each claim, on one thread.
    pub one_thread: f64,
    /// Microseconds of wall time for each claim, on all threads.
    pub all_threads: f64,
    /// The number of threads that this process may use.
    pub threads: usize,
    /// The size of the claims in bytes: keys, alphas, proofs.
    pub input: u64,
    /// The bytes by which the memory in use rose while the claims were verified on one thread;
    /// `None` where the system does not report it.
    pub memory: Option<u64>,
}

/// Verifies 2^10, 2^12 … claims, at most `up_to`, and calls `each` after every number. Returns
/// `None` if a valid claim is rejected.
pub fn growth(
    suite: Suite,
    backend: Backend,
    up_to: usize,
    mut each: impl FnMut(&Grown),
) -> Option<Vec<Grown>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let sizes = (10..usize::BITS).step_by(2).map(|power| 1usize << power);
    let mut grown = Vec::new();
    for size in sizes.take_while(|size| *size <= up_to) {
        let claims = Claims::new(suite, size);
        let work = |first: usize, count: usize| {
            let batch: Vec<_> = (first..first + count).map(|i| claims.claim(i)).collect();
            let report = Verifier::new(suite).backend(backend).verify_many(&batch);
            report.verdicts.iter().all(Result::is_ok)
        };
        // The first call builds tables.
        let warm = work(0, 64.min(size));
        let start = cpu_seconds();
        let (valid, memory) = peak_memory(|| warm && work(0, size));
        let one_thread = (cpu_seconds() - start) * 1e6 / size as f64;

        let start = Instant::now();
        let share = size.div_ceil(threads);
        let all_valid = thread::scope(|scope| {
            let parts = (0..size).step_by(share);
            let work = &work;
            let parts: Vec<_> = parts
                .map(|first| scope.spawn(move || work(first, share.min(size - first))))
                .collect();
            parts.into_iter().all(|part| part.join().unwrap_or(false))
        });
        let all_threads = start.elapsed().as_secs_f64() * 1e6 / size as f64;
        if !(valid && all_valid) {
            return None;
        }
        let line = Grown {
            claims: size,
            one_thread,
            all_threads,
            threads,
            input: (size * (32 + ALPHA_LEN + suite.proof_len())) as u64,
            memory,
        };
        each(&line);
        grown.push(line);
    }
    Some(grown)
}

/// The table and the curves of time and memory against the number of claims.
pub fn growth_section(suite: Suite, backend: Backend, grown: &[Grown]) -> Section {
    let title = format!("Growth, {}, {}", suite.name(), name_of(backend));
    let mut section = Section::new(
        title.clone(),
        "Each number of claims is verified once, in one call: CPU time on one thread, wall time on \
         all threads. Memory is the rise in memory use beyond the claims' bytes while one thread \
         worked: the list of claims, the verdicts, and the working memory of a group.",
    );
    let threads = match grown.first().map_or(1, |line| line.threads) {
        1 => "all threads (1)".to_owned(),
        threads => format!("{threads} threads"),
    };
    let many = format!("{threads}, µs each");
    let head = [
        "claims",
        "one thread, µs each",
        &many,
        "claims' bytes",
        "memory",
    ];
    let mut table = Table::new(&title, head);
    for line in grown {
        table.lines.push(vec![
            Cell::Count(line.claims as u64),
            Cell::Micros(line.one_thread),
            Cell::Micros(line.all_threads),
            Cell::Bytes(line.input),
            line.memory.map_or(Cell::Nothing, Cell::Bytes),
        ]);
    }
    let curve = |name: String, time: fn(&Grown) -> f64| Curve {
        name,
        points: grown
            .iter()
            .map(|line| (line.claims as f64, Spread::once(time(line))))
            .collect(),
    };
    section.figures.push(Figure::Lines(Lines {
        title,
        x: "claims".into(),
        y: "µs for each claim, measured once".into(),
        curves: vec![
            curve("one thread".into(), |line| line.one_thread),
            curve(threads, |line| line.all_threads),
        ],
        with_figures: true,
    }));
    section.tables.push(table);
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_has_a_line_for_each_size() {
        let suite = Suite::RFC9381_ELL2_BC;
        let backend = Backend::default();
        let mut heard = 0;
        let grown = growth(suite, backend, 5000, |_| heard += 1).unwrap();
        assert_eq!((grown.len(), heard), (2, 2));
        let section = growth_section(suite, backend, &grown);
        assert_eq!(section.tables[0].lines.len(), 2);
    }
}
