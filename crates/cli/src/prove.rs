//! `klero prove`: one proof.

use std::io::Write;

use klero::Suite;
use serde_json::json;

use crate::error::{Error, Status};
use crate::input::{self, Alpha, Source};
use crate::keyfile;

/// Prove one alpha; prints the proof and the output
#[derive(clap::Args)]
pub struct Args {
    /// Suite (`klero suites` lists them)
    #[arg(long, value_name = "NAME", default_value = "praos", value_parser = input::suite)]
    suite: &'static Suite,
    /// Signing key: file, or - for standard input (text envelope, hex or bytes)
    #[arg(long, value_name = "FILE|-")]
    key: String,
    #[command(flatten)]
    alpha: Alpha,
    /// Print one JSON object, a row for `klero batch verify`
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let source = Source::from(args.key.as_str());
    input::one_stdin(&[
        ("--key", matches!(source, Source::Stdin)),
        ("alpha", args.alpha.is_stdin()),
    ])?;
    let key = keyfile::read_secret(&source)?;
    let alpha = args.alpha.read()?;
    let (proof, output) = args.suite.prove(&key, &alpha);
    let (proof, output) = (hex::encode(proof), hex::encode(output));
    let text = if args.json {
        json!({
            "suite": args.suite.name,
            "key": hex::encode(key.public_key()),
            "alpha": hex::encode(&alpha),
            "proof": proof,
            "output": output,
        })
        .to_string()
    } else {
        format!("proof:  {proof}\noutput: {output}")
    };
    writeln!(std::io::stdout(), "{text}")
        .map_err(|error| Error::write("standard output", &error))?;
    Ok(Status::AllValid)
}
