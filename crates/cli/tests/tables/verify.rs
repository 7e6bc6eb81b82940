//! `klero batch verify`: tables in every format.

use crate::common::{Place, csv_column, csv_rows};

const FORMATS: [&str; 3] = ["csv", "jsonl", "parquet"];

/// A table of any format as CSV text, converted by verifying it.
fn as_csv(place: &Place, table: &str) -> String {
    place.run(&format!("batch verify {table} --suite praos --out as.csv"));
    place.read("as.csv")
}

#[test]
fn every_format_into_every_format() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 300 --invalid 0.1 --out s.csv")
        .ends(0);
    place
        .run("batch verify s.csv --suite praos --out expected.csv")
        .ends(1);
    let expected = place.read("expected.csv");
    for from in FORMATS {
        place
            .run(&format!(
                "sample --suite praos --count 300 --invalid 0.1 --out s.{from}"
            ))
            .ends(0);
        for to in FORMATS {
            let out = format!("{from}-{to}.{to}");
            let ran = place
                .run(&format!("batch verify s.{from} --suite praos --out {out}"))
                .ends(1);
            assert!(
                ran.stderr.starts_with(&format!("s.{from}: 300 rows, ")),
                "{}",
                ran.stderr
            );
            assert!(
                ran.stderr.contains("challenge mismatch, first in row "),
                "{}",
                ran.stderr
            );
            assert!(ran.stdout.is_empty());
            // The verdicts of a table with verdicts are the same again.
            assert_eq!(as_csv(&place, &out), expected, "{out}");
        }
    }
}

#[test]
fn every_suite() {
    let place = Place::new();
    for suite in klero::Suite::ALL {
        let name = suite.name();
        place
            .run(&format!("sample --suite {name} --count 64 --out s.parquet"))
            .ends(0);
        place
            .run(&format!(
                "batch verify s.parquet --suite {name} --out v.csv"
            ))
            .ends(0);
        assert_eq!(
            csv_column(&place.read("v.csv"), "verdict"),
            vec!["valid"; 64]
        );
        place
            .run(&format!(
                "sample --suite {name} --count 64 --invalid 1 --out s.parquet"
            ))
            .ends(0);
        place
            .run(&format!(
                "batch verify s.parquet --suite {name} --out v.csv"
            ))
            .ends(1);
        for verdict in csv_column(&place.read("v.csv"), "verdict") {
            assert!(verdict.starts_with("invalid: "), "{name}: {verdict}");
        }
    }
}

#[test]
fn standard_input_and_output() {
    let place = Place::new();
    for format in ["csv", "jsonl"] {
        let sample = place
            .run(&format!(
                "sample --suite praos --count 5 --out - --out-format {format}"
            ))
            .ends(0)
            .stdout;
        let line = format!("batch verify - --suite praos --format {format}");
        let ran = place.run_with(&line, sample.clone()).ends(0);
        assert!(
            ran.stderr
                .starts_with("standard input: 5 rows, 5 valid, 0 invalid")
        );
        assert_eq!(ran.stdout.lines().count(), sample.lines().count());
        let same = place.run_with(&format!("{line} --out -"), sample).ends(0);
        assert_eq!(same.stdout, ran.stdout);
    }
    place
        .run("batch verify - --suite praos")
        .refused("unknown format: expected");
    place
        .run("batch verify - --suite praos --format parquet")
        .refused("expected a file");
    place
        .run("sample --suite praos --count 5 --out s.parquet")
        .ends(0);
    place
        .run("batch verify s.parquet --suite praos")
        .refused("expected --out FILE");
}

