//! The types in which Parquet files hold bytes.

use std::fs::File;
use std::sync::Arc;

use crate::common::{Place, csv_column};
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

fn write(place: &Place, name: &str, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let file = File::create(place.path(name)).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn read(place: &Place, name: &str) -> RecordBatch {
    let file = File::open(place.path(name)).unwrap();
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap();
    reader.next().unwrap().unwrap()
}

fn dictionary(values: DataType) -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(values))
}

fn decode(text: &String) -> Vec<u8> {
    hex::decode(text).unwrap()
}

fn bytes(texts: &[String]) -> ArrayRef {
    Arc::new(BinaryArray::from_iter_values(texts.iter().map(decode)))
}

/// Valid claims, a column each.
struct Sample {
    keys: Vec<String>,
    alphas: Vec<String>,
    proofs: Vec<String>,
    outputs: Vec<String>,
}

impl Sample {
    fn new(place: &Place) -> Sample {
        let sample = place
            .run("sample --suite praos --count 50 --out -")
            .ends(0)
            .stdout;
        let column = |name| csv_column(&sample, name);
        Sample {
            keys: column("key"),
            alphas: column("alpha"),
            proofs: column("proof"),
            outputs: column("output"),
        }
    }

    /// Every other output, as text or as bytes.
    fn claimed(&self, as_text: bool) -> ArrayRef {
        let rows = self.outputs.iter().enumerate();
        let claimed = rows.map(|(row, text)| row.is_multiple_of(2).then_some(text));
        if as_text {
            Arc::new(claimed.collect::<StringArray>())
        } else {
            let claimed = claimed.map(|text| text.map(decode));
            Arc::new(claimed.collect::<BinaryArray>())
        }
    }
}

fn is_text(data_type: &DataType) -> bool {
    use DataType::{LargeUtf8, Utf8, Utf8View};
    matches!(data_type, Utf8 | LargeUtf8 | Utf8View)
}

#[test]
fn bytes_are_read_and_filled_in_in_every_type() {
    let place = Place::new();
    let sample = Sample::new(&place);
    let is_filled_in = |data_type: &DataType, plain: &DataType| {
        let output = cast(&sample.claimed(is_text(plain)), data_type).unwrap();
        let keys = cast(&bytes(&sample.keys), &DataType::FixedSizeBinary(32)).unwrap();
        let proofs = StringArray::from(sample.proofs.clone());
        let columns = vec![
            ("key", keys),
            ("alpha", bytes(&sample.alphas)),
            ("proof", Arc::new(proofs) as ArrayRef),
            ("output", output),
        ];
        write(&place, "t.parquet", columns);
        place
            .run("batch verify t.parquet --suite praos --out v.parquet")
            .ends(0);
        let written = read(&place, "v.parquet");
        let output = written.column_by_name("output").unwrap();
        assert_eq!(output.data_type(), plain, "{data_type}");
        assert_eq!(output.null_count(), 0, "{data_type}");
        place
            .run("batch verify v.parquet --suite praos --out v.csv")
            .ends(0);
        let written = csv_column(&place.read("v.csv"), "output");
        assert_eq!(written, sample.outputs, "{data_type}");
    };
    use DataType::*;
    for plain in [Utf8, LargeUtf8, Utf8View, Binary, LargeBinary, BinaryView] {
        is_filled_in(&plain, &plain);
        is_filled_in(&dictionary(plain.clone()), &plain);
    }
    // No dictionary: Arrow has no cast to make one.
    is_filled_in(&FixedSizeBinary(64), &FixedSizeBinary(64));
}

/// A column that holds nothing has no type of its own.
#[test]
fn outputs_are_filled_in_where_none_is() {
    let place = Place::new();
    let sample = Sample::new(&place);
    let nothing = arrow_array::new_null_array(&DataType::Null, sample.keys.len());
    let columns = vec![
        ("key", bytes(&sample.keys)),
        ("alpha", bytes(&sample.alphas)),
        ("proof", bytes(&sample.proofs)),
        ("output", nothing),
    ];
    write(&place, "t.parquet", columns);
    place
        .run("batch verify t.parquet --suite praos --out v.csv")
        .ends(0);
    let written = csv_column(&place.read("v.csv"), "output");
    assert_eq!(written, sample.outputs);
}

