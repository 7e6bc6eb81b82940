//! The files that tables are read from and written to.

use std::io::{Read, Write};

use crate::common::{Place, csv_column};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 0).unwrap()
}

#[test]
fn a_name_that_says_no_format_is_refused() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 3 --out s.csv")
        .ends(0);
    for name in [
        "x.gz",
        "x.tsv",
        "x.json",
        "x.xlsx",
        "x",
        "x.parquet.gz",
        "x.csv.bz2",
    ] {
        for line in [
            "sample --suite praos --count 3",
            "batch verify s.csv --suite praos",
        ] {
            place.run(&format!("{line} --out {name}")).refused(&format!(
                "cannot write {name}: unknown format: expected a name that ends in .csv, "
            ));
        }
        place
            .run(&format!("batch verify {name} --suite praos"))
            .refused(&format!("cannot read {name}: unknown format: expected"));
    }
    assert_eq!(place.names(), ["s.csv"]);
    // Unless it is said.
    place
        .run("batch verify s.csv --suite praos --out x.json --out-format jsonl")
        .ends(0);
    assert!(place.read("x.json").starts_with("{\"key\":"));
    place
        .run("batch verify x.json --format jsonl --suite praos --out-format csv")
        .ends(0);
}

#[test]
fn compressed_tables_are_tables() {
    let place = Place::new();
    for format in ["csv", "jsonl", "ndjson"] {
        let plain = format!("s.{format}");
        place
            .run(&format!("sample --suite praos --count 5000 --out {plain}"))
            .ends(0);
        for end in ["gz", "zst"] {
            let packed = format!("p.{format}.{end}");
            place
                .run(&format!(
                    "batch verify {plain} --suite praos --out {packed}"
                ))
                .ends(0);
            let bytes = std::fs::read(place.path(&packed)).unwrap();
            let mut text = String::new();
            if end == "gz" {
                MultiGzDecoder::new(&*bytes)
                    .read_to_string(&mut text)
                    .unwrap();
            } else {
                text = String::from_utf8(zstd::decode_all(&*bytes).unwrap()).unwrap();
            }
            place
                .run(&format!(
                    "batch verify {packed} --suite praos --out v.{format}"
                ))
                .ends(0);
            assert_eq!(text, place.read(&format!("v.{format}")));
        }
    }
    // And over standard input and output.
    let packed = gzip(place.read("s.csv").as_bytes());
    let ran = place
        .run_with(
            "batch verify - --format csv.gz --suite praos --out-format csv",
            packed,
        )
        .ends(0);
    assert_eq!(ran.stdout.lines().count(), 5001);
}

#[test]
fn several_members_are_one_table_and_half_of_one_is_none() {
    let place = Place::new();
    let text = place
        .run("sample --suite praos --count 2000")
        .ends(0)
        .stdout;
    let (head, tail) = text.as_bytes().split_at(text.len() / 3);
    for (end, pack) in [("gz", gzip as fn(&[u8]) -> Vec<u8>), ("zst", zstd)] {
        let name = format!("s.csv.{end}");
        let both = [pack(head), pack(tail)].concat();
        place.write(&name, &both);
        let ran = place
            .run(&format!("batch verify {name} --suite praos"))
            .ends(0);
        assert_eq!(ran.stdout.lines().count(), 2001);
        for cut in [1, 9, both.len() / 2] {
            place.write(&name, &both[..both.len() - cut]);
            let ran = place
                .run(&format!("batch verify {name} --suite praos --out v.csv"))
                .refused(&format!("cannot read {name}: "));
            assert!(
                ran.stderr.ends_with("; v.csv was not written\n"),
                "{}",
                ran.stderr
            );
        }
    }
}

