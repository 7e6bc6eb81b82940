//! Key files of the VRF: text envelopes, which name the key's suite, or hex, or the bytes.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use klero::{Invalid, KeyError, PublicKey, SecretKey, Suite};
use klero_files::{Options, Output, WriteError};
use zeroize::Zeroizing;

use crate::choice;
use crate::error::Error;
use crate::input::{Source, is_hex, public_bytes};
use crate::key_types::KeyType;
use crate::stdout::print;

/// How a public key is written.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum KeyFormat {
    /// A text envelope, which names the suite of the key; for praos as cardano-cli writes it
    Envelope,
    /// The 32 bytes in hex
    Hex,
}

impl KeyFormat {
    /// The public key of this secret key, as text in this form.
    pub fn public(self, key: &SecretKey) -> String {
        match self {
            Self::Envelope => key.public_key().to_envelope(key.suite()),
            Self::Hex => hex::encode(key.public_key()) + "\n",
        }
    }
}

/// A secret key, and the suite that it is used in.
///
/// A key belongs to one suite. A text envelope names it; for any other form the command line
/// must.
#[derive(clap::Args)]
pub struct SecretArgs {
    /// Secret key: file, or - for standard input (text envelope, hex or bytes)
    #[arg(long, value_name = "FILE|-")]
    key: String,
    /// Suite of the key (`klero suites` lists them), if its file does not name it. A file of
    /// hex or bytes never does: give the same suite each time
    #[arg(long, value_name = "NAME", value_parser = choice::suite())]
    suite: Option<Suite>,
    /// Use the key in --suite even if its file names another suite. Proving the same alpha in
    /// two suites can reveal the key
    #[arg(long, requires = "suite")]
    dangerously_reuse_key: bool,
}

impl SecretArgs {
    /// Where the key comes from.
    pub fn source(&self) -> Source {
        Source::from(self.key.as_str())
    }

    /// Reads the key.
    pub fn read(&self) -> Result<SecretKey, Error> {
        read_secret(&self.source(), self.suite, self.dangerously_reuse_key)
    }
}

/// Reads a secret key: an envelope, the hex of a 32-byte seed or of libsodium's 64 bytes, or
/// these bytes themselves. An envelope names the key's suite. For other forms `suite` is the
/// key's suite; it overrides that of an envelope only if `reused` is set.
pub fn read_secret(
    source: &Source,
    suite: Option<Suite>,
    reused: bool,
) -> Result<SecretKey, Error> {
    read(source, |content| {
        let key = secret(content, suite)?;
        match suite {
            Some(suite) if suite != key.suite() && reused => Ok(key.dangerously_reuse_in(suite)),
            Some(suite) if suite != key.suite() => Err(format!(
                "the key belongs to suite {}, but --suite is {suite}: its proofs in two suites can \
                 reveal it (--dangerously-reuse-key uses it all the same)",
                key.suite()
            )),
            _ => Ok(key),
        }
    })
}

/// Reads the VRF key of a stake pool in any of these forms. Its suite is `praos`.
pub fn read_pool_secret(source: &Source) -> Result<SecretKey, Error> {
    read(source, |content| {
        let key = secret(content, Some(Suite::PRAOS))?;
        if key.suite() != Suite::PRAOS {
            return Err(format!(
                "the key belongs to suite {}, expected {}, the suite of stake pools",
                key.suite(),
                Suite::PRAOS
            ));
        }
        Ok(key)
    })
}

fn read(
    source: &Source,
    key: impl FnOnce(&[u8]) -> Result<SecretKey, String>,
) -> Result<SecretKey, Error> {
    let content = source.read_small("--key")?;
    let key = key(&content)
        .map_err(|fault| Error::at(format_args!("cannot use the secret key in {source}"), fault))?;
    source.warn_if_open();
    Ok(key)
}

