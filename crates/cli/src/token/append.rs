//! `klero token append`: a token with one more block.

use clap::ArgGroup;
use klero_token::{Caveat, Error as Fault, Limits, Place, Statement};

use super::args::{CAVEATS, CaveatArgs, Payload};
use super::given::Given;
use super::holder::HolderArgs;
use super::out::{OutArgs, not_made};
use super::text::{self, describe};
use crate::error::{Error, Status};

/// Add a block to a token: caveats that narrow it, a third party's statement, or bytes
///
/// No key is needed: whoever has a token can narrow it. With --root it is verified first, and
/// nothing is added to an invalid one (exit status 1). Nothing can be added to a token that is
/// sealed or that a device holds.
///
/// A block of bytes (--payload) means something to the application alone; `klero token check`
/// refuses a token that has one.
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
    #[arg(long, value_name = "STATEMENT|FILE|-", conflicts_with = "payloads")]
    statement: Option<String>,
    #[command(flatten)]
    payload: Option<Payload>,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    holder: HolderArgs,
}

/// What is added.
enum Block {
    Caveats(Vec<Caveat>),
    Statement(Statement),
    Opaque(Vec<u8>),
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let statement = args.statement.as_deref();
    let statement = statement.map(|value| Given::encoded("statement", value));
    let mut stdin = Vec::new();
    stdin.extend(args.payload.as_ref().map(Payload::stdin));
    stdin.extend(
        statement
            .as_ref()
            .map(|given| ("--statement", given.is_stdin())),
    );
    let holder = args.holder.read(&stdin)?;
    let limits = holder.limits();
    let block = match (statement, &args.payload) {
        (Some(given), _) => Block::Statement(read_statement(&given, limits)?),
        (_, Some(payload)) => Block::Opaque(payload.read(limits)?),
        _ => Block::Caveats(args.caveats.get()),
    };
    let token = holder.token()?;
    let longer = match block {
        Block::Caveats(caveats) => token.narrow(&caveats),
        Block::Statement(statement) => token.append_statement(&statement),
        Block::Opaque(payload) => token.append(&payload),
    };
    args.out.token(&longer.map_err(refused)?)?;
    Ok(Status::AllValid)
}

fn refused(fault: Fault) -> Error {
    match fault {
        // Anywhere else it is the token that is broken.
        Fault::Signature { place }
        | Fault::SignatureScalar { place }
        | Fault::HighS { place }
        | Fault::Assertion { place, .. }
        | Fault::Key { place, .. }
            if matches!(place, Place::ThirdParty(_)) =>
        {
            Error::Invalid(format!("the statement is invalid for this token: {fault}"))
        }
        fault => not_made("cannot add to the token", &fault),
    }
}

fn read_statement(given: &Given, limits: &Limits) -> Result<Statement, Error> {
    let text = text::read_one(given, limits)?;
    Statement::from_text(&text, limits).map_err(|fault| given.unreadable(describe(&fault)))
}
