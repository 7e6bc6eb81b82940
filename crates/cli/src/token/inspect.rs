//! `klero token inspect`: prints the content of a token without verifying it.

use serde_json::json;

use super::args::LimitArgs;
use super::print::{tree, with_content};
use super::text::Given;
use crate::ui::error::Error;
use crate::ui::layout::wrap;
use crate::ui::terminal::print;

/// Show the content of a token, without verifying anything
///
/// No key is needed and no signature is checked: anyone can make a token that looks the same. A block's
/// payload is shown as text if every character is visible, and otherwise in hex. The secret key in a token of
/// scheme chain is not shown.
#[derive(clap::Args)]
pub struct Args {
    /// Token: its text, a file with it, or - for standard input
    #[arg(
        value_name = "TOKEN|FILE|-",
        default_value = "-",
        value_parser = |value: &str| Given::encoded("token", value),
    )]
    token: Given,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `klero token inspect`.
pub fn run(args: &Args) -> Result<(), Error> {
    let token = args.token.token(&args.limits.get())?;
    let token = token.map_err(|fault| args.token.unreadable(fault))?;
    let blocks = token.unverified_blocks();
    if args.json {
        let object = with_content(json!({"verified": false}), &token, blocks, 0);
        return print(format_args!("{object}\n"));
    }
    let warning = "UNVERIFIED: no signature was checked, anyone can have made this";
    let warning = wrap(warning, "  ");
    print(format_args!("{warning}\n{}", tree("", &token, blocks, 0)))
}
