//! `klero prove`: one proof.

use serde_json::json;

use crate::args::request::Request;
use crate::ui::error::{Error, Status};
use crate::ui::terminal::print;

/// Prove one alpha; prints the proof and the output
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    request: Request,
    /// Print one JSON object, a row for `klero batch verify`
    #[arg(long)]
    json: bool,
}

/// Runs `klero prove`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let (key, alpha) = args.request.read()?;
    let (proof, output) = key
        .prove_checked(&alpha)
        .map_err(|fault| Error::at("cannot prove", fault))?;
    let (proof, output) = (hex::encode(proof), hex::encode(output));
    let text = if args.json {
        json!({
            "suite": key.suite().name(),
            "key": hex::encode(key.public_key()),
            "alpha": hex::encode(&alpha),
            "proof": proof,
            "output": output,
        })
        .to_string()
    } else {
        format!("proof:  {proof}\noutput: {output}")
    };
    print(format_args!("{text}\n"))?;
    Ok(Status::AllValid)
}
