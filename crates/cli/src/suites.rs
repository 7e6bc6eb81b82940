//! `klero suites`: the table of suites.

use std::io::Write;

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use klero::{Hash, HashToCurve, Rules, Suite, Transcript};
use serde_json::json;

use crate::error::{Error, Status};

/// Print the table of suites
#[derive(clap::Args)]
pub struct Args {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let text = if args.json { as_json() } else { as_table() };
    writeln!(std::io::stdout(), "{text}")
        .map_err(|error| Error::write("standard output", &error))?;
    Ok(Status::AllValid)
}

fn as_table() -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "name",
        "octet",
        "hash",
        "hash to curve",
        "transcript",
        "proof bytes",
        "rules",
        "used by",
    ]);
    for suite in Suite::ALL {
        table.add_row([
            suite.name(),
            &format!("{:02x}", suite.octet()),
            hash(suite.hash()),
            hash_to_curve(suite.hash_to_curve()),
            transcript(suite.transcript()),
            &suite.proof_len().to_string(),
            rules(suite.rules()),
            suite.used_by(),
        ]);
    }
    table.trim_fmt()
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
