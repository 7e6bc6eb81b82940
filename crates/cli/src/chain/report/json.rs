//! The report for machines: one JSON document on standard output.
//!
//! It is written piece by piece: findings are never held in memory, however many there
//! are.

use klero_cardano::LastBlock;
use serde_json::{Value, json};

use super::{Begin, End, NOT_CHECKED, Origin, Report, print};
use crate::chain::fold::Folded;
use crate::chain::judge::Epoch;
use crate::error::{Error, Status};

/// The shape of the document, for the help.
pub const SHAPE: &str = "\
JSON (--json), one object:
  network      name, magic, genesis_hash
  directory    where the chunk files are
  start        from: \"genesis\"; or \"state\", and after (slot, number, block, era);
               or \"epoch-nonces\", and epochs
  findings     what was found, in the order of the chain, one for each kind and chunk; each
               has finding, reason, count, and last (null, or slot and block):
                 fault          kind (crc, truncated, unreadable, missing-chunks,
                                bad-header, hash-link, block-number, slot-order,
                                outside-chunk, era-backwards, era-of-epoch), chunk,
                                offset, slot, block; null where not known
                 invalid-proof  proof (eta, leader, praos), epoch, chunk, slot, block
                 leader-value   at or above f: epoch, chunk, slot, block
                 warning        an index file: chunk
                 note           not read: kind (half-written, unknown-era, io), chunk,
                                offset
  epochs       epoch, eras, nonce, blocks, byron_blocks, proofs, valid, invalid,
               unverifiable, nonce_unknown, leader_values, unverifiable_since (slot)
  totals       the same counts in all, faults and notes (number by kind), warnings
  tip          the last block (slot, number, block, era), or null
  unread_bytes bytes of chunk files that are in no block that was checked; null if a file
               could not be read
  absent       epochs named by --epoch-nonce that have no block
  leader_bound f
  not_checked  what is not looked at
  state        null, or file, after (slot, number, block, era; null if there is none),
               advanced, checked (blocks, byron_blocks, proofs since genesis by all
               runs with this file), error (null, or why it could not be written)
  complete     false if interrupted
  result       \"all valid\", \"something is wrong\", \"not all read\", \"not all checked\",
               \"interrupted\"
  timing       seconds, reading_seconds (one thread), verifying_seconds (all threads
               together), threads, blocks_per_second, proofs_per_second";

/// The report.
#[derive(Default)]
pub struct Json {
    /// A finding was written: the next needs a comma.
    has_findings: bool,
}

impl Report for Json {
    fn begin(&mut self, begin: &Begin<'_>) -> Result<(), Error> {
        let network = json!({
            "name": begin.network.name(),
            "magic": begin.network.magic(),
            "genesis_hash": begin.network.genesis_hash().to_string(),
        });
        let start = match &begin.origin {
            Origin::Genesis => json!({"from": "genesis"}),
            Origin::After(block) => json!({"from": "state", "after": place(block)}),
            Origin::EpochNonces(epochs) => json!({"from": "epoch-nonces", "epochs": epochs}),
        };
        let directory = Value::from(begin.dir.display().to_string());
        print(format_args!(
            "{{\n\"network\": {network},\n\"directory\": {directory},\n\"start\": {start},\n\"findings\": ["
        ))
    }

    fn findings(&mut self, findings: &[Folded]) -> Result<(), Error> {
        for finding in findings {
            let comma = if self.has_findings { "," } else { "" };
            print(format_args!("{comma}\n{}", finding.to_json()))?;
            self.has_findings = true;
        }
        Ok(())
    }

    fn end(&mut self, end: &End<'_>) -> Result<(), Error> {
        let judge = end.judge;
        let epochs: Vec<Value> = judge.epochs.iter().map(epoch).collect();
        let mut totals = json!(judge.totals);
        totals["faults"] = json!(judge.faults);
        totals["warnings"] = judge.warnings.into();
        totals["notes"] = json!(judge.notes);
        let state = end.saved.map(|saved| {
            json!({
                "file": saved.path.display().to_string(),
                "after": saved.after.as_ref().map(place),
                "advanced": saved.advanced,
                "checked": saved.totals,
                "error": saved.error,
            })
        });
        let result = match end.status() {
            Status::AllValid => "all valid",
            Status::SomeInvalid => "something is wrong",
            Status::NotAllRead => "not all read",
            Status::NotAllChecked => "not all checked",
            Status::Interrupted => "interrupted",
        };
        let unread = (!judge.has_unread_files()).then_some(end.unread);
        let [blocks, proofs] = end.rates();
        let timing = json!({
            "seconds": end.times.all.as_secs_f64(),
            "reading_seconds": end.times.reading.as_secs_f64(),
            "verifying_seconds": end.times.verifying.as_secs_f64(),
            "threads": rayon::current_num_threads(),
            "blocks_per_second": blocks,
            "proofs_per_second": proofs,
        });
        print("\n]")?;
        for (name, value) in [
            ("epochs", json!(epochs)),
            ("totals", totals),
            ("tip", json!(end.tip.map(place))),
            ("unread_bytes", json!(unread)),
            ("absent", json!(end.absent)),
            (
                "leader_bound",
                end.network.active_slots().to_string().into(),
            ),
            ("not_checked", json!(NOT_CHECKED)),
            ("state", json!(state)),
            ("complete", (!end.interrupted).into()),
            ("result", result.into()),
            ("timing", timing),
        ] {
            print(format_args!(",\n\"{name}\": {value}"))?;
        }
        print("\n}\n")
    }
}

fn place(block: &LastBlock) -> Value {
    json!({
        "slot": block.slot,
        "number": block.number,
        "block": block.hash.to_string(),
        "era": block.era.name(),
    })
}

fn epoch((number, epoch): (&u64, &Epoch)) -> Value {
    let mut value = json!({
        "epoch": number,
        "eras": epoch.eras.iter().map(|era| era.name()).collect::<Vec<_>>(),
        "nonce": epoch.nonce.map(|nonce| nonce.to_string()),
    });
    if let (Value::Object(value), Value::Object(counts)) = (&mut value, json!(epoch.counts)) {
        value.extend(counts);
    }
    value["unverifiable_since"] = epoch.unverifiable_since.into();
    value
}