#[test]
fn missing_values_and_unfit_types_are_named() {
    let place = Place::new();
    let none = || arrow_array::new_null_array(&DataType::Utf8, 2);
    let texts = || Arc::new(StringArray::from(vec![Some("00"), None])) as ArrayRef;
    write(
        &place,
        "t.parquet",
        vec![("key", texts()), ("alpha", texts()), ("proof", none())],
    );
    place
        .run("batch verify t.parquet --suite praos --out v.csv")
        .ends(1);
    assert_eq!(
        csv_column(&place.read("v.csv"), "verdict"),
        ["invalid: proof is missing", "invalid: key is missing"]
    );

    let number = Arc::new(Int64Array::from(vec![1, 2]));
    write(
        &place,
        "t.parquet",
        vec![("key", number), ("alpha", texts()), ("proof", none())],
    );
    place
        .run("batch verify t.parquet --suite praos --out v.csv")
        .refused("column \"key\" has type Int64: expected text (hex) or binary");

    let short = cast(
        &BinaryArray::from_iter_values([[0; 32]; 2]),
        &DataType::FixedSizeBinary(32),
    );
    let columns = vec![
        ("key", texts()),
        ("alpha", texts()),
        ("proof", none()),
        ("output", short.unwrap()),
    ];
    write(&place, "t.parquet", columns);
    place
        .run("batch verify t.parquet --suite praos --out v.csv")
        .refused("column \"output\" has values of 32 bytes, expected 64");
}

#[test]
fn the_metadata_of_a_file_is_kept() {
    let place = Place::new();
    let texts = || Arc::new(StringArray::from(vec!["00"])) as ArrayRef;
    let batch = RecordBatch::try_from_iter(["key", "alpha", "proof"].map(|name| (name, texts())));
    let batch = batch.unwrap();
    let metadata: std::collections::HashMap<_, _> = [("pandas".to_owned(), "{}".to_owned())].into();
    let schema = batch.schema().as_ref().clone().with_metadata(metadata);
    let batch = batch.with_schema(Arc::new(schema)).unwrap();
    let file = File::create(place.path("t.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    place
        .run("batch verify t.parquet --suite praos --out v.parquet")
        .ends(1);
    let file = File::open(place.path("v.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert_eq!(reader.schema().metadata()["pandas"], "{}");
}

#[test]
fn times_with_a_zone_are_printed() {
    use arrow_array::TimestampMicrosecondArray;
    let place = Place::new();
    let texts = || Arc::new(StringArray::from(vec!["00"])) as ArrayRef;
    let time = |zone: &str| {
        let time = TimestampMicrosecondArray::from(vec![1_700_000_000_000_000]);
        Arc::new(time.with_timezone(zone)) as ArrayRef
    };
    let columns = vec![
        ("key", texts()),
        ("alpha", texts()),
        ("proof", texts()),
        ("utc", time("UTC")),
        ("berlin", time("Europe/Berlin")),
        ("offset", time("+05:30")),
    ];
    write(&place, "t.parquet", columns);
    for format in ["csv", "jsonl", "parquet"] {
        place
            .run(&format!(
                "batch verify t.parquet --suite praos --out v.{format}"
            ))
            .ends(1);
    }
    let text = place.read("v.csv");
    assert_eq!(csv_column(&text, "utc"), ["2023-11-14T22:13:20Z"]);
    assert_eq!(csv_column(&text, "berlin"), ["2023-11-14T23:13:20+01:00"]);
    assert_eq!(csv_column(&text, "offset"), ["2023-11-15T03:43:20+05:30"]);
    let text = place.read("v.jsonl");
    assert!(
        text.contains(r#""berlin":"2023-11-14T23:13:20+01:00""#),
        "{text}"
    );
    // A zone that nobody knows can be kept, but not printed.
    let columns = vec![
        ("key", texts()),
        ("alpha", texts()),
        ("proof", texts()),
        ("w", time("Mars/Olympus")),
    ];
    write(&place, "w.parquet", columns);
    for format in ["csv", "jsonl"] {
        place
            .run(&format!(
                "batch verify w.parquet --suite praos --out w.{format}"
            ))
            .refused(&format!(
                "cannot write w.{format}: column \"w\": unknown time zone \"Mars/Olympus\""
            ));
    }
    place
        .run("batch verify w.parquet --suite praos --out w2.parquet")
        .ends(1);
    let time = read(&place, "v.parquet");
    let schema = time.schema();
    let zone = schema.field_with_name("berlin").unwrap().data_type();
    assert!(zone.to_string().contains("Europe/Berlin"), "{zone}");
}
