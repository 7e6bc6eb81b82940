//! `klero token challenge` and `klero token seal`: a challenge, and the token that answers it.

use serde_json::json;

use super::args::OutArgs;
use super::clock;
use super::holder::HolderArgs;
use super::text::{Given, not_made};
use super::verifier::Asked;
use crate::args::secrets::{HIDDEN, repeats_secret};
use crate::ui::error::Error;

/// Make a challenge, which the holder of a token answers by sealing the token to it
///
/// Prints a JSON object with 16 random bytes, the audience and the time of the clock. Give the object to the
/// holder, and verify the sealed token with it. Use each challenge only once: no command checks this. To
/// limit the time until the answer, use --max-age of verify and check.
#[derive(clap::Args)]
pub struct ChallengeArgs {
    /// Name of the verifier that the token will be shown to
    #[arg(long, value_name = "NAME")]
    audience: String,
    #[command(flatten)]
    out: OutArgs,
}

/// Makes a challenge.
pub fn challenge(args: &ChallengeArgs) -> Result<(), Error> {
    let mut nonce = [0; 16];
    getrandom::fill(&mut nonce).map_err(|error| Error::at("no randomness", error))?;
    let (nonce, audience) = (hex::encode(nonce), &args.audience);
    let challenge = json!({"nonce": nonce, "audience": audience, "time": clock::now()?});
    args.out.public(&challenge.to_string())
}

/// Seal a token to a verifier's challenge
///
/// A sealed token answers no other challenge, and nothing can be added to it. With --root, the token is
/// verified first. The exit status is 1 if the token is invalid, or if the challenge names another audience
/// than --audience. Such a challenge may be another verifier's, from somebody who wants to use your sealed
/// token there.
#[derive(clap::Args)]
pub struct SealArgs {
    /// Verifier that the token will be shown to: the name that you know, not copied from the challenge
    #[arg(long, value_name = "NAME")]
    audience: String,
    /// Challenge of the verifier, as `klero token challenge` makes it: the JSON object, a file with
    /// it, or - for standard input
    #[arg(
        long,
        value_name = "JSON|FILE|-",
        value_parser = |value: &str| Given::json("challenge", value),
    )]
    challenge: Given,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    holder: HolderArgs,
}

/// Seals a token.
pub fn seal(args: &SealArgs) -> Result<(), Error> {
    let challenge_is_stdin = ("--challenge", args.challenge.is_stdin());
    let token = args.holder.token(&[challenge_is_stdin])?;
    let challenge: Asked = args.challenge.object()?;
    let challenge = challenge.get();
    if challenge.audience != args.audience {
        let named = match repeats_secret(challenge.audience) {
            true => HIDDEN.to_owned(),
            false => format!("{:?}", challenge.audience),
        };
        return Err(Error::Invalid(format!(
            "the challenge is for the audience {named}, but --audience names another"
        )));
    }
    let sealed = token.seal(&challenge);
    args.out
        .token(&sealed.map_err(|fault| not_made("cannot seal the token", &fault))?)
}
