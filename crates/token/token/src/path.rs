//! Paths of requests, and the normal form in which they are compared.
//!
//! A caveat `path PREFIX` allows only paths that begin with the segments of PREFIX. A server that decodes a
//! path once more than the verifier, or reads `\` as `/`, could serve a path outside the prefix. So a path is
//! refused if any server could divide it into other segments than the verifier does. Some servers, for
//! example, fold other characters into ASCII dots or delimiters. A server may still read a single segment in
//! its own way: some read `/a/b;c` as `/a/b`. This evades no caveat, because prefixes are compared by whole
//! segments: if the server reads the path and the prefix in the same way, the path is still below the prefix.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Error;

const NOT_ABSOLUTE: &str = "the path does not begin with /";
/// Two `/` with nothing between them, a `/` at the end, or a segment that some servers drop completely,
/// because they drop spaces, invisible characters, and a `;` with everything after it.
const EMPTY_SEGMENT: &str = "a segment of the path is empty";
/// A segment `.` or `..`, or a segment that some server could read as `.` or `..`, because it has only dots
/// of any kind and characters that the server drops.
const DOTS: &str = "a segment of the path is . or ..";
/// A control character, `\`, `?` or `#`; or a character that some servers fold into a delimiter.
const CHARACTER: &str = "the path contains a control character, a backslash, ?, #, or what some \
                         servers take for a delimiter";
/// A `%` without two hex digits after it, or with the code of `/`, `.`, `%` or `;`, or with the code of an
/// ASCII character that no path may contain.
const ENCODED: &str = "the path contains % before what may not be encoded";
const NOT_UTF8: &str = "the path is not UTF-8";

/// The normal form of a path, in which percent-encoded characters are decoded. The path `/` has no segments.
/// Unicode is not normalised, and letters keep their case.
///
/// # Errors
/// [`Error::Malformed`] if the path has no normal form.
pub fn normal_path(path: &str) -> Result<String, Error> {
    normal(path).map_err(|what| Error::Malformed(what.into()))
}

/// The normal form, or the reason why there is none.
pub(crate) fn normal(path: &str) -> Result<String, &'static str> {
    let decoded = decode(path)?;
    let segments = decoded.strip_prefix('/').ok_or(NOT_ABSOLUTE)?;
    if decoded.contains(forbidden) {
        return Err(CHARACTER);
    }
    if segments.is_empty() {
        return Ok(decoded);
    }
    for segment in segments.split('/') {
        // Checks what is left of the segment after a server has dropped spaces, invisible characters, and
        // everything from a semicolon on. Some servers read other dots as ASCII dots.
        let named = segment.split(';').next().unwrap_or_default();
        let mut kept = named.chars().filter(|c| !is_blank(*c)).peekable();
        if kept.peek().is_none() {
            return Err(EMPTY_SEGMENT);
        }
        if kept.all(is_dot) {
            return Err(DOTS);
        }
    }
    Ok(decoded)
}

/// True for a full stop, and for a character that Unicode's compatibility mapping turns into full stops.
fn is_dot(c: char) -> bool {
    matches!(
        c,
        '.' | '\u{2024}'..='\u{2026}' | '\u{fe19}' | '\u{fe30}' | '\u{fe52}' | '\u{ff0e}'
    )
}

/// True for white space, and for a character that Unicode calls a format character or ignorable by default.
fn is_blank(c: char) -> bool {
    const INVISIBLE: [(char, char); 25] = [
        ('\u{ad}', '\u{ad}'),
        ('\u{34f}', '\u{34f}'),
        ('\u{600}', '\u{605}'),
        ('\u{61c}', '\u{61c}'),
        ('\u{6dd}', '\u{6dd}'),
        ('\u{70f}', '\u{70f}'),
        ('\u{890}', '\u{891}'),
        ('\u{8e2}', '\u{8e2}'),
        ('\u{115f}', '\u{1160}'),
        ('\u{17b4}', '\u{17b5}'),
        ('\u{180b}', '\u{180f}'),
        ('\u{200b}', '\u{200f}'),
        ('\u{202a}', '\u{202e}'),
        ('\u{2060}', '\u{206f}'),
        ('\u{3164}', '\u{3164}'),
        ('\u{fe00}', '\u{fe0f}'),
        ('\u{feff}', '\u{feff}'),
        ('\u{ffa0}', '\u{ffa0}'),
        ('\u{fff0}', '\u{fffb}'),
        ('\u{110bd}', '\u{110bd}'),
        ('\u{110cd}', '\u{110cd}'),
        ('\u{13430}', '\u{1343f}'),
        ('\u{1bca0}', '\u{1bca3}'),
        ('\u{1d173}', '\u{1d17a}'),
        ('\u{e0000}', '\u{e0fff}'),
    ];
    c.is_whitespace()
        || INVISIBLE
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&c))
}

fn forbidden(c: char) -> bool {
    c.is_control() || matches!(c, '\\' | '?' | '#') || is_folded(c)
}

/// True if Unicode's compatibility mapping turns the character into a text that contains `/`, `\`, `?`, `#`,
/// `%` or `;`, or if a code page of Windows maps the character to `/` or `\`.
fn is_folded(c: char) -> bool {
    const FOLDED: [&str; 6] = [
        "\u{2044}\u{2100}\u{2101}\u{2105}\u{2106}\u{2215}\u{ff0f}", // slashes
        "\u{a5}\u{20a9}\u{2216}\u{fe68}\u{ff3c}",                   // backslashes
        "\u{2047}\u{2048}\u{2049}\u{fe16}\u{fe56}\u{ff1f}",         // question marks
        "\u{fe5f}\u{ff03}",                                         // number signs
        "\u{fe6a}\u{ff05}",                                         // percent signs
        "\u{37e}\u{fe14}\u{fe54}\u{ff1b}",                          // semicolons
    ];
    FOLDED.iter().any(|folded| folded.contains(c))
}

