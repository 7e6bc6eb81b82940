//! The token that a holder adds to. It is verified only on request (`--root`).

use klero_token::{Token, Verified};

use super::args::LimitArgs;
use super::text::Given;
use super::verifier::RootArgs;
use crate::args::source;
use crate::ui::error::Error;

/// The token of a holder.
#[derive(clap::Args)]
#[command(mut_arg("roots", |arg| arg.help(
    "Verify the token first, with this public key of an issuer (chain:…, or a file); as in `verify`"
)))]
pub struct HolderArgs {
    /// Token: its text, a file with it, or - for standard input
    #[arg(
        value_name = "TOKEN|FILE|-",
        default_value = "-",
        value_parser = |value: &str| Given::encoded("token", value),
    )]
    token: Given,
    #[command(flatten)]
    roots: RootArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

impl HolderArgs {
    /// Reads a token to which something can be added, and verifies it if there are root keys. `others` has a
    /// pair for `source::one_stdin` for each other value of the command.
    pub fn token(&self, others: &[(&'static str, bool)]) -> Result<Token, Error> {
        let mut stdin = vec![("the token", self.token.is_stdin())];
        stdin.extend(self.roots.stdin());
        stdin.extend(others);
        source::one_stdin(&stdin)?;
        let verifier = self.roots.read()?;
        let token = self.token.token(&self.limits.get())?;
        let token = token.map_err(|fault| self.token.unreadable(fault))?;
        if token.is_sealed() {
            return Err(Error::new(
                "the token is sealed: nothing can be added to it",
            ));
        }
        if token.is_held() {
            return Err(Error::new(
                "the token is held by a device: nothing can be added to it, and only the device \
                 can seal it",
            ));
        }
        if !verifier.has_roots() {
            return Ok(token);
        }
        let verified = verifier.verify(token).map(Verified::into_token);
        verified.map_err(|reason| Error::Invalid(format!("the token is invalid: {reason}")))
    }
}
