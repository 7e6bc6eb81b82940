//! Root keys: the issuers whose tokens are accepted.

use std::str::FromStr;

use klero_token::{RootKeys, Scheme};

use super::given::Given;
use super::keys::IssuerKey;
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
}

/// Root keys of every scheme: the number of each, and how the command line names it.
pub struct Roots(Vec<(u32, String, IssuerKey)>);

impl RootArgs {
    /// Which of them are read from standard input.
    pub fn stdin(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.roots
            .iter()
            .map(|root| ("--root", root.given().is_stdin()))
    }

    /// Reads the keys.
    pub fn read(&self) -> Result<Roots, Error> {
        let read = |root: &RootArg| {
            let key = IssuerKey::read(root.given())?;
            Ok((root.id, harmless(&root.key), key))
        };
        let roots = Roots(self.roots.iter().map(read).collect::<Result<_, Error>>()?);
        // All of them, whatever the schemes of the tokens: a wrong file is an error at once.
        roots.of::<klero_token::Chain>()?;
        roots.of::<klero_token::Aggregate>()?;
        Ok(roots)
    }
}

impl RootArg {
    fn given(&self) -> Given {
        Given::key("public key", &self.key)
    }
}

impl Roots {
    /// Whether none was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The root keys of this scheme.
    pub fn of<S: Scheme>(&self) -> Result<RootKeys<S>, Error> {
        let mut roots = RootKeys::new();
        for (id, name, key) in &self.0 {
            let Some(key) = key.key()? else {
                continue;
            };
            if roots.insert(*id, key).is_some() {
                return Err(Error::at(
                    format_args!("--root {name}"),
                    format_args!("another key of scheme {} has the number {id}", S::NAME),
                ));
            }
        }
        Ok(roots)
    }

    /// How the command line names the root key of this scheme with this number.
    pub fn name<S: Scheme>(&self, id: u32) -> &str {
        let mut named = self.of_scheme::<S>();
        named
            .find(|(number, _)| *number == id)
            .map_or("", |(_, name)| name)
    }

    /// Refuses a token of this scheme if no root key is of it.
    pub fn expect<S: Scheme>(&self) -> Result<(), String> {
        match self.of_scheme::<S>().next() {
            Some(_) => Ok(()),
            None => Err(format!(
                "the token is of scheme {}, no root key is (--root)",
                S::NAME
            )),
        }
    }

    fn of_scheme<S: Scheme>(&self) -> impl Iterator<Item = (u32, &str)> {
        let of_scheme = |(_, _, key): &&(u32, String, IssuerKey)| key.scheme.name() == S::NAME;
        let roots = self.0.iter().filter(of_scheme);
        roots.map(|(id, name, _)| (*id, name.as_str()))
    }
}
