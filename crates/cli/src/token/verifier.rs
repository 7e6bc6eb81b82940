//! The keys and the challenge for verifying tokens, and the reasons to refuse a token.

use std::collections::HashSet;
use std::io::BufReader;

use clap::ArgGroup;
use klero_token::{
    Challenge, Error as Fault, KeyKind, Place, RelyingParty, RevocationId, RootKeys, Scheme, Token,
    Verified,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::args::LimitArgs;
use super::clock;
use super::keys::issuer_key;
use super::text::{Given, Lines, describe};
use crate::args::source::{self, Source};
use crate::ui::error::Error;
use crate::ui::terminal::harmless;

/// The root keys whose tokens are accepted. If holders or third parties sign with passkeys, also the relying
/// party that those passkeys belong to.
#[derive(clap::Args)]
pub struct RootArgs {
    /// Public key of an issuer (chain:…, or a file), and the number by which tokens identify it (default: 0);
    /// may be repeated. `./1=a` is the file `1=a`
    #[arg(long = "root", value_name = "[ID=]KEY", value_parser = numbered)]
    roots: Vec<(u32, Given, String)>,
    /// Domain whose passkeys are accepted, such as example.org; without this option, anything that a passkey
    /// signed is invalid
    #[arg(long, value_name = "DOMAIN", requires_all = ["origins", "roots"], value_parser = domain)]
    rp_id: Option<String>,
    /// Origin of a page that may use these passkeys, as browsers write it, such as
    /// https://www.example.org, without a slash at the end; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN", requires = "rp_id", value_parser = origin)]
    origins: Vec<String>,
    /// Require that the passkey verified its user, by a PIN or a fingerprint for example; without this
    /// option, it is enough that somebody was present
    #[arg(long, requires = "rp_id")]
    user_verification: bool,
}

impl RootArgs {
    /// A pair for each key: the name of the option, and true if the key is read from standard input.
    pub fn stdin(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let keys = self.roots.iter();
        keys.map(|(_, key, _)| ("--root", key.is_stdin()))
    }

    /// Reads the keys. The returned verifier has no challenge and no revocations yet.
    pub fn read(&self) -> Result<Verifier, Error> {
        let mut verifier = Verifier::default();
        for (id, given, name) in &self.roots {
            let key = issuer_key(given)?;
            if verifier.roots.insert(*id, key).is_some() {
                return Err(Error::at(
                    format_args!("--root {name}"),
                    format_args!("another key of scheme {} has the number {id}", key.kind()),
                ));
            }
            verifier.names.push((key.kind(), *id, name.clone()));
        }
        if let Some(id) = self.rp_id.clone() {
            verifier.roots.set_relying_party(RelyingParty {
                id,
                origins: self.origins.clone(),
                user_verification: self.user_verification,
            });
        }
        Ok(verifier)
    }
}

/// Parses a root key, `KEY` or `ID=KEY`. Returns its number, the key, and the name of the key in messages.
fn numbered(value: &str) -> Result<(u32, Given, String), String> {
    let (id, key) = match value.split_once('=') {
        Some((id, key)) if id.bytes().all(|byte| byte.is_ascii_digit()) => {
            let number = id.parse();
            let number = number.map_err(|_| "expected a number below 2^32 before =")?;
            (number, key)
        }
        _ => (0, value),
    };
    Ok((id, Given::key(key), harmless(key)))
}

/// Refuses a text that cannot be the domain of a passkey. Most often such a text is an origin.
fn domain(text: &str) -> Result<String, String> {
    let other = |c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-'));
    match text.is_empty() || text.contains(other) {
        true => Err("expected a domain in lower case, such as example.org".into()),
        false => Ok(text.to_owned()),
    }
}

/// Refuses an origin that no browser writes for a page. Accepts origins of applications, such as
/// `android:apk-key-hash:…`.
fn origin(text: &str) -> Result<String, String> {
    let host = match text.split_once(':') {
        Some((scheme, rest)) if !scheme.is_empty() => rest.strip_prefix("//").unwrap_or(rest),
        _ => "",
    };
    let other = |c: char| !c.is_ascii_graphic() || matches!(c, '/' | '"' | '\\');
    match host.is_empty() || host.contains(other) {
        true => Err(
            "expected scheme and host, and no slash behind them, such as \
                     https://www.example.org"
                .into(),
        ),
        false => Ok(text.to_owned()),
    }
}

/// A token, and all that it is verified against.
///
/// The options about the challenge and about revocations are required: if they had defaults, nobody would
/// notice that they were forgotten.
#[derive(clap::Args)]
#[command(
    mut_arg("roots", |arg| arg.required(true)),
    group(ArgGroup::new("challenges").args(["challenge", "no_challenge"]).required(true)),
    group(ArgGroup::new("revocations").args(["revoked", "none_revoked"]).required(true)),
)]
pub struct VerifierArgs {
    /// Token: its text, a file with it, or - for standard input
    #[arg(
        value_name = "TOKEN|FILE|-",
        default_value = "-",
        value_parser = |value: &str| Given::encoded("token", value),
    )]
    pub token: Given,
    #[command(flatten)]
    roots: RootArgs,
    /// Challenge that the token is sealed to, as `klero token challenge` makes it: the JSON
    /// object, a file with it, or - for standard input
    #[arg(
        long,
        value_name = "JSON|FILE|-",
        value_parser = |value: &str| Given::json("challenge", value),
    )]
    challenge: Option<Given>,
    /// There is no challenge: only tokens that are not sealed are valid
    #[arg(long)]
    no_challenge: bool,
    /// Longest time between the challenge and now, such as 60s: a token is invalid if its challenge is
    /// older, or is further in the future
    #[arg(
        long,
        value_name = "DURATION",
        conflicts_with = "no_challenge",
        value_parser = clock::duration,
    )]
    max_age: Option<u64>,
    /// File of revocation ids, one per line, as klero token verify shows them: a token is invalid if one of
    /// its blocks has such an id
    #[arg(long, value_name = "FILE|-")]
    revoked: Option<Source>,
    /// Nothing is revoked
    #[arg(long)]
    none_revoked: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
}

