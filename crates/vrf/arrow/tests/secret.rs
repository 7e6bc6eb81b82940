//! Tests of [`SecretTable`]. Its proofs are valid, its outputs are the outputs of the proofs, and no outcome
//! contains a seed.

mod common;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use klero::{SecretKey, Suite};
use klero_arrow::{
    Columns, Encoding, Fault, Options, Outcome, Rows, SecretTable, TableError, VerifyTable, is_json,
};

use common::{rows_from, table, texts};

/// The function `prove` or `evaluate`. Tests of their common behaviour call both.
type Answer = fn(&SecretTable, Rows) -> Result<Outcome, TableError>;
const ANSWERS: [Answer; 2] = [
    |secret, rows| secret.prove(rows),
    |secret, rows| secret.evaluate(rows),
];

fn names(batch: &RecordBatch) -> Vec<String> {
    let schema = batch.schema();
    schema.fields().iter().map(|f| f.name().clone()).collect()
}

/// A table of one row of text.
fn row_of_text<const N: usize>(columns: [(&str, String); N]) -> RecordBatch {
    let columns = columns.map(|(name, text)| {
        let column: ArrayRef = Arc::new(StringArray::from(vec![text]));
        (name, column)
    });
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A table of one row. Its seed is `byte` repeated, and its suite is `suite`.
fn seed_in(byte: u8, suite: &str) -> RecordBatch {
    table(&[
        ("seed", vec![&[byte; 32]]),
        ("alpha", vec![b""]),
        ("suite", vec![suite.as_bytes()]),
    ])
}

#[test]
fn what_is_proved_verifies_and_outputs_are_those_of_proofs() {
    let key = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
    let secret = SecretTable::new(key.clone());
    let bytes = table(&[("alpha", vec![b"a", b"", b"c"])]);
    let hex: ArrayRef = Arc::new(LargeStringArray::from(vec!["61", "", "6g"]));
    let hex = RecordBatch::try_from_iter([("alpha", hex)]).unwrap();
    for (alphas, data_type, invalid) in [(bytes, DataType::Binary, 0), (hex, DataType::Utf8, 1)] {
        secret.check(&alphas.schema()).unwrap();
        let proved = secret.prove(alphas.clone()).unwrap();
        let evaluated = secret.evaluate(alphas).unwrap();
        let columns = ["alpha", "key", "output", "verdict"];
        assert_eq!(names(&evaluated.batch), columns);
        for name in columns {
            assert_eq!(&evaluated.batch[name], &proved.batch[name], "{name}");
        }
        assert_eq!(evaluated.invalid, proved.invalid);
        assert_eq!(proved.invalid.len(), invalid);
        for name in ["proof", "output"] {
            assert_eq!(proved.batch[name].data_type(), &data_type);
        }
        let verify = VerifyTable::new(Suite::RFC9381_TAI);
        let verified = verify.verify(proved.batch).unwrap();
        assert_eq!(verified.invalid.len(), invalid);
        assert_eq!(texts(&verified.batch, "verdict")[..2], ["valid"; 2]);
    }
    let shown = format!("{secret:?}");
    assert!(!shown.contains(&hex::encode(key.public_key())), "{shown}");
    // The key belongs to one suite, so a row with another suite is invalid.
    let other = row_of_text([("alpha", "00".into()), ("suite", "draft13".into())]);
    assert_eq!(
        texts(&secret.prove(other).unwrap().batch, "verdict"),
        ["invalid: suite is draft13, expected rfc9381-tai as for the whole table"]
    );
}

#[test]
fn json_strings_are_read() {
    let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
    let alphas = StringArray::from(vec![r#""00""#, "7", "null"]);
    let json = [("ARROW:extension:name", "arrow.json")];
    let field = Field::new("alpha", DataType::Utf8, true).with_metadata(json);
    assert!(is_json(&field));
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(schema, vec![Arc::new(alphas)]).unwrap();
    let outcome = SecretTable::new(key.clone()).evaluate(batch).unwrap();
    let outputs = texts(&outcome.batch, "output");
    assert_eq!(outputs, [key.evaluate(&[0]).to_string().as_str(), "", ""]);
    assert_eq!(outcome.invalid.len(), 2);
}

#[test]
fn new_columns_are_text_in_the_encoding_that_is_read() {
    let seed = || ("seed", STANDARD.encode([7; 32]));
    for (plain_alphas, alpha) in [(false, STANDARD.encode("slot 1")), (true, "slot 1".into())] {
        let prove = SecretTable::with_seeds(Suite::PRAOS).options(Options {
            encoding: Encoding::Base64,
            plain_alphas,
            ..Options::default()
        });
        let outcome = prove
            .prove(row_of_text([seed(), ("alpha", alpha)]))
            .unwrap();
        assert_eq!(outcome.invalid, []);
        let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
        let (proof, output) = key.prove(b"slot 1");
        for (name, bytes) in [
            ("key", key.public_key().as_bytes().as_slice()),
            ("proof", proof.as_bytes()),
            ("output", output.as_bytes()),
        ] {
            let written = texts(&outcome.batch, name);
            assert_eq!(written, [STANDARD.encode(bytes)], "{name}");
        }
    }
}

#[test]
fn seeds_and_alphas_may_be_text_in_binary_columns() {
    let seed = "07".repeat(32);
    let table = table(&[("seed", vec![seed.as_bytes()]), ("alpha", vec![b"00ff"])]);
    let named = SecretTable::with_seeds(Suite::PRAOS).prove(table.clone());
    assert_eq!(
        named.unwrap().invalid[0].reason,
        "seed is hex in a binary column, expected its bytes, or the option for binary text"
    );
    let prove = SecretTable::with_seeds(Suite::PRAOS).options(Options {
        binary_text: true,
        ..Options::default()
    });
    let (proof, _) = SecretKey::from_seed(Suite::PRAOS, &[7; 32]).prove(&[0, 0xff]);
    let batch = prove.prove(table).unwrap().batch;
    assert_eq!(texts(&batch, "proof"), [hex::encode(proof.as_bytes())]);
}

#[test]
fn columns_have_other_names() {
    let batch = table(&[
        ("secret", vec![&[9; 32]]),
        ("input", vec![b"in"]),
        ("output", vec![b"out"]),
        ("proof", vec![b"old"]),
    ]);
    let secret = SecretTable::with_seeds(Suite::PRAOS).options(Options {
        columns: Columns {
            alpha: "input".into(),
            seed: "secret".into(),
            output: "beta".into(),
            ..Columns::default()
        },
        ..Options::default()
    });
    let key = SecretKey::from_seed(Suite::PRAOS, &[9; 32]);
    let expected = table(&[("beta", vec![key.evaluate(b"in").as_bytes()])]);
    for answer in ANSWERS {
        let outcome = answer(&secret, batch.clone().into()).unwrap();
        let columns = ["input", "output", "proof", "key", "beta", "verdict"];
        assert_eq!(names(&outcome.batch), columns);
        assert_eq!(&outcome.batch["output"], &batch["output"]);
        assert_eq!(&outcome.batch["beta"], &expected["beta"]);
    }
    // `evaluate` makes no proofs, so a column `proof` stays unchanged.
    let evaluated = secret.evaluate(batch.clone()).unwrap();
    assert_eq!(&evaluated.batch["proof"], &batch["proof"]);
}

#[test]
fn tables_that_cannot_be_answered_are_refused() {
    let one = SecretTable::new(SecretKey::from_seed(Suite::PRAOS, &[7; 32]));
    let seeds = table(&[("seed", vec![&[7; 32]]), ("alpha", vec![b""])]);
    let twice = ["seed", "seed", "alpha"].map(|name| Field::new(name, DataType::Utf8, false));
    let twice = RecordBatch::new_empty(Arc::new(Schema::new(twice.to_vec())));
    let fault = one.check(&seeds.schema());
    assert!(matches!(fault, Err(TableError::KeyAndSeeds { column }) if column == "seed"));
    for answer in ANSWERS {
        let fault = answer(&one, seeds.clone().into());
        assert!(matches!(fault, Err(TableError::KeyAndSeeds { column }) if column == "seed"));
        // Two columns named `seed` are refused, because either of them may have the seeds.
        let fault = answer(&SecretTable::with_seeds(Suite::PRAOS), twice.clone().into());
        assert!(matches!(fault, Err(TableError::ColumnTwice { name }) if name == "seed"));
    }
    let no_alpha = table(&[("seed", vec![&[7; 32]])]).schema();
    let fault = SecretTable::with_seeds(Suite::PRAOS).check(&no_alpha);
    assert!(matches!(fault, Err(TableError::MissingColumn { name, .. }) if name == "alpha"));
    let fault = SecretTable::with_seeds(None).check(&seeds.schema());
    assert!(matches!(fault, Err(TableError::NoSuite { column }) if column == "suite"));
}

/// True if a buffer of the batch contains the seed, as bytes or as hex.
fn contains(batch: &RecordBatch, seed: &[u8; 32]) -> bool {
    let digits = hex::encode(seed);
    batch.columns().iter().any(|column| {
        let data = column.to_data();
        data.buffers().iter().any(|buffer| {
            let has = |text: &[u8]| buffer.windows(text.len()).any(|window| window == text);
            has(seed) || has(digits.as_bytes())
        })
    })
}

#[test]
fn seeds_do_not_come_out() {
    let seeds = [[1; 32], [2; 32], [3; 32]];
    let hex = seeds.map(hex::encode);
    let [first, second, third] = hex.each_ref().map(String::as_str);
    let text = |values: [&str; 3]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
    // The fields of the second row are shifted, so that its seed is in the column `alpha`.
    let text = RecordBatch::try_from_iter([
        ("id", text(["A", "Smith", "B"])),
        ("seed", text([first, " John", third])),
        ("alpha", text(["aa", second, "cc"])),
    ]);
    let bytes = table(&[
        ("id", vec![b"A", &seeds[1], b"B"]),
        ("seed", seeds.each_ref().map(|seed| &seed[..]).into()),
        ("alpha", vec![b"a", b"b", b"c"]),
    ]);
    for batch in [text.unwrap(), bytes] {
        let mut rows = Rows::from(batch);
        let fault = Fault {
            place: "line 3".into(),
            what: "4 fields".into(),
        };
        rows.faults.insert(1, fault);
        for answer in ANSWERS {
            let outcome = answer(&SecretTable::with_seeds(Suite::PRAOS), rows.clone()).unwrap();
            let verdicts = texts(&outcome.batch, "verdict");
            assert_eq!(verdicts, ["valid", "invalid: line 3: 4 fields", "valid"]);
            assert!(outcome.batch["id"].is_null(1) && outcome.batch["id"].is_valid(2));
            assert!(outcome.batch.column_by_name("seed").is_none());
            for seed in &seeds {
                assert!(!contains(&outcome.batch, seed));
            }
        }
    }
}

#[test]
fn threads_share_a_table() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&VerifyTable::new(None));
    let prove = SecretTable::with_seeds(None);
    shared(&prove);
    // Two batches use the same seed in different suites. The batch that is proved later is refused.
    let refused = std::thread::scope(|scope| {
        let run = |(first_row, suite): (u64, &'static str)| {
            let prove = &prove;
            scope.spawn(move || prove.prove(rows_from(first_row, seed_in(5, suite))).err())
        };
        let threads = [(4097, "praos"), (1, "draft13")].map(run);
        let refused = threads.map(|thread| thread.join().unwrap());
        refused.into_iter().flatten().collect::<Vec<_>>()
    });
    assert_eq!(refused.len(), 1);
    let fault = refused[0].to_string();
    assert!(fault.starts_with("rows 1 and 4097 use one seed"), "{fault}");
}

#[test]
fn a_seed_has_one_suite_in_all_batches() {
    for answer in ANSWERS {
        let secret = SecretTable::with_seeds(None);
        for (first_row, seed, suite) in [(5002, 7, "praos"), (9000, 7, "praos"), (2, 8, "draft13")]
        {
            let outcome = answer(&secret, rows_from(first_row, seed_in(seed, suite)));
            assert_eq!(outcome.unwrap().invalid, []);
        }
        // Batches are proved in any order, but the error lists the rows in the order of the table.
        let fault = answer(&secret, rows_from(1, seed_in(7, "rfc9381-tai"))).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "rows 1 and 5002 use one seed with two suites (rfc9381-tai, praos): proofs in two suites \
             can reveal a key, expected one suite for each seed"
        );
        // A single batch must not have a seed in two suites either.
        let both = table(&[
            ("seed", vec![&[9; 32], &[9; 32]]),
            ("alpha", vec![b"", b""]),
            ("suite", vec![b"draft13", b"praos"]),
        ]);
        let fault = answer(&secret, rows_from(11, both))
            .unwrap_err()
            .to_string();
        assert!(fault.starts_with("rows 11 and 12 use one seed"), "{fault}");
    }
}
