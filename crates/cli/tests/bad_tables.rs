//! Tables that are wrong, in one row or as a whole.

mod common;

use std::collections::HashMap;

use common::{Place, csv_column};

fn verify_csv(text: impl Into<Vec<u8>>) -> common::Ran {
    Place::new().run_with("batch verify - --format csv --suite praos", text)
}

fn verify_jsonl(text: impl Into<Vec<u8>>) -> common::Ran {
    Place::new().run_with("batch verify - --format jsonl --suite praos", text)
}

fn sample(format: &str) -> String {
    Place::new()
        .run(&format!(
            "sample --suite praos --count 3 --out - --out-format {format}"
        ))
        .ends(0)
        .stdout
}

/// The verdict on a bad row between good ones, which must stay valid.
#[track_caller]
fn verdict_of(row: &[u8]) -> String {
    let sample = sample("csv");
    let mut lines: Vec<&[u8]> = sample.lines().map(str::as_bytes).collect();
    lines.insert(2, row);
    let ran = verify_csv(lines.join(&b'\n')).ends(1);
    let mut verdicts = csv_column(&ran.stdout, "verdict");
    let verdict = verdicts.remove(1);
    assert_eq!(verdicts, ["valid"; 3]);
    assert!(
        ran.stderr.contains("4 rows, 3 valid, 1 invalid"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains(", first in row 2\n"), "{}", ran.stderr);
    verdict
}

#[test]
fn a_fault_of_many_rows_is_one_reason() {
    let text = "key,alpha,proof\n".to_owned() + &"x\n".repeat(2000) + "00,00,00\n";
    let ran = verify_csv(text).ends(1);
    let lines = [
        "    2,000  expected 3 fields, found 1, first in row 1\n",
        "        1  public key has 1 bytes, expected 32, first in row 2001\n",
    ];
    assert!(ran.stderr.ends_with(&lines.concat()), "{}", ran.stderr);
    let ran = verify_jsonl("{\n".repeat(2000)).ends(1);
    let line = "    2,000  expected a JSON object, EOF while parsing an object, first in row 1\n";
    assert!(ran.stderr.ends_with(line), "{}", ran.stderr);
}

#[test]
fn a_wrong_csv_row_stands_alone() {
    let sample = sample("csv");
    let good: Vec<_> = sample.lines().nth(1).unwrap().split(',').collect();
    let [key, alpha, proof, output] = good[..] else {
        panic!()
    };
    let row = |key, alpha, proof, output| {
        verdict_of(format!("{key},{alpha},{proof},{output}").as_bytes())
    };

    assert_eq!(
        row("xx", alpha, proof, output),
        "invalid: key is not hex: character 1 is 'x'"
    );
    assert_eq!(
        row(key, "abc", proof, output),
        "invalid: alpha is not hex: an odd number of digits"
    );
    assert_eq!(
        row(key, alpha, " 00", output),
        "invalid: proof is not hex: character 1 is ' '"
    );
    assert_eq!(
        row(key, alpha, " 00 ", output),
        "invalid: proof is not hex: character 1 is ' '"
    );
    assert_eq!(
        row(key, alpha, proof, "0"),
        "invalid: output is not hex: an odd number of digits"
    );
    assert_eq!(
        row("", alpha, proof, output),
        "invalid: public key has 0 bytes, expected 32"
    );
    assert_eq!(
        row(key, alpha, "", output),
        "invalid: proof has 0 bytes, expected 80"
    );
    assert_eq!(
        row(key, alpha, "00", output),
        "invalid: proof has 1 bytes, expected 80"
    );
    assert_eq!(
        row(key, alpha, proof, "00"),
        "invalid: output has 1 bytes, expected 64"
    );
    assert_eq!(row(key, "", proof, output), "invalid: challenge mismatch");
    assert_eq!(
        verdict_of(b"00,00"),
        "invalid: line 3: expected 4 fields, found 2"
    );
    assert_eq!(
        verdict_of(b"00,00,00,00,00"),
        "invalid: line 3: expected 4 fields, found 5"
    );
    assert!(
        verdict_of(b"00,\xff\xfe,00,00")
            .starts_with("invalid: line 3, column \"alpha\": expected UTF-8")
    );
}

/// The verdict in a line whose other fields may not be text.
fn verdict_in(line: &str) -> String {
    let fields: HashMap<&str, &serde_json::value::RawValue> = serde_json::from_str(line).unwrap();
    serde_json::from_str(fields["verdict"].get()).unwrap()
}

#[test]
fn a_wrong_json_line_stands_alone() {
    let sample = sample("jsonl");
    for (line, reason) in [
        ("[1]", "line 2: expected a JSON object, found a list"),
        ("\"1234\"", "line 2: expected a JSON object, found a string"),
        ("-1", "line 2: expected a JSON object, found a number"),
        ("true", "line 2: expected a JSON object, found true"),
        ("null", "line 2: expected a JSON object, found null"),
        (
            "\"1234",
            "line 2, column 5: expected a JSON object, EOF while parsing a string",
        ),
        (
            "{\"key\":",
            "line 2, column 7: expected a JSON object, EOF while parsing a value",
        ),
        (
            "nonsense",
            "line 2, column 2: expected a JSON object, expected ident",
        ),
        ("{}", "key is missing"),
        (r#"{"key":null}"#, "key is missing"),
        (r#"{"key":12}"#, "key is not a string, expected hex in one"),
        (r#"{"key":"0g"}"#, "key is not hex: character 2 is 'g'"),
        (
            r#"{"key":"0x00"}"#,
            "key is not hex: it begins with 0x, expected digits alone",
        ),
        (
            r#"{"key":"0X00"}"#,
            "key is not hex: it begins with 0x, expected digits alone",
        ),
        (
            r#"{"key":"00","key":"00"}"#,
            "line 2: field \"key\" appears twice",
        ),
        (r#"{"key":"00","alpha":""}"#, "proof is missing"),
        (
            r#"{"key":"00","alpha":"","proof":""}"#,
            "public key has 1 bytes, expected 32",
        ),
        (
            r#"{"key":"\ud800"}"#,
            "key is not a string, expected hex in one",
        ),
    ] {
        let mut lines: Vec<_> = sample.lines().collect();
        lines.insert(1, line);
        let ran = verify_jsonl(lines.join("\n")).ends(1);
        let verdicts: Vec<String> = ran.stdout.lines().map(verdict_in).collect();
        assert_eq!(verdicts.len(), 4);
        assert!(
            verdicts[1].starts_with(&format!("invalid: {reason}")),
            "{line}: {}",
            verdicts[1]
        );
        assert!([0, 2, 3].iter().all(|&row| verdicts[row] == "valid"));
    }
    // Not UTF-8.
    let mut bytes = sample.clone().into_bytes();
    bytes.extend(b"{\"key\":\"\xff\"}\n");
    assert!(
        verify_jsonl(bytes)
            .ends(1)
            .stdout
            .contains("invalid: line 4, column 9: expected a JSON object")
    );
}

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
    verify_csv(b"key,alpha,proof,\xe9\n".to_vec())
        .refused("line 1, name of column 4: expected UTF-8");
    // A table without a header begins with a value, which may be a secret.
    let ran = verify_csv(format!("{},00\n", "12".repeat(32)))
        .refused("found 1212121212121212… (64 bytes), 00");
    assert!(!ran.stderr.contains(&"12".repeat(9)));
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
fn a_field_of_megabytes_is_a_field() {
    let place = Place::new();
    place.write("key", "00".repeat(32));
    let alpha = "ab".repeat(5 << 20);
    let proved = place
        .run_with(
            "batch prove - --format csv --suite praos --key key",
            format!("alpha\n{alpha}\n00\n"),
        )
        .ends(0);
    place.write("p.csv", &proved.stdout);
    place
        .run("batch verify p.csv --suite praos --out v.csv")
        .ends(0);
    assert_eq!(
        csv_column(&place.read("v.csv"), "alpha"),
        [alpha.as_str(), "00"]
    );
}

#[test]
fn a_row_without_end_is_refused() {
    let mut text = b"key,alpha,proof\n\"".to_vec();
    text.resize(70 << 20, b'0');
    verify_csv(text.clone()).refused("no row ends within 64 MiB before byte ");
    verify_jsonl(text)
        .refused("cannot read standard input: no row ends within 64 MiB before byte ")
        .refused("; is a quote not closed?");
}

#[test]
fn many_different_fields_need_no_more_memory_than_few() {
    // 300 lines of 500 fields, all different: 150,000 columns if it were a table.
    let mut text = String::new();
    for line in 0..300 {
        let fields: Vec<_> = (0..500)
            .map(|field| format!("\"{line}-{field}\":0"))
            .collect();
        text += &format!("{{{}}}\n", fields.join(","));
    }
    let ran = verify_jsonl(text).ends(1);
    assert_eq!(ran.stdout.lines().count(), 300);
    let fields: Vec<_> = (0..5000).map(|field| format!("\"{field}\":0")).collect();
    let ran = verify_jsonl(format!("{{{}}}\n", fields.join(","))).ends(1);
    assert!(
        ran.stdout
            .contains("\"invalid: line 1: more than 4096 fields\""),
        "{}",
        ran.stdout
    );
    let (name, longest) = ("n".repeat(4097), "m".repeat(4096));
    let ran = verify_jsonl(format!(
        "{{\"{name}\":0}}\n{{\"{longest}\":0,\"{longest}\":0}}\n"
    ))
    .ends(1);
    let verdicts: Vec<_> = ran.stdout.lines().map(verdict_in).collect();
    assert_eq!(
        verdicts,
        [
            "invalid: line 1: the name of a field has 4097 bytes, expected at most 4096",
            "invalid: line 2: field \"mmmmmmmmmmmmmmmm… (4096 bytes)\" appears twice"
        ]
    );
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
