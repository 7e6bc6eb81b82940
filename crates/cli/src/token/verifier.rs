//! What tokens are verified against, and the reasons to refuse them.

use std::collections::HashSet;
use std::io::BufReader;
use std::str::FromStr;

use klero_token::{Error as Fault, Limits, Place, RevocationId, Scheme, Unverified, Verified};

use super::args::LimitArgs;
use super::asked::{Asked, ChallengeArg};
use super::lines::Lines;
use super::roots::{RootArgs, Roots};
use super::text::{Text, describe};
use crate::error::Error;
use crate::input::Source;

/// What tokens are verified against.
#[derive(clap::Args)]
#[command(mut_arg("roots", |arg| arg.required(true)))]
pub struct VerifierArgs {
    #[command(flatten)]
    roots: RootArgs,
    #[command(flatten)]
    challenge: ChallengeArg,
    /// Revocation ids as klero token verify shows them, one per line: a token with a block of such
    /// an id is invalid
    #[arg(long, value_name = "FILE|-")]
    revoked: Option<String>,
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
    pub revoked: HashSet<RevocationId>,
    pub limits: Limits,
}

impl Verifier {
    /// The tokens of one scheme, verified together, or why each is invalid.
    pub fn verify<S: Scheme>(
        &self,
        texts: &[&Text],
    ) -> Result<Vec<Result<Verified<S>, String>>, Error> {
        let decode = |text: &Text| {
            self.roots.expect::<S>()?;
            text.decode::<S>(&self.limits)
        };
        let challenge = self.challenge.as_ref().map(Asked::get);
        let mut decoded = Vec::with_capacity(texts.len());
        let mut root_ids = Vec::with_capacity(texts.len());
        for text in texts {
            root_ids.push(decode(text).map(|token| {
                let root_id = token.root_id();
                decoded.push((token, challenge));
                root_id
            }));
        }
        let mut verified = Unverified::verify_many(decoded, &self.roots.of()?).into_iter();
        let verdict = |root_id: Result<u32, String>| {
            let root_id = root_id?;
            let token = verified.next().expect("there is one verdict per token");
            let token = token.map_err(|fault| self.refusal::<S>(&fault, root_id))?;
            self.check_revoked(&token)?;
            Ok(token)
        };
        Ok(root_ids.into_iter().map(verdict).collect())
    }

    /// Refuses a valid token that has a revoked block.
    fn check_revoked<S: Scheme>(&self, token: &Verified<S>) -> Result<(), String> {
        let mut ids = token.revocation_ids().into_iter();
        match ids.position(|id| self.revoked.contains(&id)) {
            Some(block) => Err(format!("block {block} is revoked")),
            None => Ok(()),
        }
    }

    /// Why a token is invalid, with the option that may help.
    fn refusal<S: Scheme>(&self, fault: &Fault, root_id: u32) -> String {
        match fault {
            // The same mistake in every scheme, though not all tokens contain the root key.
            Fault::WrongRoot(_)
            | Fault::Signature {
                place: Place::Block(0),
            } => format!(
                "block 0 is not signed by root key {root_id} (--root {}), or was changed",
                self.roots.name::<S>(root_id)
            ),
            Fault::Sealed => "the token is sealed, and no challenge was given to verify it \
                              against (--challenge)"
                .into(),
            fault => describe(fault),
        }
    }
}
