//! The table of what was tried: paths by backends and methods.

use std::collections::BTreeMap;
use std::fmt;

use super::subject::Part;

/// Says in a process of one backend and method that a part was checked with these secrets.
pub fn row(part: &Part, secrets: impl fmt::Display) {
    println!("{}\t{secrets}", part.kind());
}

/// What all processes said.
#[derive(Default)]
pub struct Table {
    /// The names of a backend and a method.
    columns: Vec<[String; 2]>,
    /// The paths, in the order in which they were first named.
    rows: Vec<String>,
    /// The number of suites, schemes or forms, and the secrets, by column and path.
    cells: BTreeMap<(usize, String), (usize, String)>,
}

impl Table {
    /// Adds what one process said.
    pub fn add(&mut self, backend: &str, method: &str, said: &str) {
        let column = self.columns.len();
        self.columns.push([backend.to_owned(), method.to_owned()]);
        for (row, secrets) in said.lines().filter_map(|line| line.split_once('\t')) {
            if !self.rows.iter().any(|known| known == row) {
                self.rows.push(row.to_owned());
            }
            let cell = self.cells.entry((column, row.to_owned()));
            cell.or_insert((0, secrets.to_owned())).0 += 1;
        }
    }
}

/// Columns of equal width.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.rows.iter().map(String::len).max().unwrap_or(0);
        for (line, title) in ["backend", "method"].into_iter().enumerate() {
            write!(f, "{title:first$}")?;
            for column in &self.columns {
                write!(f, "  {:>8}", column[line])?;
            }
            writeln!(f)?;
        }
        for row in &self.rows {
            write!(f, "{row:first$}")?;
            for column in 0..self.columns.len() {
                let cell = match self.cells.get(&(column, row.clone())) {
                    Some((parts, secrets)) => format!("{parts} x {secrets}"),
                    None => "-".to_owned(),
                };
                write!(f, "  {cell:>8}")?;
            }
            writeln!(f)?;
        }
        writeln!(
            f,
            "Suites, schemes or forms x secrets. valgrind follows secrets without their values. \
             In every cell both planted leaks were found first."
        )
    }
}
