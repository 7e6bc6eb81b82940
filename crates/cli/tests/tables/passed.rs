//! Rows keep their order, and columns that are not of a claim pass through unchanged.

use crate::common::{Place, csv_column, csv_rows};

#[test]
fn order_is_kept_and_other_columns_too() {
    let place = Place::new();
    let sample = place
        .run("sample --suite praos --count 9 --out - --invalid 0.3")
        .stdout;
    let (header, rows) = sample.split_once('\n').unwrap();
    let rows: Vec<_> = rows.lines().collect();
    let mut text = format!("id,{header},note\n");
    for id in 0..20_000 {
        text += &format!(
            "{id:05},{},\"1e10, \"\"quoted\"\"\"\n",
            rows[id % rows.len()]
        );
    }
    place.write("t.csv", &text);
    place
        .run("batch verify t.csv --suite praos --out t2.csv")
        .ends(1);
    let (before, after) = (csv_rows(&text), csv_rows(&place.read("t2.csv")));
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before[..], after[..before.len()]);
        assert_eq!(after.len(), before.len() + 1);
    }
    let verdicts: Vec<_> = after.iter().map(|row| row.last().unwrap()).collect();
    assert!(verdicts.iter().any(|v| *v == "valid") && verdicts.iter().any(|v| *v != "valid"));
    for (id, verdict) in verdicts.iter().enumerate() {
        assert_eq!(*verdict, verdicts[id % rows.len()]);
    }
}

#[test]
fn json_fields_pass_through_to_the_last_digit() {
    let place = Place::new();
    let sample = place
        .run("sample --suite praos --count 2 --out - --out-format jsonl")
        .stdout;
    let rows: Vec<_> = sample
        .lines()
        .map(|row| row.trim_start_matches('{'))
        .collect();
    let lines = [
        format!(
            r#"{{"n":0.10000000000000000001,"deep":{{"a":[1,null,"é\n"]}},{}"#,
            rows[0]
        ),
        String::new(),
        format!(
            r#"{{"only":true,"big":123456789012345678901234567890,{}"#,
            rows[1]
        ),
    ];
    let ran = place
        .run_with(
            "batch verify - --format jsonl --suite praos",
            lines.join("\n"),
        )
        .ends(0);
    let out: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(out.len(), 2);
    assert!(
        out[0].contains(r#""n":0.10000000000000000001,"deep":{"a":[1,null,"é\n"]}"#),
        "{}",
        out[0]
    );
    assert!(
        out[1].contains(r#""big":123456789012345678901234567890"#),
        "{}",
        out[1]
    );
    assert!(!out[0].contains("only") && !out[1].contains("deep"));
    assert!(
        out.iter()
            .all(|line| line.ends_with(r#""verdict":"valid"}"#))
    );

    // Other formats show strings as they are, and the rest as JSON.
    place.write("t.jsonl", lines.join("\n"));
    place
        .run("batch verify t.jsonl --suite praos --out t.csv")
        .ends(0);
    let text = place.read("t.csv");
    assert_eq!(csv_column(&text, "n"), ["0.10000000000000000001", ""]);
    assert_eq!(csv_column(&text, "deep"), [r#"{"a":[1,null,"é\n"]}"#, ""]);
    assert_eq!(csv_column(&text, "key").len(), 2);
}
