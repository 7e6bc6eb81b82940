//! Tests of the types of columns in Parquet files.

use std::collections::HashMap;
use std::fs::File;
use std::sync::Arc;

use crate::common::{Place, Ran, csv_column};
use arrow_array::builder::{ListBuilder, TimestampMicrosecondBuilder};
use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray, TimestampMicrosecondArray};
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

/// Writes `t.parquet`.
fn write(place: &Place, batch: &RecordBatch) {
    let file = File::create(place.path("t.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// A table of one row, which has an invalid claim and the values of `columns`.
fn beside_claims(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let text = || Arc::new(StringArray::from(vec!["00"])) as ArrayRef;
    let claim = ["key", "alpha", "proof"].map(|name| (name, text()));
    RecordBatch::try_from_iter(claim.into_iter().chain(columns)).unwrap()
}

fn read(place: &Place, name: &str) -> RecordBatch {
    let file = File::open(place.path(name)).unwrap();
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap();
    reader.next().unwrap().unwrap()
}

/// Runs `klero batch verify` from one file into another file.
fn verify(place: &Place, from: &str, to: &str) -> Ran {
    place.run(&format!("batch verify {from} --suite praos --out {to}"))
}

fn sample() -> String {
    Place::new()
        .run("sample --suite praos --count 50")
        .ends(0)
        .stdout
}

/// A column of a sample, as bytes.
fn bytes(sample: &str, name: &str) -> ArrayRef {
    let texts = csv_column(sample, name).into_iter();
    let values = texts.map(|text| hex::decode(text).unwrap());
    Arc::new(BinaryArray::from_iter_values(values))
}

#[test]
fn columns_of_any_type_are_read_and_one_without_a_type_is_filled_in() {
    let (place, sample) = (Place::new(), sample());
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Binary));
    let proofs = StringArray::from(csv_column(&sample, "proof"));
    let columns = [
        cast(&bytes(&sample, "key"), &DataType::FixedSizeBinary(32)).unwrap(),
        cast(&bytes(&sample, "alpha"), &dictionary).unwrap(),
        cast(&proofs, &DataType::Utf8View).unwrap(),
        arrow_array::new_null_array(&DataType::Null, 50),
    ];
    let columns = ["key", "alpha", "proof", "output"].into_iter().zip(columns);
    let columns = columns.map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    write(&place, &batch);
    verify(&place, "t.parquet", "v.parquet").ends(0);
    let written = read(&place, "v.parquet");
    for name in ["key", "alpha", "proof"] {
        assert_eq!(&written[name], &batch[name]);
    }
    verify(&place, "v.parquet", "v.csv").ends(0);
    let outputs = csv_column(&place.read("v.csv"), "output");
    assert_eq!(outputs, csv_column(&sample, "output"));
}

#[test]
fn the_metadata_of_a_file_is_kept() {
    let place = Place::new();
    let batch = beside_claims(vec![]);
    let metadata = HashMap::from([("pandas".to_owned(), "{}".to_owned())]);
    let schema = batch.schema().as_ref().clone().with_metadata(metadata);
    write(&place, &batch.with_schema(Arc::new(schema)).unwrap());
    verify(&place, "t.parquet", "v.parquet").ends(1);
    let file = File::open(place.path("v.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert_eq!(reader.schema().metadata()["pandas"], "{}");
}

#[test]
fn times_with_a_zone_are_printed_in_utc() {
    let place = Place::new();
    let time = |zone: &str| {
        let time = TimestampMicrosecondArray::from(vec![1_700_000_000_000_000]);
        Arc::new(time.with_timezone(zone)) as ArrayRef
    };
    // The last zone does not exist.
    let zones = ["UTC", "Europe/Berlin", "+05:30", "Mars/Olympus"];
    let mut times = zones.map(|zone| (zone, time(zone))).to_vec();
    let mut list = ListBuilder::new(TimestampMicrosecondBuilder::new().with_timezone("Asia/Tokyo"));
    list.append_value([Some(1_700_000_000_000_000)]);
    times.push(("list", Arc::new(list.finish())));
    write(&place, &beside_claims(times));
    for to in ["v.csv", "v.jsonl", "v.parquet"] {
        verify(&place, "t.parquet", to).ends(1);
    }
    // All times are the same instant, because the zone does not affect the stored value.
    let (text, lines) = ("2023-11-14T22:13:20Z", place.read("v.jsonl"));
    for zone in zones {
        assert_eq!(csv_column(&place.read("v.csv"), zone), [text]);
        assert!(lines.contains(&format!("\"{zone}\":\"{text}\"")), "{lines}");
        assert_eq!(&read(&place, "v.parquet")[zone], &time(zone));
    }
    assert!(lines.contains(&format!("\"list\":[\"{text}\"]")), "{lines}");
}

/// Columns of every logical type, and of types that contain other types.
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

/// Writes a Parquet file of one row: a claim as text, and a value in each leaf of `columns`. The value is the
/// number 7, or the bytes 0 to 7, repeated or cut to the length of the leaf.
fn write_parquet(place: &Place, columns: &str, pairs: Option<Vec<KeyValue>>) -> TypePtr {
    let claim = sample();
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
    verify(&place, "t.parquet", "v.parquet").ends(0);
    let written = SerializedFileReader::new(File::open(place.path("v.parquet")).unwrap());
    let written = written
        .unwrap()
        .metadata()
        .file_metadata()
        .schema_descr_ptr();
    let (given, written) = (given.get_fields(), written.root_schema().get_fields());
    assert_eq!(given, &written[..given.len()]);
    for name in ["t", "v"] {
        verify(&place, &format!("{name}.parquet"), &format!("{name}.csv")).ends(0);
    }
    assert_eq!(place.read("t.csv"), place.read("v.csv"));
    // An interval is printed as its bytes: months, days and milliseconds, with 4 bytes each.
    let interval = csv_column(&place.read("v.csv"), "interval");
    assert_eq!(interval, ["000102030405060700010203"]);
}

/// Unreadable Arrow schemas are ignored. Polars writes some: they have 128-bit integers, which Arrow lacks.
#[test]
fn a_schema_of_arrow_that_cannot_be_read_counts_for_nothing() {
    let place = Place::new();
    let pairs = vec![KeyValue::new("ARROW:schema".into(), "AAAA".to_owned())];
    let columns = "message schema { required fixed_len_byte_array(16) n; }";
    write_parquet(&place, columns, Some(pairs));
    verify(&place, "t.parquet", "v.csv").ends(0);
    let written = csv_column(&place.read("v.csv"), "n");
    assert_eq!(written, ["0001020304050607".repeat(2)]);
}

#[test]
fn json_in_a_column_of_parquet_is_not_that_of_json_lines() {
    let (place, sample) = (Place::new(), sample());
    let quoted = csv_column(&sample, "key").into_iter();
    let quoted: Vec<_> = quoted.map(|key| format!("\"{key}\"")).collect();
    let json: ArrayRef = Arc::new(StringArray::from(quoted));
    let extension = [("ARROW:extension:name", "arrow.json")];
    let fields = [
        Field::new("key", DataType::Utf8, false).with_metadata(extension),
        Field::new("alpha", DataType::Binary, false),
        Field::new("proof", DataType::Binary, false),
    ];
    let [alphas, proofs] = ["alpha", "proof"].map(|name| bytes(&sample, name));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let batch = RecordBatch::try_new(schema, vec![json.clone(), alphas, proofs]).unwrap();
    write(&place, &batch);
    verify(&place, "t.parquet", "v.parquet").ends(0);
    let written = read(&place, "v.parquet");
    assert_eq!(&written["key"], &json);
    assert_eq!(written.schema().field(0), batch.schema().field(0));
}
