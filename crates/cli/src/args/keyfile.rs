//! Keys of the VRF: the forms in which they are read and written, and their suites.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use klero::{Encoded, PublicKey, SecretKey, Suite};
use klero_support::{Options, Output, WriteError};

use crate::args::choice;
use crate::args::source::Source;
use crate::ui::error::Error;
use crate::ui::terminal::print;

/// The form in which a public key is written.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum KeyFormat {
    /// A text envelope, which names the suite of the key; for praos, the envelope of cardano-cli
    Envelope,
    /// The 32 bytes in hex
    Hex,
    /// Bech32, as defined in CIP-5 (vrf_vk1…)
    Bech32,
}

/// A secret key, and the suite that it is used in.
///
/// A secret key belongs to one suite. A text envelope names the suite. For a secret key in any other form,
/// the command line must name the suite. A public key ([`read_public`](Self::read_public)) needs no suite.
#[derive(clap::Args)]
pub struct SecretArgs {
    /// Secret key: file, or - for standard input. Accepted forms are a text envelope, Bech32, and 32 or 64
    /// bytes. The bytes may be raw, hex, base64 or CBOR
    #[arg(long, value_name = "FILE|-")]
    key: Source,
    /// Suite of the key, if the key's file does not name it (`klero suites` lists all suites). Only a text
    /// envelope names the suite. For a key in any other form, give the same suite each time
    #[arg(long, value_name = "NAME", value_parser = choice::suite())]
    suite: Option<Suite>,
    /// Use the key in the suite that --suite names, even if the key's file names another suite. Proving the
    /// same alpha in two suites can reveal the key
    #[arg(long, requires = "suite")]
    dangerously_reuse_key: bool,
}

impl SecretArgs {
    /// A pair: the name of the option for the VRF key, and true if the key is read from standard input.
    pub fn stdin(&self) -> (&'static str, bool) {
        ("--key", self.key.is_stdin())
    }

    /// Reads the key.
    pub fn read(&self) -> Result<SecretKey, Error> {
        read_secret(&self.key, self.suite, self.dangerously_reuse_key)
    }

    /// Reads a secret key or a public key. Content that can be either is read as a secret key. Returns the
    /// public key, and its suite if the file or `--suite` names it.
    pub fn read_public(&self) -> Result<(PublicKey, Option<Suite>), Error> {
        let content = self.key.read_small("--key")?;
        if Encoded::secret_key(&content).is_err()
            && let Ok((key, named)) = PublicKey::from_encoded(&content)
        {
            return Ok((key, suite_of_public(named, self.suite)?));
        }
        let key = secret(&self.key, &content, self.suite, self.dangerously_reuse_key)?;
        Ok((*key.public_key(), Some(key.suite())))
    }
}

/// Reads a secret key in any form. An envelope names the key's suite. For other forms, `suite` is the key's
/// suite. If `reused` is set, `suite` overrides the suite of an envelope.
pub fn read_secret(
    source: &Source,
    suite: Option<Suite>,
    reused: bool,
) -> Result<SecretKey, Error> {
    secret(source, &source.read_small("--key")?, suite, reused)
}

fn secret(
    source: &Source,
    content: &[u8],
    suite: Option<Suite>,
    reused: bool,
) -> Result<SecretKey, Error> {
    let key = match SecretKey::from_encoded(content, suite) {
        Err(klero::Error::OtherSuite { given, .. }) if reused => {
            SecretKey::from_encoded(content, None).map(|key| key.dangerously_reuse_in(given))
        }
        key => key,
    };
    usable(source, key, |of_key, given| {
        format!(
            "the key belongs to suite {of_key}, but --suite is {given}: its proofs in two suites can \
             reveal it (--dangerously-reuse-key uses it all the same)"
        )
    })
}

/// Reads the VRF key of a stake pool in any form. Its suite is `praos`.
pub fn read_pool_secret(source: &Source) -> Result<SecretKey, Error> {
    let content = source.read_small("--key")?;
    let key = SecretKey::from_encoded(&content, Some(Suite::PRAOS));
    usable(source, key, |of_key, pools| {
        format!("the key belongs to suite {of_key}, expected {pools}, the suite of stake pools")
    })
}

/// Returns the key, or an error which says that the key cannot be used. `other` writes the message for a key
/// of another suite.
fn usable(
    source: &Source,
    key: Result<SecretKey, klero::Error>,
    other: fn(Suite, Suite) -> String,
) -> Result<SecretKey, Error> {
    let key = key.map_err(|error| {
        let fault = match error {
            klero::Error::NoSuite => "it does not say its suite: expected --suite".to_owned(),
            klero::Error::OtherSuite { of_key, given } => other(of_key, given),
            error => error.to_string(),
        };
        Error::at(format_args!("cannot use the secret key in {source}"), fault)
    })?;
    source.warn_if_open();
    Ok(key)
}

/// The suite of a public key, if its envelope or --suite names one.
pub fn suite_of_public(named: Option<Suite>, given: Option<Suite>) -> Result<Option<Suite>, Error> {
    match (named, given) {
        (Some(named), Some(given)) if named != given => Err(Error::new(format!(
            "the key in --key belongs to suite {named}, but --suite is {given}"
        ))),
        (named, given) => Ok(named.or(given)),
    }
}

/// The error for a key whose suite is needed but not given.
pub fn no_suite() -> Error {
    Error::new("--key does not say its suite: expected --suite")
}

/// The options for the files of a key pair.
#[derive(clap::Args)]
pub struct PairArgs {
    /// File for the secret key. Only the owner of the file can read it
    #[arg(long, value_name = "FILE", alias = "signing-key-file")]
    out_secret: Option<PathBuf>,
    /// File for the public key
    #[arg(long, value_name = "FILE", alias = "verification-key-file")]
    out_public: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

impl PairArgs {
    /// Writes `secret` and `public` to their files, each with a newline at its end, and prints `public_key`.
    /// `secret_name` and `public_name` are the default file names. An existing secret key is replaced last.
    pub fn write(
        &self,
        [secret_name, public_name]: [&str; 2],
        secret: &str,
        public: &str,
        public_key: impl Display,
    ) -> Result<(), Error> {
        let path = |given: &Option<PathBuf>, name: &str| {
            given.clone().unwrap_or_else(|| PathBuf::from(name))
        };
        let secret_path = path(&self.out_secret, secret_name);
        let public_path = path(&self.out_public, public_name);
        let create = |path: &Path, secret| {
            let replace = self.force;
            Output::create_with(path, Options { secret, replace }).map_err(failed)
        };
        let mut secret_file = create(&secret_path, true)?;
        let mut public_file = create(&public_path, false)?;
        for (file, text) in [(&mut secret_file, secret), (&mut public_file, public)] {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            file.write_all(text.as_bytes())
                .and_then(|()| file.write_all(end.as_bytes()))
                .map_err(|error| Error::write(file.name(), &error))?;
        }
        // The file of the secret key is replaced last. So if the public key cannot be written, the old secret
        // key still exists.
        public_file.commit().map_err(failed)?;
        secret_file.commit().map_err(failed)?;
        print(format_args!("{public_key}\n"))
    }
}

/// The error if the files of a key pair could not be written.
fn failed(error: WriteError) -> Error {
    match error {
        WriteError::Twice(name) => Error::new(format!(
            "both keys would be written to {name}: expected two files"
        )),
        WriteError::Exists(_) => Error::new(format!(
            "{error}. To keep its key, work in another directory or choose other names \
             (--out-secret, --out-public); if nobody needs it, delete the file or give --force"
        )),
        error => error.into(),
    }
}
