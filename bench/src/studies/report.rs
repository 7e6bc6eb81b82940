//! The studies' figures beside those that were measured.

use klero_measure::{Cell, Directory, Measured, Run, Section, Table};
use klero_support::WriteError;

use super::Sides;
use super::tables::{BATCH, BATCH_200, CRATE, CRITERION_NAME, PRAOS, STEPS_4_5, criterion_lines};

/// The sections of all studies that were measured.
pub fn sections(run: &Run, sides: &Sides<'_>) -> Vec<Section> {
    let mut sections = Vec::new();
    for study in [&PRAOS, &BATCH, &BATCH_200, &STEPS_4_5] {
        for row in run.of(study.name) {
            let columns = study.columns.iter().map(|(c, us)| ((*c).to_owned(), *us));
            let columns: Vec<_> = columns.collect();
            let text = format!("From {}. {}", study.source, study.text);
            let mut section = Section::new(study.title, text);
            let table = table(study.title, &columns, 0, row, &sides.names());
            section.tables.push(table);
            sections.push(section);
        }
    }
    sections.extend(criterion_section(run, sides));
    sections
}

/// The crate's table.
fn criterion_section(run: &Run, sides: &Sides<'_>) -> Option<Section> {
    let row = run.of(CRITERION_NAME).next()?;
    let title = "The crate's criterion table";
    let text = format!(
        "From {CRATE}. Times are µs for each proof; the page has them for each call. The ratio \
         is that to a single verification. Klero verifies small batches in lanes, and by sums \
         from its own threshold on; weights are hashed or random."
    );
    let mut section = Section::new(title, text);
    let published = ["vrf_dalek-deterministic", "vrf_dalek-random"].map(str::to_owned);
    let names: Vec<_> = published.into_iter().chain(sides.names()).collect();
    let table = table(title, &criterion_lines(), 3, row, &names);
    section.tables.push(table);
    Some(section)
}

/// A line for each column of the study; a pair of columns for the study and for each side
/// that was measured: the figure, and its ratio to the column number `base` of that side,
/// or of the first side if it has no such column.
fn table(
    title: &str,
    columns: &[(String, f64)],
    base: usize,
    row: &Measured,
    sides: &[String],
) -> Table {
    let (base_name, base_us) = &columns[base];
    let has_figures = !base_us.is_nan();
    let of = |side: &str, column: &str| format!("{side}: {column}");
    let has = |side: &str, column: &str| row.get(&of(side, column)).is_some();
    let measured = |side: &&String| columns.iter().any(|(column, _)| has(side, column));
    let there: Vec<_> = sides.iter().filter(measured).collect();
    let mut head = vec![String::new()];
    if has_figures {
        head.extend(["study, µs".to_owned(), "ratio".to_owned()]);
    }
    for side in &there {
        head.push(format!("{side}, µs"));
        head.push(match has(side, base_name) {
            true => "ratio".into(),
            false => format!("to {}'s {base_name}", there[0]),
        });
    }
    let mut table = Table::new(title, head);
    for (column, us) in columns {
        let mut line = vec![Cell::text(column)];
        if has_figures {
            line.push(Cell::Micros(*us));
            line.push(Cell::text(format!("{:.2}", us / base_us)));
        }
        for side in &there {
            let own = of(side, column);
            let first = if has(side, base_name) {
                *side
            } else {
                there[0]
            };
            line.push(Cell::median(row.get(&own)));
            line.push(Cell::part(row.ratio(&own, &of(first, base_name))));
        }
        table.lines.push(line);
    }
    table
}

/// Writes the studies' files, in their units: a column for each of theirs, and a line for each
/// round of each implementation.
pub fn write(directory: &Directory, run: &Run, sides: &Sides<'_>) -> Result<(), WriteError> {
    for study in [&PRAOS, &BATCH, &BATCH_200, &STEPS_4_5] {
        let columns: Vec<_> = study.columns.iter().map(|(column, _)| *column).collect();
        for row in run.of(study.name) {
            let file = format!("{}.csv", study.name);
            directory.write_wide(&file, row, &sides.names(), &columns, study.scale)?;
        }
    }
    if let Some(section) = criterion_section(run, sides) {
        directory.write_table("criterion.csv", &section.tables[0])?;
    }
    Ok(())
}
