//! A preview of the first rows of a table, for people.
//!
//! A proof has at least 160 hex digits, so whole rows would fill a terminal and could not be read. If no
//! output file was named and rows would go to a terminal, only the first rows are shown, with cut cells.

use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use indicatif::HumanCount;

use super::fixed::plain;
use super::interface;
use super::zones::in_utc;
use crate::ui::error::Error;
use crate::ui::layout::{self, Column};
use crate::ui::terminal::{harmless, print};

/// The number of rows that are shown.
const ROWS: usize = 10;

/// For each form of the table, from the widest to the narrowest, the largest numbers of characters in a
/// cell: first for a cell without spaces (a word), then for a cell with spaces (a sentence).
const LENGTHS: [(usize, usize); 4] = [(24, 80), (16, 60), (10, 40), (8, 26)];

/// Shows the first rows of a table on standard output.
#[derive(Default)]
pub struct Preview {
    names: Vec<String>,
    /// The cells of the rows that are shown, by column.
    columns: Vec<Vec<String>>,
    rows: usize,
}

impl Preview {
    fn take(&mut self, batch: &RecordBatch) {
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            self.names.push(harmless(field.name()));
            self.columns
                .push(texts(&column.slice(0, column.len().min(ROWS))));
        }
    }

    /// Returns the table with names and cells cut to these lengths (see [`LENGTHS`]).
    fn form(&self, lengths: (usize, usize)) -> Vec<Column> {
        let columns = self.names.iter().zip(&self.columns);
        let columns = columns.map(|(name, cells)| {
            let cells = cells.iter().map(|cell| shortened(cell, lengths));
            Column::words(shortened(name, lengths), cells)
        });
        columns.collect()
    }
}

/// The text of each cell, or the reason why it has none.
fn texts(column: &dyn Array) -> Vec<String> {
    let options = FormatOptions::new();
    let cells = ArrayFormatter::try_new(column, &options);
    let text = |row| match &cells {
        Ok(cells) => cells.value(row).try_to_string(),
        Err(error) => Ok(error.to_string()),
    };
    let text = |row| text(row).unwrap_or_else(|error| error.to_string());
    (0..column.len()).map(|row| harmless(text(row))).collect()
}

/// Cuts a text to at most `sentence` characters if it has spaces, and to at most `word` characters if not.
fn shortened(text: &str, (word, sentence): (usize, usize)) -> String {
    let longest = if text.contains(' ') { sentence } else { word };
    match text.chars().count() {
        length if length <= longest => text.to_owned(),
        _ => text.chars().take(longest - 1).chain(['…']).collect(),
    }
}

impl interface::Writer for Preview {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.rows += batch.num_rows();
        // If only invalid rows are written, the first groups may be empty. The first other group is shown.
        if self.columns.iter().all(Vec::is_empty) {
            self.names.clear();
            self.columns.clear();
            let shown = plain(batch).and_then(|batch| in_utc(&batch));
            self.take(&shown.map_err(|error| Error::at("cannot write standard output", error))?);
        }
        Ok(())
    }

    fn written(&self) -> u64 {
        0
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        if self.names.is_empty() {
            return Ok(());
        }
        let table = layout::table(LENGTHS.map(|lengths| self.form(lengths)));
        let shown = self.columns.first().map_or(0, Vec::len);
        let rest = match self.rows - shown {
            0 => "shortened; --out FILE writes it whole".to_owned(),
            more => format!(
                "shortened, and {} more rows; --out FILE writes all of it",
                HumanCount(more as u64)
            ),
        };
        print(format_args!("{table}\n{rest}\n"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, TimestampSecondArray};

    use super::*;
    use crate::table::Writer;

    #[test]
    fn times_of_a_zone_that_nobody_knows_are_shown() {
        let time = TimestampSecondArray::from(vec![None, Some(2)]);
        assert_eq!(texts(&time), ["", "1970-01-01T00:00:02"]);
        let time: ArrayRef = Arc::new(time.with_timezone("Mars/Olympus"));
        let batch = RecordBatch::try_from_iter([("time", time)]).unwrap();
        let mut preview = Preview::default();
        preview.write(&batch).unwrap();
        assert_eq!(preview.columns, [["", "1970-01-01T00:00:02Z"]]);
    }

    #[test]
    fn words_are_cut_sooner_than_sentences() {
        let cut = |text: &str| shortened(text, (10, 26));
        assert_eq!(cut(&"0123456789".repeat(8)), "012345678…");
        assert_eq!(cut("0123456789"), "0123456789");
        assert_eq!(
            cut("invalid: challenge mismatch"),
            "invalid: challenge mismat…"
        );
        assert_eq!(cut("é"), "é");
        assert_eq!(cut(""), "");
    }
}
