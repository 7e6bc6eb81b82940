//! Tests of [`VerifyTable`] on every type of column, and on wrong tables.

mod common;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, NullArray, RecordBatch,
    RecordBatchOptions, StringArray,
};
use arrow_cast::cast;
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field, Schema};
use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use klero::{SecretKey, Suite};
use klero_arrow::{Columns, Encoding, Fault, MAX_ROWS, Options, Rows, TableError, VerifyTable};

use common::{rows_from, table, texts};

const SUITE: Suite = Suite::RFC9381_ELL2;

/// The key, alpha, proof and output of a claim.
fn claim() -> [Vec<u8>; 4] {
    let key = SecretKey::from_seed(SUITE, &[7; 32]);
    let (proof, output) = key.prove(b"alpha");
    [
        key.public_key().as_bytes().to_vec(),
        b"alpha".to_vec(),
        proof.as_bytes().to_vec(),
        output.as_bytes().to_vec(),
    ]
}

const NAMES: [&str; 4] = ["key", "alpha", "proof", "output"];

/// A table of one claim. `column` makes each column from the bytes of its only cell.
fn one_row(column: impl Fn(&[u8]) -> ArrayRef) -> RecordBatch {
    let columns = claim().map(|bytes| column(&bytes));
    RecordBatch::try_from_iter(NAMES.into_iter().zip(columns)).unwrap()
}

