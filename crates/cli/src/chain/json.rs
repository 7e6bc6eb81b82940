//! An audit as one JSON document on standard output.
//!
//! The document is written piece by piece, so that memory does not grow with the number of findings.

use std::collections::BTreeMap;

use klero_audit::{Epoch, Met, Origin, Outcome, Report, Started};
use klero_cardano::{Finding, LastBlock};
use klero_leader::TotalSource;
use serde_json::{Value, json};

use super::printer::{Printer, not_checked};
use crate::ui::error::Error;
use crate::ui::terminal::print;

/// The version of the document's shape. It is raised for each change that could make a program misunderstand
/// the document. [`SHAPE`] then describes the change.
const FORMAT: u32 = 1;

/// The part of the help that describes the document.
pub const SHAPE: &str = "\
JSON (--json), one object:
  format       1: the version of this form. It rises if a field changes its
               meaning or goes; new fields and kinds do not raise it
  klero        the version of the program
  network      name, magic, genesis_hash
  directory    where the chunk files are
  start        from: \"genesis\", \"anywhere\" (the beginning is not there), or
               \"state\" and after (a block: slot, number, block, era)
  findings     in the order of the chain, one for each kind and chunk: finding
               (its kind), severity (fault, warning or note), reason (a
               sentence), count, chunk, where they are known offset, epoch,
               slot, hash, and last (null, or the same of the last place).
               docs/rules.md has the kinds and the numbers in their reasons
  epochs       epoch, eras, nonce, blocks, byron_blocks, proofs, valid,
               invalid, unverifiable, nonce_unknown, unverifiable_since (slot);
               leader_values: below_f, at_or_above_f, genesis_delegates,
               not_made; leaders (may lead, with stake), kes, certificates,
               certificate_numbers, bodies: each has valid, invalid,
               not_judged; narrowest (with stake, the five that led most
               narrowly): slot, pool, stake, total, margin
  totals       the same counts in all, found (number by kind, as in \"crc\": 2)
  tip          the last block, or null
  unread_bytes of chunk files, in no block that was checked; null if a file
               could not be read
  leader_bound f
  stake        by epoch, where the total comes from: given or sum
  ledger       null, or last (its block), met (null if not reached),
               nonces_compared, checksum (\"right\" or \"not checked\")
  checks       vrf, kes, certificates, bodies: those that were made
  not_checked  what is not looked at
  experimental true if blocks are of Dijkstra: then never \"all valid\"
  anchor       tied_slot (up to there the chain is that of the network, or
               null), built_in_nonces (null, or first, last: the epochs),
               expected (what --expect named, with met: null if not compared),
               anchored (something shows it, up to there), required
  state        null, or file, after (a block, or null), totals (up to there, of
               all runs with this file), error (null, or why it is not written)
  complete     false if interrupted
  result       \"all valid\", \"something is wrong\", \"not all read\",
               \"not all checked\", \"interrupted\"
  timing       seconds, reading_seconds (of the walk), verifying_seconds (all
               threads together), threads, blocks_per_second, proofs_per_second";

/// The printer of JSON.
#[derive(Default)]
pub struct Json {
    /// True after a finding was written. The next finding then begins with a comma.
    has_findings: bool,
}

impl Printer for Json {
    fn started(&mut self, started: &Started<'_>) -> Result<(), Error> {
        let network = json!({
            "name": started.network.name(),
            "magic": started.network.magic(),
            "genesis_hash": started.network.genesis_hash(),
        });
        let start = match started.origin {
            Origin::Genesis => json!({"from": "genesis"}),
            Origin::After(block) => json!({"from": "state", "after": place(block)}),
            Origin::Anywhere => json!({"from": "anywhere"}),
        };
        let version = Value::from(env!("CARGO_PKG_VERSION"));
        let directory = Value::from(started.dir.map(|dir| dir.display().to_string()));
        print(format_args!(
            "{{\n\"format\": {FORMAT},\n\"klero\": {version},\n\"network\": {network},\n\"directory\": {directory},\n\"start\": {start},\n\"findings\": ["
        ))
    }

    fn findings(&mut self, findings: &[Finding]) -> Result<(), Error> {
        for finding in findings {
            let comma = if self.has_findings { "," } else { "" };
            print(format_args!("{comma}\n{}", json!(finding)))?;
            self.has_findings = true;
        }
        Ok(())
    }

    fn report(&mut self, report: &Report) -> Result<(), Error> {
        let epochs: Vec<Value> = report.epochs.iter().map(epoch).collect();
        let mut totals = json!(report.totals);
        totals["found"] = json!(report.found);
        let state = report.state.as_ref().map(|saved| {
            json!({
                "file": saved.path.display().to_string(),
                "after": saved.after.as_ref().map(place),
                "totals": saved.totals,
                "error": saved.error,
            })
        });
        let result = match report.outcome() {
            Outcome::AllValid => "all valid",
            Outcome::SomeInvalid => "something is wrong",
            Outcome::NotAllRead => "not all read",
            Outcome::NotAllChecked => "not all checked",
            Outcome::Interrupted => "interrupted",
        };
        let ledger = report.ledger.as_ref().map(|ledger| {
            json!({
                "last": place(&ledger.last),
                "met": met(ledger.met),
                "nonces_compared": ledger.nonces_compared,
                "checksum": ledger.checksum.to_string(),
            })
        });
        let stake = report.stakes.iter();
        let stake = stake.map(|(epoch, source)| (epoch, total_source(*source)));
        let unread = (!report.unread_files).then_some(report.unread_bytes);
        let timing = json!({
            "seconds": report.times.all.as_secs_f64(),
            "reading_seconds": report.times.reading.as_secs_f64(),
            "verifying_seconds": report.times.verifying.as_secs_f64(),
            "threads": rayon::current_num_threads(),
            "blocks_per_second": report.blocks_per_second(),
            "proofs_per_second": report.proofs_per_second(),
        });
        print("\n]")?;
        for (name, value) in [
            ("epochs", json!(epochs)),
            ("totals", totals),
            ("tip", json!(report.tip.as_ref().map(place))),
            ("unread_bytes", json!(unread)),
            ("stake", json!(stake.collect::<BTreeMap<_, _>>())),
            ("ledger", json!(ledger)),
            (
                "leader_bound",
                report.network.active_slots().to_string().into(),
            ),
            ("checks", json!(report.checks)),
            ("not_checked", json!(not_checked(report))),
            ("experimental", report.is_experimental().into()),
            ("anchor", anchor(report)),
            ("state", json!(state)),
            ("complete", (!report.interrupted).into()),
            ("result", result.into()),
            ("timing", timing),
        ] {
            print(format_args!(",\n\"{name}\": {value}"))?;
        }
        print("\n}\n")
    }
}

/// The word for the source of the total stake.
pub fn total_source(source: TotalSource) -> &'static str {
    match source {
        TotalSource::Given => "given",
        TotalSource::Sum => "sum",
    }
}

fn anchor(report: &Report) -> Value {
    let expected = report.anchors.iter().map(|(anchor, is_met)| {
        let mut value = json!(anchor);
        value["met"] = json!(met(*is_met));
        value
    });
    json!({
        "tied_slot": report.tied,
        "built_in_nonces": report
            .network
            .built_in_nonces()
            .map(|epochs| json!({"first": epochs.start(), "last": epochs.end()})),
        "expected": expected.collect::<Vec<_>>(),
        "anchored": report.is_anchored(),
        "required": report.requires_anchor,
    })
}

/// Returns true or false for the result of a comparison, or `None` if the comparison was not made.
fn met(met: Met) -> Option<bool> {
    match met {
        Met::Yes => Some(true),
        Met::No => Some(false),
        Met::NotReached => None,
    }
}

fn place(block: &LastBlock) -> Value {
    json!({
        "slot": block.slot,
        "number": block.number,
        "block": block.hash,
        "era": block.era,
    })
}

fn epoch((number, epoch): (&u64, &Epoch)) -> Value {
    let mut value = json!({
        "epoch": number,
        "eras": epoch.eras,
        "nonce": epoch.nonce,
    });
    if let (Value::Object(value), Value::Object(counts)) = (&mut value, json!(epoch.counts)) {
        value.extend(counts);
    }
    value["unverifiable_since"] = epoch.unverifiable_since.into();
    let narrowest = epoch.narrowest.iter().map(|lead| {
        json!({
            "slot": lead.slot,
            "pool": lead.pool.to_hex(),
            "stake": lead.stake.pool(),
            "total": lead.stake.total(),
            "margin": lead.margin,
        })
    });
    value["narrowest"] = narrowest.collect();
    value
}