impl VerifierArgs {
    /// Reads the arguments except the token. `others` are the pairs that `one_stdin` needs for other values.
    pub fn read(&self, others: &[(&'static str, bool)]) -> Result<Verifier, Error> {
        let mut stdin = vec![("the token", self.token.is_stdin())];
        stdin.extend(others);
        stdin.extend(self.roots.stdin());
        let challenge = self.challenge.as_ref().is_some_and(Given::is_stdin);
        let revoked = self.revoked.as_ref().is_some_and(Source::is_stdin);
        stdin.extend([("--challenge", challenge), ("--revoked", revoked)]);
        source::one_stdin(&stdin)?;
        let verifier = self.roots.read()?;
        Ok(Verifier {
            challenge: self.challenge.as_ref().map(Given::object).transpose()?,
            max_age: self.max_age,
            revoked: self.revoked.as_ref().map_or(Ok(HashSet::new()), ids)?,
            ..verifier
        })
    }
}

/// Reads the revocation ids in a file.
fn ids(source: &Source) -> Result<HashSet<RevocationId>, Error> {
    let mut lines = Lines::new(BufReader::new(source.open("--revoked")?), 64);
    let mut ids = HashSet::new();
    while let Some((number, content)) = lines.next().map_err(|error| source.unreadable(error))? {
        let text = content.ok().and_then(|text| str::from_utf8(text).ok());
        let place = format_args!("{source}, line {number}");
        // A line that is not an id is an error: if it were skipped, it would revoke nothing.
        let id: Result<_, Fault> = text.unwrap_or_default().parse();
        ids.insert(id.map_err(|fault| Error::at(place, fault))?);
    }
    Ok(ids)
}

/// The challenge that a verifier asked a holder to answer. It is a JSON object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    #[serde(deserialize_with = "nonce")]
    nonce: Vec<u8>,
    audience: String,
    time: u64,
}

impl Asked {
    /// The challenge.
    pub fn get(&self) -> Challenge<'_> {
        Challenge {
            nonce: &self.nonce,
            audience: &self.audience,
            time: self.time,
        }
    }
}

/// Decodes a nonce from hex. Refuses an empty nonce, which a faulty script could use in every challenge.
fn nonce<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let digits = String::deserialize(deserializer)?;
    let nonce = source::decode_hex(&digits)
        .map_err(|fault| D::Error::custom(format_args!("expected hex: {fault}")))?;
    if nonce.is_empty() {
        return Err(D::Error::custom("expected at least one byte in hex"));
    }
    Ok(nonce)
}

