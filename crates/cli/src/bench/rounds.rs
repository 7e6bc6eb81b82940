//! The rounds of a measurement. In a round, each backend does the work of each row once. A disturbance of
//! the machine lengthens one round, and so affects all backends. A different backend begins each round.

use std::hint::black_box;
use std::time::{Duration, Instant};

use klero::Backend;

use crate::ui::error::Error;
use crate::ui::progress::Progress;

/// Does the work once, and returns true if the result is right.
pub type Work<'c> = Box<dyn FnMut() -> bool + 'c>;

/// One piece of work, which each backend does.
pub struct Row<'c> {
    /// A short description of the work.
    pub name: String,
    /// The number of proofs in the work. Times are per proof.
    pub items: usize,
    /// The contenders, one for each backend, in the same order in every row.
    pub contenders: Vec<Contender<'c>>,
}

/// A backend, its work, and the time that it took in each round.
pub struct Contender<'c> {
    pub backend: Backend,
    work: Work<'c>,
    /// The time per proof in each round, in microseconds.
    pub samples: Vec<f64>,
}

impl<'c> Row<'c> {
    /// A row of `items` proofs, with the work of each backend.
    pub fn new(
        name: String,
        items: usize,
        backends: &[Backend],
        work: impl Fn(Backend) -> Work<'c>,
    ) -> Self {
        let contender = |&backend: &Backend| Contender {
            backend,
            work: work(backend),
            samples: Vec::new(),
        };
        Self {
            name,
            items,
            contenders: backends.iter().map(contender).collect(),
        }
    }
}

impl Contender<'_> {
    /// The median of the samples.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Returns the sample at the fraction `part` of the sorted samples. Fraction 0 gives the smallest sample,
    /// which was disturbed least.
    pub fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let place = (last as f64 * part).round() as usize;
        sorted.get(place).copied().unwrap_or(f64::NAN)
    }
}

/// The length of a run. A run ends after `rounds` rounds, or earlier if the next round would probably end
/// after `time`. Every run has at least three rounds, because fewer samples have no spread.
#[derive(Clone, Copy)]
pub struct Plan {
    rounds: u32,
    time: Duration,
}

impl Plan {
    /// A run of less than two minutes.
    pub const QUICK: Self = Self {
        rounds: 30,
        time: Duration::from_secs(75),
    };

    /// A run of five minutes.
    pub const WHOLE: Self = Self {
        rounds: 100,
        time: Duration::from_secs(270),
    };

    const LEAST_ROUNDS: u32 = 3;

    /// A run of this number of rounds, but at least three.
    pub fn rounds(rounds: u32) -> Self {
        Self {
            rounds,
            time: Duration::MAX,
        }
    }

    /// True if the run is over after `rounds` rounds, which took `elapsed`. The first round is the warm-up.
    fn is_over(self, rounds: u32, elapsed: Duration) -> bool {
        let counted = rounds.saturating_sub(1);
        let with_next = elapsed.as_secs_f64() / f64::from(rounds) * f64::from(rounds + 1);
        counted >= Self::LEAST_ROUNDS
            && (counted >= self.rounds || with_next > self.time.as_secs_f64())
    }

    /// The fraction of the run that is done.
    fn part_done(self, rounds: u32, elapsed: Duration) -> f64 {
        let by_time = elapsed.as_secs_f64() / self.time.as_secs_f64();
        by_time.max(f64::from(rounds) / f64::from(self.rounds + 1))
    }
}

/// Does all rows once to warm up, and then measures them in the rounds of the plan.
///
/// # Errors
/// If a result is wrong. The error names the row and the backend.
pub fn measure(rows: &mut [Row<'_>], plan: Plan) -> Result<(), Error> {
    const BAR: f64 = 1000.0;
    let mut progress = Progress::counting("proofs", true);
    let start = Instant::now();
    let mut round = 0;
    while !plan.is_over(round, start.elapsed()) {
        for row in rows.iter_mut() {
            let turns = row.contenders.len();
            for turn in 0..turns {
                let contender = &mut row.contenders[(round as usize + turn) % turns];
                let begin = cpu_time();
                let right = black_box((contender.work)());
                let time = cpu_time().saturating_sub(begin).as_secs_f64();
                if !right {
                    let backend = contender.backend.name();
                    let place = format_args!("{}, {backend}", row.name);
                    return Err(Error::at(place, "wrong result"));
                }
                if round > 0 {
                    contender.samples.push(time * 1e6 / row.items as f64);
                }
                let done = plan.part_done(round, start.elapsed()).min(1.0);
                progress.advance(row.items, ((done * BAR) as u64, Some(BAR as u64)));
            }
        }
        round += 1;
    }
    Ok(())
}

/// The CPU time of this thread; on systems other than Unix, wall time.
fn cpu_time() -> Duration {
    #[cfg(unix)]
    {
        use nix::time::ClockId;
        let time = ClockId::CLOCK_THREAD_CPUTIME_ID.now();
        time.map_or(Duration::ZERO, Duration::from)
    }
    #[cfg(not(unix))]
    {
        use std::sync::LazyLock;
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn everyone_has_a_turn_in_every_round_and_the_start_rotates() {
        let turns = RefCell::new(Vec::new());
        let backends = [Backend::default(); 2];
        let count = RefCell::new(0);
        let mut rows = [Row::new("row".into(), 1, &backends, |_| {
            let number = count.replace_with(|count| *count + 1);
            let turns = &turns;
            Box::new(move || {
                turns.borrow_mut().push(number);
                true
            })
        })];
        measure(&mut rows, Plan::rounds(3)).unwrap();
        assert_eq!(*turns.borrow(), [0, 1, 1, 0, 0, 1, 1, 0]);
        for contender in &rows[0].contenders {
            assert_eq!(contender.samples.len(), 3);
        }
    }

    #[test]
    fn there_are_three_rounds_even_in_no_time() {
        let mut rows = [Row::new("row".into(), 1, &[Backend::default()], |_| {
            Box::new(|| true)
        })];
        let time = Duration::ZERO;
        measure(&mut rows, Plan { rounds: 100, time }).unwrap();
        assert_eq!(rows[0].contenders[0].samples.len(), 3);
    }

    #[test]
    fn a_wrong_result_names_its_row() {
        let mut rows = [Row::new("adding".into(), 1, &[Backend::default()], |_| {
            Box::new(|| false)
        })];
        let fault = format!("{:?}", measure(&mut rows, Plan::rounds(3)).unwrap_err());
        assert!(fault.contains("adding, "), "{fault}");
    }
}
