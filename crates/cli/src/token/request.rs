//! `klero token request`: a request for a statement, which a third party answers.

use klero_token::Scheme;

use super::holder::{Holder, HolderArgs};
use super::out::OutArgs;
use super::scheme::with_scheme;
use crate::error::{Error, Status};

/// Ask a third party for a statement about a token
///
/// Prints a request for a statement, 92 characters, which reveals nothing about the token and is no
/// secret. The third party answers with `klero token statement`, and `klero token append
/// --statement` adds the answer. Add nothing to the token in between: the statement is for the token
/// as it is now.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    holder: HolderArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let holder = args.holder.read(&[])?;
    with_scheme!(holder.scheme(), request(&holder, &args.out))
}

fn request<S: Scheme>(holder: &Holder, out: &OutArgs) -> Result<Status, Error> {
    let request = holder
        .token::<S>()?
        .request()
        .map_err(|fault| Error::at("cannot make a request for a statement", fault))?;
    out.public(&request.to_text())?;
    Ok(Status::AllValid)
}
