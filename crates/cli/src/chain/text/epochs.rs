//! The table of epochs: consecutive epochs of an era share a row if nothing is wrong in them.

use std::collections::BTreeSet;

use indicatif::HumanCount;
use klero_audit::{Checked, Counts, Epoch, Report};
use klero_cardano::Era;

use crate::ui::layout::{self, Column};

/// The number of digits that are shown of a nonce, if the whole nonce does not fit.
const SHORT: usize = 8;

/// A row of the table: one epoch, or consecutive epochs without faults that have the same eras and doubts.
struct Row {
    first: u64,
    last: u64,
    epoch: Epoch,
    wrong: u64,
}

impl Row {
    /// If both rows are alike and nothing in them is wrong, merges `next` into this row and returns true.
    fn takes(&mut self, next: &Self) -> bool {
        let unjudged = |row: &Self| {
            let counts = &row.epoch.counts;
            let kinds = [counts.nonce_unknown, counts.unverifiable].map(|count| count > 0);
            (kinds, row.epoch.unverifiable_since)
        };
        let alike = self.wrong + next.wrong == 0
            && self.epoch.eras == next.epoch.eras
            && unjudged(self) == unjudged(next);
        if alike {
            self.last = next.last;
            self.epoch.counts += next.epoch.counts;
        }
        alike
    }
}

/// Returns the table. With `each`, every epoch has a row of its own, which shows its nonce.
pub fn table(report: &Report, each: bool) -> String {
    let whole = columns(report, &rows(report, each), each);
    let folded = without_equal(&whole);
    let short = folded.iter().map(shortened).collect::<Vec<_>>();
    let few = without(&short, &["KES", "certificates", "bodies", "headers"]);
    let fewest = without(&few, &["valid"]);
    layout::table([whole, folded, short, few, fewest])
}

fn rows(report: &Report, each: bool) -> Vec<Row> {
    let wrong = &report.faults_by_epoch;
    let numbers: BTreeSet<u64> = report.epochs.keys().chain(wrong.keys()).copied().collect();
    let mut rows: Vec<Row> = Vec::new();
    for number in numbers {
        let epoch = report.epochs.get(&number).cloned().unwrap_or_default();
        let row = Row {
            first: number,
            last: number,
            wrong: wrong.get(&number).copied().unwrap_or_default(),
            epoch,
        };
        let last = rows.last_mut().filter(|_| !each);
        if !last.is_some_and(|last| last.takes(&row)) {
            rows.push(row);
        }
    }
    rows
}

/// Returns the columns. Leaves out columns of checks that were not made, and rare columns that are 0
/// everywhere.
fn columns(report: &Report, rows: &[Row], each: bool) -> Vec<Column> {
    let (totals, none) = (&report.totals, Checked::default());
    let count = |name: &str, of: fn(&Counts) -> u64| {
        let cell = |row: &Row| HumanCount(of(&row.epoch.counts)).to_string();
        Column::numbers(name, rows.iter().map(cell))
    };
    let spans = rows.iter().map(|row| match row.last - row.first {
        0 => row.first.to_string(),
        _ => format!("{}-{}", row.first, row.last),
    });
    let is_one = rows.iter().all(|row| row.first == row.last);
    let name = if is_one { "epoch" } else { "epochs" };
    let mut columns = vec![
        Column::numbers(name, spans),
        Column::words("era", rows.iter().map(|row| eras(&row.epoch.eras))),
    ];
    if each {
        let nonces = rows.iter().map(|row| nonce(&row.epoch));
        columns.push(Column::words("nonce", nonces));
    }
    columns.push(count("blocks", |counts| counts.blocks));
    if totals.proofs > 0 {
        columns.push(count("proofs", |counts| counts.proofs));
        columns.push(count("valid", |counts| counts.valid));
    }
    if totals.kes != none {
        columns.push(count("KES", |counts| counts.kes.valid));
    }
    if totals.certificates != none {
        columns.push(count("certificates", |counts| counts.certificates.valid));
    }
    if totals.bodies != none {
        columns.push(count("bodies", |counts| counts.bodies.valid));
    }
    let wrong = rows.iter().map(|row| HumanCount(row.wrong).to_string());
    columns.push(Column::numbers("wrong", wrong));
    if totals.unverifiable > 0 {
        columns.push(count("unverifiable", |counts| counts.unverifiable));
    }
    if totals.nonce_unknown > 0 {
        columns.push(count("nonce unknown", |counts| counts.nonce_unknown));
    }
    columns
}

fn eras(eras: &BTreeSet<Era>) -> String {
    let names: Vec<_> = eras.iter().map(|era| era.name()).collect();
    names.join(", ")
}

fn nonce(epoch: &Epoch) -> String {
    match epoch.nonce {
        Some(nonce) => nonce.to_string(),
        None if epoch.counts.unverifiable > 0 => "in doubt".into(),
        None if epoch.counts.nonce_unknown > 0 => "unknown".into(),
        None => String::new(),
    }
}

/// Narrows the table. One column, `headers`, replaces the columns of signatures, certificates and bodies (see
/// [`folded`]). The column of valid proofs is left out if it equals the column of proofs in all rows.
fn without_equal(columns: &[Column]) -> Vec<Column> {
    let folded = folded(columns, &["KES", "certificates", "bodies"], "headers");
    let cells = |name: &str| {
        let column = folded.iter().find(|column| column.name == name);
        column.map(|column| &column.cells)
    };
    match cells("valid") == cells("proofs") {
        true => without(&folded, &["valid"]),
        false => folded,
    }
}

/// Joins the columns with these names into one column. If all numbers of a row are equal, the cell has this
/// number; otherwise it has all of them, as in `7/7/6`.
fn folded(columns: &[Column], names: &[&str], name: &str) -> Vec<Column> {
    let is_part = |column: &&Column| names.contains(&column.name.as_str());
    let parts: Vec<&Column> = columns.iter().filter(is_part).collect();
    let Some(first) = parts.first() else {
        return columns.to_vec();
    };
    let cells = (0..first.cells.len()).map(|row| {
        let mut cells: Vec<&str> = parts.iter().map(|part| &*part.cells[row]).collect();
        if cells.iter().all(|cell| *cell == cells[0]) {
            cells.truncate(1);
        }
        cells.join("/")
    });
    let mut one = Some(Column::numbers(name, cells));
    let fold = |column: &Column| match is_part(&column) {
        true => one.take(),
        false => Some(column.clone()),
    };
    columns.iter().filter_map(fold).collect()
}

fn without(columns: &[Column], names: &[&str]) -> Vec<Column> {
    let is_kept = |column: &&Column| !names.contains(&column.name.as_str());
    columns.iter().filter(is_kept).cloned().collect()
}

/// The column, with fewer digits if it is the column of nonces.
fn shortened(column: &Column) -> Column {
    let mut column = column.clone();
    if column.name == "nonce" {
        for cell in column
            .cells
            .iter_mut()
            .filter(|cell| cell.len() > 2 * SHORT)
        {
            cell.truncate(SHORT);
            cell.push('…');
        }
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_in_doubt_from_different_slots_share_no_row() {
        let row = |unverifiable_since| {
            let mut epoch = Epoch::default();
            epoch.unverifiable_since = unverifiable_since;
            let (first, last, wrong) = (0, 0, 0);
            Row {
                first,
                last,
                epoch,
                wrong,
            }
        };
        assert!(row(None).takes(&row(None)));
        assert!(!row(None).takes(&row(Some(7))));
    }
}