#[test]
fn outputs_are_computed_where_none_is_claimed() {
    let place = Place::new();
    let sample = place.run("sample --suite praos --count 4 --out -").stdout;
    let rows = csv_rows(&sample);
    let mut text = String::from("output,proof,alpha,key\n");
    // Claimed; not claimed; claimed and wrong; not claimed and invalid.
    for (index, row) in rows.iter().enumerate() {
        let output = match index {
            0 => &row[3],
            2 => &rows[0][3],
            _ => "",
        };
        let proof = if index == 3 { &rows[0][2] } else { &row[2] };
        text += &format!("{output},{proof},{},{}\n", row[1], row[0]);
    }
    let expected = [&rows[0][3], &rows[1][3], &rows[0][3], ""];
    place.write("t.csv", &text);
    for format in FORMATS {
        let table = format!("t.{format}");
        place
            .run(&format!(
                "batch verify t.csv --suite praos --force --out {table}"
            ))
            .ends(1);
        let text = as_csv(&place, &table);
        assert_eq!(text.lines().next(), Some("output,proof,alpha,key,verdict"));
        assert_eq!(csv_column(&text, "output"), expected, "{format}");
        let verdicts = csv_column(&text, "verdict");
        assert_eq!(verdicts[..2], ["valid", "valid"]);
        assert_eq!(
            verdicts[2],
            "invalid: output mismatch: the proof is for another output"
        );
        assert_eq!(verdicts[3], "invalid: challenge mismatch");
        if format == "csv" {
            place.write("t.csv", text);
        }
    }
    let without: String = rows
        .iter()
        .map(|row| format!("{},{},{}\n", row[0], row[1], row[2]))
        .collect();
    let ran = place
        .run_with(
            "batch verify - --format csv --suite praos",
            format!("key,alpha,proof\n{without}"),
        )
        .ends(0);
    assert_eq!(
        ran.stdout.lines().next(),
        Some("key,alpha,proof,output,verdict")
    );
    assert_eq!(
        csv_column(&ran.stdout, "output"),
        csv_column(&sample, "output")
    );
}

#[test]
fn a_table_can_be_written_over_itself() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 10 --out s.csv")
        .ends(0);
    let before = csv_rows(&place.read("s.csv"));
    for out in ["s.csv", "./s.csv"] {
        place
            .run(&format!("batch verify s.csv --suite praos -o {out}"))
            .refused(".csv: it is the table that is read (--force replaces it)");
    }
    assert_eq!(csv_rows(&place.read("s.csv")), before);
    place
        .run("batch verify s.csv --suite praos --out s.csv --force")
        .ends(0);
    let after = csv_rows(&place.read("s.csv"));
    assert_eq!(after.len(), before.len());
    assert_eq!(place.names(), ["s.csv"]);
}

#[test]
fn a_failed_run_leaves_no_table() {
    let place = Place::new();
    place.write("old.csv", "precious");
    place.write("t.csv", "key,alpha\n00,00\n");
    place
        .run("batch verify t.csv --suite praos --out old.csv")
        .refused("no column \"proof\"");
    place
        .run("sample --suite praos --count 10000 --out s.parquet")
        .ends(0);
    let mut bytes = std::fs::read(place.path("s.parquet")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 1000].fill(0xff);
    place.write("s.parquet", bytes);
    place
        .run("batch verify s.parquet --suite praos --out old.csv")
        .refused("cannot read s.parquet: after row")
        .refused("; old.csv is as it was");
    place
        .run("batch verify s.parquet --suite praos --out new.csv")
        .refused("; new.csv was not written");
    assert_eq!(place.read("old.csv"), "precious");
    assert_eq!(place.names(), ["old.csv", "s.parquet", "t.csv"]);
}

