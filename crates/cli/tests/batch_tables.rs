//! `klero batch` on tables as others make them: names, encodings and delimiters of their own, and
//! many parts.

mod common;

use std::fs;
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use common::{Place, csv_column};
use serde_json::{Value, json};

/// A sample of CSV with other values in each row.
fn changed(place: &Place, name: &str, change: impl Fn(usize, Vec<&str>) -> String) {
    place
        .run("sample --suite praos --count 40 --invalid 0.2 --out s.csv")
        .ends(0);
    let text = place.read("s.csv");
    let lines = text.lines().enumerate();
    let lines = lines.map(|(row, line)| change(row, line.split(',').collect()) + "\n");
    place.write(name, lines.collect::<String>());
}

/// Asserts that the command refuses a line with these words.
#[track_caller]
fn refuses(place: &Place, line: &str, words: &str) {
    let ran = place.run(line).ends(2);
    assert!(ran.stderr.contains(words), "{line}: {}", ran.stderr);
}

/// The verdicts on the sample as it is.
fn expected(place: &Place) -> Vec<String> {
    place
        .run("batch verify s.csv --suite praos --out expected.csv")
        .ends(1);
    csv_column(&place.read("expected.csv"), "verdict")
}

#[test]
fn columns_have_any_name() {
    let place = Place::new();
    changed(&place, "t.csv", |row, fields| match row {
        0 => "pk,input,pi,beta".into(),
        // No claim of an output.
        1 => format!("{},{},{},", fields[0], fields[1], fields[2]),
        _ => fields.join(","),
    });
    let names = "--column key=pk --column alpha=input --column proof=pi --column output=beta \
                 --column verdict=ok";
    for out in ["v.csv", "v.parquet", "v.jsonl"] {
        place
            .run(&format!(
                "batch verify t.csv --suite praos {names} -o {out}"
            ))
            .ends(1);
        place
            .run(&format!(
                "batch verify {out} --suite praos {names} -o again.csv"
            ))
            .ends(1);
        let text = place.read("again.csv");
        assert!(text.starts_with("pk,input,pi,beta,ok\n"), "{text}");
        let mut verdicts = expected(&place);
        verdicts[0] = "valid".into();
        assert_eq!(csv_column(&text, "ok"), verdicts);
        assert_eq!(csv_column(&text, "beta")[0].len(), 128);
    }

    // Proofs of one key, under other names.
    place
        .run("keygen --suite praos --out-secret key.json")
        .ends(0);
    place.write("a.csv", "slot\n00\n01\n");
    place
        .run("batch prove a.csv --key key.json --column alpha=slot --column proof=pi -o p.csv")
        .ends(0);
    let text = place.read("p.csv");
    assert!(text.starts_with("slot,key,pi,output,verdict\n"), "{text}");

    for (options, words) in [
        ("", "there is no column \"key\""),
        (
            "--column key=pk --column key=p",
            "--column key=…: two names for one column",
        ),
        (
            "--column kee=pk",
            "expected one of key, alpha, proof, output, suite, seed, verdict",
        ),
        ("--column key", "expected COLUMN=NAME, as in key=pk"),
        ("--column key=", "the name is empty"),
        ("--column key=proof", "two columns are named \"proof\""),
    ] {
        let line = format!("batch verify t.csv --suite praos {options}");
        refuses(&place, &line, words);
    }
}

#[test]
fn values_are_base64_or_text() {
    let place = Place::new();
    let base64 = |digits: &str| BASE64_STANDARD.encode(hex::decode(digits).unwrap());
    changed(&place, "b.csv", |row, fields| match row {
        0 => fields.join(","),
        _ => fields.into_iter().map(base64).collect::<Vec<_>>().join(","),
    });
    let verdicts = expected(&place);
    for out in ["v.csv", "v.jsonl", "v.parquet"] {
        let options = "--suite praos --encoding base64";
        place
            .run(&format!("batch verify b.csv {options} -o {out}"))
            .ends(1);
        place
            .run(&format!("batch verify {out} {options} -o again.csv"))
            .ends(1);
        assert_eq!(csv_column(&place.read("again.csv"), "verdict"), verdicts);
    }
    place
        .run("batch verify b.csv --suite praos -o v.csv")
        .ends(1);
    let verdict = &csv_column(&place.read("v.csv"), "verdict")[0];
    assert!(
        verdict.starts_with("invalid: key is not hex: "),
        "{verdict}"
    );
    refuses(
        &place,
        "batch verify b.csv --suite praos --encoding base46",
        "base64",
    );

    // What is proved for texts is what is proved for their bytes.
    place
        .run("keygen --suite praos --out-secret key.json")
        .ends(0);
    for (name, alphas, options) in [
        ("t", ["slot 1", "é"], "--alpha-text"),
        ("x", ["736c6f742031", "c3a9"], ""),
    ] {
        place.write(
            &format!("{name}.csv"),
            format!("alpha\n{}\n", alphas.join("\n")),
        );
        let line = format!("batch prove {name}.csv --key key.json {options} -o {name}p.csv");
        place.run(&line).ends(0);
        let line = format!("batch verify {name}p.csv --suite praos {options} -o v.csv");
        place.run(&line).ends(0);
    }
    let [texts, bytes] = ["tp.csv", "xp.csv"].map(|name| csv_column(&place.read(name), "proof"));
    assert_eq!(texts, bytes);
}

