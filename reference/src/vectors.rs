//! Reads the test vectors of the directory `vectors/`, whose README describes the format.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::suite::Suite;

/// A claim, and whether it is valid.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The suite.
    pub suite: &'static Suite,
    /// Which vector it is: the file and the name in it.
    pub name: String,
    /// The seed of the secret key, if the vector contains it.
    pub sk: Option<[u8; 32]>,
    /// The public key.
    pub pk: Vec<u8>,
    /// The input.
    pub alpha: Vec<u8>,
    /// The proof.
    pub pi: Vec<u8>,
    /// The output, if the vector contains it.
    pub beta: Option<Vec<u8>>,
    /// Whether verification must accept the claim.
    pub valid: bool,
    entry: Value,
}

impl Vector {
    /// Another field, in hex.
    ///
    /// # Panics
    /// If the vector does not have the field, or if it is not hex.
    pub fn field(&self, field: &str) -> Vec<u8> {
        bytes(&self.entry, field).unwrap_or_else(|| panic!("{} has no field {field}", self.name))
    }
}

/// All vectors of a file in `vectors/`.
///
/// # Panics
/// If the file cannot be read, or if it does not have the format of the README.
pub fn read(file: &str) -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../vectors")
        .join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let entries: Vec<Value> =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    entries
        .into_iter()
        .map(|entry| vector(file, entry))
        .collect()
}

fn vector(file: &str, entry: Value) -> Vector {
    let text = |field: &str| {
        entry[field]
            .as_str()
            .unwrap_or_else(|| panic!("{field}: {entry}"))
    };
    let required = |field| bytes(&entry, field).unwrap_or_else(|| panic!("{field}: {entry}"));
    Vector {
        suite: Suite::named(text("suite")).unwrap_or_else(|| panic!("suite: {entry}")),
        name: format!("{file}, {}", text("name")),
        sk: bytes(&entry, "sk").map(|sk| sk.try_into().expect("sk has 32 bytes")),
        pk: required("pk"),
        alpha: required("alpha"),
        pi: required("pi"),
        beta: bytes(&entry, "beta"),
        valid: entry["valid"]
            .as_bool()
            .unwrap_or_else(|| panic!("valid: {entry}")),
        entry,
    }
}

/// The bytes of a field in hex; None if there is no such field.
fn bytes(entry: &Value, field: &str) -> Option<Vec<u8>> {
    let text = entry.get(field)?.as_str();
    let text = text.unwrap_or_else(|| panic!("{field} is not a text: {entry}"));
    Some(hex::decode(text).unwrap_or_else(|error| panic!("{field}: {error}: {entry}")))
}
