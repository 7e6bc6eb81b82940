//! The Rust library's verdict on every test vector, on this machine's fastest backend. The tests
//! compare the package's verdicts with it.
//!
//! Prints a JSON object: for each file an array with the output in hex, or `invalid: ` and the
//! reason.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use klero::{Claim, Suite};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let mut verdicts = BTreeMap::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            verdicts.insert(name.into_owned(), of_file(&path)?);
        }
    }
    println!("{}", serde_json::to_string(&verdicts)?);
    Ok(())
}

fn of_file(path: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let vectors: Vec<BTreeMap<String, Value>> = serde_json::from_slice(&fs::read(path)?)?;
    vectors.iter().map(verdict).collect()
}

fn verdict(vector: &BTreeMap<String, Value>) -> Result<String, Box<dyn Error>> {
    let text = |name| vector.get(name).and_then(Value::as_str);
    let bytes = |name| hex::decode(text(name).unwrap_or_default());
    let suite: Suite = text("suite").unwrap_or_default().parse()?;
    let (key, alpha, proof, beta) = (bytes("pk")?, bytes("alpha")?, bytes("pi")?, bytes("beta")?);
    let claim = Claim {
        output: text("beta").map(|_| beta.as_slice()),
        ..Claim::new(&key, &alpha, &proof)
    };
    Ok(match suite.verify_many(&[claim])[0] {
        Ok(output) => output.to_string(),
        Err(reason) => format!("invalid: {reason}"),
    })
}
