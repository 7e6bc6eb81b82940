//! `klero evaluate`: one output, without a proof.

use serde_json::json;

use crate::args::request::Request;
use crate::ui::error::{Error, Status};
use crate::ui::terminal::print;

/// Evaluate one alpha; prints the output, without a proof
///
/// Computes the same output as `klero prove`, in less time. Without a proof, only the owner of the key can
/// check the output.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    request: Request,
    /// Print one JSON object with suite, key, alpha and output
    #[arg(long)]
    json: bool,
}

/// Runs `klero evaluate`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let (key, alpha) = args.request.read()?;
    let output = hex::encode(key.evaluate(&alpha));
    let text = if args.json {
        json!({
            "suite": key.suite().name(),
            "key": hex::encode(key.public_key()),
            "alpha": hex::encode(&alpha),
            "output": output,
        })
        .to_string()
    } else {
        output
    };
    print(format_args!("{text}\n"))?;
    Ok(Status::AllValid)
}
