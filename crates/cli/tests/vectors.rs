//! The public test vectors, as tables.

mod common;

use std::collections::BTreeMap;
use std::fs;

use common::{Place, csv_column, vectors};
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
                let line = format!("batch verify t.csv --suite {suite} --out {out}");
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

fn load(name: &str) -> Option<Vec<Value>> {
    let text = fs::read_to_string(vectors()?.join(name)).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn published_proofs_are_valid() {
    let mut tables = Tables::default();
    for name in ["rfc9381.json", "more-suites.json"] {
        for vector in load(name).unwrap_or_default() {
            let [suite, key, alpha, proof, output] =
                ["suite", "pk", "alpha", "pi", "beta"].map(|name| vector[name].as_str().unwrap());
            tables.add(suite, [key, alpha, proof, output], true);
        }
    }
    for vector in load("cross-implementation.json").unwrap_or_default() {
        let text = |name: &str| vector[name].as_str().unwrap();
        for name in vector.as_object().unwrap().keys() {
            if let Some(suite) = name.strip_suffix("_pi") {
                let output = text(&format!("{suite}_beta")).to_owned();
                tables.add(
                    suite,
                    [text("pk"), text("alpha"), text(name), &output],
                    true,
                );
            }
        }
    }
    tables.check();
}

#[test]
fn cases_made_to_divide_verifiers_get_their_verdict() {
    let mut tables = Tables::default();
    for name in ["edge-cases.json", "hostile.json"] {
        for vector in load(name).unwrap_or_default() {
            let text = |name: &str| vector[name].as_str().unwrap_or_default();
            let columns = [text("pk"), text("alpha"), text("pi"), text("beta")];
            tables.add(text("suite"), columns, vector["valid"].as_bool().unwrap());
        }
    }
    tables.check();
}

#[test]
fn cardano_vectors_are_proved_and_verified() {
    let Some(directory) = vectors() else { return };
    let place = Place::new();
    for entry in fs::read_dir(directory.join("cardano-base")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let lines: BTreeMap<_, _> = text
            .lines()
            .filter_map(|line| line.split_once(": "))
            .collect();
        let suite = if lines["ver"] == "ietfdraft03" {
            "praos"
        } else {
            "draft13-bc"
        };
        let alpha = if lines["alpha"] == "empty" {
            ""
        } else {
            lines["alpha"]
        };
        place.write("seed", lines["sk"]);
        place.write("alpha", hex::decode(alpha).unwrap());
        let proved = place
            .run(&format!(
                "prove --suite {suite} --key seed --alpha-file alpha"
            ))
            .ends(0);
        let (proof, output) = (lines["pi"], lines["beta"]);
        assert_eq!(
            proved.stdout,
            format!("proof:  {proof}\noutput: {output}\n")
        );
        let verified = place
            .run(&format!(
                "verify --suite {suite} --key {} --alpha-file alpha --proof {proof} --output {output}",
                lines["pk"]
            ))
            .ends(0);
        assert_eq!(verified.stdout, format!("output: {output}\nvalid\n"));
    }
}
