//! Keys for tokens. A file has the text of one key:
//!
//! ```text
//! chain:6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw     a public key
//! chain-secret:…                                        a secret key: its seed of 32 bytes
//! ```
//! The name before the colon is that of the scheme, or `ed25519` for a third party, so that no key is
//! used as another.

use std::fmt;

use klero::Encoded;
use klero_token::{KeyKind, PublicKey, SecretKey};
use zeroize::Zeroizing;

use super::given::Given;
use crate::error::Error;
use crate::input::Source;

/// A secret key as the command line names it.
#[derive(clap::Args)]
pub struct SecretArg {
    /// Secret key: file, or - for standard input
    #[arg(long, value_name = "FILE|-")]
    key: String,
}

impl SecretArg {
    /// Whether it is read from standard input.
    pub fn stdin(&self) -> (&'static str, bool) {
        ("--key", matches!(self.source(), Source::Stdin))
    }

    /// Reads the file.
    pub fn read(&self) -> Result<SecretFile, Error> {
        let source = self.source();
        let content = source.read_small("--key")?;
        let key = text(&content)
            .parse()
            .map_err(|fault| expected(SECRET, "chain-secret:…", &content, fault))
            .map_err(|fault| unusable(&source, fault))?;
        source.warn_if_open();
        Ok(SecretFile { key, source })
    }

    fn source(&self) -> Source {
        Source::from(self.key.as_str())
    }
}

/// The text in a file, without what editors and shells add to it.
fn text(content: &[u8]) -> Zeroizing<String> {
    Encoded::text(content).unwrap_or_default()
}

/// A secret key, and where it was.
pub struct SecretFile {
    key: SecretKey,
    source: Source,
}

impl SecretFile {
    /// The key, whoever has it.
    pub fn key(&self) -> &SecretKey {
        &self.key
    }

    /// The key, if it is an issuer's.
    pub fn issuer(self) -> Result<SecretKey, Error> {
        match self.key.kind().scheme() {
            Some(_) => Ok(self.key),
            None => Err(unusable(&self.source, NO_ISSUER)),
        }
    }

    /// The key, if it is a third party's.
    pub fn third_party(self) -> Result<SecretKey, Error> {
        match self.key.kind().scheme() {
            None => Ok(self.key),
            Some(scheme) => {
                let fault =
                    format!("it is for tokens of scheme {scheme}, expected one of a third party");
                Err(unusable(&self.source, fault))
            }
        }
    }
}

const NO_ISSUER: &str = "it is of a third party, expected an issuer's (chain, aggregate)";

fn unusable(source: &Source, fault: impl fmt::Display) -> Error {
    Error::at(format_args!("cannot use the secret key in {source}"), fault)
}

const SECRET: &str = "a secret key for tokens";
const PUBLIC: &str = "a public key for tokens";

/// The fault of the content of a file that should have a key of this kind.
fn expected(kind: &str, example: &str, content: &[u8], fault: klero_token::Error) -> String {
    match kind_of(content) {
        Some(found) if found == kind => fault.to_string(),
        Some(found) => format!("it is {found}, expected {kind}: {example}"),
        None => format!("expected the text of {kind}: {example}"),
    }
}

/// The kind of the key in a file, if the file says it: by the type of a text envelope, or by the name
/// that the text of a key for tokens begins with. A key of one kind must not be used as another: a
/// proof and a signature together can reveal it.
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

/// Reads the public key of an issuer: its text, or a file with it.
pub fn issuer_key(given: &Given) -> Result<PublicKey, Error> {
    let content = given.read_small()?;
    issuer(&content).map_err(|fault| Error::at(format_args!("cannot use the {given}"), fault))
}

fn issuer(content: &[u8]) -> Result<PublicKey, String> {
    let key = text(content).parse::<PublicKey>();
    let key = key.map_err(|fault| expected(PUBLIC, "chain:…", content, fault))?;
    match key.kind().scheme() {
        Some(_) => Ok(key),
        None => Err(NO_ISSUER.into()),
    }
}

/// The content of the file of a secret key. Secret.
pub fn secret_text(key: &SecretKey) -> Zeroizing<String> {
    let text = key.to_text();
    let mut line = Zeroizing::new(String::with_capacity(text.len() + 1));
    line.push_str(&text);
    line.push('\n');
    line
}