#[test]
fn csv_has_any_delimiter() {
    let place = Place::new();
    for (option, character) in [("tab", "\t"), ("\\t", "\t"), (";", ";"), ("|", "|")] {
        changed(&place, "d.csv", |_, fields| fields.join(character));
        place
            .run(&format!(
                "batch verify d.csv --suite praos --delimiter {option} -o v.csv"
            ))
            .ends(1);
        let text = place.read("v.csv");
        let head = ["key", "alpha", "proof", "output", "verdict"].join(character);
        assert!(text.starts_with(&(head + "\n")), "{text}");
        let plain = text.replace(character, ",");
        assert_eq!(csv_column(&plain, "verdict"), expected(&place));
    }
    refuses(
        &place,
        "batch verify d.csv --suite praos --delimiter ab",
        "expected one character",
    );
    place
        .run("sample --suite praos --count 3 --out s.jsonl")
        .ends(0);
    refuses(
        &place,
        "batch verify s.jsonl --suite praos --delimiter ; -o v.parquet",
        "--delimiter: no table is CSV",
    );
}

/// Three parts, as programs that write data in parts leave them.
fn parts(place: &Place) {
    fs::create_dir(place.path("parts")).unwrap();
    for part in 0..3 {
        place
            .run(&format!(
                "sample --suite praos --count {} --seed {part} --invalid 0.1 --out \
                 parts/part-{part}.parquet",
                100 + part
            ))
            .ends(0);
    }
    place.write("parts/_SUCCESS", "");
    place.write("parts/.part-0.crc", "crc");
}

#[test]
fn a_directory_of_parts() {
    let place = Place::new();
    parts(&place);
    let ran = place
        .run("batch verify parts --suite praos --out-dir out --json")
        .ends(1);
    let summaries: Vec<Value> = ran
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(summaries.len(), 4, "{}", ran.stderr);
    let sum = |what: &str| {
        let counts = summaries[..3].iter().map(|summary| summary[what].as_u64());
        counts.map(Option::unwrap).sum::<u64>()
    };
    let all = json!({
        "tables": 3, "rows": sum("rows"), "valid": sum("valid"), "invalid": sum("invalid")
    });
    assert_eq!(summaries[3], all);
    assert_eq!(all["rows"], 303);
    for part in 0..3 {
        let name = format!("part-{part}.parquet");
        let one = format!("batch verify parts/{name} --suite praos --out one.parquet");
        place.run(&one).ends(1);
        assert_eq!(
            fs::read(place.path("one.parquet")).unwrap(),
            fs::read(place.path(&format!("out/{name}"))).unwrap()
        );
    }

    // Other files, another format, and the words for people.
    let ran = place
        .run(
            "batch verify parts/part-1.parquet parts/part-0.parquet --suite praos --out-dir csv \
             --out-format csv.gz",
        )
        .ends(1);
    let last = ran.stderr.lines().last().unwrap();
    assert!(last.starts_with("2 tables: 201 rows, "), "{last}");
    let mut names: Vec<_> = fs::read_dir(place.path("csv")).unwrap().collect();
    names.sort_by_key(|entry| entry.as_ref().unwrap().file_name());
    assert_eq!(names.len(), 2);
    assert_eq!(names[0].as_ref().unwrap().file_name(), "part-0.csv.gz");

    // One table, too, and over itself if asked.
    place
        .run("batch verify parts --suite praos --out-dir parts --force")
        .ends(1);
    place
        .run("batch verify parts/part-2.parquet --suite praos --out-dir out")
        .ends(1);
}

