//! `klero token keygen`, `klero token public-key`, and the files of keys. A file has the text of one key:
//!
//! ```text
//! chain:6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw     a public key
//! chain-secret:…                                        a secret key: its seed of 32 bytes
//! ```
//! The text begins with the scheme of the key, or with `ed25519` for a third party's key. So a key cannot be
//! used as a key of another kind.

use std::fmt;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use klero::Encoded;
use klero_token::{KeyKind, PublicKey, Scheme, SecretKey};
use zeroize::Zeroizing;

use super::text::Given;
use crate::args::keyfile::PairArgs;
use crate::args::source::Source;
use crate::ui::error::Error;
use crate::ui::terminal::print;

/// Make a new key pair for tokens from the operating system's random source
///
/// Writes the keys to token.skey and token.vkey (for a third party, to third-party.skey and
/// third-party.vkey), and prints the public key. An issuer's key belongs to one scheme; a third party's key
/// makes statements for tokens of every scheme.
#[derive(clap::Args)]
pub struct KeygenArgs {
    /// Signature scheme of the tokens
    #[arg(long, value_parser = scheme(), default_value = "chain")]
    scheme: Scheme,
    /// Make the key pair of a third party, which signs statements and not tokens
    #[arg(long, conflicts_with = "scheme")]
    third_party: bool,
    #[command(flatten)]
    pair: PairArgs,
}

fn scheme() -> impl TypedValueParser<Value = Scheme> {
    let value = |scheme: Scheme| {
        PossibleValue::new(scheme.name()).help(match scheme {
            Scheme::Chain => "A chain of Ed25519 signatures",
            Scheme::Aggregate => {
                "One point for each block, on ristretto255: smaller and faster; experimental"
            }
        })
    };
    PossibleValuesParser::new(Scheme::ALL.map(value))
        .try_map(|name| Scheme::named(&name).ok_or("expected the name of a scheme"))
}

/// Makes a key pair.
pub fn keygen(args: &KeygenArgs) -> Result<(), Error> {
    let (kind, names) = match args.third_party {
        true => (KeyKind::Ed25519, ["third-party.skey", "third-party.vkey"]),
        false => (args.scheme.into(), ["token.skey", "token.vkey"]),
    };
    let key = SecretKey::generate(kind).map_err(|error| Error::at("cannot make a key", error))?;
    let public = key.public_key().to_string();
    args.pair.write(names, &key.to_text(), &public, &public)
}

/// Prints a public key.
pub fn public_key(key: &SecretArg) -> Result<(), Error> {
    print(format_args!("{}\n", key.read()?.public_key()))
}

/// The source of a secret key, from the command line.
#[derive(clap::Args)]
pub struct SecretArg {
    /// Secret key: file, or - for standard input
    #[arg(long, value_name = "FILE|-")]
    key: Source,
}

impl SecretArg {
    /// A pair: the name of the option for the key, and true if the key is read from standard input.
    pub fn stdin(&self) -> (&'static str, bool) {
        ("--key", self.key.is_stdin())
    }

    /// Reads the key of an issuer.
    pub fn issuer(&self) -> Result<SecretKey, Error> {
        let key = self.read()?;
        match key.kind().scheme() {
            Some(_) => Ok(key),
            None => Err(self.unusable(NO_ISSUER)),
        }
    }

    /// Reads the key of a third party.
    pub fn third_party(&self) -> Result<SecretKey, Error> {
        let key = self.read()?;
        match key.kind().scheme() {
            None => Ok(key),
            Some(scheme) => Err(self.unusable(format_args!(
                "it is for tokens of scheme {scheme}, expected one of a third party"
            ))),
        }
    }

    /// Reads the key of an issuer or of a third party.
    fn read(&self) -> Result<SecretKey, Error> {
        let content = self.key.read_small("--key")?;
        let key = text(&content).parse();
        let key = key
            .map_err(|fault| self.unusable(expected(SECRET, "chain-secret:…", &content, fault)))?;
        self.key.warn_if_open();
        Ok(key)
    }

    fn unusable(&self, fault: impl fmt::Display) -> Error {
        Error::at(
            format_args!("cannot use the secret key in {}", self.key),
            fault,
        )
    }
}

const NO_ISSUER: &str = "it is of a third party, expected an issuer's (chain, aggregate)";

const SECRET: &str = "a secret key for tokens";
const PUBLIC: &str = "a public key for tokens";

/// Reads the public key of an issuer: its text, or a file with it.
pub fn issuer_key(given: &Given) -> Result<PublicKey, Error> {
    let content = given.read_small()?;
    let unusable = |fault| Error::at(format_args!("cannot use the {given}"), fault);
    let key = text(&content).parse::<PublicKey>();
    let key = key.map_err(|fault| unusable(expected(PUBLIC, "chain:…", &content, fault)))?;
    match key.kind().scheme() {
        Some(_) => Ok(key),
        None => Err(unusable(NO_ISSUER.into())),
    }
}

/// The text in a file, without the characters that editors and shells add to it.
fn text(content: &[u8]) -> Zeroizing<String> {
    Encoded::text(content).unwrap_or_default()
}

/// Returns the reason why `content` cannot be used as a key of this kind. `fault` is the parser's error.
fn expected(kind: &str, example: &str, content: &[u8], fault: klero_token::Error) -> String {
    match kind_of(content) {
        Some(found) if found == kind => fault.to_string(),
        Some(found) => format!("it is {found}, expected {kind}: {example}"),
        None => format!("expected the text of {kind}: {example}"),
    }
}

/// The kind of the key in a file, if the file states the kind: a text envelope as its type, and the text of a
/// key for tokens at its beginning. One secret key must not serve for a VRF and for tokens: a VRF proof and a
/// token's signature together can reveal it.
fn kind_of(content: &[u8]) -> Option<&'static str> {
    if Encoded::secret_key(content).is_ok_and(|key| key.suite.is_some()) {
        return Some("the secret key of a VRF, which must sign no tokens");
    }
    if Encoded::public_key(content).is_ok_and(|key| key.suite.is_some()) {
        return Some("the public key of a VRF");
    }
    let text = text(content);
    let (name, _) = text.split_once(':')?;
    let (name, kind) = match name.strip_suffix("-secret") {
        Some(name) => (name, SECRET),
        None => (name, PUBLIC),
    };
    KeyKind::named(name).map(|_| kind)
}