#[test]
fn limits_hold_for_what_is_decompressed() {
    let place = Place::new();
    let mut text = b"key,alpha,proof\n\"".to_vec();
    text.resize(70 << 20, b'0');
    for (name, packed) in [("s.csv.gz", gzip(&text)), ("s.csv.zst", zstd(&text))] {
        place.write(name, packed);
        place
            .run(&format!("batch verify {name} --suite praos"))
            .refused("no row ends within 64 MiB before byte ");
    }
    // What is written is limited by what was read, also from a pipe.
    let sample = place
        .run("sample --suite praos --count 9000")
        .ends(0)
        .stdout;
    let packed = zstd(sample.as_bytes());
    let verify = "batch verify - --format csv.zst --suite praos --max-output 2500000";
    place
        .run_with(&format!("{verify} --out v.csv"), &*packed)
        .refused(" bytes of standard input: expected at most 2500000 (--max-output ");
    place
        .run_with(&format!("{verify} --out-format csv"), packed)
        .refused("cannot write standard output: ");
    assert!(!place.path("v.csv").exists());
    // A frame that wants a window of 256 MiB.
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(28).unwrap();
    encoder.include_contentsize(false).unwrap();
    encoder.write_all(b"key,alpha,proof\n").unwrap();
    place.write("w.csv.zst", encoder.finish().unwrap());
    place
        .run("batch verify w.csv.zst --suite praos")
        .refused("cannot read w.csv.zst: ");
}

#[test]
fn a_blank_line_in_one_column_is_an_empty_value() {
    let place = Place::new();
    place.write("key", "00".repeat(32));
    let line = "batch prove - --format csv --suite praos --key key";
    for text in ["alpha\n00\n\n01\n\n", "alpha\r\n00\r\n\r\n01\r\n\r\n"] {
        let ran = place.run_with(line, text).ends(0);
        assert_eq!(csv_column(&ran.stdout, "alpha"), ["00", "", "01", ""]);
        assert_eq!(csv_column(&ran.stdout, "verdict"), ["valid"; 4]);
    }
    // Between several columns it is nothing.
    let ran = place.run_with(line, "alpha,n\n00,1\n\n01,2\n").ends(0);
    assert_eq!(csv_column(&ran.stdout, "alpha"), ["00", "01"]);
}

#[test]
fn an_alpha_is_empty_only_if_it_is_wanted() {
    let place = Place::new();
    let shortest = |options: &str| {
        let line = format!("sample --suite praos --count 2000 {options}");
        let sample = place.run(&line).ends(0).stdout;
        csv_column(&sample, "alpha").iter().map(String::len).min()
    };
    assert_eq!(shortest(""), Some(2));
    assert_eq!(shortest("--empty-alphas"), Some(0));
    let ran = place
        .run_with(
            "batch verify - --format jsonl --suite praos",
            r#"{"key":"00","proof":"00","alpha":null}"#,
        )
        .ends(1);
    assert!(
        ran.stdout
            .contains("alpha is missing; where it is meant to be empty, expected"),
        "{}",
        ran.stdout
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_and_a_directory_or_a_device_is_not() {
    use std::process::Command;
    let place = Place::new();
    std::fs::create_dir(place.path("dir.csv")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place.path("zero.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place.path("zero.parquet")).unwrap();
    for (name, kind) in [
        ("dir.csv", "is a directory: expected --out-dir"),
        ("zero.jsonl", "is a device, expected a"),
        ("zero.parquet", "is a device, expected a"),
    ] {
        place
            .run(&format!("batch verify {name} --suite praos --out v.csv"))
            .refused(&format!("cannot read {name}: {kind}"));
    }
    let sample = place.run("sample --suite praos --count 10").ends(0).stdout;
    for name in ["pipe.csv", "pipe.parquet"] {
        assert!(
            Command::new("mkfifo")
                .arg(place.path(name))
                .status()
                .unwrap()
                .success()
        );
    }
    let pipe = place.path("pipe.csv");
    let writer = std::thread::spawn(move || std::fs::write(pipe, sample).unwrap());
    place
        .run("batch verify pipe.csv --suite praos --out v.csv")
        .ends(0);
    writer.join().unwrap();
    place
        .run("batch verify pipe.parquet --suite praos --out v.csv")
        .refused("cannot read pipe.parquet: is a pipe, expected a regular file");
}
