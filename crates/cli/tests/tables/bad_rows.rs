//! A wrong row stands alone: its verdict says why, and the rows beside it are valid.

use crate::common::csv_column;
use crate::common::{Place, Ran};
use crate::{sample, verdict_in, verify_csv, verify_jsonl};

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
    for (row, verdict) in [
        (
            ["xx", alpha, proof, output],
            "invalid: key is not hex: character 1 is 'x'",
        ),
        (
            [key, "abc", proof, output],
            "invalid: alpha is not hex: an odd number of digits",
        ),
        (
            [key, alpha, " 00", output],
            "invalid: proof is not hex: character 1 is ' '",
        ),
        (
            [key, alpha, " 00 ", output],
            "invalid: proof is not hex: character 1 is ' '",
        ),
        (
            [key, alpha, proof, "0"],
            "invalid: output is not hex: an odd number of digits",
        ),
        (
            ["", alpha, proof, output],
            "invalid: public key has 0 bytes, expected 32",
        ),
        (
            [key, alpha, "", output],
            "invalid: proof has 0 bytes, expected 80",
        ),
        (
            [key, alpha, "00", output],
            "invalid: proof has 1 bytes, expected 80",
        ),
        (
            [key, alpha, proof, "00"],
            "invalid: output has 1 bytes, expected 64",
        ),
        ([key, "", proof, output], "invalid: challenge mismatch"),
    ] {
        assert_eq!(verdict_of(row.join(",").as_bytes()), verdict);
    }
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

/// Second lines of a table, and what is wrong with them.
const WRONG_LINES: [(&str, &str); 18] = [
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
        r#"{"key":NaN}"#,
        "line 2, column 8: expected a JSON object, expected value",
    ),
    (
        r#"{NaN:1}"#,
        "line 2, column 2: expected a JSON object, key must be a string",
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
];

#[test]
fn a_wrong_json_line_stands_alone() {
    let sample = sample("jsonl");
    for (line, reason) in WRONG_LINES {
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

/// The rows written of a table to which a column was added: for each row its value in the table and in
/// what is written.
#[track_caller]
fn passes(
    format: &str,
    values: [(&[u8], &str); 3],
    added: impl Fn(&[u8], &[u8]) -> Vec<u8>,
) -> Ran {
    let sample = sample(format);
    let lines = sample.lines().skip(usize::from(format == "csv"));
    let rows = lines
        .zip(values)
        .flat_map(|(line, (value, _))| added(line.as_bytes(), value));
    let header =
        (format == "csv").then(|| added(sample.lines().next().unwrap().as_bytes(), b"n\xe9"));
    let table: Vec<u8> = header.into_iter().flatten().chain(rows).collect();
    let line = format!("batch verify - --format {format} --suite praos --json");
    let ran = Place::new().run_with(&line, table).ends(0);
    let written = ran.stdout.lines().skip(usize::from(format == "csv"));
    for (line, (_, value)) in written.zip(values) {
        assert!(line.contains(value), "{line}");
    }
    ran
}

#[test]
fn values_that_nothing_reads_make_no_row_invalid() {
    let csv = |line: &[u8], value: &[u8]| [value, b",", line, b"\n"].concat();
    let values = [
        (&b"Z\xfcrich"[..], "Z\u{fffd}rich,"),
        (b"\"a, \xe9\"", "\"a, \u{fffd}\","),
        (b"NaN", "NaN,"),
    ];
    let ran = passes("csv", values, csv);
    assert!(ran.stdout.starts_with("n\u{fffd},key,"));
    assert!(ran.stderr.contains(r#""replaced":3"#), "{}", ran.stderr);

    let json = |line: &[u8], value: &[u8]| [b"{", value, b",", &line[1..], b"\n"].concat();
    let ran = passes(
        "jsonl",
        [
            (br#""score": NaN"#, r#""score":null,"#),
            (
                b"\"a\":[-Infinity,{\"b\":Infinity,\"NaN\":\"NaN \\\"\"}]",
                r#""a":[null,{"b":null,"NaN":"NaN \""}],"#,
            ),
            (
                b"\"n\xe9\":\"\\\\\xe9\",\"\xff\":1.50",
                "\"n\u{fffd}\":\"\\\\\u{fffd}\",\"\u{fffd}\":1.50,",
            ),
        ],
        json,
    );
    assert!(ran.stderr.contains(r#""replaced":3"#), "{}", ran.stderr);

    // Columns that the command reads are not mended, under any name.
    let said = |line: &str, text: &[u8]| Place::new().run_with(line, text).ends(1).stdout;
    let verify = "batch verify - --format jsonl --suite praos --column proof=p";
    for line in [
        &b"{\"key\":\"\",\"alpha\":\"\",\"p\":\"\xff\"}"[..],
        b"{\"output\":NaN}",
    ] {
        assert!(said(verify, line).contains("expected a JSON object"));
    }
    let verify = "batch verify - --format csv --suite praos --column proof=p";
    assert!(said(verify, b"key,alpha,p\n,,\xff\n").contains(r#"line 2, column ""p"""#));
}
