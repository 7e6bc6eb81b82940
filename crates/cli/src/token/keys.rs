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

use klero_envelope::{Envelope, Member, NotAnEnvelope, write};
use klero_token::{Error as Fault, Keys, PublicKey, SecretKey, ThirdParty};
use zeroize::Zeroizing;

use super::given::Given;
use super::scheme::{SchemeName, with_scheme};
use crate::error::Error;
use crate::input::Source;
use crate::key_types::{KeyType, TOKEN_PUBLIC, TOKEN_SECRET};

/// The content of a key file.
struct KeyFile {
    /// The name of the scheme, or of third parties' keys.
    name: &'static str,
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
        let name = kind
            .strip_prefix(expected)
            .and_then(known)
            .ok_or_else(|| wrong_type(kind, expected))?;
        let bytes = envelope
            .content(Member::Hex)
            .ok_or("hex: expected a string of an even number of hex digits and nothing else")?;
        Ok(Self { name, bytes })
    }
}

/// The name of a scheme, or of third parties' keys.
fn known(name: &str) -> Option<&'static str> {
    match name {
        ThirdParty::NAME => Some(ThirdParty::NAME),
        name => SchemeName::named(name).map(SchemeName::name),
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

/// Whose key it is, in errors and descriptions.
fn owner(name: &str) -> String {
    match name {
        ThirdParty::NAME => "of a third party".into(),
        scheme => format!("for tokens of scheme {scheme}"),
    }
}

/// The file of a secret key. Secret.
pub fn secret_text<K: Keys>(key: &SecretKey<K>) -> Zeroizing<String> {
    envelope::<K>(TOKEN_SECRET, "Secret", key.as_bytes())
}

/// The file of a public key.
pub fn public_text<K: Keys>(key: &PublicKey<K>) -> Zeroizing<String> {
    envelope::<K>(TOKEN_PUBLIC, "Public", key.as_bytes())
}

fn envelope<K: Keys>(prefix: &str, what: &str, key: &[u8]) -> Zeroizing<String> {
    let kind = format!("{prefix}{}", K::NAME);
    let description = format!("{what} key {}", owner(K::NAME));
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
        match file {
            Ok(KeyFile { name, bytes }) => Ok(SecretFile {
                name,
                source,
                bytes,
            }),
            Err(fault) => Err(unusable(&source, fault)),
        }
    }

    fn source(&self) -> Source {
        Source::from(self.key.as_str())
    }
}

/// A secret key of which its file says whose it is.
pub struct SecretFile {
    name: &'static str,
    source: Source,
    bytes: Zeroizing<Vec<u8>>,
}

impl SecretFile {
    /// The scheme, or `None` for a third party's key.
    pub fn scheme(&self) -> Option<SchemeName> {
        SchemeName::named(self.name)
    }

    /// The scheme of an issuer's key.
    pub fn issuer(&self) -> Result<SchemeName, Error> {
        self.scheme().ok_or_else(|| {
            unusable(
                &self.source,
                "it is of a third party, expected an issuer's (chain, aggregate)",
            )
        })
    }

    /// The key, if it is one of these.
    pub fn key<K: Keys>(&self) -> Result<SecretKey<K>, Error> {
        if self.name != K::NAME {
            let (found, expected) = (owner(self.name), owner(K::NAME));
            let fault = format!("it is {found}, expected one {expected}");
            return Err(unusable(&self.source, fault));
        }
        SecretKey::from_bytes(&self.bytes).map_err(|fault| unusable(&self.source, fault))
    }
}

fn unusable(source: &Source, fault: impl std::fmt::Display) -> Error {
    Error::at(format_args!("cannot use the secret key in {source}"), fault)
}

/// The public key of an issuer, in the scheme that it names.
pub struct IssuerKey {
    /// The scheme.
    pub scheme: SchemeName,
    given: Given,
    bytes: Vec<u8>,
}

impl IssuerKey {
    /// Reads a public key: its text or a file.
    pub fn read(given: Given) -> Result<Self, Error> {
        let content = given.read_small()?;
        match issuer(&content) {
            Ok((scheme, bytes)) => Ok(Self {
                scheme,
                given,
                bytes,
            }),
            Err(fault) => Err(Self::unusable(&given, fault)),
        }
    }

    /// The key, if it is of this scheme.
    pub fn key<K: Keys>(&self) -> Result<Option<PublicKey<K>>, Error> {
        if self.scheme.name() != K::NAME {
            return Ok(None);
        }
        let key = PublicKey::from_bytes(&self.bytes);
        key.map(Some)
            .map_err(|fault| Self::unusable(&self.given, fault))
    }

    fn unusable(given: &Given, fault: impl std::fmt::Display) -> Error {
        Error::at(format_args!("cannot use the {given}"), fault)
    }
}

/// The scheme and the bytes of a public key in an envelope or as text.
fn issuer(content: &[u8]) -> Result<(SchemeName, Vec<u8>), String> {
    let text = str::from_utf8(content.trim_ascii()).unwrap_or_default();
    let named = text
        .split_once(':')
        .and_then(|(name, _)| SchemeName::named(name));
    if let Some(scheme) = named {
        let bytes = with_scheme!(scheme, key_bytes(text)).map_err(|fault| fault.to_string())?;
        return Ok((scheme, bytes));
    }
    let KeyFile { name, bytes } = KeyFile::open(content, TOKEN_PUBLIC)?;
    let scheme = SchemeName::named(name)
        .ok_or("it is of a third party, expected an issuer's (chain, aggregate)")?;
    Ok((scheme, bytes.to_vec()))
}

fn key_bytes<K: Keys>(text: &str) -> Result<Vec<u8>, Fault> {
    let key: PublicKey<K> = text.parse()?;
    Ok(key.as_bytes().to_vec())
}