/// The root keys, challenge and revocations that tokens are verified against.
#[derive(Default)]
pub struct Verifier {
    roots: RootKeys,
    /// The name of each root key on the command line.
    names: Vec<(KeyKind, u32, String)>,
    challenge: Option<Asked>,
    /// The longest age of the challenge, in seconds.
    max_age: Option<u64>,
    revoked: HashSet<RevocationId>,
}

impl Verifier {
    /// True if there are root keys.
    pub fn has_roots(&self) -> bool {
        !self.names.is_empty()
    }

    /// Verifies a token. Returns it, or the reason why it is invalid.
    pub fn verify(&self, token: Token) -> Result<Verified, String> {
        // There is one verdict for each token.
        self.verify_many([Ok(token)]).remove(0)
    }

    /// Verifies tokens together. Returns each token, or the reason why it is invalid.
    pub fn verify_many(
        &self,
        tokens: impl IntoIterator<Item = Result<Token, String>>,
    ) -> Vec<Result<Verified, String>> {
        let challenge = self.challenge.as_ref().map(Asked::get);
        let mut present = Vec::new();
        let roots = tokens.into_iter().map(|token| {
            let token = token?;
            let (scheme, id) = (token.scheme(), token.root_id());
            if !self.names.iter().any(|(of, ..)| *of == scheme.into()) {
                return Err(format!(
                    "the token is of scheme {scheme}, no root key is (--root)"
                ));
            }
            present.push((token, challenge));
            Ok((scheme, id))
        });
        let roots: Vec<_> = roots.collect();
        let mut verdicts = Token::verify_many(present, &self.roots).into_iter();
        let verdict = |root: Result<_, String>| {
            let (scheme, id) = root?;
            let verdict = verdicts.next().expect("there is one verdict per token");
            verdict.map_err(|fault| self.refusal(&fault, scheme, id))
        };
        roots.into_iter().map(verdict).collect()
    }

    /// Refuses a challenge whose time is more than `--max-age` before or after `now`.
    pub fn check_age(&self, now: u64) -> Result<(), String> {
        let (Some(challenge), Some(most)) = (&self.challenge, self.max_age) else {
            return Ok(());
        };
        let (apart, when) = match now >= challenge.time {
            true => (now - challenge.time, "old"),
            false => (challenge.time - now, "in the future"),
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

    /// The reason why a token is invalid, with the option that may help.
    fn refusal(&self, fault: &Fault, scheme: Scheme, root_id: u32) -> String {
        let is_root = |(of, id, _): &&(KeyKind, _, _)| (*of, *id) == (scheme.into(), root_id);
        let name = self.names.iter().find(is_root);
        let name = name.map_or("", |(.., name)| name);
        match fault {
            // For a wrong root key, each scheme has its own error, because only tokens of one scheme contain
            // the root key.
            Fault::WrongRoot(_)
            | Fault::Signature {
                place: Place::Block(0),
                what: "the signature does not hold, or it is by another root key",
            } => format!(
                "block 0 is not signed by root key {root_id} (--root {name}), or was changed"
            ),
            Fault::Sealed => "the token is sealed, and no challenge was given to verify it \
                              against (--challenge)"
                .into(),
            fault => describe(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{domain, origin};

    #[test]
    fn what_can_never_match_is_refused() {
        for id in ["example.org", "localhost", "xn--4ca.example"] {
            assert_eq!(domain(id).as_deref(), Ok(id));
        }
        for id in [
            "",
            "https://example.org",
            "example.org/",
            "example.org:443",
            "Example.org",
            "é.example",
        ] {
            assert!(domain(id).is_err(), "{id}");
        }
        for page in [
            "https://example.org",
            "http://localhost:8017",
            "android:apk-key-hash:0123_-A",
            "chrome-extension://abc",
        ] {
            assert_eq!(origin(page).as_deref(), Ok(page));
        }
        for page in [
            "",
            "example.org",
            "https://",
            "https:",
            "://example.org",
            "https://example.org/",
            "https://example.org/login",
            "https://example.org ",
            "https://é.example",
        ] {
            assert!(origin(page).is_err(), "{page}");
        }
    }
}
