//! What the commands of a holder have in common: a token, which need not be verified.

use std::collections::HashSet;

use klero_token::{Limits, Unverified, Verified};

use super::args::LimitArgs;
use super::given::Given;
use super::roots::RootArgs;
use super::text::{self, Arrived};
use super::verifier::Verifier;
use crate::error::Error;
use crate::input;

/// The token of a holder.
#[derive(clap::Args)]
#[command(mut_arg("roots", |arg| arg.help(
    "Verify the token first, with this public key of an issuer (chain:…, or a file); as in `verify`"
)))]
pub struct HolderArgs {
    /// Token: its text, a file with it, or - for standard input
    #[arg(value_name = "TOKEN|FILE|-", default_value = "-")]
    token: String,
    #[command(flatten)]
    roots: RootArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// A token, and what it is verified against if that is wanted.
pub struct Holder {
    arrived: Arrived,
    given: Given,
    verifier: Verifier,
}

impl HolderArgs {
    /// Reads the token. `others` may be read from standard input instead.
    pub fn read(&self, others: &[(&'static str, bool)]) -> Result<Holder, Error> {
        let given = Given::encoded("token", &self.token);
        let mut stdin = vec![("the token", given.is_stdin())];
        stdin.extend(self.roots.stdin());
        stdin.extend(others);
        input::one_stdin(&stdin)?;
        let verifier = Verifier {
            roots: self.roots.read()?,
            challenge: None,
            max_age: None,
            revoked: HashSet::new(),
            limits: self.limits.get(),
        };
        Ok(Holder {
            arrived: text::read_token(&given, &verifier.limits)?,
            given,
            verifier,
        })
    }
}

impl Holder {
    /// The limits of the token.
    pub fn limits(&self) -> &Limits {
        &self.verifier.limits
    }

    /// The token, verified if there are root keys. Nothing can be added to a sealed one, or
    /// to one that a device holds.
    pub fn token(self) -> Result<Unverified, Error> {
        let Self {
            arrived,
            given,
            verifier,
        } = self;
        let token = arrived.token.map_err(|fault| given.unreadable(fault))?;
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
        if verifier.roots.is_empty() {
            return Ok(token);
        }
        let verdict = verifier.verify(Arrived {
            token: Ok(token),
            ..arrived
        });
        verdict
            .map(Verified::into_unverified)
            .map_err(|reason| Error::Invalid(format!("the token is invalid: {reason}")))
    }
}
