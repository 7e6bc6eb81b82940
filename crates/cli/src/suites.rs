//! `klero suites`: the table of suites.

use std::slice;

use klero::Suite;
use serde_json::{Value, json};

use crate::args::choice;
use crate::ui::error::{Error, Status};
use crate::ui::layout::{self, Column, wrap};
use crate::ui::terminal::print;

/// List the suites: their names, what they are made of, and who uses them
///
/// Columns:
///   name           the name for --suite and for the column suite of a table. The
///                  names of RFC 9381 are accepted as well
///   octet          the suite octet in hex, which begins every hashed string
///   hash           the hash function; keys are expanded with SHA-512 in every
///                  suite
///   hash to curve  how the public key and alpha become a point of the curve
///   transcript     the document that defines the strings which are hashed to the
///                  challenge and to the output
///   proof bytes    length of a proof: 80, or 128 and 144 for batch-compatible
///                  proofs
///   rules          the rules of verification, which differ only on inputs that no
///                  honest prover makes: Cardano (as cardano-node), RFC (as RFC
///                  9381), original (as RFC, but reduces the scalar s of a proof
///                  if it is too large, instead of rejecting it). Suites that
///                  differ only in rules accept each other's honest proofs
///   used by        where the suite is in use
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Describe only this suite
    #[arg(value_name = "NAME", value_parser = choice::suite())]
    suite: Option<Suite>,
    /// Print a JSON array with one object per suite
    #[arg(long)]
    json: bool,
}

/// Runs `klero suites`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let suites = args.suite.as_ref().map_or(Suite::ALL, slice::from_ref);
    let text = match args.suite {
        _ if args.json => as_json(suites),
        Some(suite) => described(suite),
        None => format!(
            "{}\n\n{}\n\n{}",
            as_table(),
            wrap(&pairs(), "  "),
            rfc_names()
        ),
    };
    print(format_args!("{text}\n"))?;
    Ok(Status::AllValid)
}

/// The cells of a suite's row in the table, each after the name of its column.
fn columns(suite: Suite) -> [(&'static str, String); 8] {
    [
        ("name", suite.name().into()),
        ("octet", format!("{:02x}", suite.octet())),
        ("hash", suite.hash().into()),
        ("hash to curve", suite.hash_to_curve().into()),
        ("transcript", suite.transcript().into()),
        ("proof bytes", suite.proof_len().to_string()),
        ("rules", suite.rules().into()),
        ("used by", suite.used_by().into()),
    ]
}

fn as_table() -> String {
    let rows: Vec<_> = Suite::ALL.iter().map(|suite| columns(*suite)).collect();
    let column = |index: usize| {
        let cells = rows.iter().map(|row| row[index].1.clone());
        Column::words(rows[0][index].0, cells)
    };
    layout::table([(0..8).map(column).collect()])
}

/// A text that lists the pairs of suites that accept each other's honest proofs.
fn pairs() -> String {
    let mut text =
        String::from("Suites that differ in rules alone accept each other's honest proofs:");
    for (i, one) in Suite::ALL.iter().enumerate() {
        let differ_in_rules = |other: &&Suite| parts(**other) == parts(*one);
        for other in Suite::ALL[i + 1..].iter().filter(differ_in_rules) {
            text += &format!("\n  {one} and {other}");
        }
    }
    text
}

/// The names of suites in RFC 9381, each with Klero's suite.
const RFC_NAMES: [(&str, Suite); 2] = [
    ("ECVRF-EDWARDS25519-SHA512-TAI", Suite::RFC9381_TAI),
    ("ECVRF-EDWARDS25519-SHA512-ELL2", Suite::RFC9381_ELL2),
];

fn rfc_names() -> String {
    let names = RFC_NAMES.map(|(name, suite)| format!("\n  {name} is {suite}"));
    format!("In RFC 9381:{}", names.concat())
}

/// The description of one suite: a line for each column that is not empty, and further facts.
fn described(suite: Suite) -> String {
    let others = Suite::ALL.iter().filter(|other| **other != suite);
    let equal = others.filter(|other| parts(**other) == parts(suite));
    let equal: Vec<_> = equal.map(|other| other.name()).collect();
    let rfc = RFC_NAMES.iter().find(|(_, named)| *named == suite);
    let mut lines = columns(suite).to_vec();
    if let Some((name, _)) = rfc {
        lines.push(("in RFC 9381", (*name).into()));
    }
    if !equal.is_empty() {
        lines.push((
            "honest proofs",
            format!("also valid in {}", equal.join(", ")),
        ));
    }
    let lines = lines.into_iter().filter(|(_, value)| !value.is_empty());
    let lines: Vec<_> = lines
        .map(|(name, value)| format!("{name:<14} {value}"))
        .collect();
    wrap(&lines.join("\n"), &" ".repeat(15))
}

/// The properties of a suite that determine its honest proofs.
fn parts(suite: Suite) -> impl PartialEq {
    (
        suite.octet(),
        suite.hash(),
        suite.hash_to_curve(),
        suite.transcript(),
        suite.proof_len(),
    )
}

fn as_json(suites: &[Suite]) -> String {
    let object = |suite: &Suite| -> Value {
        let mut object = json!({});
        for (name, cell) in columns(*suite) {
            object[name.replace(' ', "_")] = cell.into();
        }
        object["proof_bytes"] = suite.proof_len().into();
        object
    };
    format!("{:#}", suites.iter().map(object).collect::<Value>())
}
