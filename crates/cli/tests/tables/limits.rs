//! Limits of rows, of fields and of output; files that end early, and disks that are full.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::common::Place;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 0).unwrap()
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
            let end = "; v.csv was not written\n";
            assert!(ran.stderr.ends_with(end), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_row_without_end_is_refused_compressed_or_not() {
    let place = Place::new();
    let mut text = b"key,alpha,proof\n\"".to_vec();
    text.resize(70 << 20, b'0');
    for (name, bytes) in [
        ("s.csv.gz", gzip(&text)),
        ("s.csv.zst", zstd(&text)),
        ("s.jsonl", text.clone()),
        ("s.csv", text),
    ] {
        place.write(name, bytes);
        place
            .run(&format!("batch verify {name} --suite praos"))
            .refused(&format!(
                "cannot read {name}: no row ends within 64 MiB before byte "
            ))
            .refused("; is a quote not closed?");
    }
    // A frame that needs a window of 256 MiB.
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(28).unwrap();
    encoder.include_contentsize(false).unwrap();
    encoder.write_all(b"key,alpha,proof\n").unwrap();
    place.write("w.csv.zst", encoder.finish().unwrap());
    place
        .run("batch verify w.csv.zst --suite praos")
        .refused("cannot read w.csv.zst: ");
}

/// The output is limited even if a small input, which expands to a large output, comes from a pipe.
#[test]
fn what_is_written_is_limited_by_what_is_read() {
    let place = Place::new();
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
}

#[test]
fn a_text_table_has_at_most_4096_columns() {
    let verify = "batch verify - --format csv --suite praos";
    let ran = |columns: usize| Place::new().run_with(verify, ",".repeat(columns - 1) + "\n");
    ran(4097).refused("4097 columns, expected at most 4096");
    ran(4096).refused("column \"\" appears twice");
}

#[test]
fn many_different_fields_need_no_more_memory_than_few() {
    let verify = |text: String| {
        let line = "batch verify - --format jsonl --suite praos";
        Place::new().run_with(line, text).ends(1).stdout
    };
    let line = |numbers: std::ops::Range<usize>| {
        let fields = numbers.map(|number| format!("\"{number}\":0"));
        format!("{{{}}}\n", fields.collect::<Vec<_>>().join(","))
    };
    // 300 lines of 500 fields, all different: 150,000 columns in one table.
    let text: String = (0..300).map(|at| line(500 * at..500 * (at + 1))).collect();
    assert_eq!(verify(text).lines().count(), 300);
    let (name, longest) = ("n".repeat(4097), "m".repeat(4096));
    for (line, reason) in [
        (line(0..5000), "line 1: more than 4096 fields"),
        (
            format!("{{\"{name}\":0}}"),
            "line 1: the name of a field has 4097 bytes, expected at most 4096",
        ),
        (
            format!("{{\"{longest}\":0,\"{longest}\":0}}"),
            r#"line 1: field \"mmmmmmmmmmmmmmmm… (4096 bytes)\" appears twice"#,
        ),
    ] {
        let written = verify(line);
        let end = format!("\"verdict\":\"invalid: {reason}\"}}\n");
        assert!(written.ends_with(&end), "{written}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let place = Place::new();
    // The rows of a short table are not written before the table ends.
    for (rows, format) in [(3, "csv"), (300, "csv"), (3, "jsonl"), (3, "csv.gz")] {
        let table = format!("{rows}.{format}");
        place
            .run(&format!(
                "sample --suite praos --count {rows} --out {table}"
            ))
            .ends(0);
        place
            .run(&format!(
                "batch verify {table} --suite praos --out /dev/full --out-format {format}"
            ))
            .refused("cannot write /dev/full: No space left on device");
    }
}
