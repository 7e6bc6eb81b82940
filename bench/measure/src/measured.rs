//! The results of a run. Series are compared only within their row.

use crate::load::Load;

/// The results of a run: everything that was measured together.
#[derive(Clone, Debug)]
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

    /// The row with this name in an experiment.
    pub fn row(&self, experiment: &str, name: &str) -> Option<&Measured> {
        self.rows
            .iter()
            .find(|row| row.experiment == experiment && row.name == name)
    }
}

/// The results of a row.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub struct Series {
    pub(crate) contender: String,
    pub(crate) samples: Vec<f64>,
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
}
