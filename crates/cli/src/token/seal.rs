//! `klero token seal`: a token that answers one challenge.

use super::asked::ChallengeArg;
use super::holder::HolderArgs;
use super::out::{OutArgs, not_made};
use crate::error::{Error, Status};
use crate::secrets::{HIDDEN, repeats_secret};

/// Seal a token to a verifier's challenge
///
/// A sealed token answers no other challenge, and nothing can be added to it. With --root the
/// token is verified first. Exit status 1 if it is invalid, or if the challenge is for another
/// audience than --audience: whoever passes on another verifier's challenge could otherwise use
/// the sealed token there.
#[derive(clap::Args)]
#[command(mut_arg("challenge", |arg| arg.required(true)))]
pub struct Args {
    /// Whom the token is shown to: the name of the verifier, as you know it
    #[arg(long, value_name = "NAME")]
    audience: String,
    #[command(flatten)]
    challenge: ChallengeArg,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    holder: HolderArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let holder = args.holder.read(&[args.challenge.stdin()])?;
    let challenge = args.challenge.read()?;
    let challenge = challenge.ok_or_else(|| Error::new("expected --challenge"))?;
    let named = challenge.get().audience;
    if named != args.audience {
        let named = match repeats_secret(named) {
            true => HIDDEN.to_owned(),
            false => format!("{named:?}"),
        };
        return Err(Error::Invalid(format!(
            "the challenge is for the audience {named}, but --audience names another"
        )));
    }
    let sealed = holder.token()?.seal(&challenge.get());
    args.out
        .token(&sealed.map_err(|fault| not_made("cannot seal the token", &fault))?)?;
    Ok(Status::AllValid)
}
