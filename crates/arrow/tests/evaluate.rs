//! [`SecretTable::evaluate`]: the outputs of [`SecretTable::prove`], and seeds that nobody sees.

mod common;

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use klero::{SecretKey, Suite};
use klero_arrow::{Columns, Fault, Options, Rows, SecretTable, TableError, is_json};

use common::{contains, rows_from, table, texts};

fn names(batch: &RecordBatch) -> Vec<String> {
    let schema = batch.schema();
    schema.fields().iter().map(|f| f.name().clone()).collect()
}

#[test]
fn outputs_are_those_of_proofs() {
    let key = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
    let secret = SecretTable::new(key.clone());
    let bytes = table(&[("alpha", vec![b"a", b"", b"c"])]);
    let hex: ArrayRef = Arc::new(LargeStringArray::from(vec!["61", "", "6g"]));
    let hex = RecordBatch::try_from_iter([("alpha", hex)]).unwrap();
    for (alphas, data_type) in [(bytes, DataType::Binary), (hex, DataType::Utf8)] {
        secret.check(&alphas.schema()).unwrap();
        let proved = secret.prove(alphas.clone()).unwrap();
        let evaluated = secret.evaluate(alphas).unwrap();
        assert_eq!(
            names(&evaluated.batch),
            ["alpha", "key", "output", "verdict"]
        );
        assert_eq!(evaluated.batch["output"].data_type(), &data_type);
        for name in ["alpha", "key", "output", "verdict"] {
            assert_eq!(&evaluated.batch[name], &proved.batch[name], "{name}");
        }
        assert_eq!(evaluated.invalid, proved.invalid);
    }
    let shown = format!("{secret:?}");
    assert!(!shown.contains(&hex::encode(key.public_key())), "{shown}");
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
fn columns_have_other_names() {
    let columns = Columns {
        alpha: "input".into(),
        seed: "secret".into(),
        output: "beta".into(),
        ..Columns::default()
    };
    // Neither `output` nor `proof` has a meaning here: both pass through.
    let batch = table(&[
        ("secret", vec![&[9; 32]]),
        ("input", vec![b"in"]),
        ("output", vec![b"out"]),
        ("proof", vec![b"old"]),
    ]);
    let evaluate = SecretTable::with_seeds(Suite::PRAOS).options(Options {
        columns,
        ..Options::default()
    });
    let outcome = evaluate.evaluate(batch.clone()).unwrap();
    assert_eq!(
        names(&outcome.batch),
        ["input", "output", "proof", "key", "beta", "verdict"]
    );
    assert_eq!(&outcome.batch["output"], &batch["output"]);
    assert_eq!(&outcome.batch["proof"], &batch["proof"]);
    let key = SecretKey::from_seed(Suite::PRAOS, &[9; 32]);
    let expected = table(&[("beta", vec![key.evaluate(b"in").as_bytes()])]);
    assert_eq!(&outcome.batch["beta"], &expected["beta"]);
}

#[test]
fn tables_that_cannot_be_evaluated_are_refused() {
    let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
    let evaluate = SecretTable::new(key);
    let seeds = table(&[("seed", vec![&[7; 32]]), ("alpha", vec![b""])]);
    for fault in [
        evaluate.check(&seeds.schema()).unwrap_err(),
        evaluate.evaluate(seeds.clone()).unwrap_err(),
    ] {
        assert!(matches!(fault, TableError::KeyAndSeeds { column } if column == "seed"));
    }
    let no_alpha = table(&[("seed", vec![&[7; 32]])]).schema();
    let fault = SecretTable::with_seeds(Suite::PRAOS).check(&no_alpha);
    assert!(matches!(fault, Err(TableError::MissingColumn { name, .. }) if name == "alpha"));
    let fault = SecretTable::with_seeds(None).check(&seeds.schema());
    assert!(matches!(fault, Err(TableError::NoSuite { column }) if column == "suite"));
}

#[test]
fn seeds_do_not_come_out() {
    let seeds = [[1; 32], [2; 32], [3; 32]];
    let batch = table(&[
        ("id", vec![b"A", b"B", &seeds[2]]),
        ("seed", seeds.each_ref().map(|seed| &seed[..]).into()),
        ("alpha", vec![b"a", b"b", b"c"]),
    ]);
    let mut rows = Rows::from(batch);
    let fault = Fault {
        place: "line 4".into(),
        what: "2 fields".into(),
    };
    rows.faults.insert(2, fault);
    let outcome = SecretTable::with_seeds(Suite::PRAOS)
        .evaluate(rows)
        .unwrap();
    assert_eq!(
        texts(&outcome.batch, "verdict"),
        ["valid", "valid", "invalid: line 4: 2 fields"]
    );
    assert!(outcome.batch.column_by_name("seed").is_none());
    for seed in &seeds {
        assert!(!contains(&outcome.batch, seed));
    }
}

#[test]
fn a_seed_has_one_suite_in_all_batches() {
    let batch = |suite: &str| {
        table(&[
            ("seed", vec![&[7; 32]]),
            ("alpha", vec![b""]),
            ("suite", vec![suite.as_bytes()]),
        ])
    };
    let evaluate = SecretTable::with_seeds(None);
    for first_row in [5002, 9000] {
        let outcome = evaluate.evaluate(rows_from(first_row, batch("praos")));
        assert_eq!(outcome.unwrap().invalid, []);
    }
    let fault = evaluate
        .evaluate(rows_from(1, batch("rfc9381-tai")))
        .unwrap_err();
    assert_eq!(
        fault.to_string(),
        "rows 1 and 5002 use one seed with two suites (rfc9381-tai, praos): proofs in two suites \
         can reveal a key, expected one suite for each seed"
    );
}
