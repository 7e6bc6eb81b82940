//! The types in which Parquet files hold bytes.

use std::fs::File;
use std::sync::Arc;

use crate::common::{Place, csv_column};
use crate::sample;
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;

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

/// Writes `t.parquet`.
fn write_batch(place: &Place, batch: &RecordBatch) {
    let file = File::create(place.path("t.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
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
    write_batch(&place, &batch);
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

/// Columns of every logical type, and of those that nest others.
const LOGICAL: &str = "message schema {
    required fixed_len_byte_array(16) uuid (UUID);
    optional binary json (JSON);
    optional binary bson (BSON);
    optional binary enum (ENUM);
    optional fixed_len_byte_array(12) interval (INTERVAL);
    optional int32 decimal32 (DECIMAL(5,2));
    optional int64 decimal64 (DECIMAL(15,2));
    optional fixed_len_byte_array(13) decimal128 (DECIMAL(30,2));
    optional int32 day (DATE);
    optional int64 time (TIME(MICROS,true));
    optional int64 at (TIMESTAMP(MILLIS,true));
    optional fixed_len_byte_array(2) half (FLOAT16);
    optional int32 small (INTEGER(8,false));
    optional int64 large (INTEGER(64,false));
    optional binary place (GEOMETRY);
    optional group variant (VARIANT) { required binary metadata; optional binary value; }
    optional group list (LIST) { repeated group list { optional binary element (JSON); } }
    optional group map (MAP) {
        repeated group key_value {
            required binary key (STRING);
            optional fixed_len_byte_array(16) value (UUID);
        }
    }
    repeated binary old (ENUM);
}";

/// A file of Parquet with these columns beside claims that are text. In them each leaf has one value,
/// bytes of 0 to 7 over and over.
fn write_parquet(place: &Place, columns: &str, pairs: Option<Vec<KeyValue>>) -> TypePtr {
    let claim = sample("csv");
    let names = ["key", "alpha", "proof"];
    let own = names.map(|name| format!("required binary {name} (STRING);"));
    let columns = columns.replace("schema {", &format!("schema {{ {}", own.join(" ")));
    let schema = Arc::new(parse_message_type(&columns).unwrap());
    let properties = WriterProperties::builder()
        .set_key_value_metadata(pairs)
        .build();
    let file = File::create(place.path("t.parquet")).unwrap();
    let mut file = SerializedFileWriter::new(file, schema.clone(), Arc::new(properties)).unwrap();
    let leaves = file.schema_descr().columns().to_vec();
    let mut group = file.next_row_group().unwrap();
    for (index, leaf) in leaves.iter().enumerate() {
        let bytes: Vec<u8> = match names.get(index) {
            Some(name) => csv_column(&claim, name)[0].clone().into(),
            None => {
                let length = if leaf.type_length() > 0 {
                    leaf.type_length()
                } else {
                    8
                };
                (0..length as u8).map(|byte| byte % 8).collect()
            }
        };
        let levels = ([leaf.max_def_level()], [0]);
        let levels = (Some(&levels.0[..]), Some(&levels.1[..]));
        let mut column = group.next_column().unwrap().unwrap();
        match column.untyped() {
            ColumnWriter::Int32ColumnWriter(column) => column.write_batch(&[7], levels.0, levels.1),
            ColumnWriter::Int64ColumnWriter(column) => column.write_batch(&[7], levels.0, levels.1),
            ColumnWriter::ByteArrayColumnWriter(column) => {
                column.write_batch(&[bytes.into()], levels.0, levels.1)
            }
            ColumnWriter::FixedLenByteArrayColumnWriter(column) => {
                column.write_batch(&[ByteArray::from(bytes).into()], levels.0, levels.1)
            }
            _ => unreachable!(),
        }
        .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
    schema
}

#[test]
fn columns_of_parquet_keep_their_types_and_values() {
    let place = Place::new();
    let given = write_parquet(&place, LOGICAL, None);
    place
        .run("batch verify t.parquet --suite praos --out v.parquet")
        .ends(0);
    let written = SerializedFileReader::new(File::open(place.path("v.parquet")).unwrap());
    let written = written
        .unwrap()
        .metadata()
        .file_metadata()
        .schema_descr_ptr();
    let (given, written) = (given.get_fields(), written.root_schema().get_fields());
    assert_eq!(given, &written[..given.len()]);
    for name in ["t", "v"] {
        let line = format!("batch verify {name}.parquet --suite praos --out {name}.csv");
        place.run(&line).ends(0);
    }
    assert_eq!(place.read("t.csv"), place.read("v.csv"));
    // An interval has months, then days.
    let interval = csv_column(&place.read("v.csv"), "interval");
    assert_eq!(interval, ["000102030405060700010203"]);
}

/// Polars writes integers of 128 bits, which are not Arrow's, into Arrow's schema.
#[test]
fn a_schema_of_arrow_that_cannot_be_read_counts_for_nothing() {
    let place = Place::new();
    let pairs = vec![KeyValue::new("ARROW:schema".into(), "AAAA".to_owned())];
    let columns = "message schema { required fixed_len_byte_array(16) n; }";
    write_parquet(&place, columns, Some(pairs));
    place
        .run("batch verify t.parquet --suite praos --out v.csv")
        .ends(0);
    let written = csv_column(&place.read("v.csv"), "n");
    assert_eq!(written, ["0001020304050607".repeat(2)]);
}

#[test]
fn json_in_a_column_of_parquet_is_not_that_of_json_lines() {
    let place = Place::new();
    let sample = Sample::new(&place);
    let json: Vec<_> = sample.keys.iter().map(|key| format!("\"{key}\"")).collect();
    let json: ArrayRef = Arc::new(StringArray::from(json));
    let extension = [("ARROW:extension:name", "arrow.json")];
    let field = Field::new("key", DataType::Utf8, false).with_metadata(extension);
    let columns = [
        (field, json.clone()),
        (
            Field::new("alpha", DataType::Binary, false),
            bytes(&sample.alphas),
        ),
        (
            Field::new("proof", DataType::Binary, false),
            bytes(&sample.proofs),
        ),
    ];
    let (fields, arrays): (Vec<_>, _) = columns.into_iter().unzip();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
    write_batch(&place, &batch);
    place
        .run("batch verify t.parquet --suite praos --out v.parquet")
        .ends(0);
    let written = read(&place, "v.parquet");
    assert_eq!(&written["key"], &json);
    assert_eq!(written.schema().field(0), batch.schema().field(0));
}
