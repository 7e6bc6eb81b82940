//! Values from the command line: texts, files, standard input.
//!
//! Public values may be given on the command line or in a file. An argument that is hex, a word `vrf_vk1…` or
//! a text `{…}` is the value itself. Any other argument is a file name (`./beef` is the file `beef`). Secrets
//! are never read from the command line, where every user of the machine can see them.

use std::fmt;
use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;

use klero_support::ReadError;
use zeroize::Zeroizing;

use crate::args::secrets::refuse_secret;
use crate::ui::error::Error;
use crate::ui::terminal::say;

/// The longest file that holds a single value, such as a key or a proof, in bytes.
const SMALL_FILE: u64 = 16 * 1024;

/// The longest alpha from a file or from standard input, in bytes.
const LONGEST_ALPHA: u64 = 64 << 20;

/// The name of standard input in errors.
const STDIN: &str = "standard input";

/// A file, or standard input (`-`).
#[derive(Clone, Debug)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// The file at this path.
    File(PathBuf),
}

impl From<&str> for Source {
    fn from(name: &str) -> Self {
        match name {
            "-" => Self::Stdin,
            name => Self::File(name.into()),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str(STDIN),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Source {
    /// True for standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(self, Self::Stdin)
    }

    /// Refuses a secret that was given instead of a file name. `what` names the argument in the error.
    pub fn refuse_secret(&self, what: &str) -> Result<(), Error> {
        match self {
            Self::Stdin => Ok(()),
            Self::File(path) => refuse_secret(what, path),
        }
    }

    /// Opens the source for reading. A file must be a regular file. `what` names the argument in errors.
    pub fn open(&self, what: &str) -> Result<Box<dyn Read>, Error> {
        self.refuse_secret(what)?;
        match self {
            Self::Stdin => Ok(Box::new(io::stdin().lock())),
            Self::File(path) => Ok(Box::new(klero_support::open(path)?.0)),
        }
    }

    /// Returns an error which says that this source cannot be read, with `fault` as the reason.
    pub fn unreadable(&self, fault: impl fmt::Display) -> Error {
        Error::at(format_args!("cannot read {self}"), fault)
    }

    /// Reads the whole source, which may have at most `limit` bytes.
    pub fn read(&self, what: &str, limit: u64) -> Result<Vec<u8>, Error> {
        self.refuse_secret(what)?;
        let content = match self {
            Self::Stdin => klero_support::read_from(STDIN.as_ref(), io::stdin().lock(), limit),
            Self::File(path) => klero_support::read(path, limit),
        };
        Ok(content?)
    }

    /// Reads a whole source of at most 16 KiB, such as a key or a proof. The bytes are wiped when dropped.
    pub fn read_small(&self, what: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.refuse_secret(what)?;
        Ok(self.small()?)
    }

    /// Warns if other users may read or change this file, which holds a secret key.
    pub fn warn_if_open(&self) {
        #[cfg(unix)]
        if let Self::File(path) = self
            && let Ok(metadata) = path.metadata()
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
            if mode & 0o077 != 0 {
                say(format_args!(
                    "klero: warning: other users may read or change the secret key in {self} (mode \
                     {mode:o}); chmod 600 keeps it to you"
                ));
            }
        }
    }

    fn small(&self) -> Result<Zeroizing<Vec<u8>>, ReadError> {
        match self {
            Self::Stdin => {
                klero_support::read_secret_from(STDIN.as_ref(), io::stdin().lock(), SMALL_FILE)
            }
            Self::File(path) => klero_support::read_secret(path, SMALL_FILE),
        }
    }
}

/// The input of the VRF.
#[derive(clap::Args)]
#[group(multiple = false)]
pub struct Alpha {
    /// alpha, the input of the VRF, in hex (may be empty)
    #[arg(long, value_name = "HEX")]
    alpha: Option<String>,
    /// alpha is this text
    #[arg(long, value_name = "TEXT")]
    alpha_text: Option<String>,
    /// alpha is the content of this file, at most 64 MiB. With -, and if no option gives alpha, alpha is read
    /// from standard input
    #[arg(long, value_name = "FILE|-")]
    alpha_file: Option<String>,
}

impl Alpha {
    /// The bytes of alpha.
    pub fn read(&self) -> Result<Vec<u8>, Error> {
        if let Some(digits) = &self.alpha {
            let text = if is_hex(digits.as_bytes()) {
                ""
            } else {
                " (--alpha-text takes text)"
            };
            return decode_hex(digits).map_err(|fault| {
                Error::at("--alpha", format_args!("expected hex: {fault}{text}"))
            });
        }
        if let Some(text) = &self.alpha_text {
            return Ok(text.clone().into_bytes());
        }
        if self.alpha_file.is_none() && io::stdin().is_terminal() {
            say("reading alpha from the terminal; Ctrl-D ends it (or give --alpha-text TEXT)");
        }
        self.source().read("--alpha-file", LONGEST_ALPHA)
    }

    /// True if alpha is read from standard input.
    pub fn is_stdin(&self) -> bool {
        self.alpha.is_none() && self.alpha_text.is_none() && matches!(self.source(), Source::Stdin)
    }

    fn source(&self) -> Source {
        Source::from(self.alpha_file.as_deref().unwrap_or("-"))
    }
}

/// Refuses a command line that reads several values from standard input, which can be read only once. Each
/// pair in `wanted` has the name of a value, and true if the value would be read from standard input.
pub fn one_stdin(wanted: &[(&str, bool)]) -> Result<(), Error> {
    let names: Vec<_> = wanted.iter().filter(|(_, stdin)| *stdin).collect();
    match names[..] {
        [(first, _), (second, _), ..] => Err(Error::new(format!(
            "standard input is wanted for {first} and for {second}: expected a file for one of them"
        ))),
        _ => Ok(()),
    }
}

/// Reads a public value. The argument `value` is the value itself, a file name, or `-` for standard input.
/// Returns the value's bytes, and the name by which errors mention the value.
pub fn read_public(what: &str, value: &str) -> Result<(Zeroizing<Vec<u8>>, String), Error> {
    if is_value(value) {
        let content = Zeroizing::new(value.as_bytes().to_vec());
        return Ok((content, what.to_owned()));
    }
    let source = Source::from(value);
    source.refuse_secret(&format!("{what}: not hex"))?;
    let content = source
        .small()
        .map_err(|error| Error::at(what, format_args!("not hex, and cannot read {error}")))?;
    Ok((content, format!("{what}: {source}")))
}

/// True if the argument is itself a key, a proof or an output, and not the name of a file.
fn is_value(value: &str) -> bool {
    let mut prefixes = ["0x", "0X", "\\x"].iter();
    let digits = prefixes.find_map(|prefix| value.strip_prefix(prefix));
    let is_word = || {
        value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    is_hex(digits.unwrap_or(value).as_bytes())
        || value.starts_with('{')
        || is_word() && value.to_ascii_lowercase().starts_with("vrf_vk")
}

/// True if the text consists of one or more hex digits.
pub fn is_hex(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit)
}

/// Decodes hex. The error is the end of a message; the caller puts the name of the value before it.
pub fn decode_hex(text: &str) -> Result<Vec<u8>, String> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return Err("it begins with 0x, which is left out here".into());
    }
    if let Some((i, c)) = text
        .chars()
        .enumerate()
        .find(|(_, c)| !c.is_ascii_hexdigit())
    {
        return Err(format!("character {} is {c:?}", i + 1));
    }
    hex::decode(text).map_err(|_| "an odd number of digits".into())
}
