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

#[test]
fn bytes_are_read_and_filled_in_in_every_type() {
    let place = Place::new();
    let sample = place
        .run("sample --suite praos --count 50 --out -")
        .ends(0)
        .stdout;
    let [keys, alphas, proofs, outputs] =
        ["key", "alpha", "proof", "output"].map(|name| csv_column(&sample, name));
    // Every other output is claimed.
    let claimed = |row: usize| row.is_multiple_of(2);
    let claims = || {
        outputs
            .iter()
            .enumerate()
            .map(|(row, text)| claimed(row).then_some(text))
    };
    let decode = |text: &String| hex::decode(text).unwrap();
    let bytes = |texts: &[String]| -> ArrayRef {
        Arc::new(BinaryArray::from_iter_values(texts.iter().map(decode)))
    };

    let texts = [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View];
    let binaries = [
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
    ];
    for plain in texts
        .into_iter()
        .chain(binaries)
        .chain([DataType::FixedSizeBinary(64)])
    {
        for data_type in [plain.clone(), dictionary(plain.clone())] {
            if data_type == dictionary(DataType::FixedSizeBinary(64)) {
                continue; // Arrow has no such cast to make one.
            }
            let is_text = matches!(
                plain,
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
            );
            let output: ArrayRef = if is_text {
                Arc::new(claims().collect::<StringArray>())
            } else {
                Arc::new(
                    claims()
                        .map(|text| text.map(decode))
                        .collect::<BinaryArray>(),
                )
            };
            let columns = vec![
                (
                    "key",
                    cast(&bytes(&keys), &DataType::FixedSizeBinary(32)).unwrap(),
                ),
                ("alpha", bytes(&alphas)),
                (
                    "proof",
                    Arc::new(StringArray::from(proofs.clone())) as ArrayRef,
                ),
                ("output", cast(&output, &data_type).unwrap()),
            ];
            write(&place, "t.parquet", columns);
            place
                .run("batch verify t.parquet --suite praos --out v.parquet")
                .ends(0);
            let output = read(&place, "v.parquet")
                .column_by_name("output")
                .unwrap()
                .clone();
            assert_eq!(output.data_type(), &plain, "{data_type}");
            assert_eq!(output.null_count(), 0, "{data_type}");
            place
                .run("batch verify v.parquet --suite praos --out v.csv")
                .ends(0);
            assert_eq!(
                csv_column(&place.read("v.csv"), "output"),
                outputs,
                "{data_type}"
            );
        }
    }

    // A column that holds nothing has no type of its own.
    let columns = vec![
        ("key", bytes(&keys)),
        ("alpha", bytes(&alphas)),
        ("proof", bytes(&proofs)),
        (
            "output",
            arrow_array::new_null_array(&DataType::Null, keys.len()),
        ),
    ];
    write(&place, "t.parquet", columns);
    place
        .run("batch verify t.parquet --suite praos --out v.csv")
        .ends(0);
    assert_eq!(csv_column(&place.read("v.csv"), "output"), outputs);
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
