//! Key files: text envelopes of cardano-cli, hex, or bare bytes.

use std::io::Write;
use std::path::Path;

use klero::{Invalid, KeyError, PublicKey, SecretKey, Suite};
use tempfile::Builder;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::input::{Source, is_hex, public_bytes};
use crate::token;

/// How a key is written.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum KeyFormat {
    /// A text envelope, which says the suite; for praos as cardano-cli has it
    Envelope,
    /// Hex: the 32-byte seed of a signing key, the 32 bytes of a verification key
    Hex,
}

impl KeyFormat {
    /// The text of a signing key in this form. Secret.
    pub fn secret(self, key: &SecretKey) -> Zeroizing<String> {
        match self {
            Self::Envelope => key.to_envelope(),
            Self::Hex => {
                let mut text = Zeroizing::new(String::with_capacity(65));
                text.push_str(&Zeroizing::new(base16ct::lower::encode_string(key.seed())));
                text.push('\n');
                text
            }
        }
    }

    /// The text of the verification key of this signing key in this form.
    pub fn public(self, key: &SecretKey) -> String {
        match self {
            Self::Envelope => key.public_key().to_envelope(key.suite()),
            Self::Hex => hex::encode(key.public_key()) + "\n",
        }
    }
}

/// A signing key, and the suite that it is used in.
///
/// A key belongs to one suite. A text envelope says which; for any other form the
/// command line must.
#[derive(clap::Args)]
pub struct SecretArgs {
    /// Signing key: file, or - for standard input (text envelope, hex or bytes)
    #[arg(long, value_name = "FILE|-")]
    key: String,
    /// Suite of the key, if its file does not say it (`klero suites` lists them)
    #[arg(long, value_name = "NAME")]
    suite: Option<Suite>,
    /// Use the key in --suite, though its file says another suite. Proofs of one alpha in
    /// two suites can give the key to everyone
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

/// Reads a signing key: an envelope, the hex of a 32-byte seed or of libsodium's
/// 64 bytes, or those bytes themselves. It is of the suite that the envelope says, and
/// only if there is none or if it may be `reused`, of the one given.
pub fn read_secret(
    source: &Source,
    suite: Option<Suite>,
    reused: bool,
) -> Result<SecretKey, Error> {
    refuse_secret_argument(source)?;
    let content = source.read_small()?;
    secret(&content, suite, reused).map_err(|fault| {
        Error::at(
            format_args!("cannot use the signing key in {source}"),
            fault,
        )
    })
}

/// Refuses the hex of a key where the name of its file belongs.
pub fn refuse_secret_argument(source: &Source) -> Result<(), Error> {
    if let Source::File(path) = source
        && !path.exists()
        && let name = path.as_os_str().as_encoded_bytes()
        && is_hex(name)
        && matches!(name.len(), 64 | 128)
    {
        // Not repeated in the message.
        return Err(Error::new(
            "--key: expected a file or -: secrets do not belong on the command line, \
             where other users can see them",
        ));
    }
    Ok(())
}

fn secret(content: &[u8], suite: Option<Suite>, reused: bool) -> Result<SecretKey, String> {
    let text = content.trim_ascii();
    let mut bytes = Zeroizing::new([0; 64]);
    // Constant time in the digits: nothing looks at them but the decoder.
    if matches!(text.len(), 64 | 128)
        && let Ok(bytes) = base16ct::mixed::decode(text, &mut *bytes)
    {
        from_bytes(bytes, suite)
    } else if text.starts_with(b"{") && !matches!(content.len(), 32 | 64) {
        let text = str::from_utf8(text).map_err(|error| error.to_string())?;
        let key = SecretKey::from_envelope(text).map_err(|error| match error {
            KeyError::EnvelopeType { got, .. } if got.starts_with(token::KEY_PREFIX) => format!(
                "it is a key of tokens: type {got:?}. A key that signs must not prove: together \
                 they give the key away"
            ),
            error => error.to_string(),
        })?;
        match suite {
            Some(suite) if suite != key.suite() && reused => Ok(key.dangerously_reuse_in(suite)),
            Some(suite) if suite != key.suite() => Err(format!(
                "it is of suite {}, --suite is {suite}: one key in two suites can be computed \
                 from its proofs (--dangerously-reuse-key uses it all the same)",
                key.suite()
            )),
            _ => Ok(key),
        }
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
    } else {
        Err(format!(
            "expected a text envelope, 64 or 128 hex digits, or 32 or 64 bytes; found {} bytes",
            bytes.len()
        ))
    }
}

/// A verification key for a claim: its bytes, and the suite if it came in an envelope.
type Public = (Vec<u8>, Option<Suite>);

/// Reads a verification key for a claim, from hex, a file or standard input. The
/// bytes are not judged here, so that the verdict gives the same reason for a bad
/// key in every form; only an envelope says so at once.
pub fn read_public(value: &str) -> Result<Result<Public, Invalid>, Error> {
    let content = public_bytes("--key", value)?;
    if content.len() == 32 || !content.trim_ascii_start().starts_with(b"{") {
        return Ok(Ok((content.to_vec(), None)));
    }
    let unusable = |fault: &dyn std::fmt::Display| {
        Error::at(
            format_args!("cannot use the verification key in {value}"),
            fault,
        )
    };
    let text = str::from_utf8(&content).map_err(|error| unusable(&error))?;
    match PublicKey::from_envelope(text) {
        Ok((key, suite)) => Ok(Ok((key.as_bytes().to_vec(), Some(suite)))),
        Err(KeyError::InvalidPublicKey(reason)) => Ok(Err(reason)),
        Err(error) => Err(unusable(&error)),
    }
}

/// Who may read a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secrecy {
    /// Its owner only.
    Secret,
    /// Whoever the umask allows.
    Public,
}

