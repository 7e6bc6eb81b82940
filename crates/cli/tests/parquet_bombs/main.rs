//! Small Parquet files that would expand to gigabytes: each is read in little memory, or
//! refused with an error that names the place.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod by_hand;

use std::fs::File;
use std::io::{Read, Write};
use std::process::Command;
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, DictionaryArray, Int32Array, RecordBatch, StringArray};
use by_hand::{Change, Page, by_hand, change_footer, data};
use common::{Place, csv_column};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding as Coding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use polars_parquet_format::{CompressionCodec, Encoding, PageType};

/// Runs `klero` with a gigabyte of address space.
fn run(place: &Place, line: &str) -> (i32, String) {
    let klero = env!("CARGO_BIN_EXE_klero");
    let output = Command::new("sh")
        .args(["-c", &format!("ulimit -v 1048576; exec {klero} {line}")])
        .env("RAYON_NUM_THREADS", "2")
        .current_dir(place.path("."))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let status = output.status.code();
    (
        status.unwrap_or_else(|| panic!("aborted: {stderr}")),
        stderr,
    )
}

#[track_caller]
fn refused(place: &Place, words: &[&str]) {
    let (status, stderr) = run(place, "batch verify t.parquet --suite praos --out v.csv");
    assert_eq!(status, 2, "{stderr}");
    for words in words {
        assert!(stderr.contains(words), "{words}: {stderr}");
    }
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert_eq!(place.names(), ["t.parquet"]);
}

/// A writer of columns key, alpha and proof, which are all the same.
struct Rows {
    writer: ArrowWriter<File>,
}

impl Rows {
    fn new(place: &Place, column: &ArrayRef, properties: WriterProperties, typed: bool) -> Self {
        let options = ArrowWriterOptions::new()
            .with_properties(properties)
            .with_skip_arrow_metadata(!typed);
        let file = File::create(place.path("t.parquet")).unwrap();
        let schema = Self::batch(column).schema();
        let writer = ArrowWriter::try_new_with_options(file, schema, options).unwrap();
        Self { writer }
    }

    fn batch(column: &ArrayRef) -> RecordBatch {
        let columns = ["key", "alpha", "proof"].map(|name| (name, column.clone()));
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn write(&mut self, column: &ArrayRef) {
        self.writer.write(&Self::batch(column)).unwrap();
    }
}

fn dictionary_of_one(bytes: usize, rows: usize) -> ArrayRef {
    dictionary_of(
        Arc::new(BinaryArray::from_iter_values([vec![0; bytes]])),
        rows,
    )
}

/// This one value in every row.
fn dictionary_of(values: ArrayRef, rows: usize) -> ArrayRef {
    let keys = Int32Array::from(vec![0; rows]);
    Arc::new(DictionaryArray::try_new(keys, values).unwrap())
}

fn large_dictionary() -> WriterProperties {
    WriterProperties::builder()
        .set_dictionary_page_size_limit(1 << 30)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None)
        .build()
}

#[test]
fn a_dictionary_of_one_long_value_takes_the_memory_of_few_rows() {
    for typed in [false, true] {
        let place = Place::new();
        // 400 megabytes in each of three columns.
        let column = dictionary_of_one(2 << 20, 200);
        let mut rows = Rows::new(&place, &column, large_dictionary(), typed);
        rows.write(&column);
        rows.writer.close().unwrap();
        assert!(place.path("t.parquet").metadata().unwrap().len() < 4000);
        let (status, stderr) = run(
            &place,
            "batch verify t.parquet --suite praos --out v.parquet",
        );
        assert_eq!(status, 1, "{stderr}");
        assert!(
            stderr.contains("200 rows, 0 valid, 200 invalid"),
            "{stderr}"
        );
    }
}

