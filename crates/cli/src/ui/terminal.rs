//! Printing on standard output and standard error, and escaping of text that could control a terminal.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use crate::ui::error::Error;

/// Prints on standard output and flushes it.
pub fn print(text: impl Display) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| Error::write("standard output", &error))
}

/// Prints a line of JSON on standard error, for programs to read. Everything except printable ASCII is
/// escaped, so that the line cannot control a terminal.
pub fn say_json(value: &serde_json::Value) {
    let escaped: String = value
        .to_string()
        .encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(ascii @ b' '..=b'~') => char::from(ascii).to_string(),
            _ => format!("\\u{unit:04x}"),
        })
        .collect();
    let _ = writeln!(io::stderr(), "{escaped}");
}

/// Prints a line on standard error, made [`harmless`]. Ignores a failure, which could not be reported.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", harmless(line));
}

/// Escapes characters that could control a terminal, and characters that a terminal does not show.
pub fn harmless(text: impl Display) -> String {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '\\');
    let text = text.to_string();
    let escape = |part: &str| {
        let plain = part.trim_end_matches(is_quote);
        format!("{}{}", plain.escape_debug(), &part[plain.len()..])
    };
    text.split_inclusive(is_quote).map(escape).collect()
}

/// Returns the path as an argument of a shell command, in quotes if it needs them.
pub fn for_shell(path: &Path) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    let text = harmless(path.display());
    if text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{for_shell, harmless};

    #[test]
    fn a_path_is_one_argument() {
        for (path, argument) in [
            ("a/b-1.csv", "a/b-1.csv"),
            ("Zürich", "Zürich"),
            ("my chain", "'my chain'"),
            ("~", "'~'"),
            ("it's $HOME", r"'it'\''s $HOME'"),
        ] {
            assert_eq!(for_shell(path.as_ref()), argument);
        }
    }

    #[test]
    fn what_a_terminal_shows_stays_as_it_is() {
        for shown in ["", "a/b c.csv", "\"'\\'\"", "'Zürich', 東京", "e\u{301}"] {
            assert_eq!(harmless(shown), shown);
        }
        for (hidden, escaped) in [
            ("'\u{1b}]0;a\u{7}'", "'\\u{1b}]0;a\\u{7}'"),
            ("\\\u{9b}2J", "\\\\u{9b}2J"),
            ("a\r\nb", "a\\r\\nb"),
            ("a\u{202e}b", "a\\u{202e}b"),
        ] {
            assert_eq!(harmless(hidden), escaped);
            assert_eq!(harmless(escaped), escaped);
        }
    }
}
