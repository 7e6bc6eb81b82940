//! A run: every contender on every row in every round, by thread CPU time.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use crate::clock::{Pinned, cpu_seconds};
use crate::load::Watch;
use crate::measured::{Measured, Run, Series};

/// A function that the work calls when one of its parts ends: with the index of the part, or
/// with `None` if the time since the last call does not count.
pub type Ended<'e> = dyn FnMut(Option<usize>) + 'e;

/// Does the work once and returns whether it did it right.
type Work<'a> = Box<dyn FnMut(&mut Ended<'_>) -> bool + 'a>;

/// One piece of work and the contenders that can do it.
pub struct Row<'a> {
    /// The experiment that it belongs to.
    pub experiment: String,
    /// The work, in words.
    pub name: String,
    /// The number of items of contenders that are added without a number of their own.
    pub items: usize,
    /// Its place on the horizontal axis of the experiment: the number of items, if nothing else is set.
    pub at: f64,
    contenders: Vec<Contender<'a>>,
}

struct Contender<'a> {
    /// A name for each part of the work.
    names: Vec<String>,
    items: usize,
    work: Work<'a>,
}

impl<'a> Row<'a> {
    /// A row of an experiment. Its times are for each of `items` items.
    pub fn new(experiment: impl Into<String>, name: impl Into<String>, items: usize) -> Self {
        Self {
            experiment: experiment.into(),
            name: name.into(),
            items,
            at: items as f64,
            contenders: Vec::new(),
        }
    }

    /// Adds a contender. `work` does the work once and returns whether the result is right. All
    /// of `work` is timed, so prepare inputs outside.
    pub fn add(&mut self, name: impl Into<String>, work: impl FnMut() -> bool + 'a) {
        self.add_of(name, self.items, work);
    }

    /// Adds a contender whose work has another number of items.
    pub fn add_of(
        &mut self,
        name: impl Into<String>,
        items: usize,
        mut work: impl FnMut() -> bool + 'a,
    ) {
        self.add_parts(vec![name.into()], items, move |ended| {
            let right = work();
            ended(Some(0));
            right
        });
    }

    /// Adds contenders that are parts of one piece of work. `work` calls its argument at the end
    /// of each part; the times of a part are added up.
    ///
    /// ```
    /// use klero_measure::{Plan, Row, run};
    /// let mut row = Row::new("sorting", "numbers", 1000);
    /// row.add_parts(vec!["make".into(), "sort".into()], 1000, |ended| {
    ///     let mut numbers: Vec<_> = (0..1000u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    ///     ended(Some(0));
    ///     numbers.sort();
    ///     ended(Some(1));
    ///     numbers.is_sorted()
    /// });
    /// let run = run(vec![row], &Plan::rounds(3))?;
    /// assert_eq!(run.rows[0].series.len(), 2);
    /// # Ok::<(), klero_measure::Fault>(())
    /// ```
    pub fn add_parts(
        &mut self,
        names: Vec<String>,
        items: usize,
        work: impl FnMut(&mut Ended<'_>) -> bool + 'a,
    ) {
        self.contenders.push(Contender {
            names,
            items: items.max(1),
            work: Box::new(work),
        });
    }
}

/// The rows whose name, or whose experiment's, contains a text.
///
/// # Errors
/// [`NoRow`] if there is none.
pub fn only<'a>(rows: Vec<Row<'a>>, text: &str) -> Result<Vec<Row<'a>>, NoRow> {
    let experiments: BTreeSet<_> = rows.iter().map(|row| row.experiment.clone()).collect();
    let is_about = |row: &Row<'_>| row.name.contains(text) || row.experiment.contains(text);
    let rows: Vec<_> = rows.into_iter().filter(is_about).collect();
    if rows.is_empty() {
        return Err(NoRow {
            text: text.to_owned(),
            experiments: experiments.into_iter().collect(),
        });
    }
    Ok(rows)
}

/// No row contains the text.
#[derive(Debug, thiserror::Error)]
#[error(
    "no row is called {text:?}; expected a part of a row's name or of an experiment's: {}",
    experiments.join(", ")
)]
pub struct NoRow {
    text: String,
    experiments: Vec<String>,
}

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    rounds: usize,
    time: Duration,
}

impl Plan {
    /// Fewer samples have no spread.
    const LEAST_ROUNDS: usize = 3;

    /// This number of rounds, but at least three.
    pub fn rounds(rounds: usize) -> Self {
        Self {
            rounds,
            time: Duration::MAX,
        }
    }

    /// As many rounds as fit into the time, but at least three and at most `most_rounds`.
    pub fn time(time: Duration, most_rounds: usize) -> Self {
        Self {
            rounds: most_rounds,
            time,
        }
    }
}

/// A contender returned a wrong result. Round 0 is the warm-up.
#[derive(Debug, thiserror::Error)]
#[error("{contender}: wrong result in round {round} of {row}")]
pub struct Fault {
    contender: String,
    row: String,
    round: usize,
}

