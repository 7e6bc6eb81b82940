//! `klero token verify`: a verdict for every token.

use std::collections::{BTreeMap, HashSet};
use std::io::BufReader;

use clap::ValueEnum;
use klero_token::{Challenge, Error as Fault, Limits, RevocationId, Scheme, Unverified, Verified};
use serde_json::{Map, json};

use super::args::{ChallengeArgs, LimitArgs};
use super::keys::{RootArgs, Roots};
use super::lines::Lines;
use super::scheme::{SchemeName, with_scheme};
use super::text::{self, Text, Tokens, describe};
use super::view::View;
use crate::error::{EXIT_STATUS, Error, Status};
use crate::input::Source;
use crate::stdout::print;

/// Tokens that are in memory and verified together.
const GROUP: usize = 256;

/// Verify the tokens on standard input, one per line
///
/// Prints for each line `valid` and the token's content, or `invalid: reason`. A line that is
/// not a token is invalid; the other lines are verified. With a challenge only tokens sealed to
/// it are valid, without one only tokens that are not sealed.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct Args {
    #[command(flatten)]
    roots: RootArgs,
    #[command(flatten)]
    challenge: ChallengeArgs,
    /// Revocation ids in hex, one per line: a token with a block of such an id is invalid
    #[arg(long, value_name = "FILE")]
    revoked: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// The content of a token, or why it is invalid.
type Verdict = Result<View, String>;

/// What tokens are verified against.
struct Verifier<'a> {
    roots: Roots,
    challenge: Option<Challenge<'a>>,
    revoked: HashSet<RevocationId>,
    limits: Limits,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let verifier = Verifier {
        roots: args.roots.read()?,
        challenge: args.challenge.get(),
        revoked: match &args.revoked {
            Some(name) => read_revoked(&Source::from(name.as_str()))?,
            None => HashSet::new(),
        },
        limits: args.limits.get(),
    };
    let mut tokens = Tokens::new(&verifier.limits);
    let mut status = None;
    loop {
        let mut group = BTreeMap::new();
        while group.len() < GROUP
            && let Some((line, text)) = tokens.next()?
        {
            group.insert(line, text);
        }
        if group.is_empty() {
            return status.ok_or_else(text::nothing);
        }
        let mut shown = String::new();
        for (line, verdict) in verifier.verdicts(group)? {
            match verdict {
                Ok(_) => status = status.or(Some(Status::AllValid)),
                Err(_) => status = Some(Status::SomeInvalid),
            }
            shown += &show(line, &verdict, args.json);
        }
        print(shown)?;
    }
}

/// The ids in a file.
fn read_revoked(source: &Source) -> Result<HashSet<RevocationId>, Error> {
    if matches!(source, Source::Stdin) {
        crate::input::one_stdin(&[("the token", true), ("--revoked", true)])?;
    }
    let mut lines = Lines::new(BufReader::new(source.open()?), 64);
    let mut revoked = HashSet::new();
    while let Some(line) = lines.next().map_err(|error| source.unreadable(error))? {
        let mut id = [0; 32];
        match line.content {
            Ok(digits) if hex::decode_to_slice(digits, &mut id).is_ok() => {
                revoked.insert(RevocationId(id));
            }
            _ => {
                let place = format_args!("{source}, line {}", line.number).to_string();
                let expected = "expected a revocation id of 64 hex digits and nothing else";
                return Err(Error::at(place, expected));
            }
        }
    }
    Ok(revoked)
}

impl Verifier<'_> {
    /// The verdicts on lines with tokens of any scheme.
    fn verdicts(
        &self,
        group: BTreeMap<usize, Result<Text, String>>,
    ) -> Result<BTreeMap<usize, Verdict>, Error> {
        let mut verdicts = BTreeMap::new();
        let mut of_scheme: BTreeMap<&str, Vec<(usize, Text)>> = BTreeMap::new();
        for (line, text) in group {
            match text {
                Ok(text) => of_scheme
                    .entry(text.scheme.name())
                    .or_default()
                    .push((line, text)),
                Err(fault) => {
                    verdicts.insert(line, Err(fault));
                }
            }
        }
        for scheme in SchemeName::value_variants() {
            if let Some(texts) = of_scheme.get(scheme.name()) {
                verdicts.extend(with_scheme!(scheme, verify_together(self, texts))?);
            }
        }
        Ok(verdicts)
    }

    /// Refuses a valid token that has a revoked block.
    fn check_revoked(&self, view: &View) -> Result<(), String> {
        let mut ids = view.revocation_ids();
        match ids.position(|id| self.revoked.contains(id)) {
            Some(block) => Err(format!("block {block} is revoked")),
            None => Ok(()),
        }
    }
}

/// The verdicts on tokens of one scheme, verified together.
fn verify_together<S: Scheme>(
    verifier: &Verifier<'_>,
    texts: &[(usize, Text)],
) -> Result<Vec<(usize, Verdict)>, Error> {
    let decode = |text: &Text| {
        verifier.roots.expect::<S>()?;
        text.decode::<S>(&verifier.limits)
    };
    let mut decoded = Vec::with_capacity(texts.len());
    let mut faults = Vec::with_capacity(texts.len());
    for (_, text) in texts {
        match decode(text) {
            Ok(token) => {
                decoded.push((token, verifier.challenge));
                faults.push(None);
            }
            Err(fault) => faults.push(Some(fault)),
        }
    }
    let mut verified = Unverified::verify_many(decoded, &verifier.roots.of()?).into_iter();
    let verdicts = texts.iter().zip(faults).map(|((line, text), fault)| {
        let verdict = match fault {
            Some(fault) => Err(fault),
            None => verified
                .next()
                .expect("there is one verdict per token")
                .map_err(|fault| refusal(&fault))
                .map(|token| View::verified(&token, text.bytes()))
                .and_then(|view| verifier.check_revoked(&view).map(|()| view)),
        };
        (*line, verdict)
    });
    Ok(verdicts.collect())
}

/// The token, verified, for a command that adds to it.
pub fn to_extend<S: Scheme>(
    text: &Text,
    roots: &Roots,
    limits: &Limits,
) -> Result<Verified<S>, Error> {
    let token = text
        .decode::<S>(limits)
        .map_err(|fault| text::unreadable(&fault))?;
    if token.is_sealed() {
        return Err(Error::new(
            "the token is sealed: nothing can be added to it",
        ));
    }
    let invalid = |reason| Error::Invalid(format!("the token is invalid: {reason}"));
    roots.expect::<S>().map_err(invalid)?;
    token
        .verify(&roots.of()?, None)
        .map_err(|fault| invalid(refusal(&fault)))
}

/// Why a token is invalid, with the option that may help.
fn refusal(fault: &Fault) -> String {
    match fault {
        Fault::Sealed => "the token is sealed, and no challenge was given to verify it against \
                          (--nonce, --audience, --time)"
            .into(),
        fault => describe(fault),
    }
}

fn show(line: usize, verdict: &Verdict, as_json: bool) -> String {
    if !as_json {
        return match verdict {
            Ok(view) => format!("line {line}: valid\n{}", view.tree()),
            Err(reason) => format!("line {line}: invalid: {reason}\n"),
        };
    }
    let said = match verdict {
        Ok(_) => "valid".to_owned(),
        Err(reason) => format!("invalid: {reason}"),
    };
    let members = Map::from_iter([
        ("line".into(), json!(line)),
        ("verdict".into(), json!(said)),
    ]);
    let object = match verdict {
        Ok(view) => view.json(members),
        Err(_) => members.into(),
    };
    format!("{object}\n")
}