/// A table of these columns, which may have nulls.
fn nullable(columns: [ArrayRef; 4]) -> RecordBatch {
    let columns = NAMES.into_iter().zip(columns);
    let columns = columns.map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// The table with its columns marked as JSON.
fn as_json(table: &RecordBatch) -> RecordBatch {
    let json = [(EXTENSION_TYPE_NAME_KEY, "arrow.json")];
    let field = |name| Field::new(name, DataType::Utf8, true).with_metadata(json);
    let schema = Arc::new(Schema::new(NAMES.map(field).to_vec()));
    RecordBatch::try_new(schema, table.columns().to_vec()).unwrap()
}

fn text(text: String) -> ArrayRef {
    Arc::new(StringArray::from(vec![text]))
}

fn verdicts(table: impl Into<Rows>) -> Vec<String> {
    let outcome = VerifyTable::new(SUITE).verify(table).unwrap();
    texts(&outcome.batch, "verdict")
}

#[test]
fn hex_may_have_a_mark() {
    for (mark, expected) in [
        ("", "valid"),
        ("0x", "valid"),
        ("0X", "valid"),
        (r"\x", "valid"),
        ("0x0x", "invalid: key is not hex: character 4 is 'x'"),
        (r"\X", r"invalid: key is not hex: character 1 is '\\'"),
    ] {
        let marked = |bytes: &[u8]| format!("{mark}{}", hex::encode(bytes));
        assert_eq!(verdicts(one_row(|bytes| text(marked(bytes)))), [expected]);
        let json = one_row(|bytes| text(format!("{:?}", marked(bytes))));
        assert_eq!(verdicts(as_json(&json)), [expected]);
    }
}

/// A column with one value. Its type is `data_type` (if of a fixed size, of the value's size), or else text.
fn binary(value: Option<&str>, data_type: Option<&DataType>) -> ArrayRef {
    let value = value.map(str::as_bytes);
    let column: ArrayRef = Arc::new(BinaryArray::from(vec![value]));
    let data_type = match data_type {
        Some(DataType::FixedSizeBinary(_)) => {
            DataType::FixedSizeBinary(value.map_or(128, <[u8]>::len) as i32)
        }
        other => other.cloned().unwrap_or(DataType::Utf8),
    };
    cast(&column, &data_type).unwrap()
}

#[test]
fn text_in_binary_columns_is_read_if_that_is_asked_for_and_else_named() {
    use DataType::*;
    let verify = |encoding, binary_text, table| {
        let options = Options {
            encoding,
            binary_text,
            ..Options::default()
        };
        VerifyTable::new(SUITE).options(options).verify(table)
    };
    let hex = claim().map(hex::encode);
    let base64 = claim().map(|bytes| STANDARD.encode(bytes));
    let marked = hex.clone().map(|text| format!("0x{text}"));
    let dictionary = Dictionary(Box::new(Int32), Box::new(Binary));
    for data_type in [
        Binary,
        LargeBinary,
        BinaryView,
        dictionary,
        FixedSizeBinary(0),
    ] {
        let data_type = Some(&data_type);
        for (encoding, texts) in [
            (Encoding::Hex, &hex),
            (Encoding::Hex, &marked),
            (Encoding::Base64, &base64),
        ] {
            let all = nullable(texts.each_ref().map(|text| binary(Some(text), data_type)));
            assert_eq!(verify(encoding, true, all).unwrap().invalid, []);
            for name in ["key", "proof", "output"] {
                let mut places = NAMES.into_iter().zip(texts);
                let one = [(); 4].map(|()| {
                    let (place, text) = places.next().unwrap();
                    binary(Some(text), data_type.filter(|_| place == name))
                });
                match verify(encoding, false, nullable(one)) {
                    Ok(outcome) => assert_eq!(
                        outcome.invalid[0].reason,
                        format!(
                            "{name} is {} in a binary column, expected its bytes, or the option \
                             for binary text",
                            encoding.name()
                        )
                    ),
                    // Outputs of a fixed size are refused, because the text does not have 64 bytes.
                    Err(fault) => assert!(matches!(fault, TableError::OutputSize { .. })),
                }
            }
        }
        // A computed output is written as text into the binary column.
        let [key, alpha, proof, output] = &hex;
        let columns = [Some(key), Some(alpha), Some(proof), None];
        let columns = columns.map(|text| binary(text.map(String::as_str), data_type));
        let outcome = verify(Encoding::Hex, true, nullable(columns)).unwrap();
        let computed = cast(&outcome.batch["output"], &Binary).unwrap();
        assert_eq!(computed.as_binary::<i32>().value(0), output.as_bytes());
    }
}

#[test]
fn text_may_be_base64_and_an_alpha_the_text_itself() {
    let base64 = VerifyTable::new(SUITE).options(Options {
        encoding: Encoding::Base64,
        ..Options::default()
    });
    let whole = one_row(|bytes| text(STANDARD.encode(bytes)));
    assert!(base64.verify(whole.clone()).unwrap().invalid.is_empty());

    // A computed output is written in the encoding of the proofs.
    let claimed = whole.project(&[0, 1, 2]).unwrap();
    let computed = base64.verify(claimed).unwrap().batch;
    assert_eq!(texts(&computed, "output"), texts(&whole, "output"));

    let outcome = VerifyTable::new(SUITE).verify(whole).unwrap();
    assert!(outcome.invalid[0].reason.starts_with("key is not hex: "));

    let plain = one_row(|bytes| match bytes {
        b"alpha" => text("alpha".into()),
        _ => text(hex::encode(bytes)),
    });
    let verify = VerifyTable::new(SUITE).options(Options {
        plain_alphas: true,
        ..Options::default()
    });
    assert!(verify.verify(plain.clone()).unwrap().invalid.is_empty());
    let outcome = VerifyTable::new(SUITE).verify(plain).unwrap();
    assert_eq!(
        outcome.invalid[0].reason,
        "alpha is not hex: character 2 is 'l'"
    );
}

#[test]
fn a_claim_is_valid_in_every_type_of_column() {
    let hex = |bytes: &[u8]| text(hex::encode(bytes));
    let raw = |bytes: &[u8]| Arc::new(BinaryArray::from_vec(vec![bytes])) as ArrayRef;
    let dictionary = |values: ArrayRef| {
        let keys = Int32Array::from(vec![0]);
        Arc::new(DictionaryArray::<Int32Type>::new(keys, values)) as ArrayRef
    };
    for data_type in [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
    ] {
        let column = |bytes: &[u8]| {
            let is_text = cast(&hex(b""), &data_type).is_ok_and(|a| a.data_type().is_string());
            let plain = if is_text { hex(bytes) } else { raw(bytes) };
            cast(&plain, &data_type).unwrap()
        };
        assert_eq!(verdicts(one_row(column)), ["valid"], "{data_type}");
        let shared = |bytes: &[u8]| dictionary(column(bytes));
        assert_eq!(verdicts(one_row(shared)), ["valid"], "of {data_type}");
    }
    let fixed = |bytes: &[u8]| {
        let size = i32::try_from(bytes.len()).unwrap();
        cast(&raw(bytes), &DataType::FixedSizeBinary(size)).unwrap()
    };
    assert_eq!(verdicts(one_row(fixed)), ["valid"]);
}

#[test]
fn the_output_is_checked_where_it_is_claimed_and_filled_in_where_not() {
    let whole = one_row(|bytes| Arc::new(BinaryArray::from_vec(vec![bytes])));
    let without = whole.project(&[0, 1, 2]).unwrap();
    let outcome = VerifyTable::new(SUITE).verify(without.clone()).unwrap();
    assert_eq!(&outcome.batch["output"], &whole["output"]);

    let with = |output: ArrayRef| {
        let columns = [without.columns(), &[output]].concat();
        nullable(columns.try_into().unwrap())
    };
    // A column of type `Null` becomes a column of text.
    let with_nulls = with(Arc::new(NullArray::new(1)));
    let outcome = VerifyTable::new(SUITE).verify(with_nulls).unwrap();
    let [.., output] = claim();
    assert_eq!(texts(&outcome.batch, "output"), [hex::encode(&output)]);

    let wrong = with(Arc::new(BinaryArray::from_vec(vec![&[0; 64]])));
    assert!(verdicts(wrong)[0].starts_with("invalid: output mismatch"));
}

#[test]
fn outputs_are_filled_in_in_every_type_of_column() {
    use DataType::*;
    let [key, alpha, proof, output] = claim();
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some(hex::encode(&output)), None]));
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![Some(&output[..]), None]));
    let is_filled_in = |data_type: &DataType, plain: &DataType| {
        let claimed = if plain.is_string() { &text } else { &bytes };
        let twice = |bytes| Arc::new(BinaryArray::from_vec(vec![bytes, bytes])) as ArrayRef;
        let batch = nullable([
            twice(&*key),
            twice(&*alpha),
            twice(&*proof),
            cast(claimed, data_type).unwrap(),
        ]);
        let outcome = VerifyTable::new(SUITE).verify(batch).unwrap();
        let expected = cast(&claimed.slice(0, 1), plain).unwrap();
        for row in [0, 1] {
            let written = outcome.batch["output"].slice(row, 1);
            assert_eq!(&written, &expected, "{data_type}, row {row}");
        }
    };
    for plain in [Utf8, LargeUtf8, Utf8View, Binary, LargeBinary, BinaryView] {
        is_filled_in(&plain, &plain);
        is_filled_in(
            &Dictionary(Box::new(Int32), Box::new(plain.clone())),
            &plain,
        );
    }
    // A dictionary of `FixedSizeBinary` values is not tested, because Arrow cannot cast to such a column.
    is_filled_in(&FixedSizeBinary(64), &FixedSizeBinary(64));
}

