//! The result in five lines: verifying and proving, many proofs together and one alone.

use klero::Suite;

use super::rows::TOGETHER;
use crate::measured::Run;
use crate::section::{Cell, Section, Table};

/// The first section of a report: the time and the rate of the first contender, and how many
/// times as fast it is as each other one that was measured. `short` is a suite of 80-byte
/// proofs, `long` one of 128-byte proofs.
pub fn result_section(run: &Run, [short, long]: [Suite; 2], contenders: &[&str]) -> Section {
    let mut section = Section::new(
        "Result",
        "Verification from bytes to verdicts and outputs, and proving, on one thread. Median µs \
         for each proof, and how many times as fast the first contender is.",
    );
    let Some((first, others)) = contenders.split_first() else {
        return section;
    };
    let measured = |name: &&&str| run.rows.iter().any(|row| row.get(name).is_some());
    let others: Vec<_> = others.iter().filter(measured).collect();
    let mut head = ["", &format!("{first}, µs"), "per second"]
        .map(str::to_owned)
        .to_vec();
    for other in &others {
        head.extend([format!("{other}, µs"), "×".to_owned()]);
    }
    let mut table = Table::new("Result", head);
    for (experiment, name, shown) in lines(short.name(), long.name()) {
        let Some(row) = run.row(&experiment, &name) else {
            continue;
        };
        let Some(ours) = row.get(first) else {
            continue;
        };
        let time = ours.median();
        let rate = Cell::Count((1e6 / time).round() as u64);
        let mut line = vec![Cell::text(shown), Cell::Micros(time), rate];
        for other in &others {
            line.push(Cell::median(row.get(other)));
            line.push(Cell::times(row.ratio(first, other)));
        }
        table.lines.push(line);
    }
    section.tables.push(table);
    section
}

/// The experiment and the name of the row of each line, and what the line is called.
fn lines(short: &str, long: &str) -> [(String, String, String); 5] {
    let many = TOGETHER.to_string();
    let verify = |suite: &str, bytes: usize| {
        let shown = format!("verify {many} together, {bytes} bytes, {suite}");
        (format!("sizes {suite}"), many.clone(), shown)
    };
    let alone = |what: &str| {
        let name = format!("{what} one alone, {short}");
        ("alone".to_owned(), name.clone(), name)
    };
    let proven = format!("prove {many}, {short}");
    let shown = format!("prove {many} together, {short}");
    [
        verify(short, 80),
        verify(long, 128),
        ("together".to_owned(), proven, shown),
        alone("verify"),
        alone("prove"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::{Measured, Series};

    #[test]
    fn the_first_is_compared_with_the_others() {
        let series = |contender: &str, time: f64| Series {
            contender: contender.into(),
            samples: vec![time; 3],
            slowest_copy: 1.0,
        };
        let row = |experiment: &str, name: &str| Measured {
            experiment: experiment.into(),
            name: name.into(),
            items: 1,
            at: 1.0,
            series: vec![series("klero-ifma", 12.5), series("peer", 50.0)],
        };
        let run = Run {
            began: 7,
            load: None,
            rows: vec![
                row("sizes praos", "1024"),
                row("alone", "prove one alone, praos"),
                row("alone", "prove one alone, rfc9381-tai"),
            ],
        };
        let suites = [Suite::PRAOS, Suite::RFC9381_ELL2_BC];
        let names = ["klero-ifma", "peer", "absent"];
        let section = result_section(&run, suites, &names);
        let table = &section.tables[0];
        assert_eq!(
            table.head[1..4],
            ["klero-ifma, µs", "per second", "peer, µs"]
        );
        assert_eq!(table.lines.len(), 2);
        let shown: Vec<_> = table.lines[0][1..].iter().map(Cell::show).collect();
        assert_eq!(shown, ["12.5", "80000", "50.0", "4.00×"]);
        assert!(result_section(&run, suites, &[]).tables.is_empty());
    }
}
