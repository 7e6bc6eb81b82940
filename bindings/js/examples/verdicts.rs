//! The Rust library's verdict on every test vector, on this machine's fastest backend. The tests
//! compare the package's verdicts with it, and those of libklero.
//!
//! Reads a JSON object that has the vectors of each file, in an array. Prints one that has for
//! each vector the output in hex, or `invalid: ` and the reason.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;

use klero::{Claim, Suite};
use serde_json::Value;

type Vector = BTreeMap<String, Value>;

fn main() -> Result<(), Box<dyn Error>> {
    let files: BTreeMap<String, Vec<Vector>> = serde_json::from_reader(io::stdin())?;
    let mut verdicts = BTreeMap::new();
    for (file, vectors) in files {
        let of_file: Result<Vec<_>, _> = vectors.iter().map(verdict).collect();
        verdicts.insert(file, of_file?);
    }
    println!("{}", serde_json::to_string(&verdicts)?);
    Ok(())
}

fn verdict(vector: &Vector) -> Result<String, Box<dyn Error>> {
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
