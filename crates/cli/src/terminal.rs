//! Text that others choose, such as the name of a file, on a terminal.

use std::fmt::Display;

/// The text without characters that could speak to the terminal, or that it does not show.
pub fn harmless(text: impl Display) -> String {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '\\');
    let text = text.to_string();
    let escape = |part: &str| {
        let plain = part.trim_end_matches(is_quote);
        format!("{}{}", plain.escape_debug(), &part[plain.len()..])
    };
    text.split_inclusive(is_quote).map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::harmless;

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
