//! Detection of secrets that were given on the command line by mistake. The process list shows them
//! already; a message that repeats them would also write them to logs.

use std::env;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use klero::Encoded;

use crate::ui::error::Error;
use crate::ui::terminal::harmless;

/// The text that replaces a secret value in a message.
pub const HIDDEN: &str = "(not shown, it looks like a secret)";

/// Refuses a path that looks like a secret, unless a file or directory of this name exists.
pub fn refuse_secret(what: &str, path: &Path) -> Result<(), Error> {
    if !path.exists() && is_secret(path.as_os_str().as_encoded_bytes()) {
        // The name is not repeated in the message.
        return Err(Error::new(format!(
            "{what}: no file or directory has this name, and it looks like a secret: secrets do \
             not belong on the command line, where other users can see them"
        )));
    }
    Ok(())
}

/// True if a word of a message looks like a secret. Words also end at quotes and dots, because a message may
/// contain a JSON path, whose parts are separated by dots.
pub fn repeats_secret(message: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '.');
    message.split(is_end).any(|part| is_secret(part.as_bytes()))
}

/// Hides command-line arguments that look like secrets wherever a message repeats them. The name of an
/// existing file is kept, and so is the value of `--pool`, which was already read as a pool.
pub fn without_arguments(message: String) -> String {
    let arguments: Vec<_> = env::args_os().collect();
    arguments.windows(2).fold(message, |message, pair| {
        let argument = pair[1].to_string_lossy();
        let value = value_of(&argument);
        let is_pool = pair[0] == "--pool" || argument.starts_with("--pool=");
        if !is_pool && is_secret(value.as_bytes()) && !Path::new(value).exists() {
            message.replace(value, HIDDEN)
        } else {
            message
        }
    })
}

/// Returns the value in an argument. The value is the whole argument, unless the argument begins with an
/// option's name, as in `--out=VALUE`, `-o=VALUE` and `-oVALUE`.
fn value_of(argument: &str) -> &str {
    if argument.starts_with("--") {
        return argument
            .split_once('=')
            .map_or(argument, |(_, value)| value);
    }
    let Some(short) = argument.strip_prefix('-') else {
        return argument;
    };
    let mut value = short.chars();
    value.next();
    let value = value.as_str();
    value.strip_prefix('=').unwrap_or(value)
}

/// Removes secrets from an error about the command line, and makes its text harmless to a terminal.
pub fn without_secrets(mut error: clap::Error) -> clap::Error {
    let repeated = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) if is_secret(text.as_bytes()) => Some((kind, HIDDEN.to_owned())),
        ContextValue::String(text) => Some((kind, harmless(text))).filter(|(_, new)| new != text),
        _ => None,
    });
    for (kind, text) in repeated.collect::<Vec<_>>() {
        error.insert(kind, ContextValue::String(text));
        // The suggestions of clap repeat the argument.
        error.remove(ContextKind::Suggested);
    }
    error
}

/// True if a text looks like a token, or like a secret key in any of its forms.
fn is_secret(text: &[u8]) -> bool {
    // The number of hex digits in half a seed.
    const DIGITS: usize = 32;
    if is_public(text) {
        return false;
    }
    text.split(|byte| !is_base64url(*byte))
        .any(|part| part.starts_with(b"S1Q"))
        || is_secret_key(text)
        || text.windows(8).any(|part| part == b"-secret:")
        || text.contains(&b'{')
        || has_run(text, DIGITS, |byte| byte.is_ascii_hexdigit())
        || is_damaged_token(text)
}

/// True for text with a prefix that CIP-5 defines for public values of a VRF or for pools.
fn is_public(text: &[u8]) -> bool {
    const LONGEST: usize = "vrf_vkh1".len() + 58;
    let lower = text.to_ascii_lowercase();
    let mut prefixes = [&b"vrf_vk1"[..], b"vrf_vkh1", b"pool1"].into_iter();
    let data = prefixes.find_map(|prefix| lower.strip_prefix(prefix));
    text.len() <= LONGEST && data.is_some_and(|data| data.iter().all(u8::is_ascii_alphanumeric))
}

/// True for text that begins with `vrf_sk1`. Also true for text that contains a digit and would be a VRF
/// secret key as the content of a file. This does not apply to text of 32 or 64 characters, because any bytes
/// of these lengths would be a key.
fn is_secret_key(text: &[u8]) -> bool {
    text.to_ascii_lowercase().starts_with(b"vrf_sk1")
        || !matches!(text.len(), 32 | 64)
            && text.iter().any(u8::is_ascii_digit)
            && Encoded::secret_key(text).is_ok()
}

/// True if the text has 64 or more characters of base64url, the alphabet of tokens, in a row.
pub fn is_damaged_token(text: &[u8]) -> bool {
    const SHORTEST: usize = 64;
    has_run(text, SHORTEST, is_base64url)
}

fn has_run(text: &[u8], length: usize, is_in: impl Fn(u8) -> bool) -> bool {
    text.split(|byte| !is_in(*byte))
        .any(|run| run.len() >= length)
}

/// True for a character of base64url.
pub fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
