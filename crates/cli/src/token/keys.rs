//! Keys for tokens: text envelopes with types of their own.
//!
//! ```text
//! {
//!     "type": "KleroTokenPublicKey_chain",
//!     "description": "Public key for tokens of scheme chain",
//!     "hex": "…"
//! }
//! ```
//! A secret key is its seed of 32 bytes. The type names the scheme, so that no key is used in
//! another one.

use std::str::FromStr;

use klero_envelope::{Envelope, Member, NotAnEnvelope, write};
use klero_token::{PublicKey, RootKeys, Scheme, SecretKey};
use zeroize::Zeroizing;

use super::scheme::SchemeName;
use crate::error::Error;
use crate::input::{self, Source};
use crate::key_types::{KeyType, TOKEN_PUBLIC, TOKEN_SECRET};
use crate::keyfile;

/// The content of a key file. Its type names the scheme.
struct KeyFile {
    scheme: SchemeName,
    bytes: Zeroizing<Vec<u8>>,
}

impl KeyFile {
    /// Reads a key file, of a secret or of a public key.
    fn read(source: &Source, expected: &str) -> Result<Self, Error> {
        keyfile::refuse_secret_argument(source)?;
        let content = source.read_small()?;
        Self::open(&content, expected).map_err(|fault| unusable(source, expected, fault))
    }

    fn open(content: &[u8], expected: &str) -> Result<Self, String> {
        let envelope =
            Envelope::parse(content).map_err(|NotAnEnvelope { line, column, .. }| {
                format!(
                    "expected a JSON object with type, description and hex (line {line}, column \
                 {column})"
                )
            })?;
        let kind = envelope.kind();
        let scheme = kind
            .strip_prefix(expected)
            .and_then(SchemeName::named)
            .ok_or_else(|| wrong_type(kind, expected))?;
        let bytes = envelope
            .content(Member::Hex)
            .ok_or("hex: expected a string of an even number of hex digits and nothing else")?;
        Ok(Self { scheme, bytes })
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
         aggregate, bls)"
    )
}

fn unusable(source: &Source, expected: &str, fault: impl std::fmt::Display) -> Error {
    let key = if expected == TOKEN_SECRET {
        "secret"
    } else {
        "public"
    };
    Error::at(format_args!("cannot use the {key} key in {source}"), fault)
}

/// The file of a secret key. Secret.
pub fn secret_text<S: Scheme>(key: &SecretKey<S>) -> Zeroizing<String> {
    envelope::<S>(TOKEN_SECRET, "Secret", key.as_bytes())
}

/// The file of a public key.
pub fn public_text<S: Scheme>(key: &PublicKey<S>) -> Zeroizing<String> {
    envelope::<S>(TOKEN_PUBLIC, "Public", key.as_bytes())
}

fn envelope<S: Scheme>(prefix: &str, what: &str, key: &[u8]) -> Zeroizing<String> {
    let kind = format!("{prefix}{}", S::NAME);
    let description = format!("{what} key for tokens of scheme {}", S::NAME);
    write(&kind, &description, Member::Hex, &[key])
}

/// A secret key of the scheme that its file names.
pub struct SecretFile {
    /// The scheme.
    pub scheme: SchemeName,
    source: Source,
    bytes: Zeroizing<Vec<u8>>,
}

impl SecretFile {
    /// Reads the file.
    pub fn read(source: Source) -> Result<Self, Error> {
        let KeyFile { scheme, bytes } = KeyFile::read(&source, TOKEN_SECRET)?;
        Ok(Self {
            scheme,
            source,
            bytes,
        })
    }

    /// The key, for tokens of this scheme.
    pub fn key<S: Scheme>(&self) -> Result<SecretKey<S>, Error> {
        if self.scheme.name() != S::NAME {
            let (own, token) = (self.scheme.name(), S::NAME);
            let fault = format!("it is of scheme {own}, the token of scheme {token}");
            return Err(unusable(&self.source, TOKEN_SECRET, fault));
        }
        SecretKey::from_bytes(&self.bytes)
            .map_err(|fault| unusable(&self.source, TOKEN_SECRET, fault))
    }
}

/// A root key as the command line has it: `FILE` or `ID=FILE`.
#[derive(Clone, Debug)]
struct RootArg {
    id: u32,
    source: Source,
}

impl FromStr for RootArg {
    type Err = String;

    fn from_str(value: &str) -> Result<Self, String> {
        let (id, file) = match value.split_once('=') {
            Some((id, file)) if id.bytes().all(|byte| byte.is_ascii_digit()) => {
                let id = id
                    .parse()
                    .map_err(|_| "expected a number below 2^32 before =")?;
                (id, file)
            }
            _ => (0, value),
        };
        Ok(Self {
            id,
            source: Source::from(file),
        })
    }
}

/// The root keys that tokens are accepted from.
#[derive(clap::Args)]
pub struct RootArgs {
    /// Public key of an issuer, and the number by which tokens name it (default: 0); may be
    /// repeated. `./1=a` is the file `1=a`
    #[arg(long = "root", value_name = "[ID=]FILE", required = true)]
    roots: Vec<RootArg>,
}

/// Root keys of every scheme.
pub struct Roots(Vec<(u32, Source, KeyFile)>);

impl RootArgs {
    /// Reads the files.
    pub fn read(&self) -> Result<Roots, Error> {
        let mut stdin: Vec<_> = vec![("the token", true)];
        stdin.extend(
            self.roots
                .iter()
                .map(|root| ("--root", matches!(root.source, Source::Stdin))),
        );
        input::one_stdin(&stdin)?;
        let read = |root: &RootArg| {
            let file = KeyFile::read(&root.source, TOKEN_PUBLIC)?;
            Ok((root.id, root.source.clone(), file))
        };
        let roots = Roots(self.roots.iter().map(read).collect::<Result<_, Error>>()?);
        // All of them, whatever the schemes of the tokens: a wrong file is an error at once.
        roots.of::<klero_token::Chain>()?;
        roots.of::<klero_token::Aggregate>()?;
        roots.of::<klero_token::Bls>()?;
        Ok(roots)
    }
}

impl Roots {
    /// The root keys of this scheme.
    pub fn of<S: Scheme>(&self) -> Result<RootKeys<S>, Error> {
        let mut roots = RootKeys::new();
        for (id, source, file) in &self.0 {
            if file.scheme.name() != S::NAME {
                continue;
            }
            let key = PublicKey::from_bytes(&file.bytes)
                .map_err(|fault| unusable(source, TOKEN_PUBLIC, fault))?;
            if roots.insert(*id, key).is_some() {
                return Err(Error::at(
                    format_args!("--root {source}"),
                    format_args!("another key of scheme {} has the number {id}", S::NAME),
                ));
            }
        }
        Ok(roots)
    }

    /// Refuses a token of this scheme if no root key is of it.
    pub fn expect<S: Scheme>(&self) -> Result<(), String> {
        match self.files::<S>().next() {
            Some(_) => Ok(()),
            None => Err(format!(
                "the token is of scheme {}, no root key is (--root)",
                S::NAME
            )),
        }
    }

    fn files<S: Scheme>(&self) -> impl Iterator<Item = &KeyFile> {
        let files = self.0.iter().map(|(_, _, file)| file);
        files.filter(|file| file.scheme.name() == S::NAME)
    }
}
