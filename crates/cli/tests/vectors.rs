//! The public test vectors, as tables.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{Place, csv_column};
use serde_json::Value;

/// Rows of a suite: `key,alpha,proof,output` and whether they are valid.
#[derive(Default)]
struct Tables(BTreeMap<&'static str, Vec<(String, bool)>>);

impl Tables {
    fn add(&mut self, suite: &str, columns: [&str; 4], valid: bool) {
        let suite: klero::Suite = suite.parse().unwrap();
        self.0
            .entry(suite.name())
            .or_default()
            .push((columns.join(","), valid));
    }

    fn check(self) {
        let place = Place::new();
        for (suite, rows) in self.0 {
            let text: String = rows.iter().map(|(row, _)| format!("{row}\n")).collect();
            place.write("t.csv", format!("key,alpha,proof,output\n{text}"));
            let all_valid = rows.iter().all(|(_, valid)| *valid);
            for format in ["csv", "jsonl", "parquet"] {
                let out = format!("t.{format}");
                let line = format!("batch verify t.csv --suite {suite} --out {out} --force");
                place.run(&line).ends(if all_valid { 0 } else { 1 });
                place.run(&format!("batch verify {out} --suite {suite} --out v.csv"));
                let verdicts = csv_column(&place.read("v.csv"), "verdict");
                assert_eq!(verdicts.len(), rows.len());
                for ((row, valid), verdict) in rows.iter().zip(verdicts) {
                    assert_eq!(verdict == "valid", *valid, "{suite}: {row}: {verdict}");
                }
            }
        }
    }
}

fn load<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../vectors")
        .join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_str(&text).unwrap()
}

/// A field of a vector; one that is missing is empty.
fn text<'a>(vector: &'a Value, field: &str) -> &'a str {
    vector[field].as_str().unwrap_or_default()
}

/// All vectors of these files, in tables, get their verdicts.
fn check(files: &[&str]) {
    let mut tables = Tables::default();
    for vector in files.iter().flat_map(|file| load::<Vec<Value>>(file)) {
        let columns = ["pk", "alpha", "pi", "beta"].map(|field| text(&vector, field));
        tables.add(
            text(&vector, "suite"),
            columns,
            vector["valid"].as_bool().unwrap(),
        );
    }
    tables.check();
}

#[test]
fn published_proofs_are_valid() {
    check(&[
        "rfc9381.json",
        "cross-implementation.json",
        "more-suites.json",
    ]);
}

#[test]
fn claims_that_divide_verifiers_get_their_verdict() {
    check(&["edge-cases.json", "hostile.json"]);
}

/// The tests of `ecvrf.json`. What is acceptable is invalid here: keys are validated.
#[test]
fn a_verifier_passes_its_tests() {
    let mut tables = Tables::default();
    let file: Value = load("ecvrf.json");
    for group in file["testGroups"].as_array().unwrap() {
        for test in group["tests"].as_array().unwrap() {
            let columns = ["pk", "alpha", "pi", "beta"].map(|field| text(test, field));
            tables.add(text(group, "suite"), columns, test["result"] == "valid");
        }
    }
    tables.check();
}

#[test]
fn cardano_vectors_are_proved_and_verified() {
    let place = Place::new();
    for vector in load::<Vec<Value>>("cardano-base.json") {
        let [suite, seed, key, alpha, proof, output] =
            ["suite", "sk", "pk", "alpha", "pi", "beta"].map(|field| text(&vector, field));
        place.write("seed", seed);
        place.write("alpha", hex::decode(alpha).unwrap());
        let proved = place
            .run(&format!(
                "prove --suite {suite} --key seed --alpha-file alpha"
            ))
            .ends(0);
        assert_eq!(
            proved.stdout,
            format!("proof:  {proof}\noutput: {output}\n")
        );
        let verified = place
            .run(&format!(
                "verify --suite {suite} --key {key} --alpha-file alpha --proof {proof} --output {output}"
            ))
            .ends(0);
        assert_eq!(verified.stdout, format!("output: {output}\nvalid\n"));
    }
}
