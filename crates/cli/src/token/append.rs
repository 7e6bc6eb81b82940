//! `klero token append`: adds a block to a token.

use clap::ArgGroup;
use klero_token::{Error as Fault, Place, Statement};

use super::args::{CAVEATS, CaveatArgs, OutArgs, Payload};
use super::holder::HolderArgs;
use super::text::{Given, not_made};
use crate::ui::error::Error;

/// Add a block to a token: caveats that narrow it, a third party's statement, or bytes
///
/// No key is needed: anyone who has a token can narrow it. With --root, the token is verified first, and
/// nothing is added to an invalid token (exit status 1). Nothing can be added to a token that is sealed or
/// that a device holds.
///
/// Only an application knows what a block of bytes (--payload) means; `klero token check` refuses a token
/// with such a block.
#[derive(clap::Args)]
#[command(
    override_usage = "klero token append [OPTIONS] \
        <--caveat <CAVEAT>|--expires <TIME>|--statement <STATEMENT>|--payload <TEXT>> [TOKEN|FILE|-]",
    after_help = CAVEATS,
    group(ArgGroup::new("block")
        .args(["caveats", "expires", "statement", "payload", "payload_hex", "payload_file"])
        .required(true)
        .multiple(true)),
    mut_group("narrowing", |group| group.conflicts_with_all(["statement", "payloads"])),
)]
pub struct Args {
    #[command(flatten)]
    caveats: CaveatArgs,
    /// Statement of a third party: its text, a file with it, or - for standard input
    #[arg(
        long,
        value_name = "STATEMENT|FILE|-",
        conflicts_with = "payloads",
        value_parser = |value: &str| Given::encoded("statement", value),
    )]
    statement: Option<Given>,
    #[command(flatten)]
    payload: Option<Payload>,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    holder: HolderArgs,
}

/// Runs `klero token append`.
pub fn run(args: &Args) -> Result<(), Error> {
    let statement = args.statement.as_ref();
    let payload = args.payload.as_ref().map(Payload::stdin);
    let statement_is_stdin = ("--statement", statement.is_some_and(Given::is_stdin));
    let stdin: Vec<_> = payload.into_iter().chain([statement_is_stdin]).collect();
    let token = args.holder.token(&stdin)?;
    let limits = args.holder.limits.get();
    let longer = match (statement, &args.payload) {
        (Some(given), _) => {
            let statement = given.one(&limits, |text| Statement::from_text(text, &limits))?;
            token.append_statement(&statement.map_err(|fault| given.unreadable(fault))?)
        }
        (_, Some(payload)) => token.append(&payload.read(&limits)?),
        _ => token.narrow(&args.caveats.get()),
    };
    args.out.token(&longer.map_err(refused)?)
}

fn refused(fault: Fault) -> Error {
    match fault {
        // Only at this place is the fault in the statement; at all other places it is in the token.
        Fault::Signature { place, .. } | Fault::Passkey { place, .. }
            if matches!(place, Place::ThirdParty(_)) =>
        {
            Error::Invalid(format!("the statement is invalid for this token: {fault}"))
        }
        fault => not_made("cannot add to the token", &fault),
    }
}
