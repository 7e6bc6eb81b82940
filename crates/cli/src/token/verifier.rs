//! What tokens are verified against, and the reasons to refuse them.

use std::collections::HashSet;
use std::io::BufReader;
use std::str::FromStr;

use clap::ArgGroup;
use klero_token::{Error as Fault, Limits, Place, RevocationId, Scheme, Unverified, Verified};

use super::args::LimitArgs;
use super::asked::{Asked, ChallengeArg};
use super::clock;
use super::lines::Lines;
use super::roots::{RootArgs, Roots};
use super::text::{Arrived, describe};
use crate::error::Error;
use crate::input::Source;

/// What tokens are verified against.
///
/// Whether there is a challenge, and what is revoked, must be said: both are easily forgotten, and
/// nobody would notice.
#[derive(clap::Args)]
#[command(
    mut_arg("roots", |arg| arg.required(true)),
    group(ArgGroup::new("challenges").args(["challenge", "no_challenge"]).required(true)),
    group(ArgGroup::new("revocations").args(["revoked", "none_revoked"]).required(true)),
)]
pub struct VerifierArgs {
    #[command(flatten)]
    roots: RootArgs,
    #[command(flatten)]
    challenge: ChallengeArg,
    /// There is no challenge: only tokens that are not sealed are valid
    #[arg(long)]
    no_challenge: bool,
    /// Longest time since the challenge was made, such as 60s: an answer that is older, or of a
    /// challenge from as far in the future, is invalid
    #[arg(long, value_name = "DURATION", conflicts_with = "no_challenge", value_parser = clock::duration)]
    max_age: Option<u64>,
    /// Revocation ids as klero token verify shows them, one per line: a token with a block of such
    /// an id is invalid
    #[arg(long, value_name = "FILE|-")]
    revoked: Option<String>,
    /// Nothing is revoked
    #[arg(long)]
    none_revoked: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

impl VerifierArgs {
    /// What is read from standard input.
    pub fn stdin(&self) -> Vec<(&'static str, bool)> {
        let revoked = matches!(self.revoked(), Some(Source::Stdin));
        let mut wanted: Vec<_> = self.roots.stdin().collect();
        wanted.extend([self.challenge.stdin(), ("--revoked", revoked)]);
        wanted
    }

    /// Reads all of it.
    pub fn read(&self) -> Result<Verifier, Error> {
        Ok(Verifier {
            roots: self.roots.read()?,
            challenge: self.challenge.read()?,
            max_age: self.max_age,
            revoked: match self.revoked() {
                Some(source) => read_revoked(&source)?,
                None => HashSet::new(),
            },
            limits: self.limits.get(),
        })
    }

    fn revoked(&self) -> Option<Source> {
        self.revoked.as_deref().map(Source::from)
    }
}

/// The ids in a file.
fn read_revoked(source: &Source) -> Result<HashSet<RevocationId>, Error> {
    let mut lines = Lines::new(BufReader::new(source.open("--revoked")?), 64);
    let mut revoked = HashSet::new();
    while let Some(line) = lines.next().map_err(|error| source.unreadable(error))? {
        let text = line.content.ok().and_then(|text| str::from_utf8(text).ok());
        // What is not understood is an error: skipped, it would revoke nothing.
        let id = text.ok_or(Fault::IdText).and_then(RevocationId::from_str);
        let place = format_args!("{source}, line {}", line.number);
        revoked.insert(id.map_err(|fault| Error::at(place, fault))?);
    }
    Ok(revoked)
}

/// What tokens are verified against.
pub struct Verifier {
    pub roots: Roots,
    pub challenge: Option<Asked>,
    /// Of the challenge, in seconds.
    pub max_age: Option<u64>,
    pub revoked: HashSet<RevocationId>,
    pub limits: Limits,
}

impl Verifier {
    /// The token, or why it is invalid.
    pub fn verify(&self, arrived: Arrived) -> Result<Verified, String> {
        // There is one verdict for each token.
        self.verify_many([arrived]).remove(0)
    }

    /// The tokens, verified together, or why each is invalid.
    pub fn verify_many(
        &self,
        arrived: impl IntoIterator<Item = Arrived>,
    ) -> Vec<Result<Verified, String>> {
        let challenge = self.challenge.as_ref().map(Asked::get);
        let mut tokens = Vec::new();
        let mut present = |Arrived { scheme, token, .. }| {
            self.roots.expect(scheme)?;
            let token: Unverified = token?;
            let root = (scheme, token.root_id());
            tokens.push((token, challenge));
            Ok(root)
        };
        let roots: Vec<Result<_, String>> = arrived.into_iter().map(&mut present).collect();
        let mut verdicts = Unverified::verify_many(tokens, self.roots.keys()).into_iter();
        let verdict = |root: Result<(Scheme, u32), String>| {
            let (scheme, id) = root?;
            let verdict = verdicts.next().expect("there is one verdict per token");
            verdict.map_err(|fault| self.refusal(&fault, scheme, id))
        };
        roots.into_iter().map(verdict).collect()
    }

    /// Refuses a challenge that is older than it may be.
    pub fn check_age(&self, now: u64) -> Result<(), String> {
        let (Some(challenge), Some(most)) = (&self.challenge, self.max_age) else {
            return Ok(());
        };
        let time = challenge.get().time;
        let (apart, when) = match now >= time {
            true => (now - time, "old"),
            false => (time - now, "in the future"),
        };
        match apart <= most {
            true => Ok(()),
            false => Err(format!(
                "the challenge is {apart} seconds {when}, the limit is {most} (--max-age)"
            )),
        }
    }

    /// Refuses a valid token that has a revoked block.
    pub fn check_revoked(&self, token: &Verified) -> Result<(), String> {
        let mut ids = token.revocation_ids().into_iter();
        match ids.position(|id| self.revoked.contains(&id)) {
            Some(block) => Err(format!("block {block} is revoked")),
            None => Ok(()),
        }
    }

    /// Why a token is invalid, with the option that may help.
    fn refusal(&self, fault: &Fault, scheme: Scheme, root_id: u32) -> String {
        match fault {
            // The same mistake in every scheme, though not all tokens contain the root key.
            Fault::WrongRoot(_)
            | Fault::Signature {
                place: Place::Block(0),
            } => format!(
                "block 0 is not signed by root key {root_id} (--root {}), or was changed",
                self.roots.name(scheme, root_id)
            ),
            Fault::Sealed => "the token is sealed, and no challenge was given to verify it \
                              against (--challenge)"
                .into(),
            fault => describe(fault),
        }
    }
}