#[test]
fn no_table_is_lost_among_several() {
    let place = Place::new();
    parts(&place);
    fs::create_dir_all(place.path("other/inner")).unwrap();
    fs::create_dir(place.path("empty")).unwrap();
    place.write("parts/note.txt", "x");
    place.write("file", "x");
    fs::copy(
        place.path("parts/part-0.parquet"),
        place.path("other/part-0.parquet"),
    )
    .unwrap();
    fs::copy(
        place.path("parts/part-1.parquet"),
        place.path("other/part-9.parquet"),
    )
    .unwrap();
    place.write(
        "k.jsonl",
        "{\"alpha\":\"00\",\"seed\":\"00\",\"suite\":\"praos\"}\n",
    );
    place.write(
        "l.jsonl",
        "{\"alpha\":\"00\",\"seed\":\"00\",\"suite\":\"praos\"}\n",
    );
    let [first, second] = ["parts/part-0.parquet", "parts/part-1.parquet"];
    let same = "other/part-0.parquet";
    let before = place.names();
    for (line, words) in [
        (
            format!("verify {first} {second}"),
            "several tables: expected --out-dir",
        ),
        (
            "verify parts".into(),
            "cannot read parts: is a directory: expected --out-dir",
        ),
        (
            format!("verify {first} {same} --out-dir out"),
            "would both become out/part-0.parquet",
        ),
        (
            "verify parts --out-dir out".into(),
            "cannot read parts/note.txt: unknown format",
        ),
        (
            "verify other --out-dir out".into(),
            "cannot read other: other/inner is a directory",
        ),
        (
            "verify empty --out-dir out".into(),
            "cannot read empty: there is no table in it",
        ),
        (
            "verify - --format csv --out-dir out".into(),
            "standard input has no name",
        ),
        (
            format!("verify {first} --out-dir file"),
            "cannot create file: ",
        ),
        (
            format!("verify {first} --out-dir parts"),
            "it is the table that is read (--force",
        ),
        (
            format!("verify {first} --out-dir out -o x.csv"),
            "cannot be used with",
        ),
        (
            "prove k.jsonl l.jsonl --out-dir out2".into(),
            "seeds in several tables: expected --suite",
        ),
    ] {
        let suite = if line.starts_with("verify") {
            " --suite praos"
        } else {
            ""
        };
        refuses(&place, &format!("batch {line}{suite}"), words);
    }
    // One table must not become another, told to or not.
    fs::rename(place.path("parts/note.txt"), place.path("parts/_note")).unwrap();
    place
        .run("sample --suite praos --count 3 --out other/part-1.csv")
        .ends(0);
    place
        .run(&format!(
            "batch verify other/part-1.csv {second} --format parquet --suite praos --out-dir parts \
             --out-format parquet --force"
        ))
        .refused("would both become parts/part-1.parquet");
    // Nor the key.
    place
        .run("keygen --suite praos --out-secret parts/key.csv")
        .ends(0);
    place.write("key.csv", "alpha\n00\n");
    refuses(
        &place,
        "batch prove key.csv --key parts/key.csv --out-dir parts",
        "--out-dir: this is the file of the key, which would be lost",
    );
    // What may be written is limited for all together.
    let ran = place
        .run(
            "batch verify other/part-0.parquet other/part-9.parquet --suite praos --out-dir out \
             --max-output 40000",
        )
        .ends(2);
    let words = "for tables before it: expected at most 40000";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    assert!(place.path("out/part-0.parquet").exists());
    assert!(!place.path("out/part-9.parquet").exists());
    let created = ["key.csv", "out", "out2", "vrf.vkey"];
    let after = place.names().into_iter();
    assert_eq!(
        after
            .filter(|name| !created.contains(&name.as_str()))
            .collect::<Vec<_>>(),
        before
    );
}

#[test]
fn a_longer_sample_begins_with_the_shorter() {
    let place = Place::new();
    for keys in [1, 32, 300] {
        let sample = |rows| {
            let line = format!("sample --suite draft13 --keys {keys} --count {rows} -o -");
            place.run(&line).ends(0).stdout
        };
        let (short, long) = (sample(300), sample(5000));
        assert!(long.starts_with(&short));
        let mut distinct = csv_column(&long, "key");
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), keys);
    }
    refuses(&place, "sample --suite praos --keys 0", "1..=65536");
}

/// On a terminal a table without `--out` shows its first rows.
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
