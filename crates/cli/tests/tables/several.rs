//! Many tables at once: the parts that programs write, and files that may not be lost.

use std::fs;

use serde_json::{Value, json};

use crate::common::Place;
use crate::refuses;

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

/// Options of `batch`, and what is wrong with them.
const REFUSED: [(&str, &str); 11] = [
    (
        "verify parts/part-0.parquet parts/part-1.parquet",
        "several tables: expected --out-dir",
    ),
    (
        "verify parts",
        "cannot read parts: is a directory: expected --out-dir",
    ),
    (
        "verify parts/part-0.parquet other/part-0.parquet --out-dir out",
        "would both become out/part-0.parquet",
    ),
    (
        "verify parts --out-dir out",
        "cannot read parts/note.txt: unknown format",
    ),
    (
        "verify other --out-dir out",
        "cannot read other: other/inner is a directory",
    ),
    (
        "verify empty --out-dir out",
        "cannot read empty: there is no table in it",
    ),
    (
        "verify - --format csv --out-dir out",
        "standard input has no name",
    ),
    (
        "verify parts/part-0.parquet --out-dir file",
        "cannot create file: ",
    ),
    (
        "verify parts/part-0.parquet --out-dir parts",
        "it is the table that is read (--force",
    ),
    (
        "verify parts/part-0.parquet --out-dir out -o x.csv",
        "cannot be used with",
    ),
    (
        "prove k.jsonl l.jsonl --out-dir out2",
        "seeds in several tables: expected --suite",
    ),
];

#[test]
fn several_tables_are_refused_before_any_is_written() {
    let place = Place::new();
    parts(&place);
    fs::create_dir_all(place.path("other/inner")).unwrap();
    fs::create_dir(place.path("empty")).unwrap();
    place.write("parts/note.txt", "x");
    place.write("file", "x");
    let [part, other] = ["parts", "other"].map(|dir| place.path(dir).join("part-0.parquet"));
    fs::copy(part, other).unwrap();
    for name in ["k.jsonl", "l.jsonl"] {
        let seed = json!({"alpha": "00", "seed": "00", "suite": "praos"});
        place.write(name, format!("{seed}\n"));
    }
    let before = place.names();
    for (line, words) in REFUSED {
        let suite = if line.starts_with("verify") {
            " --suite praos"
        } else {
            ""
        };
        refuses(&place, &format!("batch {line}{suite}"), words);
    }
    let mut after = place.names();
    after.retain(|name| !["out", "out2"].contains(&name.as_str()));
    assert_eq!(after, before);
}

#[test]
fn no_table_is_lost_among_several() {
    let place = Place::new();
    parts(&place);
    fs::create_dir(place.path("other")).unwrap();
    // One table must not become another, told to or not.
    place
        .run("sample --suite praos --count 3 --out other/part-1.csv")
        .ends(0);
    place
        .run(
            "batch verify other/part-1.csv parts/part-1.parquet --format parquet --suite praos \
             --out-dir parts --out-format parquet --force",
        )
        .refused("would both become parts/part-1.parquet");
    // Nor by a link, which leads to a table that is read later.
    #[cfg(unix)]
    {
        let link = place.path("other/part-1.csv");
        std::os::unix::fs::symlink(link, place.path("parts/part-0.csv")).unwrap();
        fs::copy(place.path("other/part-1.csv"), place.path("part-0.csv")).unwrap();
        refuses(
            &place,
            "batch verify part-0.csv other/part-1.csv --suite praos --out-dir parts --force",
            "cannot write parts/part-0.csv: it is a table that is read, too",
        );
    }
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
}

#[test]
fn what_is_written_is_limited_for_all_tables_together() {
    let place = Place::new();
    parts(&place);
    let ran = place
        .run(
            "batch verify parts/part-0.parquet parts/part-1.parquet --suite praos --out-dir out \
             --max-output 40000",
        )
        .ends(2);
    let words = "for tables before it: expected at most 40000";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    assert!(place.path("out/part-0.parquet").exists());
    assert!(!place.path("out/part-1.parquet").exists());
}
