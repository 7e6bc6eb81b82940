//! Files that the parquet crate writes. Most of them store a long value once, and repeat it in every row.

use std::fs::File;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, ListBuilder};
use arrow_array::{ArrayRef, BinaryArray, DictionaryArray, Int32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding as Coding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};

use polars_parquet_format::{ConvertedType, Type};

use crate::by_hand::change_footer;
use crate::common::{Place, csv_column};
use crate::{refused, run};

/// A writer of tables whose columns key, alpha and proof have the same values.
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

/// A column that repeats the only value of `values` in every row.
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
        // When decoded, each of the three columns has 400 megabytes.
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
    // Each of the 400 rows has three megabytes.
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
        // The default limit.
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
    // Parquet output is compressed, and below the limit. With a larger limit, all of the text can be written.
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
                // One row in seven is null. A page has a level for a null, but no length.
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

/// The file declares these texts as JSON, so the parquet crate does not check that they are UTF-8.
#[test]
fn texts_must_be_utf_8_in_lists_too() {
    let bytes = b"\xe2\x82";
    let mut lists = ListBuilder::new(BinaryBuilder::new());
    lists.values().append_value(bytes);
    lists.append(true);
    let columns: [ArrayRef; 2] = [
        Arc::new(BinaryArray::from_iter_values([bytes])),
        Arc::new(lists.finish()),
    ];
    for column in columns {
        let place = Place::new();
        let key: ArrayRef = Arc::new(BinaryArray::from_iter_values([b"abc"]));
        let names = [
            ("key", &key),
            ("alpha", &key),
            ("proof", &key),
            ("note", &column),
        ];
        let names = names.map(|(name, column)| (name, Arc::clone(column)));
        let batch = RecordBatch::try_from_iter(names).unwrap();
        let options = ArrowWriterOptions::new().with_skip_arrow_metadata(true);
        let file = File::create(place.path("t.parquet")).unwrap();
        let mut writer = ArrowWriter::try_new_with_options(file, batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        change_footer(&place, |footer| {
            let leaves = footer.schema.iter_mut().skip(4);
            for leaf in leaves.filter(|leaf| leaf.type_ == Some(Type::BYTE_ARRAY)) {
                leaf.converted_type = Some(ConvertedType::JSON);
            }
        });
        refused(&place, &["t.parquet", "column \"note\": ", "UTF-8"]);
    }
}
