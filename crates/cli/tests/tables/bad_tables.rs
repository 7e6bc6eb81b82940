//! Tables that are wrong as a whole, and what makes none wrong.

use crate::common::{Place, csv_column};
use crate::{sample, verify_csv, verify_jsonl};

#[test]
fn line_ends_and_marks_do_not_matter() {
    for format in ["csv", "jsonl"] {
        let text = sample(format);
        let place = Place::new();
        let run = |text: String| {
            place
                .run_with(
                    &format!("batch verify - --format {format} --suite praos"),
                    text,
                )
                .ends(0)
                .stdout
        };
        let expected = run(text.clone());
        assert_eq!(run(text.replace('\n', "\r\n")), expected);
        assert_eq!(run(format!("\u{feff}{text}")), expected);
        assert_eq!(run(text.trim_end().to_owned()), expected);
        assert_eq!(run(text.replace('\n', "\n\n")), expected);
    }
}

#[test]
fn empty_tables() {
    verify_csv("").refused("standard input: the file is empty, expected a header line");
    let ran = verify_csv("key,alpha,proof\n").ends(0);
    assert_eq!(ran.stdout, "key,alpha,proof,output,verdict\n");
    assert!(ran.stderr.contains("0 rows, 0 valid, 0 invalid"));
    assert!(ran.stderr.ends_with("\nthe table has no rows\n"));
    let ran = verify_jsonl("").ends(0);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.ends_with("\nthe table has no rows\n"));

    let place = Place::new();
    for format in ["csv", "jsonl", "parquet"] {
        place
            .run(&format!("sample --suite praos --count 0 --out e.{format}"))
            .ends(0);
        for to in ["csv", "jsonl", "parquet"] {
            place
                .run(&format!(
                    "batch verify e.{format} --suite praos --out o.{to}"
                ))
                .ends(0);
        }
    }
    place
        .run("batch verify o.parquet --suite praos --out p.csv")
        .ends(0);
    assert_eq!(
        place.read("p.csv"),
        "output,verdict\n".replace("output", "key,alpha,proof,output")
    );
}

#[test]
fn wrong_headers() {
    verify_csv("key,alpha\n")
        .refused("there is no column \"proof\": expected key, alpha, proof, found key, alpha");
    verify_csv("Key,alpha,proof\n").refused("there is no column \"key\"");
    verify_csv("key;alpha;proof\n").refused("found key;alpha;proof");
    verify_csv("key,alpha,proof,key\n").refused("column \"key\" appears twice");
    verify_csv("key,alpha,proof,,\n").refused("column \"\" appears twice");
    verify_csv(b"key,alpha,proof,\xe8,\xe9\n".to_vec())
        .refused("column \"\u{fffd}\" appears twice");
    // A table without a header begins with a value, which may be a secret.
    let ran =
        verify_csv(format!("{},00\n", "12".repeat(32))).refused("found (64 bytes, not shown), 00");
    assert!(!ran.stderr.contains("1212"));
    verify_csv("x,".repeat(5000)).refused("5001 columns, expected at most 4096");
}

#[test]
fn unreadable_files() {
    let place = Place::new();
    place
        .run("batch verify none.csv --suite praos")
        .refused("cannot read none.csv: No such file");
    place.write("t.txt", "key,alpha,proof\n");
    place
        .run("batch verify t.txt --suite praos")
        .refused("cannot read t.txt: unknown format");
    place
        .run("batch verify t.txt --suite praos --format csv")
        .ends(0);
    std::fs::create_dir(place.path("dir.csv")).unwrap();
    place
        .run("batch verify dir.csv --suite praos")
        .refused("cannot read dir.csv");
    place
        .run("batch verify t.txt --suite praos --format csv --out no/such.csv")
        .refused("cannot write no/such.csv");
    place
        .run("batch verify t.txt --suite praos --format parquet --out x.csv")
        .refused("expected a Parquet file");
}

#[test]
fn truncated_parquet_is_refused_wherever_it_ends() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 20 --out s.parquet")
        .ends(0);
    let bytes = std::fs::read(place.path("s.parquet")).unwrap();
    for length in [
        0,
        1,
        4,
        8,
        bytes.len() / 2,
        bytes.len() - 8,
        bytes.len() - 1,
    ] {
        place.write("t.parquet", &bytes[..length]);
        place
            .run("batch verify t.parquet --suite praos --out v.csv")
            .refused("cannot read t.parquet: expected a Parquet file");
    }
}

#[test]
fn columns_that_come_later_need_json_lines() {
    let place = Place::new();
    place.write("t.jsonl", "{\"a\":1}\n".repeat(5000) + "{\"b\":1}\n");
    place
        .run("batch verify t.jsonl --suite praos --out t.csv")
        .refused("column \"b\" is not among those");
    let ran = place.run("batch verify t.jsonl --suite praos").ends(1);
    assert!(ran.stdout.lines().last().unwrap().starts_with("{\"b\":1,"));
    place.write(
        "t.jsonl",
        "{\"a\":1,\"b\":2}\n".repeat(5000) + "{\"b\":1}\n",
    );
    place
        .run("batch verify t.jsonl --suite praos --out t.csv")
        .ends(1);
    assert_eq!(csv_column(&place.read("t.csv"), "a").last().unwrap(), "");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let place = Place::new();
    place
        .run("sample --suite praos --count 5000 --out s.csv")
        .ends(0);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("klero"))
        .args(["batch", "verify", "s.csv", "--suite", "praos"])
        .current_dir(place.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(line, "key,alpha,proof,output,verdict\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(2));
}
