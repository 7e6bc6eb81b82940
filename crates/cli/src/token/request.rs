//! `klero token request`: a request for a statement, which a third party answers.

use super::holder::HolderArgs;
use super::out::OutArgs;
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
    let token = args.holder.read(&[])?.token()?;
    let request = token
        .request()
        .map_err(|fault| Error::at("cannot make a request for a statement", fault))?;
    args.out.public(&request.to_text())?;
    Ok(Status::AllValid)
}