/// The key in a file. `suite` is that of a form that does not name its suite.
fn secret(content: &[u8], suite: Option<Suite>) -> Result<SecretKey, String> {
    let text = content.trim_ascii();
    let mut bytes = Zeroizing::new([0; 64]);
    // Constant time in the digits: only the decoder reads them.
    if matches!(text.len(), 64 | 128)
        && let Ok(bytes) = base16ct::mixed::decode(text, &mut *bytes)
    {
        from_bytes(bytes, suite)
    } else if text.starts_with(b"{") && !matches!(content.len(), 32 | 64) {
        let text = str::from_utf8(text).map_err(|error| error.to_string())?;
        SecretKey::from_envelope(text).map_err(|error| error.to_string())
    } else {
        from_bytes(content, suite)
    }
}

fn from_bytes(bytes: &[u8], suite: Option<Suite>) -> Result<SecretKey, String> {
    let suite = || suite.ok_or("it does not say its suite: expected --suite");
    if let Ok(seed) = bytes.try_into() {
        Ok(SecretKey::from_seed(suite()?, seed))
    } else if let Ok(seed_and_public_key) = bytes.try_into() {
        SecretKey::from_libsodium(suite()?, seed_and_public_key).map_err(|error| error.to_string())
    } else if KeyType::of(bytes).is_some_and(KeyType::is_for_tokens) {
        Err(
            "it is a key for tokens. A key that signs must not prove: a signature and a proof \
             together can reveal it"
                .into(),
        )
    } else {
        Err(format!(
            "expected a text envelope, 64 or 128 hex digits, or 32 or 64 bytes; found {} bytes",
            bytes.len()
        ))
    }
}

/// A public key for a claim: its bytes, and the suite if an envelope names it.
type Public = (Vec<u8>, Option<Suite>);

/// Reads a public key for a claim, from hex, a file or standard input. The bytes are not
/// checked here, so that the verdict on a bad key has the same reason in every form; the key in
/// an envelope is checked when it is read.
pub fn read_public(value: &str) -> Result<Result<Public, Invalid>, Error> {
    let content = public_bytes("--key", value)?;
    let unusable = |fault: &dyn std::fmt::Display| {
        // What is hex was on the command line, and could be a secret key.
        let place = if is_hex(value.as_bytes()) {
            "--key"
        } else {
            value
        };
        Error::at(format_args!("cannot use the public key in {place}"), fault)
    };
    if content.len() == 32 || !content.trim_ascii_start().starts_with(b"{") {
        return match KeyType::of(&content).filter(|found| found.is_for_tokens()) {
            Some(found) => Err(unusable(&format_args!("it is {found}"))),
            None => Ok(Ok((content.to_vec(), None))),
        };
    }
    let text = str::from_utf8(&content).map_err(|error| unusable(&error))?;
    match PublicKey::from_envelope(text) {
        Ok((key, suite)) => Ok(Ok((key.as_bytes().to_vec(), Some(suite)))),
        Err(KeyError::InvalidPublicKey(reason)) => Ok(Err(reason)),
        Err(error) => Err(unusable(&error)),
    }
}

/// The files of a key pair, and whether they may replace existing ones.
#[derive(clap::Args)]
pub struct PairArgs {
    /// File for the secret key, readable by its owner alone
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
    /// Writes both files, by default with these names, and prints the public key. An older secret
    /// key is replaced last, when nothing else can fail.
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
            file.write_all(text.as_bytes())
                .map_err(|error| Error::write(file.name(), &error))?;
        }
        // The secret key comes last: if a step fails after an older secret key was replaced,
        // that key is lost for good.
        public_file.commit().map_err(failed)?;
        secret_file.commit().map_err(failed)?;
        print(format_args!("{public_key}\n"))
    }
}

/// The error for a key pair that was not written.
fn failed(error: WriteError) -> Error {
    match error {
        WriteError::Twice { name } => Error::new(format!(
            "both keys would be written to {name}: expected two files"
        )),
        WriteError::Exists { .. } => Error::new(format!(
            "{error}. To keep its key, work in another directory or choose other names \
             (--out-secret, --out-public); if nobody needs it, delete the file or give --force"
        )),
        error => error.into(),
    }
}