/// Writes a key file: complete or not at all, and over an existing file only
/// with `force`.
fn write(path: &Path, text: &str, secrecy: Secrecy, force: bool) -> Result<(), Error> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let failed = |error: &std::io::Error| Error::write(path.display(), error);
    let mut builder = Builder::new();
    builder.prefix(".klero-");
    restrict(&mut builder, secrecy);
    let mut file = builder.tempfile_in(directory).map_err(|e| failed(&e))?;
    file.write_all(text.as_bytes()).map_err(|e| failed(&e))?;
    file.as_file().sync_all().map_err(|e| failed(&e))?;
    let kept = if force {
        file.persist(path)
    } else {
        file.persist_noclobber(path)
    };
    kept.map(drop).map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => exists(path),
        _ => failed(&error.error),
    })
}

/// The files of a key pair.
pub struct Pair<'a> {
    /// Where the secret key goes.
    pub secret: &'a Path,
    /// Where the public key goes.
    pub public: &'a Path,
    /// Whether files that exist are replaced.
    pub force: bool,
}

impl Pair<'_> {
    /// Refuses what cannot be written, before anything is, so that no half of a pair is
    /// left.
    fn check(&self) -> Result<(), Error> {
        if self.secret == self.public {
            return Err(Error::at(
                self.secret.display(),
                "is named for both keys: expected two files",
            ));
        }
        for path in [self.secret, self.public] {
            if !self.force && path.exists() {
                return Err(exists(path));
            }
        }
        Ok(())
    }

    /// Writes both.
    pub fn write(&self, secret: &str, public: &str) -> Result<(), Error> {
        self.check()?;
        write(self.secret, secret, Secrecy::Secret, self.force)?;
        write(self.public, public, Secrecy::Public, self.force)
    }
}

/// That a key file is in the way.
fn exists(path: &Path) -> Error {
    Error::at(
        format_args!("cannot write {}", path.display()),
        "the file exists (--force replaces it)",
    )
}

#[cfg(unix)]
fn restrict(builder: &mut Builder<'_, '_>, secrecy: Secrecy) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(match secrecy {
        Secrecy::Secret => 0o600,
        Secrecy::Public => 0o666,
    }));
}

/// Elsewhere a new file takes the permissions of its directory.
#[cfg(not(unix))]
fn restrict(_: &mut Builder<'_, '_>, _: Secrecy) {}
