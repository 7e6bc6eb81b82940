//! Sections of a report: text, tables and charts, the same on a terminal and on a page.

use crate::digits::micros;
use crate::figure::{Bars, Figure};
use crate::measured::{Measured, Ratio, Series, Spread};

/// A part of the report.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What a reader must know before the figures, by paragraphs.
    pub text: Vec<String>,
    /// Charts.
    pub figures: Vec<Figure>,
    /// Tables.
    pub tables: Vec<Table>,
}

impl Section {
    /// A section with a heading and a paragraph.
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            text: vec![text.into()],
            ..Self::default()
        }
    }

    /// A section with the bars and the table of each row.
    pub fn of_rows<'r>(
        title: &str,
        text: &str,
        rows: impl Iterator<Item = &'r Measured>,
        baselines: &[&str],
    ) -> Self {
        let mut section = Self::new(title, text);
        for row in rows {
            section.figures.push(Figure::Bars(Bars::of_row(row)));
            section.tables.push(Table::of_row(row, baselines));
        }
        section
    }
}

/// A table. Its first column names the lines, the others are aligned to the right.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The lines, each as long as the head.
    pub lines: Vec<Vec<Cell>>,
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text, among it figures that others have published.
    Text(String),
    /// A time in microseconds, measured here.
    Micros(f64),
    /// How many times as fast.
    Times(Ratio),
    /// A time as a fraction of another.
    Part(Ratio),
    /// A whole number.
    Count(u64),
    /// Bytes.
    Bytes(u64),
    /// Not measured.
    Nothing,
}

impl Cell {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A ratio, if there is one.
    pub fn times(ratio: Option<Ratio>) -> Self {
        ratio.map_or(Self::Nothing, Self::Times)
    }

    /// A part, if there is one.
    pub fn part(ratio: Option<Ratio>) -> Self {
        ratio.map_or(Self::Nothing, Self::Part)
    }

    /// The median of a series, if there is one.
    pub fn median(series: Option<&Series>) -> Self {
        series.map_or(Self::Nothing, |series| Self::Micros(series.median()))
    }

    /// The beginning of a line: the contender, minimum, median and 90th percentile.
    pub(crate) fn of_series(series: &Series) -> Vec<Self> {
        let Spread { min, median, p90 } = series.spread();
        let times = [min, median, p90].map(Self::Micros);
        [Self::text(&series.contender)]
            .into_iter()
            .chain(times)
            .collect()
    }

    pub(crate) fn show(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Micros(time) => micros(*time),
            Self::Times(ratio) => format!("{:.2}×", ratio.value()),
            Self::Part(ratio) => format!("{:.2}", ratio.inverse()),
            Self::Count(count) => count.to_string(),
            Self::Bytes(bytes) => indicatif::BinaryBytes(*bytes).to_string(),
            Self::Nothing => "-".into(),
        }
    }
}

impl Table {
    /// A table without lines.
    pub fn new<S: Into<String>>(
        title: impl Into<String>,
        head: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            title: title.into(),
            head: head.into_iter().map(Into::into).collect(),
            lines: Vec::new(),
        }
    }

    /// The table of one row: for each contender minimum, median, 90th percentile, and how many
    /// times as fast it is as each baseline that was measured in this row.
    pub fn of_row(row: &Measured, baselines: &[&str]) -> Self {
        let measured = baselines.iter().filter(|name| row.get(name).is_some());
        let head = ["", "min", "median", "p90"].map(str::to_owned);
        let against = measured.clone().map(|baseline| format!("× {baseline}"));
        let mut table = Self::new(&row.name, head.into_iter().chain(against));
        for series in &row.series {
            let mut line = Cell::of_series(series);
            let ratio = |baseline: &&str| Cell::times(row.ratio(&series.contender, baseline));
            line.extend(measured.clone().map(ratio));
            table.lines.push(line);
        }
        table
    }

    /// The medians of many rows: a line for each row, a column for each contender, in the order
    /// in which contenders first appear.
    pub fn of_rows<'r>(
        title: impl Into<String>,
        corner: &str,
        rows: impl Iterator<Item = &'r Measured> + Clone,
    ) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for series in rows.clone().flat_map(|row| &row.series) {
            if !names.contains(&&*series.contender) {
                names.push(&series.contender);
            }
        }
        let head = [corner].into_iter().chain(names.iter().copied());
        let mut table = Self::new(title, head);
        for row in rows {
            let mut line = vec![Cell::text(&row.name)];
            line.extend(names.iter().map(|name| Cell::median(row.get(name))));
            table.lines.push(line);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::example;

    #[test]
    fn times_and_rates_have_three_digits() {
        assert_eq!(crate::per_second(12.84), "77,900");
        let shown = [0.01234, 0.1234, 1.234, 12.34, 99.96, 1234.4].map(micros);
        assert_eq!(shown, ["0.012", "0.12", "1.23", "12.3", "100", "1,234"]);
    }

    #[test]
    fn a_row_has_ratios_to_the_baselines_that_were_measured() {
        let run = example();
        let table = Table::of_row(&run.rows[0], &["peer, the", "absent"]);
        assert_eq!(table.head, ["", "min", "median", "p90", "× peer, the"]);
        let shown: Vec<_> = table.lines[0].iter().map(Cell::show).collect();
        assert_eq!(shown, ["ours", "1.00", "2.00", "3.00", "4.00×"]);
        let across = Table::of_rows("all", "work", run.rows.iter());
        assert_eq!(across.head, ["work", "ours", "peer, the"]);
    }
}
