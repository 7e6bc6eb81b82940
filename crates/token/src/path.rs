//! Paths of requests, in the one form in which they are compared.
//!
//! A service that decodes a path once more than the verifier, or takes `\` for `/`, would let a
//! caveat on a path be passed by. So a path is refused if some server could divide it into other
//! segments than the verifier does, and so leave the prefix. A server may still read a single segment
//! in its own way: some take `/a/b;c` for `/a/b`. That passes no caveat by, because a prefix is
//! compared by whole segments: what such a server reads is below what it reads for the prefix.

use alloc::string::String;
use alloc::vec::Vec;

use thiserror::Error;

/// Why a path has no normal form.
///
/// ```
/// use klero_token::PathFault;
/// assert_eq!(PathFault::Dots.to_string(), "a segment of the path is . or ..");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PathFault {
    /// It does not begin with `/`.
    #[error("the path does not begin with /")]
    NotAbsolute,
    /// Two `/` with nothing between them, or a `/` at the end; or only spaces and what stands behind
    /// a `;`, which some servers drop.
    #[error("a segment of the path is empty")]
    EmptySegment,
    /// A segment `.` or `..`, or one that is this to a server that drops spaces or what stands behind
    /// a `;`.
    #[error("a segment of the path is . or ..")]
    Dots,
    /// A control character, `\`, `?` or `#`.
    #[error("the path contains a control character, a backslash, ? or #")]
    Character,
    /// A `%` without two hex digits behind it, or an encoded `/`, `.`, `%`, `;` or a character that may
    /// not stand there.
    #[error("the path contains % before what may not be encoded")]
    Encoded,
    /// What is encoded is not UTF-8.
    #[error("the path is not UTF-8")]
    NotUtf8,
}

/// The normal form of a path: percent-encoded characters are decoded. `/` alone is the path
/// without segments. Unicode is not normalised, and letters keep their case.
///
/// ```
/// use klero_token::{PathFault, normal_path};
/// assert_eq!(normal_path("/caf%C3%A9/a b")?, "/café/a b");
/// assert_eq!(normal_path("/a/../b"), Err(PathFault::Dots));
/// assert_eq!(normal_path("/a%2fb"), Err(PathFault::Encoded));
/// # Ok::<(), PathFault>(())
/// ```
///
/// # Errors
/// A [`PathFault`] if the path has no normal form.
pub fn normal_path(path: &str) -> Result<String, PathFault> {
    let decoded = decode(path)?;
    let segments = decoded.strip_prefix('/').ok_or(PathFault::NotAbsolute)?;
    if decoded.contains(forbidden) {
        return Err(PathFault::Character);
    }
    if segments.is_empty() {
        return Ok(decoded);
    }
    for segment in segments.split('/') {
        // Some servers drop what stands behind a semicolon, and spaces at the end.
        match segment
            .split(';')
            .next()
            .unwrap_or_default()
            .trim_matches(' ')
        {
            "" => return Err(PathFault::EmptySegment),
            "." | ".." => return Err(PathFault::Dots),
            _ => {}
        }
    }
    Ok(decoded)
}

fn forbidden(c: char) -> bool {
    c.is_control() || matches!(c, '\\' | '?' | '#')
}

fn decode(path: &str) -> Result<String, PathFault> {
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
        match decoded.ok_or(PathFault::Encoded)? {
            b'/' | b'.' | b'%' | b';' => return Err(PathFault::Encoded),
            byte if forbidden(byte.into()) && byte.is_ascii() => return Err(PathFault::Encoded),
            byte => bytes.push(byte),
        }
        rest = &behind[2..];
    }
    String::from_utf8(bytes).map_err(|_| PathFault::NotUtf8)
}

/// Whether a path is a prefix or begins with its segments. Both are in normal form.
pub(crate) fn is_within(path: &str, prefix: &str) -> bool {
    match path.strip_prefix(prefix) {
        Some(rest) => prefix == "/" || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_read_in_two_ways_has_no_normal_form() {
        for (path, fault) in [
            ("", PathFault::NotAbsolute),
            ("a", PathFault::NotAbsolute),
            ("../a", PathFault::NotAbsolute),
            ("//", PathFault::EmptySegment),
            ("/a//b", PathFault::EmptySegment),
            ("/a/", PathFault::EmptySegment),
            ("/.", PathFault::Dots),
            ("/a/./b", PathFault::Dots),
            ("/a/..", PathFault::Dots),
            ("/a/..;/b", PathFault::Dots),
            ("/a/..;x=y/b", PathFault::Dots),
            ("/a/..%20/b", PathFault::Dots),
            ("/a/ ./b", PathFault::Dots),
            ("/a/;x/b", PathFault::EmptySegment),
            ("/a/%20", PathFault::EmptySegment),
            ("/a/..%3b/b", PathFault::Encoded),
            ("/a\\b", PathFault::Character),
            ("/a\0", PathFault::Character),
            ("/a\n", PathFault::Character),
            ("/a?b", PathFault::Character),
            ("/a#b", PathFault::Character),
            ("/a\u{85}", PathFault::Character),
            ("/%c2%85", PathFault::Character),
            ("/%2e%2E/b", PathFault::Encoded),
            ("/a%2Fb", PathFault::Encoded),
            ("/a%5cb", PathFault::Encoded),
            ("/a%00", PathFault::Encoded),
            ("/a%252e", PathFault::Encoded),
            ("/a%3f", PathFault::Encoded),
            ("/%", PathFault::Encoded),
            ("/%1", PathFault::Encoded),
            ("/%g0", PathFault::Encoded),
            ("/%+1", PathFault::Encoded),
            ("/%é", PathFault::Encoded),
            ("/%ff", PathFault::NotUtf8),
            ("/%c0%af", PathFault::NotUtf8),
            ("/%ed%a0%80", PathFault::NotUtf8),
        ] {
            assert_eq!(normal_path(path), Err(fault), "{path:?}");
        }
    }

    #[test]
    fn a_normal_form_is_its_own() {
        for (path, normal) in [
            ("/", "/"),
            ("/a", "/a"),
            ("/a/b.c/...", "/a/b.c/..."),
            ("/%61", "/a"),
            ("/a%20b;c=d", "/a b;c=d"),
            ("/%e6%9d%b1", "/東"),
        ] {
            assert_eq!(normal_path(path).as_deref(), Ok(normal));
            assert_eq!(normal_path(normal).as_deref(), Ok(normal));
        }
    }

    #[test]
    fn prefixes_are_of_whole_segments() {
        assert!(is_within("/", "/") && is_within("/a", "/"));
        assert!(is_within("/a", "/a") && is_within("/a/b", "/a"));
        assert!(!is_within("/ab", "/a") && !is_within("/", "/a") && !is_within("/b/a", "/a"));
    }
}
