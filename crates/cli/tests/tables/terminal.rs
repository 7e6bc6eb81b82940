//! On a terminal a table without `--out` shows its first rows.

use std::process::Command;

use crate::common::Place;

#[test]
fn a_terminal_shows_the_first_rows() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 5000 --invalid 0.5 --out s.jsonl")
        .ends(0);
    let klero = env!("CARGO_BIN_EXE_klero");
    let run = |columns: usize, line: &str| {
        let line = format!("stty rows 40 cols {columns}; {klero} {line} 2>err");
        let ran = Command::new("script")
            .args(["--quiet", "--command", &line, "/dev/null"])
            .env_remove("COLUMNS")
            .env("TERM", "xterm")
            .current_dir(place.path(""))
            .output();
        ran.ok()
            .map(|ran| String::from_utf8(ran.stdout).unwrap().replace('\r', ""))
    };
    for columns in [80, 100, 160] {
        let Some(text) = run(columns, "batch verify s.jsonl --suite praos") else {
            return; // no program script
        };
        assert!(text.contains("invalid: "), "{text}");
        assert!(text.contains('…'), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= columns, "{line}");
        }
        assert!(
            text.ends_with("shortened, and 4,990 more rows; --out FILE writes all of it\n"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 12, "{text}");
        let summary = place.read("err");
        assert!(summary.starts_with("s.jsonl: 5,000 rows, "), "{summary}");
    }
    // The first group of rows has none that is invalid.
    place
        .run("sample --suite praos --count 4096 --out valid.jsonl")
        .ends(0);
    let invalid = place.read("s.jsonl");
    let invalid: Vec<_> = invalid.lines().take(40).collect();
    place.write(
        "late.jsonl",
        place.read("valid.jsonl") + &invalid.join("\n"),
    );
    let text = run(80, "batch verify late.jsonl --suite praos --only-invalid").unwrap();
    assert_eq!(text.lines().count(), 12, "{text}");
    // Told to, it shows everything.
    for option in ["-o -", "--out-format csv"] {
        let line = format!("batch verify s.jsonl --suite praos {option}");
        assert!(run(80, &line).unwrap().lines().count() >= 5000);
    }
    let text = run(80, "sample --suite praos --count 3").unwrap();
    assert!(
        text.ends_with("shortened; --out FILE writes it whole\n"),
        "{text}"
    );
}
