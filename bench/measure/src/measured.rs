//! The results of a run. Series are compared only within their row.

use serde::{Deserialize, Serialize};

use crate::load::Load;

/// The results of a run: everything that was measured together.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Run {
    pub(crate) began: u64,
    pub(crate) load: Option<Load>,
    pub(crate) rows: Vec<Measured>,
}

impl Run {
    /// When it began, in seconds of Unix time.
    pub fn began(&self) -> u64 {
        self.began
    }

    /// The load by other programs during the run; `None` if the run took less than a second, or
    /// where the system does not report it.
    pub fn load(&self) -> Option<Load> {
        self.load
    }

    /// All rows, in the order in which they were given.
    pub fn rows(&self) -> &[Measured] {
        &self.rows
    }

    /// The rows of an experiment.
    pub fn of<'r>(&'r self, experiment: &'r str) -> impl Iterator<Item = &'r Measured> + Clone {
        let rows = self.rows.iter();
        rows.filter(move |row| row.experiment == experiment)
    }

    /// The best of several copies of the program that measured the same rows, one after the other: of each
    /// contender, the samples of the copy with the smallest minimum. `None` if the rows differ, or
    /// there is no run.
    ///
    /// ```
    /// use klero_measure::{Plan, Row, Run, run};
    /// let measure = || {
    ///     let mut row = Row::new("sums", "one", 1);
    ///     row.add("formula", || true);
    ///     run(vec![row], &Plan::rounds(3)).unwrap()
    /// };
    /// let best = Run::best_of(vec![measure(), measure()]).unwrap();
    /// assert!(best.rows()[0].series()[0].slowest_copy() >= 1.0);
    /// ```
    pub fn best_of(runs: Vec<Self>) -> Option<Self> {
        let mut runs = runs.into_iter();
        let first = runs.next()?;
        runs.try_fold(first, Self::better)
    }

    /// The better copy of each contender of two.
    fn better(mut self, other: Self) -> Option<Self> {
        let loads = [self.load, other.load].into_iter().flatten();
        self.load = loads.max_by(|a, b| a.others.total_cmp(&b.others));
        if self.rows.len() != other.rows.len() {
            return None;
        }
        for (row, other) in self.rows.iter_mut().zip(other.rows) {
            let contenders = row.series.iter().map(Series::contender);
            let same = contenders.eq(other.series.iter().map(Series::contender));
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

    /// The row with this name in an experiment.
    pub fn row(&self, experiment: &str, name: &str) -> Option<&Measured> {
        self.rows
            .iter()
            .find(|row| row.experiment == experiment && row.name == name)
    }
}

/// The results of a row.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Measured {
    pub(crate) experiment: String,
    pub(crate) name: String,
    pub(crate) items: usize,
    pub(crate) at: f64,
    pub(crate) series: Vec<Series>,
}

impl Measured {
    /// The experiment that it belongs to.
    pub fn experiment(&self) -> &str {
        &self.experiment
    }

    /// What was done.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of items in a sample; times are for each item.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Its place on the horizontal axis of the experiment.
    pub fn at(&self) -> f64 {
        self.at
    }

    /// The samples of each contender.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// The series of a contender.
    pub fn get(&self, contender: &str) -> Option<&Series> {
        self.series
            .iter()
            .find(|series| series.contender == contender)
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

/// The samples of one contender in one row: microseconds for each item, by round.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Series {
    pub(crate) contender: String,
    pub(crate) samples: Vec<f64>,
    /// Of the copies of the program that measured, the largest minimum as a multiple of the smallest.
    pub(crate) slowest_copy: f64,
}

impl Series {
    /// The contender's name.
    pub fn contender(&self) -> &str {
        &self.contender
    }

    /// The samples, one for each round.
    pub fn samples(&self) -> &[f64] {
        &self.samples
    }

    /// The smallest sample, which was disturbed least.
    pub fn min(&self) -> f64 {
        self.quantile(0.0)
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The 90th percentile.
    pub fn p90(&self) -> f64 {
        self.quantile(0.9)
    }

    /// How many times as long the slowest copy of the program took as the fastest, by their minima: 1
    /// if there was one copy.
    pub fn slowest_copy(&self) -> f64 {
        self.slowest_copy
    }

    /// Takes the samples of another copy if its minimum is smaller.
    fn take_better(&mut self, other: Self) {
        let slowest = (self.min() * self.slowest_copy).max(other.min() * other.slowest_copy);
        if other.min() < self.min() {
            self.samples = other.samples;
        }
        self.slowest_copy = slowest / self.min();
    }

    /// Minimum, median and 90th percentile, as charts draw them.
    pub fn spread(&self) -> Spread {
        Spread {
            min: self.min(),
            median: self.median(),
            p90: self.p90(),
        }
    }

    /// The sample at this part of the sorted samples.
    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let at = (last as f64 * part).round() as usize;
        sorted.get(at).copied().unwrap_or(f64::NAN)
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
    ///
    /// ```
    /// let spread = klero_measure::Spread::once(2.0);
    /// assert_eq!((spread.min, spread.p90), (2.0, 2.0));
    /// ```
    pub fn once(time: f64) -> Self {
        Self {
            min: time,
            median: time,
            p90: time,
        }
    }

    /// Whether all three can be drawn from zero or on a logarithmic axis.
    pub(crate) fn is_positive(self) -> bool {
        [self.min, self.median, self.p90]
            .iter()
            .all(|time| time.is_finite() && *time > 0.0)
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
        assert_eq!([ours.min(), ours.median(), ours.p90()], [1.0, 2.0, 3.0]);
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
            (ours.samples(), ours.slowest_copy()),
            (&[0.5, 4.0][..], 2.0)
        );
        assert_eq!((peer.min(), peer.slowest_copy()), (7.0, 1.0));
        assert_eq!(best.slowest_copies(), Some([2.0, 2.0]));

        second.rows[0].series[1].contender = "another".into();
        assert!(Run::best_of(vec![first.clone(), second]).is_none());
        let mut longer = first.clone();
        longer.rows.extend(example().rows);
        assert!(Run::best_of(vec![first, longer]).is_none());
        assert!(Run::best_of(Vec::new()).is_none());
    }
}
