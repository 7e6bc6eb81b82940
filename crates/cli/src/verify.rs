//! `klero verify`: one claim.

use klero::{Claim, Suite, Verdict, Verifier};
use serde_json::json;

use crate::choice;
use crate::error::{Error, Status};
use crate::input::{self, Alpha, Source};
use crate::keyfile;
use crate::stdout::print;

/// Verify one proof; prints the output and `valid`, or `invalid: reason`
///
/// A value that consists of hex digits is hex, any other is the name of a file. For a file
/// whose name consists of hex digits, write ./NAME.
#[derive(clap::Args)]
#[command(after_help = EXIT)]
pub struct Args {
    /// Suite (`klero suites` lists them), if the key's file does not name it
    #[arg(long, value_name = "NAME", value_parser = choice::suite())]
    suite: Option<Suite>,
    /// Public key (a file contains a text envelope, hex or bytes)
    #[arg(long, value_name = "HEX|FILE|-")]
    key: String,
    #[command(flatten)]
    alpha: Alpha,
    /// Proof (a file contains hex, bytes, or what `klero prove` printed, whose output is then
    /// claimed, too)
    #[arg(long, value_name = "HEX|FILE|-")]
    proof: String,
    /// Claimed output: the proof must be for this output
    #[arg(long, value_name = "HEX|FILE|-")]
    output: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXIT: &str = "\
Exit status:
  0  the claim is valid
  1  it is invalid
  2  something could not be read or written, or the command line is wrong
  130  interrupted by Ctrl-C or SIGTERM";

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let output = args.output.as_deref();
    input::one_stdin(&[
        ("--key", args.key == "-"),
        ("--proof", args.proof == "-"),
        ("--output", output == Some("-")),
        ("alpha", args.alpha.is_stdin()),
    ])?;
    let key = keyfile::read_public(&args.key)?;
    let (proof, printed) = read_proof(&args.proof)?;
    let output = match output {
        Some(value) => Some(input::public_bytes("--output", value)?.to_vec()),
        None => printed,
    };
    let alpha = args.alpha.read()?;
    let verdict = match key {
        Ok((key, of_file)) => {
            let suite = args.suite.or(of_file);
            let suite = suite
                .ok_or_else(|| Error::new("--key does not say its suite: expected --suite"))?;
            Verifier::new(suite).verify(&Claim {
                key: &key,
                alpha: &alpha,
                proof: &proof,
                output: output.as_deref(),
            })
        }
        Err(reason) => Err(reason),
    };
    print(format_args!("{}\n", show(&verdict, args.json)))?;
    Ok(match verdict {
        Ok(_) => Status::AllValid,
        Err(_) => Status::SomeInvalid,
    })
}

/// Reads a proof, and the output if `klero prove` printed both.
fn read_proof(value: &str) -> Result<(Vec<u8>, Option<Vec<u8>>), Error> {
    let content = input::public_bytes("--proof", value)?;
    // As bytes no proof is as long as what is printed.
    let longest = Suite::ALL.iter().map(|suite| suite.proof_len()).max();
    if Some(content.len()) <= longest || !content.starts_with(b"proof:") {
        return Ok((content.to_vec(), None));
    }
    let text = String::from_utf8_lossy(&content);
    let mut lines = text.trim_end().lines();
    let mut next = |number, name| {
        let line = lines.next().unwrap_or_default();
        let digits = line.strip_prefix(name).ok_or("another word".into());
        digits
            .and_then(|digits| input::decode_hex(digits.trim()))
            .map_err(|fault| {
                Error::at(
                    format_args!("--proof: {}, line {number}", Source::from(value)),
                    format_args!("expected \"{name}\" and hex, as klero prove prints: {fault}"),
                )
            })
    };
    let proof = next(1, "proof:")?;
    let output = next(2, "output:")?;
    if lines.next().is_some() {
        return Err(Error::at(
            format_args!("--proof: {}, line 3", Source::from(value)),
            "expected two lines, as klero prove prints",
        ));
    }
    Ok((proof, Some(output)))
}

fn show(verdict: &Verdict, as_json: bool) -> String {
    match (verdict, as_json) {
        (Ok(output), false) => format!("output: {}\nvalid", hex::encode(output)),
        (Err(reason), false) => format!("invalid: {reason}"),
        (Ok(output), true) => {
            json!({ "verdict": "valid", "output": hex::encode(output) }).to_string()
        }
        (Err(reason), true) => json!({ "verdict": format!("invalid: {reason}") }).to_string(),
    }
}
