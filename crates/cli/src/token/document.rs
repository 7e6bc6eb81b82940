//! JSON objects that people write: a fault is located by field, line and column.

use serde::de::DeserializeOwned;
use serde_json::Deserializer;

use super::given::Given;
use crate::error::Error;
use crate::secrets::{HIDDEN, repeats_secret};

/// Reads an object.
pub fn read<T: DeserializeOwned>(given: &Given) -> Result<T, Error> {
    let content = given.read_small()?;
    parse(&content).map_err(|fault| given.unreadable(fault))
}

fn parse<T: DeserializeOwned>(json: &[u8]) -> Result<T, String> {
    // Serde would also read the members from an array, in an order that nobody sees.
    if !json.trim_ascii_start().starts_with(b"{") {
        return Err("expected a JSON object".into());
    }
    let mut reader = Deserializer::from_slice(json);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let (line, column) = (error.inner().line(), error.inner().column());
        let (field, fault) = (error.path().to_string(), error.inner().to_string());
        let fault = match fault.rsplit_once(", expected ") {
            _ if !repeats_secret(&fault) => fault,
            // It ends with the line and the column.
            Some((_, expected)) if !repeats_secret(expected) => {
                format!("{HIDDEN}, expected {expected}")
            }
            _ => format!("{HIDDEN} at line {line} column {column}"),
        };
        match field.as_str() {
            // The object itself.
            "." => fault,
            field if repeats_secret(field) => format!("{HIDDEN}: {fault}"),
            field => format!("{field}: {fault}"),
        }
    })?;
    reader.end().map_err(|fault| fault.to_string())?;
    Ok(read)
}