#[test]
fn little_that_is_read_makes_little_that_is_written() {
    // Rows of three megabytes.
    let place = Place::new();
    let text = StringArray::from_iter_values(["0".repeat(1 << 20)]);
    let column = dictionary_of(Arc::new(text), 400);
    let mut rows = Rows::new(&place, &column, large_dictionary(), false);
    rows.write(&column);
    rows.writer.close().unwrap();
    let size = place.path("t.parquet").metadata().unwrap().len();
    assert!(size < 4000);
    let verify = "batch verify t.parquet --suite praos";
    for (options, most) in [
        ("--out v.csv --max-output 30000000", 30_000_000),
        ("--out v.jsonl --max-output 30000000", 30_000_000),
        (
            "--out-format csv --max-output 30000000 >/dev/null",
            30_000_000,
        ),
        // The default.
        ("--out /dev/null --out-format csv", 1 << 30),
    ] {
        let (status, stderr) = run(&place, &format!("{verify} {options}"));
        assert_eq!(status, 2, "{stderr}");
        let end = format!(
            "for {size} bytes of t.parquet: expected at most {most} (--max-output BYTES changes \
             that)"
        );
        assert!(stderr.contains(&end), "{stderr}");
        let (_, words) = stderr.split_once(": ").unwrap();
        let (_, words) = words.split_once(": ").unwrap();
        let written: u64 = words.split(' ').next().unwrap().parse().unwrap();
        assert!((most + 1..most + (20 << 20)).contains(&written), "{stderr}");
        let row = words.split_once(" bytes up to row ").unwrap().1;
        let row: u64 = row.split(',').next().unwrap().parse().unwrap();
        assert_eq!(written / (3 << 20), row, "{stderr}");
        assert_eq!(place.names(), ["t.parquet"]);
    }
    // What is compressed is small, and what is wanted is written.
    let parquet = format!("{verify} --out v.parquet --max-output 30000000");
    let text = format!("{verify} --out /dev/null --out-format csv --max-output 2000000000");
    for line in [parquet, text] {
        let (status, stderr) = run(&place, &line);
        assert_eq!(status, 1, "{stderr}");
    }
}

#[test]
fn a_row_is_as_long_as_its_cells_together() {
    let place = Place::new();
    let column = dictionary_of_one(23 << 20, 2);
    let mut rows = Rows::new(&place, &column, large_dictionary(), false);
    rows.write(&column);
    rows.writer.close().unwrap();
    refused(
        &place,
        &[
            "row 1 has 72351744 bytes, 24117248 of them in column \"",
            "at most 67108864",
        ],
    );
}

#[test]
fn shared_prefixes_are_counted() {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let place = Place::new();
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_dictionary_enabled(false)
            .set_encoding(Coding::DELTA_BYTE_ARRAY)
            .set_data_page_size_limit(1 << 30)
            .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None)
            .build();
        let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(vec![vec![7; 1 << 20]; 50]));
        let mut rows = Rows::new(&place, &column, properties, false);
        for _ in 0..24 {
            rows.write(&column);
        }
        rows.writer.close().unwrap();
        refused(
            &place,
            &["row group 1, column \"", "the pages of some rows take"],
        );
    }
}

#[test]
fn delta_encodings_are_read() {
    let sample = Place::new()
        .run("sample --suite praos --count 3000")
        .ends(0)
        .stdout;
    for coding in [Coding::DELTA_BYTE_ARRAY, Coding::DELTA_LENGTH_BYTE_ARRAY] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let place = Place::new();
            let columns = ["key", "alpha", "proof"].map(|name| {
                // Nulls have levels but no length.
                let texts = csv_column(&sample, name).into_iter().enumerate();
                let texts = texts.map(|(row, text)| (row % 7 != 3).then_some(text));
                let column: ArrayRef = Arc::new(texts.collect::<arrow_array::StringArray>());
                (name, column, true)
            });
            let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_dictionary_enabled(false)
                .set_encoding(coding)
                .set_data_page_row_count_limit(700)
                .build();
            let file = File::create(place.path("t.parquet")).unwrap();
            let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
            for start in (0..3000).step_by(500) {
                writer.write(&batch.slice(start, 500)).unwrap();
            }
            writer.close().unwrap();
            place
                .run("batch verify t.parquet --suite praos --out v.csv")
                .ends(1);
            let verdicts = csv_column(&place.read("v.csv"), "verdict");
            for (row, verdict) in verdicts.iter().enumerate() {
                let expected = if row % 7 == 3 {
                    "invalid: key is missing"
                } else {
                    "valid"
                };
                assert_eq!(verdict, expected, "{coding} {version:?} row {row}");
            }
        }
    }
}

/// One value of this many zeros, after its length.
fn long_value(bytes: u32) -> impl Read {
    let length = std::io::Cursor::new(bytes.to_le_bytes());
    length.chain(std::io::repeat(0).take(bytes.into()))
}

#[test]
fn a_page_made_by_hand_is_read() {
    let place = Place::new();
    let value = data(1, Encoding::PLAIN, b"\x03\0\0\0abc");
    by_hand(&place, CompressionCodec::UNCOMPRESSED, false, &[value]);
    let (status, stderr) = run(&place, "batch verify t.parquet --suite praos --out v.csv");
    assert_eq!(status, 1);
    assert!(stderr.contains("public key has 3 bytes"), "{stderr}");
}

