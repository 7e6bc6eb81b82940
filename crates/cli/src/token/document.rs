//! JSON objects that people write: a fault is located by field, line and column.

use serde::de::DeserializeOwned;
use serde_json::Deserializer;

use super::given::Given;
use crate::error::Error;
use crate::secrets::repeats_secret;

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
        let (field, fault) = (error.path().to_string(), error.inner());
        let message = match field.as_str() {
            // The object itself.
            "." => fault.to_string(),
            field => format!("{field}: {fault}"),
        };
        if repeats_secret(&message) {
            let (line, column) = (fault.line(), fault.column());
            return format!(
                "not expected at line {line} column {column} (not shown, it looks like a secret)"
            );
        }
        message
    })?;
    reader.end().map_err(|fault| fault.to_string())?;
    Ok(read)
}
