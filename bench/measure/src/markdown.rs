//! Tables in Markdown documents: the text stays, the figures are filled in from a run.
//!
//! The table called TITLE stands between the lines `<!-- figures: TITLE -->` and
//! `<!-- end of figures -->`; the title `facts` stands for the machine and the warnings.

use crate::report::Report;
use crate::section::{Cell, Table};

const END: &str = "<!-- end of figures -->";

/// Fills the figures of a report into a document. Returns the document, and the titles of the
/// tables that the report does not have, which stay as they are.
///
/// ```
/// use klero_measure::{Fact, Report, fill};
/// let facts = vec![Fact::new("processor", "one")];
/// let page = "Text.\n<!-- figures: facts -->\nold\n<!-- end of figures -->\nMore.\n";
/// let (filled, missing) = fill(page, &Report { facts, ..Report::default() });
/// assert!(filled.contains("| processor | one |") && !filled.contains("old"));
/// assert!(missing.is_empty());
/// ```
pub fn fill(page: &str, report: &Report) -> (String, Vec<String>) {
    let (mut out, mut missing) = (String::new(), Vec::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        let title = line.trim().strip_prefix("<!-- figures: ");
        let Some(title) = title.and_then(|title| title.strip_suffix(" -->")) else {
            continue;
        };
        let mut tables = report.sections.iter().flat_map(|section| &section.tables);
        let figures = match tables.find(|table| table.title == title) {
            Some(table) => markdown(table, "--:|"),
            None if title == "facts" => markdown(&of_facts(report), "---|"),
            None => {
                missing.push(title.to_owned());
                continue;
            }
        };
        out += &format!("\n{figures}\n{END}\n");
        lines.by_ref().find(|line| line.trim() == END);
    }
    (out, missing)
}

fn of_facts(report: &Report) -> Table {
    let warnings = report.warnings.iter().map(|text| ["warning", text]);
    let facts = report.facts.iter().map(|fact| [&*fact.name, &fact.value]);
    Table {
        lines: warnings
            .chain(facts)
            .map(|line| line.map(Cell::text).into())
            .collect(),
        ..Table::new("facts", ["", "here"])
    }
}

/// The first column is aligned to the left, the others as `others` says.
fn markdown(table: &Table, others: &str) -> String {
    let line = |cells: Vec<String>| {
        let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut out = line(table.head.clone());
    let others = others.repeat(table.head.len().saturating_sub(1));
    out += &format!("|---|{others}\n");
    for cells in &table.lines {
        out += &line(cells.iter().map(Cell::show).collect());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::example;
    use crate::section::Section;

    #[test]
    fn tables_replace_tables_and_nothing_else() {
        let run = example();
        let mut section = Section::new("A title", "");
        section.tables.push(Table::of_row(&run.rows[0], &[]));
        let page = "a\n<!-- figures: row <1> -->\nold\n<!-- end of figures -->\nb\n\
                    <!-- figures: absent -->\nkept\n<!-- end of figures -->\n";
        let report = Report {
            sections: vec![section],
            ..Report::default()
        };
        let (filled, missing) = fill(page, &report);
        assert!(
            filled.contains("| ours | 1.00 | 2.00 | 3.00 |\n"),
            "{filled}"
        );
        assert!(!filled.contains("old") && filled.contains("kept") && filled.contains("\nb\n"));
        assert_eq!(missing, ["absent"]);
        assert_eq!(fill(&filled, &report).0, filled);
    }
}
