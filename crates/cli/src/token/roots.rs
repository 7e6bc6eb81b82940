//! Root keys: the issuers whose tokens are accepted; and for whom passkeys are accepted.

use std::str::FromStr;

use klero_token::{KeyKind, RootKeys, Scheme};

use super::given::Given;
use super::keys::issuer_key;
use super::relying_party::RelyingPartyArgs;
use crate::error::Error;
use crate::terminal::harmless;

/// A root key as the command line has it: `KEY` or `ID=KEY`.
#[derive(Clone)]
struct RootArg {
    id: u32,
    key: String,
}

impl FromStr for RootArg {
    type Err = String;

    fn from_str(value: &str) -> Result<Self, String> {
        let (id, key) = match value.split_once('=') {
            Some((id, key)) if id.bytes().all(|byte| byte.is_ascii_digit()) => {
                let id = id
                    .parse()
                    .map_err(|_| "expected a number below 2^32 before =")?;
                (id, key)
            }
            _ => (0, value),
        };
        Ok(Self {
            id,
            key: key.to_owned(),
        })
    }
}

/// The root keys that tokens are accepted from.
#[derive(clap::Args)]
pub struct RootArgs {
    /// Public key of an issuer (chain:…, or a file), and the number by which tokens name it
    /// (default: 0); may be repeated. `./1=a` is the file `1=a`
    #[arg(long = "root", value_name = "[ID=]KEY")]
    roots: Vec<RootArg>,
    #[command(flatten)]
    relying_party: RelyingPartyArgs,
}

/// Root keys, and how the command line names each.
#[derive(Default)]
pub struct Roots {
    keys: RootKeys,
    names: Vec<(KeyKind, u32, String)>,
}

impl RootArgs {
    /// Which of them are read from standard input.
    pub fn stdin(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.roots
            .iter()
            .map(|root| ("--root", root.given().is_stdin()))
    }

    /// Reads the keys.
    pub fn read(&self) -> Result<Roots, Error> {
        let mut roots = Roots::default();
        for root in &self.roots {
            let (id, name) = (root.id, harmless(&root.key));
            let key = issuer_key(&root.given())?;
            if roots.keys.insert(id, key).is_some() {
                return Err(Error::at(
                    format_args!("--root {name}"),
                    format_args!("another key of scheme {} has the number {id}", key.kind()),
                ));
            }
            roots.names.push((key.kind(), id, name));
        }
        if let Some(party) = self.relying_party.get() {
            roots.keys.set_relying_party(party);
        }
        Ok(roots)
    }
}

impl RootArg {
    fn given(&self) -> Given {
        Given::key("public key", &self.key)
    }
}

impl Roots {
    /// The keys.
    pub fn keys(&self) -> &RootKeys {
        &self.keys
    }

    /// Whether none was given.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How the command line names the root key of this scheme with this number.
    pub fn name(&self, scheme: Scheme, id: u32) -> &str {
        let mut named = self.names.iter();
        named
            .find(|(of, number, _)| (*of, *number) == (scheme.into(), id))
            .map_or("", |(_, _, name)| name)
    }

    /// Refuses a token of this scheme if no root key is of it.
    pub fn expect(&self, scheme: Scheme) -> Result<(), String> {
        match self.names.iter().any(|(of, ..)| *of == scheme.into()) {
            true => Ok(()),
            false => Err(format!(
                "the token is of scheme {scheme}, no root key is (--root)"
            )),
        }
    }
}