#[test]
fn reasons_are_counted() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 300 --invalid 0.1 --out s.csv")
        .ends(0);
    let ran = place
        .run("batch verify s.csv --suite praos -o v.csv")
        .ends(1);
    let verdicts = csv_column(&place.read("v.csv"), "verdict");
    let reason = "challenge mismatch";
    let rows: Vec<_> = (1..)
        .zip(&verdicts)
        .filter(|(_, verdict)| verdict.ends_with(reason))
        .map(|(number, _)| number)
        .collect();
    let line = format!("{:>9}  {reason}, first in row {}\n", rows.len(), rows[0]);
    assert!(ran.stderr.contains(&line), "{}", ran.stderr);

    let ran = place
        .run("batch verify s.csv --suite praos --json -o v.csv")
        .ends(1);
    let summary: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    let invalid = verdicts
        .iter()
        .filter(|verdict| *verdict != "valid")
        .count();
    assert_eq!(summary["table"], "s.csv");
    assert_eq!(summary["rows"], 300);
    assert_eq!(summary["valid"], 300 - invalid);
    assert_eq!(summary["invalid"], invalid);
    let of_reason = serde_json::json!(
        {"reason": reason, "rows": rows.len(), "first_row": rows[0]}
    );
    let reasons = summary["reasons"].as_array().unwrap();
    assert!(reasons.contains(&of_reason), "{summary}");
    let sum: u64 = reasons
        .iter()
        .map(|reason| reason["rows"].as_u64().unwrap())
        .sum();
    assert_eq!(sum, invalid as u64);

    let name = "\u{202e}é.csv";
    place.write(name, place.read("s.csv"));
    let ran = place
        .run(&format!(
            "batch verify {name} --suite praos --json -o v.csv"
        ))
        .ends(1);
    assert!(ran.stderr.is_ascii(), "{}", ran.stderr);
    let summary: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(summary["table"], name);
}

#[test]
fn rows_are_numbered_through_the_table() {
    let place = Place::new();
    let sample = place.run("sample --suite praos --count 9000").ends(0);
    let mut lines: Vec<_> = sample.stdout.lines().collect();
    // The last row is not of the group of rows that the first is of.
    let wrong = lines[9000].replacen(&csv_rows(&sample.stdout)[8999][2], "00", 1);
    lines[9000] = &wrong;
    place.write("t.csv", lines.join("\n"));
    for format in FORMATS {
        let table = format!("t.{format}");
        for line in [
            format!("batch verify t.csv --suite praos --force -o {table}"),
            format!("batch verify {table} --suite praos -o v.csv"),
        ] {
            let ran = place.run(&line).ends(1);
            let said = "9,000 rows, 8,999 valid, 1 invalid";
            assert!(ran.stderr.contains(said), "{}", ran.stderr);
            let said = ", first in row 9000\n";
            assert!(ran.stderr.ends_with(said), "{}", ran.stderr);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 3 --out s.csv")
        .ends(0);
    // Few rows are written when the table ends.
    for format in ["csv", "jsonl", "csv.gz"] {
        place
            .run(&format!(
                "batch verify s.csv --suite praos --out /dev/full --out-format {format}"
            ))
            .refused("cannot write /dev/full: No space left on device");
    }
}

#[test]
fn invalid_rows_alone_are_written() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 5000 --invalid 0.01 --out s.csv")
        .ends(0);
    place
        .run("batch verify s.csv --suite praos -o v.csv")
        .ends(1);
    let all = place.read("v.csv");
    let invalid: Vec<_> = all
        .lines()
        .filter(|line| !line.ends_with(",valid"))
        .collect();
    for format in FORMATS {
        let out = format!("i.{format}");
        let ran = place
            .run(&format!(
                "batch verify s.csv --suite praos --only-invalid -o {out}"
            ))
            .ends(1);
        assert!(
            ran.stderr.starts_with("s.csv: 5,000 rows, "),
            "{}",
            ran.stderr
        );
        let written = as_csv(&place, &out);
        assert_eq!(written.lines().collect::<Vec<_>>(), invalid, "{format}");
    }
    // No row is: the table has its columns.
    place.write("none.csv", "key,alpha,proof\n");
    let ran = place
        .run("batch verify none.csv --suite praos --only-invalid")
        .ends(0);
    assert_eq!(ran.stdout, "key,alpha,proof,output,verdict\n");
}