#[test]
fn a_page_of_600_megabytes_is_refused() {
    let place = Place::new();
    let content = zstd::encode_all(long_value(600 << 20), 3).unwrap();
    let page = |size| Page {
        kind: PageType::DATA_PAGE,
        values: 1,
        encoding: Encoding::PLAIN,
        size,
        content: content.clone(),
    };
    by_hand(
        &place,
        CompressionCodec::ZSTD,
        false,
        &[page((600 << 20) + 4)],
    );
    refused(
        &place,
        &[
            "cannot read t.parquet: ",
            "row group 1, column \"key\": a page has 629145604 bytes, expected at most 268435456",
        ],
    );
    // The same, if its header says less.
    by_hand(&place, CompressionCodec::ZSTD, false, &[page(1000)]);
    refused(&place, &["cannot read t.parquet: "]);

    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut long_value(600 << 20), &mut gzip).unwrap();
    gzip.flush().unwrap();
    let page = Page {
        content: gzip.finish().unwrap(),
        ..page(1000)
    };
    by_hand(&place, CompressionCodec::GZIP, false, &[page]);
    refused(
        &place,
        &["column \"key\": a page has more bytes than the 1000 that it announces"],
    );
}

#[test]
fn counts_are_not_believed() {
    let place = Place::new();
    let plain = CompressionCodec::UNCOMPRESSED;
    let dictionary = Page {
        kind: PageType::DICTIONARY_PAGE,
        ..data(i32::MAX, Encoding::PLAIN, b"\x03\0\0\0abc")
    };
    by_hand(&place, plain, false, &[dictionary]);
    refused(
        &place,
        &["column \"key\": the pages of some rows take 51539607535 bytes"],
    );

    // 128 values in 4 blocks, 2^40 values in all.
    let header = b"\x80\x01\x04\x80\x80\x80\x80\x80\x20\x02";
    for encoding in [
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
    ] {
        by_hand(&place, plain, false, &[data(1, encoding, header)]);
        refused(
            &place,
            &["column \"key\": a page of coded lengths is damaged"],
        );
    }
    by_hand(
        &place,
        plain,
        true,
        &[data(i32::MAX, Encoding::PLAIN, b"\x03\0\0\0abc")],
    );
    refused(&place, &["column \"list\": the pages of some rows take"]);
}

#[test]
fn a_footer_and_its_pages_have_the_same_number_of_rows() {
    let changed = |change: Change| {
        let place = Place::new();
        place
            .run("sample --suite praos --count 2000 --out t.parquet")
            .ends(0);
        change_footer(&place, change);
        place
    };
    let (status, stderr) = run(
        &changed(|_| ()),
        "batch verify t.parquet --suite praos --out v.csv",
    );
    assert_eq!(status, 0, "{stderr}");
    let cases: [(Change, &str); 6] = [
        (
            |footer| {
                footer.num_rows = 3000;
                footer.row_groups[0].num_rows = 3000;
            },
            "the footer has 3000 rows, the pages have 2000",
        ),
        (
            |footer| {
                footer.num_rows = 1000;
                footer.row_groups[0].num_rows = 1000;
            },
            "the footer has 1000 rows, the pages have 2000",
        ),
        (
            |footer| footer.num_rows = 3000,
            "its footer has 3000 rows, its row groups have 2000",
        ),
        (
            |footer| footer.num_rows = -1,
            "its footer has a count of -1 rows",
        ),
        (
            |footer| {
                footer.num_rows = 1999;
                let mut group = footer.row_groups[0].clone();
                group.num_rows = -1;
                footer.row_groups.push(group);
            },
            "its footer has a count of -1 rows",
        ),
        (
            |footer| {
                footer.num_rows = 5;
                footer.row_groups.clear();
            },
            "its footer has 5 rows, its row groups have 0",
        ),
    ];
    for (change, words) in cases {
        refused(&changed(change), &["cannot read t.parquet: ", words]);
    }
}

#[test]
fn a_codec_that_is_not_read_is_named() {
    let place = Place::new();
    let page = data(1, Encoding::PLAIN, b"\x03\0\0\0abc");
    by_hand(&place, CompressionCodec::BROTLI, false, &[page]);
    refused(
        &place,
        &[
            "column \"key\" is compressed with BROTLI",
            "expected none, snappy, gzip",
        ],
    );
}

#[test]
fn a_footer_of_gigabytes_is_refused() {
    let place = Place::new();
    let file = File::create(place.path("t.parquet")).unwrap();
    file.set_len(4 << 30).unwrap();
    let mut file = File::options()
        .append(true)
        .open(place.path("t.parquet"))
        .unwrap();
    file.write_all(&0xf000_0000u32.to_le_bytes()).unwrap();
    file.write_all(b"PAR1").unwrap();
    refused(
        &place,
        &["its footer has 4026531840 bytes, expected at most"],
    );
}
