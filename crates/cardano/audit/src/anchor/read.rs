//! Files of anchors, as other programs write them.

use std::path::Path;

use klero_cardano::{Hash, Network, Nonce};
use serde_json::{Deserializer, Map, Value};

use super::Anchor;
use crate::error::AuditError;

/// The maximum size of a file of anchors, in bytes. Mainnet's file of checkpoints has 330 KB. db-sync's table
/// of the parameters of all epochs, exported with all columns, has a few megabytes.
const LONGEST: u64 = 16 << 20;

const EXPECTED: &str = r#"expected [{"epoch_no": 208, "nonce": "64 hexadecimal digits"}, …] or {"checkpoints": [{"blockNo": 2000, "hash": "64 hexadecimal digits"}, …]}"#;

/// Reads the anchor in a text of the form `SLOT:HASH`, `tip=SLOT:HASH` or `EPOCH=NONCE`. Any other text is
/// the name of a JSON file. Its anchors have one of the following forms:
///
/// * **Nonces**, `[{"epoch_no": 208, "nonce": "1a3b…"}, …]`, as db-sync and Koios write them, or with `epoch`
///   instead of `epoch_no`, as Blockfrost does. The file is a list, JSON lines or a single object. A nonce
///   has 64 hexadecimal digits, with or without `\x` or `0x` before them. An entry with the nonce `null`, as
///   for epochs before Shelley, is ignored.
/// * The answer to **`cardano-cli query protocol-state`**. Its `epochNonce` is the nonce of the epoch that
///   contains the slot `lastSlot`. If the argument `epoch` is given, it must be the same epoch. An answer
///   without `lastSlot` is about the epoch `epoch`.
/// * **Checkpoints**, `{"checkpoints": [{"blockNo": 2000, "hash": "a82e…"}, …]}`. A node's configuration
///   gives the name of this file as `CheckpointsFile`.
///
/// Other fields are ignored.
///
/// # Errors
/// [`AuditError::Anchor`], if the text is neither an anchor nor the name of a readable file, if the file has
/// more than 16 MiB, or if an entry has another form.
pub fn read_anchors(
    text: &Path,
    network: &Network,
    epoch: Option<u64>,
) -> Result<Vec<Anchor>, AuditError> {
    let is_anchor = |text: &&str| {
        let name = text.split([':', '=']).next().filter(|name| name != text);
        name.is_some_and(|name| name == "tip" || name.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if let Some(text) = text.to_str().filter(is_anchor) {
        return Ok(vec![text.parse()?]);
    }
    let json = klero_support::read_text(text, LONGEST).map_err(|error| {
        let expected = match error.is_not_found() {
            true => "; expected SLOT:HASH, tip=SLOT:HASH, EPOCH=NONCE or a file",
            false => "",
        };
        AuditError::Anchor(format!("{error}{expected}"))
    })?;
    let anchors = of_json(&json, network, epoch);
    anchors.map_err(|reason| AuditError::Anchor(format!("{}: {reason}", text.display())))
}

/// Reads the anchors in JSON: one or more lists or objects, one after another, as in JSON lines.
fn of_json(json: &str, network: &Network, epoch: Option<u64>) -> Result<Vec<Anchor>, String> {
    if json.trim().is_empty() {
        return Err(format!("it is empty; {EXPECTED}"));
    }
    let mut anchors = Vec::new();
    let mut number = 0;
    for value in Deserializer::from_str(json).into_iter() {
        let mut value: Value = value.map_err(|error| format!("{error}; {EXPECTED}"))?;
        let entries = match value.get_mut("checkpoints") {
            Some(checkpoints) => checkpoints.take(),
            None => value,
        };
        let entries = match entries {
            Value::Array(entries) => entries,
            entry => vec![entry],
        };
        for entry in entries {
            number += 1;
            let anchor = entry.as_object().ok_or_else(|| EXPECTED.into());
            let anchor = anchor.and_then(|entry| of_entry(entry, network, epoch));
            anchors.extend(anchor.map_err(|reason| format!("entry {number}: {reason}"))?);
        }
    }
    Ok(anchors)
}

/// Reads the anchor in an entry. Returns `None` if the entry's nonce is `null` or neutral.
fn of_entry(
    entry: &Map<String, Value>,
    network: &Network,
    asked: Option<u64>,
) -> Result<Option<Anchor>, String> {
    let field = |name: &str| entry.get(name).filter(|value| !value.is_null());
    if let Some(number) = field("blockNo") {
        let number = number
            .as_u64()
            .ok_or("expected the number of a block as blockNo")?;
        let hash = field("hash").and_then(Value::as_str).and_then(hash);
        let hash = hash
            .ok_or_else(|| format!("the hash of block {number}: expected 64 hexadecimal digits"))?;
        return Ok(Some(Anchor::Number { number, hash }));
    }
    let epoch = match (field("epoch_no"), field("epoch")) {
        (Some(_), Some(_)) => return Err("it has both epoch_no and epoch: expected one".into()),
        (Some(epoch), None) | (None, Some(epoch)) => {
            let number = epoch.as_u64().or_else(|| epoch.as_str()?.parse().ok());
            number.ok_or("expected the number of an epoch")?
        }
        (None, None) if entry.contains_key("epochNonce") => {
            of_protocol_state(field("lastSlot"), network, asked)?
        }
        (None, None) => return Err(format!("it names no epoch and no block; {EXPECTED}")),
    };
    let nonce = entry.get("nonce").or_else(|| entry.get("epochNonce"));
    let nonce = nonce.ok_or_else(|| format!("it has no nonce of epoch {epoch}"))?;
    let digits = match nonce {
        Value::Null => return Ok(None),
        // Older versions of `cardano-cli` wrote a nonce as an object with a `tag`.
        Value::Object(tagged) => match tagged.get("tag").and_then(Value::as_str) {
            Some("NeutralNonce") => return Ok(None),
            _ => tagged.get("contents"),
        },
        digits => Some(digits),
    };
    let nonce = digits.and_then(Value::as_str).and_then(hash);
    let nonce = nonce.ok_or_else(|| {
        format!("the nonce of epoch {epoch}: expected 64 hexadecimal digits, or null")
    })?;
    let nonce = Nonce::Value(nonce);
    Ok(Some(Anchor::Nonce { epoch, nonce }))
}

/// The epoch of the nonce in an answer to `query protocol-state`.
fn of_protocol_state(
    last: Option<&Value>,
    network: &Network,
    asked: Option<u64>,
) -> Result<u64, String> {
    let Some(slot) = last else {
        return asked.ok_or_else(|| "it names no epoch: expected epoch_no or lastSlot".into());
    };
    let slot = slot
        .as_u64()
        .ok_or("expected the number of a slot as lastSlot")?;
    let epoch = network.epoch(slot);
    match asked {
        Some(asked) if asked != epoch => Err(format!(
            "its lastSlot {slot} is in epoch {epoch} of {}, so its epochNonce is not that of epoch \
             {asked}",
            network.name()
        )),
        _ => Ok(epoch),
    }
}

/// Reads 64 hexadecimal digits, with or without a prefix (`\x`, `0x` or `0X`), which databases add.
fn hash(text: &str) -> Option<Hash<32>> {
    let digits = ["\\x", "0x", "0X"]
        .iter()
        .find_map(|mark| text.strip_prefix(mark));
    digits.unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests;
