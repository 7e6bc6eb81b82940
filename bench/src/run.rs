//! A run: every contender on every row in every round, by thread CPU time.
//!
//! Whatever disturbs the machine disturbs a round, and a round holds one sample of
//! each contender. Which of them begins changes from round to round, so that none
//! always follows the same one.

use std::hint::black_box;

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use rustix::time::{ClockId, clock_gettime};

use crate::contender::Contender;
use crate::inputs::{Answers, Inputs, Row, Work};

/// Rounds that are run first and not counted.
const WARM_UP: usize = 1;

/// The samples of one contender on one row: microseconds for each claim, by round.
pub struct Series {
    /// The contender's name.
    pub contender: String,
    /// One sample for each round.
    pub samples: Vec<f64>,
}

impl Series {
    /// The value that the given part of the samples does not exceed: the smallest
    /// for 0, the median for 0.5.
    pub fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let at = (last as f64 * part).round() as usize;
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }
}

/// A row of a run. Series can only be compared within it.
pub struct Measured {
    /// What was done.
    pub row: Row,
    /// Those who know how.
    pub series: Vec<Series>,
}

impl Measured {
    /// How many times as fast as the baseline the contender is, by medians; `None`
    /// if the baseline was not measured with it, round by round.
    pub fn times_as_fast(&self, series: &Series, baseline: &str) -> Option<f64> {
        let baseline = self.series.iter().find(|s| s.contender == baseline)?;
        (baseline.samples.len() == series.samples.len() && !series.samples.is_empty())
            .then(|| baseline.quantile(0.5) / series.quantile(0.5))
    }
}

/// Checks all, warms up, measures.
pub fn run(
    rows: Vec<Row>,
    contenders: &[Box<dyn Contender>],
    rounds: usize,
) -> Result<Vec<Measured>> {
    let mut fields = Vec::new();
    for row in rows {
        let mut inputs = Inputs::of(&row);
        let mut able = Vec::new();
        for contender in contenders {
            if check(&row, &mut inputs, contender.as_ref())? {
                able.push(contender.as_ref());
            }
        }
        fields.push((row, inputs, able));
    }
    pin();

    let mut samples: Vec<Vec<Vec<f64>>> = fields
        .iter()
        .map(|(_, _, able)| vec![Vec::with_capacity(rounds); able.len()])
        .collect();
    let style = ProgressStyle::with_template("{bar:30} round {pos} of {len}, {eta} left")?;
    let progress = ProgressBar::new((WARM_UP + rounds) as u64).with_style(style);
    for round in 0..WARM_UP + rounds {
        for ((row, inputs, able), samples) in fields.iter().zip(&mut samples) {
            let mut answers = Answers::blank(row);
            for turn in 0..able.len() {
                let who = (round + turn) % able.len();
                let start = cpu_time();
                let valid = black_box(able[who]).run(row, black_box(inputs), &mut answers);
                let time = cpu_time() - start;
                black_box(&answers.outputs);
                ensure!(valid == Some(true), "{} changed its mind", able[who].name());
                if round >= WARM_UP {
                    samples[who].push(time * 1e6 / row.claims as f64);
                }
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();

    Ok(fields
        .into_iter()
        .zip(samples)
        .map(|((row, _, able), samples)| Measured {
            row,
            series: able
                .iter()
                .zip(samples)
                .map(|(contender, samples)| Series {
                    contender: contender.name(),
                    samples,
                })
                .collect(),
        })
        .collect())
}

/// Whether the contender does the work of the row at all; fails if it does it wrong.
fn check(row: &Row, inputs: &mut Inputs, contender: &dyn Contender) -> Result<bool> {
    let (name, row_name) = (contender.name(), row.name());
    let mut answers = Answers::blank(row);
    let Some(valid) = contender.run(row, inputs, &mut answers) else {
        return Ok(false);
    };
    ensure!(valid, "{name} rejects valid claims: {row_name}");
    ensure!(
        answers.outputs == inputs.outputs,
        "{name} gives other outputs: {row_name}"
    );
    if matches!(row.work, Work::Prove | Work::ProveAlone) {
        let same = answers.proofs == inputs.proofs;
        ensure!(same, "{name} makes other proofs: {row_name}");
    } else {
        inputs.flip_a_bit();
        let valid = contender.run(row, inputs, &mut answers);
        inputs.flip_a_bit();
        ensure!(
            valid == Some(false),
            "{name} accepts a flipped bit: {row_name}"
        );
    }
    Ok(true)
}

/// The seconds that this thread has run.
fn cpu_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Stays on the processor that it is on: its caches are warm.
fn pin() {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
        let mut set = CpuSet::new();
        set.set(sched_getcpu());
        // It only makes the numbers steadier; where it is forbidden, they are not.
        let _ = sched_setaffinity(None, &set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_need_both_sides() {
        let series = |contender: &str, samples: &[f64]| Series {
            contender: contender.into(),
            samples: samples.into(),
        };
        let row = Measured {
            row: crate::inputs::rows().remove(0),
            series: vec![
                series("ours", &[1.0, 3.0, 2.0]),
                series("peer", &[9.0, 8.0, 7.0]),
                series("gone", &[8.0]),
            ],
        };
        let ours = &row.series[0];
        assert_eq!(ours.quantile(0.0), 1.0);
        assert_eq!(ours.quantile(0.9), 3.0);
        assert_eq!(row.times_as_fast(ours, "peer"), Some(4.0));
        assert_eq!(row.times_as_fast(ours, "gone"), None);
        assert_eq!(row.times_as_fast(ours, "absent"), None);
    }
}