#[test]
fn columns_may_have_other_names() {
    let [key, alpha, proof, _] = claim();
    let columns = Columns {
        key: "pk".into(),
        verdict: "ok".into(),
        ..Columns::default()
    };
    let verify = VerifyTable::new(SUITE).options(Options {
        columns,
        ..Options::default()
    });
    // In this table, the column "key" has no role.
    let batch = table(&[
        ("pk", vec![&key, b"x"]),
        ("key", vec![b"", b""]),
        ("alpha", vec![&alpha, b""]),
        ("proof", vec![&proof, b""]),
    ]);
    verify.check(&batch.schema()).unwrap();
    let outcome = verify.verify(rows_from(101, batch)).unwrap();
    assert_eq!(texts(&outcome.batch, "ok")[0], "valid");
    let [row] = &outcome.invalid[..] else {
        panic!("{:?}", outcome.invalid)
    };
    assert_eq!(row.number, 102);
    assert_eq!(row.reason, "public key has 1 bytes, expected 32");

    let fault = verify.check(&Schema::empty()).unwrap_err().to_string();
    assert_eq!(
        fault,
        "there is no column \"pk\": expected pk, alpha, proof, found "
    );
    let shared = Columns {
        key: "alpha".into(),
        ..Columns::default()
    };
    let verify = VerifyTable::new(SUITE).options(Options {
        columns: shared,
        ..Options::default()
    });
    let empty = RecordBatch::new_empty(Arc::new(Schema::empty()));
    let fault = verify.verify(empty).unwrap_err();
    assert!(matches!(fault, TableError::SharedName { name } if name == "alpha"));
}

