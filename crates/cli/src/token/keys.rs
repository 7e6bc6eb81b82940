//! Keys for tokens: text envelopes with types of their own.
//!
//! ```text
//! {
//!     "type": "KleroTokenPublicKey_chain",
//!     "description": "Public key for tokens of scheme chain",
//!     "hex": "…"
//! }
//! ```
//! A secret key is its seed of 32 bytes. The type ends with the name of the scheme, or with
//! `ed25519` for a third party, so that no key is used as another. A public key is also read and
//! printed as text, `chain:…`.

use std::fmt;

use klero_envelope::{Envelope, Member, NotAnEnvelope, write};
use klero_token::{PublicKey, Scheme, SecretKey, ThirdParty};
use zeroize::Zeroizing;

use super::given::Given;
use crate::error::Error;
use crate::input::Source;
use crate::key_types::{KeyType, TOKEN_PUBLIC, TOKEN_SECRET};

/// The content of a key file.
struct KeyFile {
    owner: Owner,
    bytes: Zeroizing<Vec<u8>>,
}

impl KeyFile {
    fn open(content: &[u8], expected: &str) -> Result<Self, String> {
        let envelope =
            Envelope::parse(content).map_err(|NotAnEnvelope { line, column, .. }| {
                format!(
                    "expected a JSON object with type, description and hex (line {line}, column \
                 {column})"
                )
            })?;
        let kind = envelope.kind();
        let owner = kind
            .strip_prefix(expected)
            .and_then(Owner::named)
            .ok_or_else(|| wrong_type(kind, expected))?;
        let bytes = envelope
            .content(Member::Hex)
            .ok_or("hex: expected a string of an even number of hex digits and nothing else")?;
        Ok(Self { owner, bytes })
    }
}

/// Whose a key is.
#[derive(Clone, Copy)]
pub enum Owner {
    /// An issuer, of tokens of a scheme.
    Issuer(Scheme),
    /// A third party.
    ThirdParty,
}

impl Owner {
    /// By the name of a scheme, or of third parties' keys.
    fn named(name: &str) -> Option<Self> {
        match name {
            ThirdParty::NAME => Some(Self::ThirdParty),
            name => Scheme::named(name).map(Self::Issuer),
        }
    }
}

fn wrong_type(kind: &str, expected: &str) -> String {
    let found = match KeyType::of(kind) {
        Some(KeyType::TokenSecret) => "a secret key for tokens",
        Some(KeyType::TokenPublic) => "a public key for tokens",
        Some(KeyType::VrfSecret) => "the secret key of a VRF, which must sign no tokens",
        Some(KeyType::VrfPublic) => "the public key of a VRF",
        None => "not a key for tokens",
    };
    format!(
        "it is {found}: type {kind:?}, expected {expected:?} and the name of a scheme (chain, \
         aggregate), or of a third party's keys (ed25519)"
    )
}

/// In errors and descriptions.
impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThirdParty => f.write_str("of a third party"),
            Self::Issuer(scheme) => write!(f, "for tokens of scheme {scheme}"),
        }
    }
}

/// The file of a secret key of this name. Secret.
pub fn secret_text(name: &str, seed: &[u8]) -> Zeroizing<String> {
    envelope(TOKEN_SECRET, "Secret", name, seed)
}

/// The file of a public key of this name.
pub fn public_text(name: &str, key: &[u8]) -> Zeroizing<String> {
    envelope(TOKEN_PUBLIC, "Public", name, key)
}

fn envelope(prefix: &str, what: &str, name: &str, key: &[u8]) -> Zeroizing<String> {
    let owner = Owner::named(name).map_or_else(String::new, |owner| owner.to_string());
    let (kind, description) = (format!("{prefix}{name}"), format!("{what} key {owner}"));
    write(&kind, &description, Member::Hex, &[key])
}

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
        let file = KeyFile::open(&source.read_small("--key")?, TOKEN_SECRET);
        let KeyFile { owner, bytes } = file.map_err(|fault| unusable(&source, fault))?;
        source.warn_if_open();
        Ok(SecretFile {
            owner,
            source,
            bytes,
        })
    }

    fn source(&self) -> Source {
        Source::from(self.key.as_str())
    }
}

/// A secret key of which its file says whose it is.
pub struct SecretFile {
    owner: Owner,
    source: Source,
    bytes: Zeroizing<Vec<u8>>,
}

impl SecretFile {
    /// Whose it is.
    pub fn owner(&self) -> Owner {
        self.owner
    }

    /// The key, if it is an issuer's.
    pub fn issuer(&self) -> Result<SecretKey, Error> {
        let Owner::Issuer(scheme) = self.owner else {
            return Err(unusable(&self.source, NO_ISSUER));
        };
        SecretKey::from_bytes(scheme, &self.bytes).map_err(|fault| unusable(&self.source, fault))
    }

    /// The key, if it is a third party's.
    pub fn third_party(&self) -> Result<SecretKey<ThirdParty>, Error> {
        if let Owner::Issuer(_) = self.owner {
            let (found, expected) = (self.owner, Owner::ThirdParty);
            let fault = format!("it is {found}, expected one {expected}");
            return Err(unusable(&self.source, fault));
        }
        let key = SecretKey::from_bytes(ThirdParty, &self.bytes);
        key.map_err(|fault| unusable(&self.source, fault))
    }
}

const NO_ISSUER: &str = "it is of a third party, expected an issuer's (chain, aggregate)";

fn unusable(source: &Source, fault: impl fmt::Display) -> Error {
    Error::at(format_args!("cannot use the secret key in {source}"), fault)
}

/// Reads the public key of an issuer: its text or a file.
pub fn issuer_key(given: &Given) -> Result<PublicKey, Error> {
    let content = given.read_small()?;
    issuer(&content).map_err(|fault| Error::at(format_args!("cannot use the {given}"), fault))
}

/// A public key in an envelope or as text.
fn issuer(content: &[u8]) -> Result<PublicKey, String> {
    let text = str::from_utf8(content.trim_ascii()).unwrap_or_default();
    let name = text.split_once(':').map(|(name, _)| name);
    let key = match name.and_then(Scheme::named) {
        Some(_) => text.parse(),
        None => {
            let KeyFile { owner, bytes } = KeyFile::open(content, TOKEN_PUBLIC)?;
            let Owner::Issuer(scheme) = owner else {
                return Err(NO_ISSUER.into());
            };
            PublicKey::from_bytes(scheme, &bytes)
        }
    };
    key.map_err(|fault| fault.to_string())
}
