//! Keys of tokens: text envelopes like those of other keys, of types of their own.
//!
//! ```text
//! {
//!     "type": "KleroTokenPublicKey_chain",
//!     "description": "Public key for tokens of scheme chain",
//!     "hex": "…"
//! }
//! ```
//! A secret key is its seed of 32 bytes. The type names the scheme, so that no key is
//! taken for one of another.

use std::borrow::Cow;
use std::str::FromStr;

use klero_token::{PublicKey, RootKeys, Scheme, SecretKey};
use serde::Deserialize;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::SchemeName;
use crate::error::Error;
use crate::input::{self, Source};
use crate::keyfile;

/// Begins the type of every key of tokens.
pub const PREFIX: &str = "KleroToken";

const SECRET: &str = "KleroTokenSecretKey_";
const PUBLIC: &str = "KleroTokenPublicKey_";

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "description", borrow)]
    _description: Cow<'a, str>,
    /// Left where it stands, whatever comes after it: no copy, nothing to wipe.
    #[serde(borrow)]
    hex: Option<&'a RawValue>,
}

/// The content of a key file, told by its type to be of a scheme.
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
        let Envelope { kind, hex, .. } = serde_json::from_slice(content).map_err(|error| {
            // The message of the parser may repeat what it read.
            format!(
                "expected a JSON object with type, description and hex (line {}, column {})",
                error.line(),
                error.column()
            )
        })?;
        let scheme = kind
            .strip_prefix(expected)
            .and_then(SchemeName::named)
            .ok_or_else(|| wrong_type(&kind, expected))?;
        let digits = hex
            .and_then(|hex| hex.get().strip_prefix('"')?.strip_suffix('"'))
            .ok_or("hex: expected a string of hex digits")?;
        let mut bytes = Zeroizing::new(vec![0; digits.len() / 2]);
        // Constant time in the digits, but for whether they are any.
        base16ct::mixed::decode(digits, &mut bytes)
            .map_err(|_| "hex: expected an even number of hex digits and nothing else")?;
        Ok(Self { scheme, bytes })
    }
}

fn wrong_type(kind: &str, expected: &str) -> String {
    // A VRF key has the bytes of an Ed25519 key. A key that proves must not sign: together
    // they give the key away.
    let is_any = |prefixes: [&str; 2]| prefixes.iter().any(|prefix| kind.starts_with(prefix));
    let found = if kind.starts_with(SECRET) {
        "a secret key of tokens"
    } else if kind.starts_with(PUBLIC) {
        "a public key of tokens"
    } else if is_any(["VrfSigningKey_", "KleroVrfSigningKey_"]) {
        "the signing key of a VRF, which must sign no tokens"
    } else if is_any(["VrfVerificationKey_", "KleroVrfVerificationKey_"]) {
        "the verification key of a VRF"
    } else {
        "no key of tokens"
    };
    format!(
        "it is {found}: type {kind:?}, expected {expected:?} and the name of a scheme (chain, \
         aggregate, bls)"
    )
}

fn unusable(source: &Source, expected: &str, fault: impl std::fmt::Display) -> Error {
    let key = if expected == SECRET {
        "secret"
    } else {
        "public"
    };
    Error::at(format_args!("cannot use the {key} key in {source}"), fault)
}

fn envelope(kind: &str, what: &str, scheme: &str, key: &[u8]) -> Zeroizing<String> {
    // Room for all of it at once: a String that grows leaves its old bytes behind.
    let mut text = Zeroizing::new(String::with_capacity(2 * key.len() + 300));
    for part in [
        "{\n    \"type\": \"",
        kind,
        scheme,
        "\",\n    \"description\": \"",
        what,
        " key for tokens of scheme ",
        scheme,
        "\",\n    \"hex\": \"",
        &Zeroizing::new(base16ct::lower::encode_string(key)),
        "\"\n}\n",
    ] {
        text.push_str(part);
    }
    text
}

/// The file of a secret key. Secret.
pub fn secret_text<S: Scheme>(key: &SecretKey<S>) -> Zeroizing<String> {
    envelope(SECRET, "Secret", S::NAME, key.as_bytes())
}

/// The file of a public key.
pub fn public_text<S: Scheme>(key: &PublicKey<S>) -> Zeroizing<String> {
    envelope(PUBLIC, "Public", S::NAME, key.as_bytes())
}

/// A secret key of a scheme that its file told.
pub struct SecretFile {
    /// The scheme.
    pub scheme: SchemeName,
    source: Source,
    bytes: Zeroizing<Vec<u8>>,
}

impl SecretFile {
    /// Reads the file.
    pub fn read(source: Source) -> Result<Self, Error> {
        let KeyFile { scheme, bytes } = KeyFile::read(&source, SECRET)?;
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
            return Err(unusable(&self.source, SECRET, fault));
        }
        SecretKey::from_bytes(&self.bytes).map_err(|fault| unusable(&self.source, SECRET, fault))
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
    /// Public key of an issuer, and the number that tokens know it by (0 unless it is
    /// given); may be repeated. `./1=a` is the file `1=a`
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
            let file = KeyFile::read(&root.source, PUBLIC)?;
            Ok((root.id, root.source.clone(), file))
        };
        let roots = Roots(self.roots.iter().map(read).collect::<Result<_, Error>>()?);
        // Also where no token will ask for it.
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
                .map_err(|fault| unusable(source, PUBLIC, fault))?;
            if roots.insert(*id, key).is_some() {
                return Err(Error::at(
                    format_args!("--root {source}"),
                    format_args!("another key of scheme {} has the number {id}", S::NAME),
                ));
            }
        }
        Ok(roots)
    }

    /// That there is a key of this scheme at all.
    pub fn expect<S: Scheme>(&self) -> Result<(), String> {
        match self.bytes::<S>().next() {
            Some(_) => Ok(()),
            None => Err(format!(
                "the token is of scheme {}, no root key is (--root)",
                S::NAME
            )),
        }
    }

    /// Whether the key is one of them.
    pub fn contains<S: Scheme>(&self, key: &PublicKey<S>) -> bool {
        self.bytes::<S>().any(|bytes| bytes == key.as_bytes())
    }

    fn bytes<S: Scheme>(&self) -> impl Iterator<Item = &[u8]> {
        let files = self.0.iter().map(|(_, _, file)| file);
        files
            .filter(|file| file.scheme.name() == S::NAME)
            .map(|file| file.bytes.as_slice())
    }
}
