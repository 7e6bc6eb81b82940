//! `klero suites`: the table of suites.

use klero::{Hash, HashToCurve, Rules, Suite, Transcript};
use serde_json::json;

use crate::error::{Error, Status};
use crate::layout::{self, Column, wrap};
use crate::stdout::print;

/// List the suites: their names, what they are made of, and who uses them
///
/// Columns:
///   name           the name that --suite and the column suite of a table take
///   octet          the suite octet in hex, which begins every hashed string
///   hash           the hash function; keys are expanded with SHA-512 in every
///                  suite
///   hash to curve  how the public key and alpha become a point of the curve
///   transcript     the document that says what the challenge and the output are
///                  hashed over
///   proof bytes    length of a proof: 80, or 128 and 144 for batch-compatible
///                  proofs
///   rules          the rules of verification, which differ only on inputs that no
///                  honest prover makes: Cardano (as cardano-node), RFC (as RFC
///                  9381), original (as RFC, but s is reduced instead of
///                  rejected). Suites that differ in nothing else accept each
///                  other's honest proofs
///   used by        where the suite is in use
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Print a JSON array with one object per suite
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let text = if args.json {
        as_json()
    } else {
        format!("{}\n\n{}", as_table(), wrap(&pairs(), "  "))
    };
    print(format_args!("{text}\n"))?;
    Ok(Status::AllValid)
}

fn as_table() -> String {
    let column =
        |name: &str, cell: fn(&Suite) -> String| Column::words(name, Suite::ALL.iter().map(cell));
    let columns = vec![
        column("name", |suite| suite.name().into()),
        column("octet", |suite| format!("{:02x}", suite.octet())),
        column("hash", |suite| hash(suite.hash()).into()),
        column("hash to curve", |suite| {
            hash_to_curve(suite.hash_to_curve()).into()
        }),
        column("transcript", |suite| transcript(suite.transcript()).into()),
        column("proof bytes", |suite| suite.proof_len().to_string()),
        column("rules", |suite| rules(suite.rules()).into()),
        column("used by", |suite| suite.used_by().into()),
    ];
    layout::table([columns])
}

/// The suites that differ in their rules alone, in words.
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

/// All that an honest proof depends on.
fn parts(suite: Suite) -> impl PartialEq {
    (
        suite.octet(),
        suite.hash(),
        suite.hash_to_curve(),
        suite.transcript(),
        suite.proof_form(),
    )
}

fn as_json() -> String {
    let rows: Vec<_> = Suite::ALL
        .iter()
        .map(|suite| {
            json!({
                "name": suite.name(),
                "octet": format!("{:02x}", suite.octet()),
                "hash": hash(suite.hash()),
                "hash_to_curve": hash_to_curve(suite.hash_to_curve()),
                "transcript": transcript(suite.transcript()),
                "proof_bytes": suite.proof_len(),
                "rules": rules(suite.rules()),
                "used_by": suite.used_by(),
            })
        })
        .collect();
    format!("{:#}", json!(rows))
}

fn hash(hash: Hash) -> &'static str {
    match hash {
        Hash::Sha512 => "SHA-512",
        Hash::Blake2b => "BLAKE2b",
    }
}

fn hash_to_curve(map: HashToCurve) -> &'static str {
    match map {
        HashToCurve::Draft03 => "draft-03 Elligator2",
        HashToCurve::Rfc9380 => "RFC 9380 Elligator2",
        HashToCurve::TryAndIncrement => "try and increment",
    }
}

fn transcript(transcript: Transcript) -> &'static str {
    match transcript {
        Transcript::Draft03 => "draft-03",
        Transcript::Draft10 => "draft-10",
        Transcript::Rfc9381 => "RFC 9381",
    }
}

fn rules(rules: Rules) -> &'static str {
    match rules {
        Rules::Cardano => "Cardano",
        Rules::Rfc => "RFC",
        Rules::Original => "original",
    }
}
