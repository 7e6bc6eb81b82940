//! Tests that a terminal shows only the first rows of a table if there is no `--out`.
#![cfg(target_os = "linux")]

use crate::common::{Place, on_a_terminal};

#[test]
fn a_terminal_shows_the_first_rows() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 5000 --invalid 0.5 --out s.jsonl")
        .ends(0);
    let klero = env!("CARGO_BIN_EXE_klero");
    let run = |columns: usize, line: &str| {
        let line = format!("stty rows 40 cols {columns}; {klero} {line} 2>err");
        on_a_terminal(&place, &line, "")
    };
    for columns in [80, 100, 160] {
        let Some(text) = run(columns, "batch verify s.jsonl --suite praos") else {
            return; // there is no program `script`
        };
        assert!(text.contains("invalid: ") && text.contains('…'), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= columns, "{line}");
        }
        let end = "shortened, and 4,990 more rows; --out FILE writes all of it\n";
        assert!(text.ends_with(end), "{text}");
        assert_eq!(text.lines().count(), 12, "{text}");
        let summary = place.read("err");
        assert!(summary.starts_with("s.jsonl: 5,000 rows, "), "{summary}");
    }
    // The first group of rows has no invalid row.
    let valid = place.run("sample --suite praos --count 4096 --out-format jsonl");
    let invalid = place.read("s.jsonl");
    let invalid: Vec<_> = invalid.lines().take(40).collect();
    place.write("late.jsonl", valid.stdout + &invalid.join("\n"));
    let text = run(80, "batch verify late.jsonl --suite praos --only-invalid").unwrap();
    assert_eq!(text.lines().count(), 12, "{text}");
    // With these options, the terminal shows all rows.
    for option in ["-o -", "--out-format csv"] {
        let line = format!("batch verify s.jsonl --suite praos {option}");
        assert!(run(80, &line).unwrap().lines().count() >= 5000);
    }
    let text = run(80, "sample --suite praos --count 3").unwrap();
    let end = "shortened; --out FILE writes it whole\n";
    assert!(text.ends_with(end), "{text}");
}