/// Measures: a warm-up round, then the rounds of the plan. Shows a progress bar on standard
/// error if that is a terminal, and keeps the thread on one processor.
///
/// # Errors
/// [`Fault`] as soon as a contender returns a wrong result.
pub fn run(mut rows: Vec<Row<'_>>, plan: &Plan) -> Result<Run, Fault> {
    let began = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let mut measured: Vec<Measured> = rows.iter().map(blank).collect();
    let progress = progress();
    let _pinned = Pinned::here();
    let watch = Watch::start();
    let start = Instant::now();
    let (mut round, mut ended) = (0, false);
    while !ended {
        for (row, measured) in rows.iter_mut().zip(&mut measured) {
            let contenders = row.contenders.len();
            for turn in 0..contenders {
                let who = (round + turn) % contenders;
                let before = row.contenders[..who].iter();
                let first: usize = before.map(|contender| contender.names.len()).sum();
                let Contender { names, items, work } = &mut row.contenders[who];
                let mut times = vec![0.0; names.len()];
                let mut since = cpu_seconds();
                let right = black_box(work(&mut |part| {
                    let now = cpu_seconds();
                    if let Some(time) = part.and_then(|part| times.get_mut(part)) {
                        *time += now - since;
                    }
                    since = now;
                }));
                if !right {
                    return Err(Fault {
                        contender: names.join(", "),
                        row: row.name.clone(),
                        round,
                    });
                }
                if round > 0 {
                    for (series, time) in measured.series[first..].iter_mut().zip(times) {
                        series.samples.push(time * 1e6 / *items as f64);
                    }
                }
            }
            let time = start.elapsed().as_secs_f64() / plan.time.as_secs_f64();
            let part = time.max(round as f64 / (plan.rounds + 1) as f64).min(1.0);
            progress.set_position((part * PROGRESS as f64) as u64);
            progress.set_message(match round {
                0 => "warming up".into(),
                round => format!("round {round}"),
            });
        }
        // Another round, if it is likely to end in time.
        let next = start.elapsed() / (round as u32 + 1) * (round as u32 + 2);
        ended = round >= Plan::LEAST_ROUNDS && (round >= plan.rounds || next > plan.time);
        round += 1;
    }
    Ok(Run {
        began,
        load: watch.end(),
        rows: measured,
    })
}

fn blank(row: &Row<'_>) -> Measured {
    let names = row.contenders.iter().flat_map(|contender| &contender.names);
    let series = names.map(|name| Series {
        contender: name.clone(),
        samples: Vec::new(),
        slowest_copy: 1.0,
    });
    Measured {
        experiment: row.experiment.clone(),
        name: row.name.clone(),
        items: row.items,
        at: row.at,
        series: series.collect(),
    }
}

/// The length of the progress bar.
const PROGRESS: u64 = 1000;

/// A progress bar over the rounds or the time, whichever ends first. It vanishes when dropped.
fn progress() -> ProgressBar {
    let bar = ProgressBar::new(PROGRESS).with_finish(ProgressFinish::AndClear);
    match ProgressStyle::with_template("{bar:30} {msg}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn rows_are_chosen_by_their_names() {
        let rows = || ["token-signing", "alone"].map(|name| Row::new(name, "2 blocks", 8));
        assert_eq!(only(rows().into(), "token").unwrap_or_default().len(), 1);
        assert_eq!(only(rows().into(), "2").unwrap_or_default().len(), 2);
        let fault = only(rows().into(), "abacus").err().unwrap();
        assert!(fault.to_string().ends_with(": alone, token-signing"));
    }

    #[test]
    fn everyone_has_a_turn_in_every_round_and_the_start_rotates() {
        let turns = RefCell::new(String::new());
        let mut row = Row::new("test", "row", 1);
        for name in ["a", "b", "c"] {
            let turns = &turns;
            row.add(name, move || {
                turns.borrow_mut().push_str(name);
                true
            });
        }
        let run = run(vec![row], &Plan::rounds(4)).unwrap();
        assert_eq!(*turns.borrow(), "abcbcacababcbca");
        for series in &run.rows[0].series {
            assert_eq!(series.samples.len(), 4);
        }
    }

    #[test]
    fn there_are_three_rounds_even_in_no_time() {
        let mut row = Row::new("test", "row", 1);
        row.add("a", || true);
        let run = run(vec![row], &Plan::time(Duration::ZERO, 100)).unwrap();
        assert_eq!(run.rows[0].series[0].samples.len(), 3);
    }

    #[test]
    fn a_wrong_result_names_its_contender() {
        let mut row = Row::new("test", "adding", 1);
        let mut calls = 0;
        row.add("a", || true);
        row.add("clumsy", || {
            calls += 1;
            calls < 3
        });
        let fault = run(vec![row], &Plan::rounds(9)).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "clumsy: wrong result in round 2 of adding"
        );
    }
}
