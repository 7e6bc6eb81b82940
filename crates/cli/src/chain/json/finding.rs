//! A finding of an audit as a JSON object, whose fields are those of its kind.

use klero_audit::{BlockId, Failure, Finding, Occurrence};
use klero_cardano::{Difference, Severity};
use klero_leader::NoLeader;
use serde_json::{Value, json};

/// The first occurrence, with `count` and the place of the last.
pub fn finding(finding: &Finding) -> Value {
    let mut value = occurrence(&finding.first);
    value["count"] = finding.count.into();
    value["last"] = match &finding.last {
        Some(last) => {
            let (slot, hash) = last.block();
            json!({"slot": slot, "block": hash.map(|hash| hash.to_string())})
        }
        None => Value::Null,
    };
    value
}

fn occurrence(occurrence: &Occurrence) -> Value {
    let name = occurrence.name();
    match occurrence {
        Occurrence::Read(finding) => of_reading(name, finding),
        Occurrence::Failed { block, failure } => {
            let mut value = of_block(name, block);
            if let Failure::Proof { kind, .. } = failure {
                value["proof"] = kind.name().into();
            }
            if let Failure::NoLeader(why) = failure {
                no_leader(why, &mut value);
            }
            value["reason"] = match failure {
                Failure::LeaderValue => "not below f".into(),
                _ => failure.reason().into(),
            };
            value
        }
        Occurrence::EpochNonce {
            block,
            expected,
            found,
        } => {
            let mut value = of_block(name, block);
            value["expected"] = expected.to_string().into();
            value["found"] = found.to_string().into();
            value["reason"] = "not the nonce that the network is known to have".into();
            value
        }
        Occurrence::Checkpoint {
            block,
            number,
            expected,
        } => {
            let mut value = of_block(name, block);
            value["number"] = (*number).into();
            value["expected"] = expected.to_string().into();
            value["reason"] = "not the block of the checkpoint".into();
            value
        }
        Occurrence::Ledger {
            block,
            difference: of,
        } => {
            let mut value = of_block(name, block);
            difference(of, &mut value);
            value["reason"] = of.to_string().into();
            value
        }
        _ => json!({"finding": name, "reason": occurrence.to_string()}),
    }
}

/// Adds the numbers of a pool that may not lead.
fn no_leader(why: &NoLeader, value: &mut Value) {
    match why {
        NoLeader::ValueTooLarge(why) => {
            value["pool"] = why.pool.to_hex().into();
            value["stake"] = why.stake.pool().into();
            value["total"] = why.stake.total().into();
            value["value"] = why.value.to_string().into();
            value["threshold"] = why.last.map(|last| last.to_string()).into();
            value["margin"] = why.margin().into();
        }
        NoLeader::UnknownPool { pool } | NoLeader::OtherVrfKey { pool, .. } => {
            value["pool"] = pool.to_hex().into();
        }
        _ => {}
    }
}

fn of_reading(name: &str, finding: &klero_cardano::Finding) -> Value {
    let klero_cardano::Finding { kind, location } = finding;
    match finding.severity() {
        Severity::Fault => json!({
            "finding": name,
            "kind": kind.name(),
            "chunk": location.chunk,
            "offset": location.offset,
            "slot": location.slot,
            "block": location.hash.map(|hash| hash.to_string()),
            "reason": kind.to_string().trim(),
        }),
        Severity::Warning => json!({
            "finding": name,
            "chunk": location.chunk,
            "reason": finding.to_string(),
        }),
        Severity::Note => json!({
            "finding": name,
            "kind": kind.name(),
            "chunk": location.chunk,
            "offset": location.offset,
            "reason": kind.to_string(),
        }),
    }
}

fn of_block(finding: &str, block: &BlockId) -> Value {
    json!({
        "finding": finding,
        "epoch": block.epoch,
        "chunk": block.chunk,
        "slot": block.slot,
        "block": block.hash.to_string(),
    })
}

/// Adds what a ledger state and the chain say.
pub fn difference(of: &Difference, value: &mut Value) {
    value["what"] = of.fact.to_string().into();
    value["ledger"] = of.ledger.as_str().into();
    value["chain"] = of.chain.as_str().into();
}
