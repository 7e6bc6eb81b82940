//! The reasons why rows of a table are invalid, each with a count of its rows and the number of its first
//! row.

use std::collections::HashMap;
use std::fmt::Display;

use indicatif::HumanCount;
use serde_json::{Value, json};

/// The largest number of reasons that are counted separately. A reason may quote a length or a character of
/// its row, so a table can have as many reasons as rows.
const MOST: usize = 1000;

/// The largest number of reasons that are printed.
const SHOWN: usize = 5;

/// Reasons and their counts.
#[derive(Default)]
pub struct Reasons {
    counted: HashMap<String, Counted>,
    /// The rows whose reasons are not in `counted`.
    others: Option<Counted>,
}

#[derive(Clone, Copy)]
struct Counted {
    rows: u64,
    first: u64,
}

impl Reasons {
    /// Counts invalid rows. The row numbers must ascend, also from one call to the next.
    pub fn count(&mut self, invalid: impl IntoIterator<Item = (u64, String)>) {
        for (number, reason) in invalid {
            let new = Counted {
                rows: 0,
                first: number,
            };
            let is_known = self.counted.len() < MOST || self.counted.contains_key(&reason);
            let counted = match is_known {
                true => self.counted.entry(reason).or_insert(new),
                false => self.others.get_or_insert(new),
            };
            counted.rows += 1;
        }
    }

    /// The number of invalid rows.
    pub fn invalid(&self) -> u64 {
        let counted = self.counted.values().chain(&self.others);
        counted.map(|counted| counted.rows).sum()
    }

    /// Returns the line that summarizes a whole table for a human reader.
    pub fn summary(&self, table: impl Display, rows: u64, timing: impl Display) -> String {
        format!(
            "{table}: {} row{}, {} valid, {} invalid, {timing}",
            HumanCount(rows),
            if rows == 1 { "" } else { "s" },
            HumanCount(rows - self.invalid()),
            HumanCount(self.invalid()),
        )
    }

    /// A line for each of the most frequent reasons, and one for the rest.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let all = self.sorted();
        let (shown, rest) = all.split_at(all.len().min(SHOWN));
        let rest = rest.iter().map(|(_, counted)| *counted).chain(self.others);
        let rest = rest.reduce(|a, b| Counted {
            rows: a.rows + b.rows,
            first: a.first.min(b.first),
        });
        let shown = shown.iter().map(|(reason, counted)| (*reason, *counted));
        let rest = rest.map(|counted| ("other reasons", counted));
        let lines: Vec<_> = shown
            .chain(rest)
            .map(|(reason, Counted { rows, first })| {
                line(rows, format_args!("{reason}, first in row {first}"))
            })
            .collect();
        lines.into_iter()
    }

    /// The counts and reasons of a table as JSON.
    pub fn json(&self, table: impl Display, rows: u64) -> Value {
        let object = |reason: Option<&str>, counted: Counted| json!({"reason": reason, "rows": counted.rows, "first_row": counted.first});
        let known = self
            .sorted()
            .into_iter()
            .map(|(reason, counted)| object(Some(reason), counted));
        let others = self.others.map(|counted| object(None, counted));
        json!({
            "table": table.to_string(),
            "rows": rows,
            "valid": rows - self.invalid(),
            "invalid": self.invalid(),
            "reasons": known.chain(others).collect::<Vec<_>>(),
        })
    }

    /// The reasons, the most frequent first.
    fn sorted(&self) -> Vec<(&str, Counted)> {
        let all = self.counted.iter();
        let mut all: Vec<_> = all.map(|(reason, counted)| (&**reason, *counted)).collect();
        all.sort_by_key(|(_, counted)| (u64::MAX - counted.rows, counted.first));
        all
    }
}

/// Returns a line of the summary: the number `rows`, and then the text `what` about these rows.
pub fn line(rows: u64, what: impl Display) -> String {
    format!("{:>9}  {what}", HumanCount(rows).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_without_end_are_one_line() {
        let mut reasons = Reasons::default();
        assert_eq!(reasons.lines().count(), 0);
        reasons.count((1..=2000).map(|number| (number, format!("reason {number}"))));
        reasons.count([(2001, "reason 7".to_owned())]);
        assert_eq!(reasons.invalid(), 2001);
        assert_eq!(reasons.counted.len(), MOST);
        let lines: Vec<_> = reasons.lines().collect();
        assert_eq!(lines.len(), SHOWN + 1);
        assert_eq!(lines[0], "        2  reason 7, first in row 7");
        assert_eq!(lines[1], "        1  reason 1, first in row 1");
        assert_eq!(lines[5], "    1,995  other reasons, first in row 5");
        assert_eq!(
            reasons.json("t", 2001)["reasons"].as_array().unwrap().len(),
            MOST + 1
        );
    }
}
