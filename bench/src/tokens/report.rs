//! The tables, with the figures of the study beside those that were measured.

use klero_measure::{Cell, Curve, Directory, Figure, Lines, Run, Section, Table};
use klero_support::WriteError;

use super::{CONTENDERS, Contender, MANY, SIGNED, SIGNING, VERIFIED, VERIFYING, blocks};

/// A table of times, beside those of the study, for the schemes that were measured.
fn times(
    run: &Run,
    experiment: &str,
    title: &str,
    numbers: &[usize],
    published: fn(&Contender) -> [f64; 3],
) -> Table {
    let columns = numbers.iter().map(|n| format!("{}, µs", blocks(*n)));
    let study = SIGNED.map(|n| format!("study: {n}, µs"));
    let ratios = ["3 blocks, × biscuit-auth", "forgeable"].map(str::to_owned);
    let head = ["scheme".to_owned()].into_iter().chain(columns);
    let mut table = Table::new(title, head.chain(study).chain(ratios));
    for contender in &CONTENDERS {
        let name = contender.name;
        let row = |n: usize| run.row(experiment, &blocks(n));
        let series = |n: &usize| row(*n).and_then(|row| row.get(name));
        if !numbers.iter().any(|n| series(n).is_some()) {
            continue;
        }
        let mut line = vec![Cell::text(name)];
        line.extend(numbers.iter().map(|n| Cell::median(series(n))));
        line.extend(published(contender).map(|time| match time.is_nan() {
            true => Cell::Nothing,
            false => Cell::text(time.to_string()),
        }));
        let ratio = row(3).and_then(|row| row.ratio(name, "biscuit-auth"));
        line.extend([Cell::times(ratio), Cell::text(contender.forgeable)]);
        table.lines.push(line);
    }
    table
}

/// The table of sizes: the bytes of keys and signatures.
fn sizes() -> Table {
    let numbers = [1, 2, 5, 10, 20];
    let head = ["scheme".to_owned()].into_iter().chain(numbers.map(blocks));
    let head = head.chain(["forgeable".to_owned()]);
    let mut table = Table::new("Tokens: size in bytes", head);
    for contender in &CONTENDERS {
        let Some(size) = contender.size else {
            continue;
        };
        let mut line = vec![Cell::text(contender.name)];
        line.extend(numbers.map(|n| Cell::Count(size(n) as u64)));
        line.push(Cell::text(contender.forgeable));
        table.lines.push(line);
    }
    table
}

/// Size against time, for schemes that have both.
fn plane(run: &Run) -> Figure {
    let measured = CONTENDERS
        .iter()
        .filter(|contender| contender.verify.is_some());
    let curves = measured.filter_map(|contender| {
        let size = contender.size?;
        let points = VERIFIED.into_iter().filter_map(|n| {
            let series = run.row(VERIFYING, &blocks(n))?.get(contender.name)?;
            Some((size(n) as f64, series.spread()))
        });
        Some(Curve {
            name: contender.name.to_owned(),
            points: points.collect(),
        })
    });
    Figure::Lines(Lines {
        title: "Tokens of 1, 2, 3, 5, 10 and 20 blocks: size against time".to_owned(),
        x: "bytes of keys and signatures".to_owned(),
        y: "µs to verify".to_owned(),
        curves: curves.collect(),
        with_figures: false,
    })
}

/// The tables and their files' names.
fn tables(run: &Run) -> Vec<(Table, &'static str)> {
    let mut tables = Vec::new();
    if run.of(SIGNING).next().is_some() {
        let table = times(run, SIGNING, "Tokens: signing", &SIGNED, |c| c.signing);
        tables.push((table, "tokens-signing.csv"));
    }
    if run.of(VERIFYING).next().is_some() {
        let published = |contender: &Contender| contender.verifying;
        let table = times(run, VERIFYING, "Tokens: verifying", &VERIFIED, published);
        tables.push((table, "tokens-verifying.csv"));
        tables.push((sizes(), "tokens-size.csv"));
    }
    if let Some(row) = run.of(MANY).next() {
        let table = Table::of_row(row, &["biscuit-auth, one by one"]);
        tables.push((table, "tokens-many.csv"));
    }
    tables
}

/// The tables, and size against time.
pub fn section(run: &Run) -> Section {
    let mut section = Section::new(
        "Tokens",
        "Time to add a block and encode the token, and to verify a token from its bytes; size \
         without payloads and framing. Columns called study are figures published in \
         “Experiments around signature aggregation for the biscuit token”, which tried VRF 1, \
         VRF 2, pairing and challenge; two columns that it had exchanged are put right. A \
         challenge token is signed twice, once for the block and once for the answer; its base \
         token is what the holder keeps. These schemes are measured here only for comparison: \
         the tests of klero-studies forge them.",
    );
    if run.of(VERIFYING).next().is_some() {
        section.figures.push(plane(run));
    }
    section.tables = tables(run).into_iter().map(|(table, _)| table).collect();
    section
}

/// The tables as files.
pub fn write(directory: &Directory, run: &Run) -> Result<(), WriteError> {
    for (table, name) in tables(run) {
        directory.write_table(name, &table)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use klero_measure::{Plan, only};

    use super::super::rows;
    use super::*;

    #[test]
    fn sizes_are_those_of_the_study() {
        let expected = [
            ("VRF 1", [160, 256, 544, 1024, 1984]),
            ("VRF 2", [160, 224, 416, 736, 1376]),
            ("pairing", [144, 192, 336, 576, 1056]),
            ("challenge, base token", [128, 224, 512, 992, 1952]),
            ("challenge token", [192, 288, 576, 1056, 2016]),
            ("chain", [128, 224, 512, 992, 1952]),
            ("aggregate", [96, 128, 224, 384, 704]),
            ("bls", [144, 192, 336, 576, 1056]),
        ];
        let table = sizes();
        assert_eq!(table.lines.len(), expected.len());
        for ((name, sizes), line) in expected.into_iter().zip(&table.lines) {
            assert_eq!(line[0], Cell::text(name));
            assert_eq!(line[1..6], sizes.map(Cell::Count), "{name}");
        }
    }

    /// The study's figures stand beside the time of two signatures, not beside that of one.
    #[test]
    fn challenge_tokens_are_signed_with_their_answer() {
        let rows = only(rows(), SIGNING).unwrap();
        let run = klero_measure::run(rows, &Plan::rounds(3)).unwrap();
        let row = run.row(SIGNING, "2 blocks").unwrap();
        let ratio = row.ratio("challenge, base token", "challenge token");
        assert!(ratio.unwrap().value() > 1.2, "{ratio:?}");
        let table = &section(&run).tables[0];
        let study = |name: &str| {
            let line = table.lines.iter().find(|line| line[0] == Cell::text(name));
            line.unwrap()[4..7].to_vec()
        };
        let published = ["325", "402", "405"].map(Cell::text);
        assert_eq!(study("challenge token"), published);
        assert_eq!(study("challenge, base token"), vec![Cell::Nothing; 3]);
    }
}
