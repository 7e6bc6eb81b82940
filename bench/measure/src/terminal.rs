//! The report as text for a terminal.

use std::fmt::Write;

use comfy_table::{CellAlignment, presets};

use crate::digits::micros;
use crate::figure::{Bars, Figure};
use crate::machine::Fact;
use crate::report::Report;
use crate::section::{Cell, Table};

/// The length of the longest bar.
const BAR: usize = 40;

/// The report as text.
pub fn show(report: &Report) -> String {
    let mut out = format!("{}\n{}\n", report.title, report.opening().join(", "));
    out += &format!("\n{}\n", Report::HOW_TO_READ);
    for warning in &report.warnings {
        out += &format!("\nWarning: {warning}\n");
    }
    for section in &report.sections {
        out += &format!("\n# {}\n", section.title);
        for paragraph in &section.text {
            out += paragraph;
            out.push('\n');
        }
        for table in &section.tables {
            out += &format!("\n{}", text_of(table));
        }
        // One chart for each section: the tables show the rest.
        if let Some(chart) = section.figures.iter().find_map(chart_of) {
            out += &format!("\n{chart}");
        }
    }
    out += "\n# The machine\n\n";
    for Fact { name, value } in &report.facts {
        out += &format!("{name}: {value}\n");
    }
    out
}

fn text_of(table: &Table) -> String {
    let mut text = comfy_table::Table::new();
    text.load_style(presets::NOTHING);
    text.set_header(&table.head);
    for line in &table.lines {
        text.add_row(line.iter().map(Cell::show));
    }
    for column in text.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{}\n{}\n", table.title, text.trim_fmt())
}

/// The bars of a figure; of curves the last points as bars.
fn chart_of(figure: &Figure) -> Option<String> {
    let (title, mut bars): (_, Vec<(&str, f64)>) = match figure {
        Figure::Bars(Bars { title, bars }) => {
            let all = bars.iter().map(|(name, time)| (&**name, time.median));
            (title.clone(), all.collect())
        }
        Figure::Lines(lines) if lines.with_figures => {
            let curves = lines.curves.iter();
            let ends = curves.filter_map(|curve| Some((&*curve.name, curve.points.last()?)));
            let far = ends.clone().map(|(_, end)| end.0).fold(0.0, f64::max);
            let ends = ends.filter(|(_, end)| end.0 == far);
            let title = format!("{} ({} {far})", lines.title, lines.x);
            (
                title,
                ends.map(|(name, end)| (name, end.1.median)).collect(),
            )
        }
        Figure::Lines(_) => return None,
    };
    bars.retain(|(_, value)| value.is_finite());
    let most = bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let width = bars.iter().map(|bar| bar.0.chars().count()).max()?;
    let mut out = format!("{title}\n");
    for (name, value) in bars {
        let bar = blocks(value / most);
        let _ = writeln!(out, "  {name:width$}  {bar} {}", micros(value));
    }
    Some(out)
}

/// A bar whose length is this part of the longest, in eighths of a character.
fn blocks(part: f64) -> String {
    let eighths = (part * (8 * BAR) as f64).round().max(1.0) as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::example;
    use crate::section::Section;

    #[test]
    fn the_text_has_facts_sections_and_bars() {
        let run = example();
        let row = &run.rows[0];
        let mut section = Section::new("A title", "A paragraph.");
        section.tables.push(Table::of_row(row, &["peer, the"]));
        section.figures.push(Figure::Bars(Bars::of_row(row)));
        let text = show(&Report {
            facts: vec![Fact::new("processor", "one")],
            sections: vec![section],
            ..Report::default()
        });
        for part in ["processor: one", "# A title", "A paragraph.", "4.00×", "██"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn bars_are_as_long_as_they_say() {
        assert_eq!(blocks(1.0).chars().count(), BAR);
        assert_eq!(blocks(0.5).chars().count(), BAR / 2);
        assert_eq!(blocks(0.0), "▏");
    }
}
