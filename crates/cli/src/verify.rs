//! `klero verify`: one claim.

use std::fmt::Display;

use klero::{Claim, Encoded, Suite, Verdict, Verifier};
use serde_json::json;

use crate::args::choice;
use crate::args::keyfile;
use crate::args::source::{self, Alpha};
use crate::ui::error::{Error, Status};
use crate::ui::terminal::print;

/// Verify one proof; prints the output and `valid`, or `invalid: reason`
///
/// An argument of the form hex, vrf_vk1… or {…} is the value itself. Any other argument is the name of a
/// file. If the name of a file looks like a value, write ./NAME. A file contains bytes, hex, base64, or CBOR
/// in hex. The file of a key may also contain Bech32 (vrf_vk1…) or a text envelope.
#[derive(clap::Args)]
#[command(after_help = EXIT)]
pub struct Args {
    /// Suite (`klero suites` lists them), if the key's file does not name it
    #[arg(long, value_name = "NAME", value_parser = choice::suite())]
    suite: Option<Suite>,
    /// Public key
    #[arg(long, value_name = "HEX|vrf_vk1…|FILE|-")]
    key: String,
    #[command(flatten)]
    alpha: Alpha,
    /// Proof, or the text that `klero prove` printed, with or without --json. An output in this text is the
    /// claimed output, unless --output is given
    #[arg(long, value_name = "HEX|FILE|-")]
    proof: String,
    /// Claimed output. The claim is valid only if the proof is for this output
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

/// Runs `klero verify`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let output = args.output.as_deref();
    source::one_stdin(&[
        ("--key", args.key == "-"),
        ("--proof", args.proof == "-"),
        ("--output", output == Some("-")),
        ("alpha", args.alpha.is_stdin()),
    ])?;
    let read = |what, value, read: fn(&[u8]) -> Result<Encoded, klero::Error>| {
        let (content, place) = source::read_public(what, value)?;
        read(&content).map_err(|fault| Error::at(place, fault))
    };
    let key = read("--key", &args.key, Encoded::public_key)?;
    let (proof, printed) = read_proof(&args.proof)?;
    let output = match output {
        Some(value) => Some(read("--output", value, Encoded::output)?),
        None => printed,
    };
    let suite = keyfile::suite_of_public(key.suite, args.suite)?.ok_or_else(keyfile::no_suite)?;
    let alpha = args.alpha.read()?;
    let verdict = Verifier::new(suite).verify(&Claim {
        key: &key.bytes,
        alpha: &alpha,
        proof: &proof.bytes,
        output: output.as_ref().map(|output| &output.bytes[..]),
    });
    print(format_args!("{}\n", show(&verdict, args.json)))?;
    Ok(match verdict {
        Ok(_) => Status::AllValid,
        Err(_) => Status::SomeInvalid,
    })
}

/// A proof, and the output if `klero prove` printed both.
type Proof = (Encoded, Option<Encoded>);

/// Reads a proof in any form, or the text that `klero prove` printed.
fn read_proof(value: &str) -> Result<Proof, Error> {
    let (content, place) = source::read_public("--proof", value)?;
    // Content as long as some suite's proofs is taken as the bytes of a proof, even if it looks like text.
    let is_length = Suite::ALL
        .iter()
        .any(|suite| suite.proof_len() == content.len());
    let text = Encoded::text(&content).filter(|_| !is_length);
    match text.as_deref().map(String::as_str) {
        Some(text) if text.starts_with("proof:") => printed(text, &place),
        Some(text) if text.starts_with('{') => printed_json(text, &place),
        _ => match Encoded::proof(&content) {
            Ok(proof) => Ok((proof, None)),
            Err(fault) => Err(Error::at(place, fault)),
        },
    }
}

/// Reads the two lines of `klero prove`.
fn printed(text: &str, place: &str) -> Result<Proof, Error> {
    let mut lines = text.lines();
    let mut next = |number, name, read: fn(&[u8]) -> Result<Encoded, klero::Error>| {
        let line = lines.next().unwrap_or_default();
        let digits = line.strip_prefix(name).ok_or("another word".to_owned());
        digits
            .and_then(|digits| read(digits.as_bytes()).map_err(|fault| fault.to_string()))
            .map_err(|fault| {
                Error::at(
                    format_args!("{place}, line {number}"),
                    format_args!("expected \"{name}\" and hex, as klero prove prints: {fault}"),
                )
            })
    };
    let proof = next(1, "proof:", Encoded::proof)?;
    let output = next(2, "output:", Encoded::output)?;
    if lines.next().is_some() {
        return Err(Error::at(
            format_args!("{place}, line 3"),
            "expected two lines, as klero prove prints",
        ));
    }
    Ok((proof, Some(output)))
}

/// Reads the object of `klero prove --json`.
fn printed_json(text: &str, place: &str) -> Result<Proof, Error> {
    #[derive(serde::Deserialize)]
    struct Printed {
        proof: String,
        output: Option<String>,
    }

    let fault = |fault: &dyn Display| {
        let fault = format!("expected an object as klero prove --json prints it: {fault}");
        Error::at(place, fault)
    };
    let printed: Printed = serde_json::from_str(text).map_err(|error| fault(&error))?;
    let proof = Encoded::proof(printed.proof.as_bytes()).map_err(|error| fault(&error))?;
    let output = printed
        .output
        .map(|output| Encoded::output(output.as_bytes()));
    Ok((proof, output.transpose().map_err(|error| fault(&error))?))
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
