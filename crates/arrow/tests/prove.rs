//! [`SecretTable::prove`]: proofs that verify, and seeds that nobody sees.

mod common;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use klero::{SecretKey, Suite};
use klero_arrow::{Columns, Encoding, Fault, Options, Rows, SecretTable, TableError, VerifyTable};

use common::{contains, rows_from, table, texts};

#[test]
fn what_is_proved_verifies() {
    let alphas = table(&[("alpha", vec![b"a", b""])]);
    let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
    let prove = SecretTable::new(key.clone());
    prove.check(&alphas.schema()).unwrap();
    let proved = prove.prove(alphas).unwrap();
    assert_eq!(proved.invalid, []);
    assert!(proved.batch["proof"].data_type() == &DataType::Binary);
    let outcome = VerifyTable::new(Suite::PRAOS).verify(proved.batch).unwrap();
    assert_eq!(texts(&outcome.batch, "verdict"), ["valid", "valid"]);

    // The key is of one suite, and there is one key.
    let text = |text: &str| Arc::new(StringArray::from(vec![text])) as _;
    let other = [("alpha", text("00")), ("suite", text("draft13"))];
    let outcome = prove.prove(RecordBatch::try_from_iter(other).unwrap());
    assert_eq!(
        texts(&outcome.unwrap().batch, "verdict"),
        ["invalid: suite is draft13, expected praos as for the whole table"]
    );
    let seeds = table(&[("seed", vec![&[7; 32]]), ("alpha", vec![b""])]);
    for fault in [
        prove.check(&seeds.schema()).unwrap_err(),
        prove.prove(seeds).unwrap_err(),
    ] {
        assert!(matches!(fault, TableError::KeyAndSeeds { column } if column == "seed"));
    }
    let shown = format!("{prove:?}");
    assert!(!shown.contains(&hex::encode(key.public_key())), "{shown}");
}

