//! The results of a run. Series are compared only within their row.

use serde::{Deserialize, Serialize};

use crate::load::Load;

/// The results of a run: everything that was measured together.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Run {
    /// When it began, in seconds of Unix time.
    pub began: u64,
    /// The load by other programs during the run; `None` if the run took less than a second, or
    /// where the system does not report it.
    pub load: Option<Load>,
    /// All rows, in the order in which they were given.
    pub rows: Vec<Measured>,
}

impl Run {
    /// The rows of an experiment.
    pub fn of<'r>(&'r self, experiment: &'r str) -> impl Iterator<Item = &'r Measured> + Clone {
        let rows = self.rows.iter();
        rows.filter(move |row| row.experiment == experiment)
    }

    /// The row with this name in an experiment.
    pub fn row<'r>(&'r self, experiment: &'r str, name: &str) -> Option<&'r Measured> {
        self.of(experiment).find(|row| row.name == name)
    }

    /// The best of several copies of the program that measured the same rows, one after the other: of each
    /// contender, the samples of the copy with the smallest minimum. `None` if the rows differ, or
    /// there is no run.
    pub fn best_of(runs: Vec<Self>) -> Option<Self> {
        runs.into_iter().map(Some).reduce(|a, b| a?.better(b?))?
    }

    /// The better copy of each contender of two.
    fn better(mut self, other: Self) -> Option<Self> {
        let loads = [self.load, other.load].into_iter().flatten();
        self.load = loads.max_by(|a, b| a.others.total_cmp(&b.others));
        if self.rows.len() != other.rows.len() {
            return None;
        }
        for (row, other) in self.rows.iter_mut().zip(other.rows) {
            let contenders = row.series.iter().map(|series| &series.contender);
            let same = contenders.eq(other.series.iter().map(|series| &series.contender));
            if !same || (&row.experiment, &row.name) != (&other.experiment, &other.name) {
                return None;
            }
            for (series, other) in row.series.iter_mut().zip(other.series) {
                series.take_better(other);
            }
        }
        Some(self)
    }

    /// How many times as long the slowest copy took as the fastest, of each series: the median and the
    /// largest.
    pub fn slowest_copies(&self) -> Option<[f64; 2]> {
        let series = self.rows.iter().flat_map(|row| &row.series);
        let mut times: Vec<_> = series.map(|series| series.slowest_copy).collect();
        times.sort_by(f64::total_cmp);
        Some([*times.get(times.len() / 2)?, *times.last()?])
    }
}

/// The results of a row.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Measured {
    /// The experiment that it belongs to.
    pub experiment: String,
    /// What was done.
    pub name: String,
    /// The number of items in a sample; times are for each item.
    pub items: usize,
    /// Its place on the horizontal axis of the experiment.
    pub at: f64,
    /// The samples of each contender.
    pub series: Vec<Series>,
}

impl Measured {
    /// The series of a contender.
    pub fn get(&self, contender: &str) -> Option<&Series> {
        let mut series = self.series.iter();
        series.find(|series| series.contender == contender)
    }

    /// How many times as fast as the baseline the contender is: the quotient of the medians.
    /// `None` unless both were measured in this row.
    pub fn ratio(&self, contender: &str, baseline: &str) -> Option<Ratio> {
        let [contender, baseline] = [self.get(contender)?, self.get(baseline)?];
        Some(Ratio(baseline.median() / contender.median())).filter(|ratio| ratio.0.is_finite())
    }
}

/// How many times as fast one contender is as another of the same row of the same run. Only
/// [`Measured::ratio`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Ratio(f64);

impl Ratio {
    /// The baseline's time divided by the contender's.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The contender's time as a part of the baseline's.
    pub fn inverse(self) -> f64 {
        self.0.recip()
    }
}

/// The samples of one contender in one row.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Series {
    /// The contender's name.
    pub contender: String,
    /// Microseconds for each item, by round.
    pub samples: Vec<f64>,
    /// How many times as long the slowest copy of the program took as the fastest, by their minima: 1
    /// if there was one copy.
    pub slowest_copy: f64,
}

impl Series {
    /// The smallest sample, which was disturbed least.
    pub fn min(&self) -> f64 {
        self.spread().min
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.spread().median
    }

    /// Takes the samples of another copy if its minimum is smaller.
    fn take_better(&mut self, other: Self) {
        let slowest = (self.min() * self.slowest_copy).max(other.min() * other.slowest_copy);
        if other.min() < self.min() {
            self.samples = other.samples;
        }
        self.slowest_copy = slowest / self.min();
    }

    /// Minimum, median and 90th percentile.
    pub fn spread(&self) -> Spread {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let quantile = |part: f64| {
            let at = (last as f64 * part).round() as usize;
            sorted.get(at).copied().unwrap_or(f64::NAN)
        };
        Spread {
            min: quantile(0.0),
            median: quantile(0.5),
            p90: quantile(0.9),
        }
    }
}

/// A time as charts draw it: the median and the spread of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The smallest sample.
    pub min: f64,
    /// The median.
    pub median: f64,
    /// The 90th percentile.
    pub p90: f64,
}

impl Spread {
    /// A time that was measured once.
    pub fn once(time: f64) -> Self {
        Self {
            min: time,
            median: time,
            p90: time,
        }
    }

    /// Whether all three can be drawn from zero or on a logarithmic axis.
    pub(crate) fn is_positive(self) -> bool {
        let times = [self.min, self.median, self.p90];
        times.iter().all(|time| time.is_finite() && *time > 0.0)
    }
}

#[cfg(test)]
pub(crate) fn example() -> Run {
    let series = |contender: &str, samples: &[f64]| Series {
        contender: contender.into(),
        samples: samples.into(),
        slowest_copy: 1.0,
    };
    Run {
        began: 7,
        load: None,
        rows: vec![Measured {
            experiment: "test".into(),
            name: "row <1>".into(),
            items: 4,
            at: 4.0,
            series: vec![
                series("ours", &[1.0, 3.0, 2.0]),
                series("peer, the", &[9.0, 8.0, 7.0]),
            ],
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_need_both_sides() {
        let run = example();
        let row = run.row("test", "row <1>").unwrap();
        let ours = row.get("ours").unwrap();
        let Spread { min, median, p90 } = ours.spread();
        assert_eq!([min, median, p90], [1.0, 2.0, 3.0]);
        assert_eq!(row.ratio("ours", "peer, the").unwrap().value(), 4.0);
        assert_eq!(row.ratio("peer, the", "ours").unwrap().inverse(), 4.0);
        assert_eq!(row.ratio("ours", "absent"), None);
        assert!(run.row("test", "another").is_none());
    }

    #[test]
    fn the_best_copy_of_each_contender_counts() {
        let first = example();
        let mut second = example();
        second.rows[0].series[0].samples = vec![0.5, 4.0];
        let best = Run::best_of(vec![first.clone(), second.clone()]).unwrap();
        let [ours, peer] = &best.rows[0].series[..] else {
            panic!("two contenders");
        };
        assert_eq!(
            (&ours.samples[..], ours.slowest_copy),
            (&[0.5, 4.0][..], 2.0)
        );
        assert_eq!((peer.min(), peer.slowest_copy), (7.0, 1.0));
        assert_eq!(best.slowest_copies(), Some([2.0, 2.0]));

        second.rows[0].series[1].contender = "another".into();
        assert!(Run::best_of(vec![first.clone(), second]).is_none());
        let mut longer = first.clone();
        longer.rows.extend(example().rows);
        assert!(Run::best_of(vec![first, longer]).is_none());
        assert!(Run::best_of(Vec::new()).is_none());
    }
}
