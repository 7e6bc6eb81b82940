//! `klero token inspect`: the content of a token, unverified.

use serde_json::{Map, json};

use super::args::LimitArgs;
use super::given::Given;
use super::text::{self, Arrived};
use super::view::View;
use crate::error::{Error, Status};
use crate::layout::wrap;
use crate::stdout::print;

/// Show the content of a token, without verifying anything
///
/// No key is needed and no signature is checked: anyone can make a token that looks the same.
/// A block's payload is shown as text if every character is visible, otherwise in hex. The
/// secret key in a token of scheme chain is not shown.
#[derive(clap::Args)]
pub struct Args {
    /// Token: its text, a file with it, or - for standard input
    #[arg(value_name = "TOKEN|FILE|-", default_value = "-")]
    token: String,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let limits = args.limits.get();
    let given = Given::encoded("token", &args.token);
    let Arrived { token, length, .. } = text::read_token(&given, &limits)?;
    let token = token.map_err(|fault| given.unreadable(fault))?;
    let view = View::unverified(&token, length);
    let shown = if args.json {
        let members = Map::from_iter([("verified".into(), json!(false))]);
        view.json(members).to_string() + "\n"
    } else {
        let warning = "UNVERIFIED: no signature was checked, anyone can have made this";
        format!("{}\n{}", wrap(warning, "  "), view.tree(""))
    };
    print(shown)?;
    Ok(Status::AllValid)
}
