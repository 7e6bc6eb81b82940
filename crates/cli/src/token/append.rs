//! `klero token append`: a token with one more block.

use klero_token::{Limits, Scheme, SecretKey};

use super::args::{LimitArgs, Payload};
use super::keys::{RootArgs, Roots, SecretFile};
use super::scheme::{SchemeName, with_scheme};
use super::text::{self, Text};
use super::verify;
use crate::error::{Error, Status};
use crate::input::{self, Source};

/// Add a block to the token on standard input
///
/// The token is verified first: nothing is added to an invalid one (exit status 1). Nothing can
/// be added to a sealed token.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    roots: RootArgs,
    /// Secret key for the new block, which verifiers can recognise by its public key (default:
    /// a new key). A token of scheme chain contains the secret key until the next block is
    /// added: use a key that is used for nothing else
    #[arg(long, value_name = "FILE")]
    key: Option<String>,
    #[command(flatten)]
    payload: Payload,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let source = args.key.as_deref().map(Source::from);
    input::one_stdin(&[
        ("the token", true),
        ("--key", matches!(source, Some(Source::Stdin))),
        ("--payload-file", args.payload.is_stdin()),
    ])?;
    let roots = args.roots.read()?;
    let key = source.map(SecretFile::read).transpose()?;
    let limits = args.limits.get();
    let payload = args.payload.read(&limits)?;
    let text = text::read_one(&limits)?;
    with_scheme!(
        text.scheme,
        append(&text, &roots, key.as_ref(), &payload, &limits)
    )
}

fn append<S: Scheme>(
    text: &Text,
    roots: &Roots,
    key: Option<&SecretFile>,
    payload: &[u8],
    limits: &Limits,
) -> Result<Status, Error> {
    let token = verify::to_extend::<S>(text, roots, limits)?;
    let appended = match key {
        Some(file) => token.append_with(&own_key(file, roots)?, payload),
        None => token.append(payload),
    };
    let token = appended.map_err(|fault| Error::at("cannot add to the token", fault))?;
    text::write(&token, limits)?;
    Ok(Status::AllValid)
}

/// The given key, unless it is a root key that the token would contain.
fn own_key<S: Scheme>(file: &SecretFile, roots: &Roots) -> Result<SecretKey<S>, Error> {
    let key = file.key::<S>()?;
    if S::NAME == SchemeName::Chain.name() && roots.contains(key.public_key()) {
        return Err(Error::at(
            "--key",
            "this is a root key, and the token would carry it: expected another",
        ));
    }
    Ok(key)
}
