//! An audit as one JSON document on standard output.
//!
//! The document is written piece by piece, so that memory does not grow with the number of
//! findings.

use std::sync::LazyLock;

use klero_audit::{Anchor, Epoch, Ledger, Met, Origin, Outcome, Report, Started};
use klero_cardano::{Fault, Finding, LastBlock};
use klero_leader::TotalSource;
use serde_json::{Value, json};

use super::printer::{Printer, not_checked};
use crate::error::Error;
use crate::stdout::print;

/// The version of the document's shape. It rises when a program that reads the document would
/// misunderstand it, and then the help below says what changed.
const FORMAT: u32 = 1;

/// The shape of the document, for the help.
pub static SHAPE: LazyLock<String> = LazyLock::new(|| {
    let lines = Fault::NAMES.chunks(4).map(|names| names.join(", "));
    let kinds = lines.map(|line| format!("                 {line}"));
    FIELDS.replace("KINDS", &kinds.collect::<Vec<_>>().join(",\n"))
});

const FIELDS: &str = "\
JSON (--json), one object:
  format       1: the version of this form. It rises if a field changes its
               meaning or goes; new fields and kinds do not raise it
  klero        the version of the program
  network      name, magic, genesis_hash
  directory    where the chunk files are
  start        from: \"genesis\"; or \"state\", and after (slot, number, block,
               era); or, if the beginning is not there, \"anywhere\"
  findings     what was found, in the order of the chain, one for each kind and
               chunk; each has finding (its kind), severity (fault, warning or
               note), chunk, where they are known offset, epoch, slot, hash,
               reason (a sentence), count, and last (null, or the same fields
               of the last place); and the numbers in the reason, named in
               docs/rules.md. The kinds:
KINDS
  epochs       epoch, eras, nonce, blocks, byron_blocks, proofs, valid,
               invalid, unverifiable, nonce_unknown, unverifiable_since (slot);
               leader_values: below_f, at_or_above_f, genesis_delegates,
               not_made; leaders (may lead, with stake), kes, certificates,
               certificate_numbers, bodies: each has valid, invalid,
               not_judged; narrowest (with stake, the five that led most
               narrowly): slot, pool, stake, total, margin
  totals       the same counts in all, found (number by kind)
  tip          the last block (slot, number, block, era), or null
  unread_bytes bytes of chunk files that are in no block that was checked; null
               if a file could not be read
  leader_bound f
  stake        with --stake or --ledger, by epoch: given or sum, where the
               total comes from
  ledger       null, or with --ledger: last (the state's last block, as tip),
               met (whether the chain has it; null if not reached),
               nonces_compared, checksum (\"right\" or \"not checked\")
  checks       vrf, kes, certificates, bodies: those that were made
  not_checked  what is not looked at
  experimental true if the chain has blocks of Dijkstra, whose headers are in
               flux: then it is never \"all valid\"
  anchor       tied_slot (up to which a known epoch nonce, a checkpoint or an
               expected block shows that this is the chain of the network, or
               null), built_in_nonces (null, or first, last: the epochs),
               expected (with --expect, each: anchor (block, number, tip or
               nonce), slot, number or epoch, hash or nonce, met: null if not
               compared), anchored (one of these shows it, for the headers up
               to there), required
  state        null, or file, after (slot, number, block, era; null if there is
               none: the next run goes on from there), totals (up to there, of
               all runs with this file: as in epochs), error (null, or why it
               could not be written)
  complete     false if interrupted
  result       \"all valid\", \"something is wrong\", \"not all read\",
               \"not all checked\", \"interrupted\"
  timing       seconds, reading_seconds (of the walk), verifying_seconds (all
               threads together), threads, blocks_per_second, proofs_per_second";

/// The printer.
#[derive(Default)]
pub struct Json {
    /// A finding was written: the next needs a comma.
    has_findings: bool,
}

impl Printer for Json {
    fn started(&mut self, started: &Started<'_>) -> Result<(), Error> {
        let network = json!({
            "name": started.network.name(),
            "magic": started.network.magic(),
            "genesis_hash": started.network.genesis_hash().to_string(),
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
        let checks: Vec<_> = report.checks.iter().map(|check| check.name()).collect();
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
            ("stake", stake(report)),
            ("ledger", json!(report.ledger.as_ref().map(ledger))),
            (
                "leader_bound",
                report.network.active_slots().to_string().into(),
            ),
            ("checks", json!(checks)),
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

fn stake(report: &Report) -> Value {
    let sources = report.stakes.iter().map(|(epoch, source)| {
        let source = match source {
            TotalSource::Given => "given",
            TotalSource::Sum => "sum",
        };
        (epoch.to_string(), Value::from(source))
    });
    Value::Object(sources.collect())
}

fn ledger(ledger: &Ledger) -> Value {
    json!({
        "last": place(&ledger.last),
        "met": met(ledger.met),
        "nonces_compared": ledger.nonces_compared,
        "checksum": ledger.checksum.to_string(),
    })
}

fn anchor(report: &Report) -> Value {
    let expected = report.anchors.iter().map(expected);
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

fn expected((anchor, is_met): &(Anchor, Met)) -> Value {
    let mut value = json!(anchor);
    value["met"] = met(*is_met);
    value
}

/// A comparison; null if it was not made.
fn met(met: Met) -> Value {
    match met {
        Met::Yes => true.into(),
        Met::No => false.into(),
        Met::NotReached => Value::Null,
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
