//! `klero token inspect`: the content of a token, unverified.

use klero_token::{Limits, Scheme};
use serde_json::{Map, json};

use super::args::LimitArgs;
use super::scheme::with_scheme;
use super::text::{self, Text};
use super::view::View;
use crate::error::{Error, Status};
use crate::stdout::print;

/// Show the content of the token on standard input, without verifying anything
///
/// No key is needed and no signature is checked: anyone can make a token that looks the same.
/// A block's payload is shown as text if every character is visible, otherwise in hex. The
/// secret key in a token of scheme chain is not shown.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let limits = args.limits.get();
    let text = text::read_one(&limits)?;
    let view = with_scheme!(text.scheme, view(&text, &limits))?;
    let shown = if args.json {
        let members = Map::from_iter([("verified".into(), json!(false))]);
        view.json(members).to_string() + "\n"
    } else {
        format!(
            "UNVERIFIED: no signature was checked, anyone can have made this\n{}",
            view.tree()
        )
    };
    print(shown)?;
    Ok(Status::AllValid)
}

fn view<S: Scheme>(text: &Text, limits: &Limits) -> Result<View, Error> {
    let token = text
        .decode::<S>(limits)
        .map_err(|fault| text::unreadable(&fault))?;
    Ok(View::unverified(&token, text.bytes()))
}
