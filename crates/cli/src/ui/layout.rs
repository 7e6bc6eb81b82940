//! Output for people: as wide as the terminal, broken between words, in colour on a terminal.
//!
//! The environment variable `COLUMNS` sets another width, with or without a terminal. If there is neither a
//! terminal nor this variable, a table is up to 160 characters wide, so that nonces fit. Sentences are then
//! not broken, so that a search in a file or a pipe finds them whole.

use std::{env, io};

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::AnsiColor;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use terminal_size::{Width, terminal_size_of};
use textwrap::core::display_width;
use textwrap::{Options, WordSplitter};

/// The width of a table if nothing else sets it.
const WIDTH: u16 = 160;

/// The smallest width. A narrower text would not be legible.
const LEAST: u16 = 40;

/// The smallest width to which the cells of a table are broken.
const LEAST_CELL: usize = 20;

/// The width of standard output, if it is known.
fn width() -> Option<u16> {
    let named = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    named
        .filter(|width| *width > 0)
        .or_else(|| terminal_size_of(io::stdout()).map(|(Width(width), _)| width))
        .map(|width| width.max(LEAST))
}

/// Breaks the text between words. Continued lines begin with `indent`. Every word stays whole, so that a
/// hash or a path can be copied.
pub fn wrap(text: &str, indent: &str) -> String {
    match width() {
        Some(width) => wrap_at(width.into(), text, indent),
        None => text.to_owned(),
    }
}

fn wrap_at(width: usize, text: &str, indent: &str) -> String {
    let options = Options::new(width)
        .subsequent_indent(indent)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    let lines = text.split('\n').map(|line| textwrap::fill(line, &options));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the text in this colour if standard output is a terminal with colours and `NO_COLOR` is not set.
pub fn coloured(text: &str, colour: AnsiColor) -> String {
    if AutoStream::choice(&io::stdout()) == ColorChoice::Never {
        return text.to_owned();
    }
    let style = colour.on_default().bold();
    format!("{style}{text}{style:#}")
}

/// A column of a table. All columns of a table have the same number of cells.
#[derive(Clone)]
pub struct Column {
    pub name: String,
    pub cells: Vec<String>,
    alignment: CellAlignment,
}

impl Column {
    /// A column of words.
    pub fn words(name: impl Into<String>, cells: impl IntoIterator<Item = String>) -> Self {
        Self {
            name: name.into(),
            cells: cells.into_iter().collect(),
            alignment: CellAlignment::Left,
        }
    }

    /// A column of numbers, which are aligned to the right.
    pub fn numbers(name: impl Into<String>, cells: impl IntoIterator<Item = String>) -> Self {
        Self {
            alignment: CellAlignment::Right,
            ..Self::words(name, cells)
        }
    }
}

/// Returns the first of these forms of a table that fits the width. If no form fits, breaks the cells in the
/// first column of the last form between words. If that is still too wide, returns a paragraph for each row.
pub fn table(forms: impl IntoIterator<Item = Vec<Column>>) -> String {
    table_in(width().unwrap_or(WIDTH), forms)
}

fn table_in(width: u16, forms: impl IntoIterator<Item = Vec<Column>>) -> String {
    let width = usize::from(width);
    let mut last = Vec::new();
    for columns in forms {
        let text = table_of(&columns).trim_fmt();
        if width_of(&text) <= width {
            return text;
        }
        last = columns;
    }
    if let Some((first, others)) = last.split_first_mut() {
        let room = width.saturating_sub(width_of(&table_of(others).trim_fmt()) + 2);
        for cell in first.cells.iter_mut().filter(|_| room >= LEAST_CELL) {
            *cell = wrap_at(room, cell, "");
        }
    }
    let text = table_of(&last).trim_fmt();
    match width_of(&text) <= width {
        true => text,
        false => paragraphs(width, &last),
    }
}

fn width_of(text: &str) -> usize {
    text.lines().map(display_width).max().unwrap_or_default()
}

/// Writes a paragraph for each row: the first cell, and below it the other cells with their columns' names.
fn paragraphs(width: usize, columns: &[Column]) -> String {
    let Some((first, others)) = columns.split_first() else {
        return String::new();
    };
    let rows = first.cells.iter().enumerate().map(|(row, head)| {
        let cells = others
            .iter()
            .map(|column| format!("{}: {}", column.name, column.cells[row]));
        let cells: Vec<_> = cells.collect();
        let (head, cells) = (wrap_at(width, head, "  "), cells.join("; "));
        format!("{head}\n{}", wrap_at(width, &format!("  {cells}"), "  "))
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn table_of(columns: &[Column]) -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_header(columns.iter().map(|column| &column.name));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        table.add_row(columns.iter().map(|column| &column.cells[row]));
    }
    for (place, column) in table.column_iter_mut().zip(columns) {
        place.set_cell_alignment(column.alignment);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole() {
        let hash = "0123456789abcdef".repeat(4);
        let text = format!("a block that is named {hash}, with --expect-tip");
        assert_eq!(
            wrap_at(40, &text, "  "),
            format!("a block that is named\n  {hash},\n  with --expect-tip")
        );
        assert_eq!(wrap_at(40, "short\nlines stay", "  "), "short\nlines stay");
    }

    #[test]
    fn the_first_form_that_fits() {
        let wide = || Column::words("what", ["some words that are long".into(), "x".into()]);
        let narrow = || Column::numbers("n", ["1".into(), "1,000".into()]);
        let forms = || [vec![wide(), narrow()], vec![narrow()]];
        let first = table_in(40, forms());
        assert_eq!(
            first,
            " what                          n\n some words that are long      1\n \
             x                         1,000"
        );
        assert_eq!(table_in(20, forms()), "     n\n     1\n 1,000");
        // If no form fits, the first column is broken between words, or rows become paragraphs.
        let broken = table_in(30, [vec![wide(), narrow()]]);
        assert_eq!(
            broken,
            " what                     n\n some words that are      1\n long\n \
             x                    1,000"
        );
        let rows = table_in(20, [vec![wide(), narrow()]]);
        assert_eq!(rows, "some words that are\n  long\n  n: 1\nx\n  n: 1,000");
    }
}
