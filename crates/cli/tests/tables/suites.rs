//! A table with rows of every suite. Each row is verified in its own suite.

use klero::{SecretKey, Suite};
use serde_json::Value;

use crate::common::{Place, csv_column};

#[test]
fn every_suite_judges_its_rows() {
    let mut table = "key,alpha,proof,output,suite\n".to_owned();
    let mut expected = Vec::new();
    for (n, suite) in Suite::ALL.iter().enumerate() {
        let key = SecretKey::from_seed(*suite, &[n as u8; 32]);
        let (proof, output) = key.prove(b"alpha");
        let [key, proof] = [key.public_key().as_bytes(), proof.as_bytes()].map(hex::encode);
        let output = hex::encode(output.0);
        for (alpha, verdict) in [("616c706861", "valid"), ("616c7068", "invalid")] {
            table += &format!("{key},{alpha},{proof},{output},{}\n", suite.name());
            expected.push(verdict);
        }
    }
    // Add claims that only a verifier without key validation may accept. The command validates keys.
    let file = include_str!("../../../../vectors/ecvrf.json");
    let file: Value = serde_json::from_str(file).unwrap();
    for group in file["testGroups"].as_array().unwrap() {
        let mut tests = group["tests"].as_array().unwrap().iter();
        if let Some(test) = tests.find(|test| test["result"] == "acceptable") {
            let row = ["pk", "alpha", "pi", "beta"].map(|of| test[of].as_str().unwrap_or_default());
            table += &format!("{},{}\n", row.join(","), group["suite"].as_str().unwrap());
            expected.push("invalid");
        }
    }
    assert!(expected.len() > 2 * Suite::ALL.len());
    let place = Place::new();
    place.write("t.csv", table);
    place.run("batch verify t.csv --out v.csv").ends(1);
    let verdicts = csv_column(&place.read("v.csv"), "verdict");
    let verdicts = verdicts
        .iter()
        .map(|verdict| verdict.split(':').next().unwrap());
    assert!(verdicts.eq(expected));
}
