//! `klero token check`: decides whether a token allows a request.

use std::sync::LazyLock;

use klero_token::Refused;
use serde_json::json;

use super::access::{SHAPE, Told};
use super::args::CAVEATS;
use super::print::{shown_payload, text};
use super::text::Given;
use super::verifier::VerifierArgs;
use crate::ui::error::{Error, Status};
use crate::ui::terminal::print;

/// Verify a token, and say whether its caveats allow a request
///
/// Prints `allowed` and the payload of the first block, which says what the token allows. If a caveat does
/// not hold, prints `refused` with the caveat, its block, and what the request states instead. If the token
/// is invalid, prints `invalid` and the reason. A token with a later block of bytes (--payload) is refused,
/// because only an application can know what the bytes mean.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP.as_str())]
pub struct Args {
    /// Request to decide on: a JSON object, a file with it, or - for standard input
    #[arg(
        long,
        value_name = "JSON|FILE|-",
        value_parser = |value: &str| Given::json("request of --access", value),
    )]
    access: Given,
    #[command(flatten)]
    verifier: VerifierArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The end of the help text.
static AFTER_HELP: LazyLock<String> = LazyLock::new(|| format!("{SHAPE}\n\n{CAVEATS}\n\n{EXIT}"));

const EXIT: &str = "\
Exit status:
  0  the request is allowed
  1  the token is invalid, or refuses the request
  2  something could not be read or written, or the command line is wrong
  130  interrupted by Ctrl-C or SIGTERM";

/// Runs `klero token check`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let verifier = args
        .verifier
        .read(&[("--access", args.access.is_stdin())])?;
    let told: Told = args.access.object()?;
    let token = args.verifier.token.token(&args.verifier.limits.get())?;
    let now = told.now()?;
    let verdict = token.and_then(|token| {
        let token = verifier.verify(token)?;
        verifier.check_age(now)?;
        verifier.check_revoked(&token)?;
        Ok(told.check(&token, now))
    });
    let status = match verdict {
        Ok(Ok(_)) => Status::AllValid,
        _ => Status::SomeInvalid,
    };
    let (said, object) = match verdict {
        Ok(Ok(rights)) => {
            let (hex, text) = (hex::encode(&rights), text(&rights));
            let object = json!({"verdict": "allowed", "rights": hex, "text": text});
            (format!("allowed\n{}", shown_payload(&rights)), object)
        }
        Ok(Err(refused)) => {
            let said = format!("refused: {}", why(&refused));
            let object = json!({"verdict": said, "block": refused.block, "caveat": refused.caveat});
            (said, object)
        }
        Err(reason) => {
            let said = format!("invalid: {reason}");
            let object = json!({ "verdict": said });
            (said, object)
        }
    };
    match args.json {
        true => print(format_args!("{object}\n"))?,
        false => print(format_args!("{said}\n"))?,
    }
    Ok(status)
}

/// Describes the refusal, with the values that the request states. The user gave them, so they may be shown.
fn why(refused: &Refused) -> String {
    match &refused.stated {
        Some(stated) => {
            let (place, caveat) = (refused.place(), &refused.caveat);
            format!("{place}: `{caveat}` does not hold: {stated}")
        }
        None => refused.to_string(),
    }
}