#[test]
fn new_columns_are_text_in_the_encoding_that_is_read() {
    let text = |text: String| Arc::new(StringArray::from(vec![text])) as _;
    let table = |alpha: &str| {
        let seed = text(STANDARD.encode([7; 32]));
        let columns = [("seed", seed), ("alpha", text(alpha.into()))];
        RecordBatch::try_from_iter(columns).unwrap()
    };
    let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
    let prove = SecretTable::with_seeds(Suite::PRAOS).options(Options {
        encoding: Encoding::Base64,
        ..Options::default()
    });
    let encoded = prove.prove(table(&STANDARD.encode("slot 1"))).unwrap();
    let options = Options {
        encoding: Encoding::Base64,
        plain_alphas: true,
        ..Options::default()
    };
    let plain = prove.options(options).prove(table("slot 1")).unwrap();
    for outcome in [encoded, plain] {
        assert_eq!(outcome.invalid, []);
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
    let bytes = |text: String| Arc::new(BinaryArray::from_vec(vec![text.as_bytes()])) as ArrayRef;
    let columns = [
        ("seed", bytes("07".repeat(32))),
        ("alpha", bytes("00ff".into())),
    ];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    let named = SecretTable::with_seeds(Suite::PRAOS).prove(table.clone());
    assert_eq!(
        named.unwrap().invalid[0].reason,
        "seed is hex in a binary column, expected its bytes, or the option for binary text"
    );
    let options = Options {
        binary_text: true,
        ..Options::default()
    };
    let prove = SecretTable::with_seeds(Suite::PRAOS).options(options);
    let (proof, _) = SecretKey::from_seed(Suite::PRAOS, &[7; 32]).prove(&[0, 0xff]);
    let batch = prove.prove(table).unwrap().batch;
    assert_eq!(texts(&batch, "proof"), [hex::encode(proof.as_bytes())]);
}

#[test]
fn seeds_do_not_come_out() {
    let seeds = [[1; 32], [2; 32], [3; 32]].map(hex::encode);
    let [first, shifted, last] = seeds.each_ref().map(String::as_str);
    let columns = ["id", "seed", "alpha"].map(|name| Field::new(name, DataType::Utf8, false));
    let batch = RecordBatch::try_new(
        Arc::new(Schema::new(columns.to_vec())),
        vec![
            Arc::new(StringArray::from(vec!["A", "Smith", "B"])),
            Arc::new(StringArray::from(vec![first, " John", last])),
            Arc::new(StringArray::from(vec!["aa", shifted, "cc"])),
        ],
    );
    let mut rows = Rows::from(batch.unwrap());
    let fault = Fault {
        place: "line 3".into(),
        what: "4 fields".into(),
    };
    rows.faults.insert(1, fault);
    let outcome = SecretTable::with_seeds(Suite::PRAOS).prove(rows).unwrap();
    assert_eq!(
        texts(&outcome.batch, "verdict"),
        ["valid", "invalid: line 3: 4 fields", "valid"]
    );
    assert_eq!(texts(&outcome.batch, "id"), ["A", "", "B"]);
    assert!(outcome.batch.column_by_name("seed").is_none());
    for seed in [[1; 32], [2; 32], [3; 32]] {
        assert!(!contains(&outcome.batch, &seed));
    }

    // Of two columns of seeds one would stay.
    let columns = ["seed", "seed", "alpha"].map(|name| Field::new(name, DataType::Utf8, false));
    let batch = RecordBatch::new_empty(Arc::new(Schema::new(columns.to_vec())));
    let fault = SecretTable::with_seeds(Suite::PRAOS).prove(batch);
    assert!(matches!(fault, Err(TableError::ColumnTwice { name }) if name == "seed"));
    // By another name, it is a seed all the same.
    let columns = Columns {
        seed: "secret".into(),
        ..Columns::default()
    };
    let batch = table(&[("secret", vec![&[9; 32]]), ("alpha", vec![b""])]);
    let prove = SecretTable::with_seeds(Suite::PRAOS).options(Options {
        columns,
        ..Options::default()
    });
    let outcome = prove.prove(batch).unwrap();
    assert_eq!(outcome.invalid, []);
    assert!(outcome.batch.column_by_name("secret").is_none());
}

#[test]
fn threads_share_a_table() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&VerifyTable::new(None));
    let prove = SecretTable::with_seeds(None);
    shared(&prove);
    // Of two batches with one seed in two suites, one is refused, whichever comes first.
    let refused = std::thread::scope(|scope| {
        let run = |(first_row, suite): (u64, &'static str)| {
            let prove = &prove;
            scope.spawn(move || {
                let batch = table(&[
                    ("seed", vec![&[5; 32]]),
                    ("alpha", vec![b""]),
                    ("suite", vec![suite.as_bytes()]),
                ]);
                prove.prove(rows_from(first_row, batch)).err()
            })
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
    let batch = |seed: u8, suite: &str| {
        table(&[
            ("seed", vec![&[seed; 32]]),
            ("alpha", vec![b""]),
            ("suite", vec![suite.as_bytes()]),
        ])
    };
    let prove = SecretTable::with_seeds(None);
    assert_eq!(
        prove
            .prove(rows_from(5002, batch(7, "praos")))
            .unwrap()
            .invalid,
        []
    );
    assert_eq!(
        prove
            .prove(rows_from(9000, batch(7, "praos")))
            .unwrap()
            .invalid,
        []
    );
    assert_eq!(
        prove
            .prove(rows_from(2, batch(8, "draft13")))
            .unwrap()
            .invalid,
        []
    );
    // Batches come in the order in which threads finish them; the rows are named in theirs.
    let fault = prove
        .prove(rows_from(1, batch(7, "rfc9381-tai")))
        .unwrap_err();
    assert_eq!(
        fault.to_string(),
        "rows 1 and 5002 use one seed with two suites (rfc9381-tai, praos): proofs in two suites \
         can reveal a key, expected one suite for each seed"
    );
    // Within a batch, too.
    let both = table(&[
        ("seed", vec![&[9; 32], &[9; 32]]),
        ("alpha", vec![b"", b""]),
        ("suite", vec![b"draft13", b"praos"]),
    ]);
    let fault = prove.prove(rows_from(11, both)).unwrap_err().to_string();
    assert!(fault.starts_with("rows 11 and 12 use one seed"), "{fault}");
}