#[test]
fn a_column_that_is_not_readable_is_no_verdict() {
    let schema = |fields: &[(&str, DataType)]| {
        let fields = fields.iter();
        let fields = fields.map(|(name, data_type)| Field::new(*name, data_type.clone(), true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    };
    for (fields, expected) in [
        (
            vec![("key", DataType::Utf8), ("key", DataType::Utf8)],
            "column \"key\" appears twice, expected different names",
        ),
        (
            vec![("suite", DataType::Int32)],
            "column \"suite\" has type Int32: expected text (hex) or binary",
        ),
        (
            vec![("output", DataType::FixedSizeBinary(32))],
            "column \"output\" has values of 32 bytes, expected 64",
        ),
    ] {
        let batch = RecordBatch::new_empty(schema(&fields));
        let fault = VerifyTable::new(None).verify(batch).unwrap_err();
        assert_eq!(fault.to_string(), expected);
    }
    let columns = ["key", "alpha", "proof"].map(|name| (name, DataType::Utf8));
    let fault = VerifyTable::new(None).check(&schema(&columns)).unwrap_err();
    assert!(matches!(fault, TableError::NoSuite { column } if column == "suite"));
}

#[test]
fn what_a_batch_lacks_is_missing_in_every_row() {
    let [key, alpha, _, _] = claim();
    let batch = table(&[("key", vec![&key]), ("alpha", vec![&alpha])]);
    assert_eq!(verdicts(batch), ["invalid: proof is missing"]);
    let rows = |count| {
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let schema = Arc::new(Schema::empty());
        RecordBatch::try_new_with_options(schema, vec![], &options).unwrap()
    };
    let outcome = VerifyTable::new(None).verify(rows(3)).unwrap();
    let missing = "invalid: suite is missing, and the whole table has none";
    assert_eq!(texts(&outcome.batch, "verdict"), [missing; 3]);
    let fault = VerifyTable::new(None).verify(rows(MAX_ROWS + 1));
    assert!(matches!(fault, Err(TableError::TooManyRows { rows, .. }) if rows > MAX_ROWS));
}

#[test]
fn the_fault_of_a_row_is_its_verdict() {
    let [key, alpha, proof, _] = claim();
    let batch = table(&[
        ("key", vec![&key, &key]),
        ("alpha", vec![&alpha, &alpha]),
        ("proof", vec![&proof, &proof]),
    ]);
    let mut rows = Rows::from(batch);
    let fault = Fault {
        place: "line 3".into(),
        what: "a field too many".into(),
    };
    rows.faults.insert(1, fault.clone());
    rows.faults.insert(5, fault);
    let outcome = VerifyTable::new(SUITE).verify(rows).unwrap();
    let expected = ["valid", "invalid: line 3: a field too many"];
    assert_eq!(texts(&outcome.batch, "verdict"), expected);
    let reasons: Vec<_> = outcome.invalid.iter().map(|row| &row.reason).collect();
    assert_eq!(reasons, ["a field too many"]);
}