fn decode(path: &str) -> Result<String, &'static str> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |at: usize| char::from(*behind.get(at)?).to_digit(16);
        let decoded = digit(0)
            .zip(digit(1))
            .map(|(high, low)| (high * 16 + low) as u8);
        match decoded.ok_or(ENCODED)? {
            b'/' | b'.' | b'%' | b';' => return Err(ENCODED),
            byte if forbidden(byte.into()) && byte.is_ascii() => return Err(ENCODED),
            byte => bytes.push(byte),
        }
        rest = &behind[2..];
    }
    String::from_utf8(bytes).map_err(|_| NOT_UTF8)
}

/// True if the segments of the path begin with all segments of the prefix. The path and the prefix must be
/// in normal form.
pub(crate) fn is_within(path: &str, prefix: &str) -> bool {
    let is_below = |rest: &str| prefix == "/" || rest.is_empty() || rest.starts_with('/');
    path.strip_prefix(prefix).is_some_and(is_below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_read_in_two_ways_has_no_normal_form() {
        for (path, fault) in [
            ("", NOT_ABSOLUTE),
            ("a", NOT_ABSOLUTE),
            ("../a", NOT_ABSOLUTE),
            ("//", EMPTY_SEGMENT),
            ("/a//b", EMPTY_SEGMENT),
            ("/a/", EMPTY_SEGMENT),
            ("/.", DOTS),
            ("/a/./b", DOTS),
            ("/a/..", DOTS),
            ("/a/..;/b", DOTS),
            ("/a/..;x=y/b", DOTS),
            ("/a/..%20/b", DOTS),
            ("/a/ ./b", DOTS),
            ("/a/;x/b", EMPTY_SEGMENT),
            // Characters that some servers fold into dots, or drop next to dots.
            ("/a/...", DOTS),
            ("/a/.. ./b", DOTS),
            ("/a/\u{ff0e}\u{ff0e}/b", DOTS),
            ("/a/\u{2024}./b", DOTS),
            ("/a/\u{2025}/b", DOTS),
            ("/a/..\u{a0}/b", DOTS),
            ("/a/.\u{200b}./b", DOTS),
            ("/a/\u{ad}../b", DOTS),
            ("/a/..\u{3000};x/b", DOTS),
            ("/a/%E2%80%A5/b", DOTS),
            ("/a/\u{200b}/b", EMPTY_SEGMENT),
            ("/a/\u{2003}", EMPTY_SEGMENT),
            ("/a/%20", EMPTY_SEGMENT),
            ("/a/..%3b/b", ENCODED),
            ("/a\\b", CHARACTER),
            ("/a\0", CHARACTER),
            ("/a\n", CHARACTER),
            ("/a?b", CHARACTER),
            ("/a#b", CHARACTER),
            ("/a\u{85}", CHARACTER),
            ("/%c2%85", CHARACTER),
            // Characters that some servers fold into delimiters.
            ("/a/x\u{ff0f}..\u{ff0f}..\u{ff0f}b", CHARACTER),
            ("/a\u{2044}b", CHARACTER),
            ("/a\u{2215}b", CHARACTER),
            ("/a\u{2105}b", CHARACTER),
            ("/a/x\u{ff3c}..\u{ff3c}..", CHARACTER),
            ("/a\u{a5}b", CHARACTER),
            ("/a\u{20a9}b", CHARACTER),
            ("/a/..\u{ff1f}/b", CHARACTER),
            ("/a/..\u{fe5f}/b", CHARACTER),
            ("/a/\u{ff05}2e\u{fe6a}2e/b", CHARACTER),
            ("/a/..\u{ff1b}x/b", CHARACTER),
            ("/a/..\u{37e}x/b", CHARACTER),
            ("/a%ef%bc%8f..%ef%bc%8fb", CHARACTER),
            ("/%2e%2E/b", ENCODED),
            ("/a%2Fb", ENCODED),
            ("/a%5cb", ENCODED),
            ("/a%00", ENCODED),
            ("/a%252e", ENCODED),
            ("/a%3f", ENCODED),
            ("/%", ENCODED),
            ("/%1", ENCODED),
            ("/%g0", ENCODED),
            ("/%+1", ENCODED),
            ("/%é", ENCODED),
            ("/%ff", NOT_UTF8),
            ("/%c0%af", NOT_UTF8),
            ("/%ed%a0%80", NOT_UTF8),
        ] {
            assert_eq!(normal(path), Err(fault), "{path:?}");
        }
    }

    #[test]
    fn a_normal_form_is_its_own() {
        for (path, written) in [
            ("/", "/"),
            ("/a", "/a"),
            ("/a/b.c/..d", "/a/b.c/..d"),
            ("/%61", "/a"),
            ("/a%20b;c=d", "/a b;c=d"),
            // The encodings of these letters contain the bytes A5 and 9D. They are allowed, although the
            // characters U+A5 and U+9D (a control character) are not.
            ("/%c3%a5%c2%a3", "/å£"),
            ("/%e6%9d%b1", "/東"),
        ] {
            assert_eq!(normal(path).as_deref(), Ok(written));
            assert_eq!(normal(written).as_deref(), Ok(written));
        }
    }

    #[test]
    fn prefixes_are_of_whole_segments() {
        assert!(is_within("/", "/") && is_within("/a", "/"));
        assert!(is_within("/a", "/a") && is_within("/a/b", "/a"));
        assert!(!is_within("/ab", "/a") && !is_within("/", "/a") && !is_within("/b/a", "/a"));
    }
}
