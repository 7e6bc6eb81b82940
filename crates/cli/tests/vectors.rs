//! The public test vectors, as tables.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{Place, csv_column};
use serde::de::DeserializeOwned;
use serde_json::Value;

fn load<T: DeserializeOwned>(name: &str) -> T {
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

/// Rows `key,alpha,proof,output` of each suite, and whether they are valid.
#[derive(Default)]
struct Tables(BTreeMap<&'static str, Vec<(String, bool)>>);

impl Tables {
    fn add(&mut self, suite: &str, vector: &Value, valid: bool) {
        let suite: klero::Suite = suite.parse().unwrap();
        let columns = ["pk", "alpha", "pi", "beta"].map(|field| text(vector, field));
        let rows = self.0.entry(suite.name()).or_default();
        rows.push((columns.join(","), valid));
    }
}

#[test]
fn the_vectors_of_a_suite_in_one_table_get_their_verdicts() {
    let mut tables = Tables::default();
    for file in [
        "rfc9381.json",
        "cardano-base.json",
        "cross-implementation.json",
        "more-suites.json",
        "edge-cases.json",
        "hostile.json",
    ] {
        for vector in load::<Vec<Value>>(file) {
            let valid = vector["valid"].as_bool().unwrap();
            tables.add(text(&vector, "suite"), &vector, valid);
        }
    }
    // A result of "acceptable" is invalid here: the command validates keys.
    let file: Value = load("ecvrf.json");
    for group in file["testGroups"].as_array().unwrap() {
        for test in group["tests"].as_array().unwrap() {
            tables.add(text(group, "suite"), test, test["result"] == "valid");
        }
    }
    let place = Place::new();
    for (suite, rows) in tables.0 {
        let lines: String = rows.iter().map(|(row, _)| format!("{row}\n")).collect();
        place.write("t.csv", format!("key,alpha,proof,output\n{lines}"));
        let line = format!("batch verify t.csv --suite {suite} --out v.csv");
        place.run(&line).ends(1);
        let verdicts = csv_column(&place.read("v.csv"), "verdict");
        assert_eq!(verdicts.len(), rows.len());
        for ((row, valid), verdict) in rows.iter().zip(verdicts) {
            assert_eq!(verdict == "valid", *valid, "{suite}: {row}: {verdict}");
        }
    }
}
