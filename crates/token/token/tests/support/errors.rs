//! Errors of the library, with the exact words of their messages.

use klero_token::{Error, Place};

pub const NOT_CANONICAL: &str = "the key is not canonical";
pub const NOT_A_POINT: &str = "the key is not a point of the group";
pub const SMALL_ORDER: &str = "the key has small order";

pub const CHALLENGE: &str = "the client data has another challenge";
pub const CROSS_ORIGIN: &str = "the page is in a frame of another origin";

pub const NOT_BASE64URL: &str = "the text is not base64url without padding";
pub const NO_BLOCKS: &str = "the token announces no blocks at byte 9";
pub const MAGIC: &str = "not a token: expected the bytes \"KT\" at byte 0";

pub fn malformed(what: impl Into<String>) -> Error {
    Error::Malformed(what.into().into())
}

pub fn version(got: u8) -> Error {
    malformed(format!("version {got} at byte 2, expected 3"))
}

pub fn scheme(got: u8) -> Error {
    let what = format!("scheme {got} at byte 3, expected 1 (chain) or 2 (aggregate)");
    malformed(what)
}

pub fn form(got: u8, expected: &str) -> Error {
    malformed(format!("form {got} at byte 4, expected {expected}"))
}

pub fn kind(block: usize, got: u8, at: usize, expected: &str) -> Error {
    let what = format!("block {block}: kind {got} at byte {at}, expected {expected}");
    malformed(what)
}

pub fn truncated(end: usize, what: &str, at: usize, length: usize) -> Error {
    let what = format!("the bytes end at {end}, within the {what} at byte {at} ({length} bytes)");
    malformed(what)
}

/// The numbers in an error about truncated bytes: the end of the bytes, and the beginning and the length of
/// the field that is cut off there.
pub fn of_truncated(error: &Error) -> Option<[usize; 3]> {
    let text = error.to_string();
    let (end, field) = text
        .strip_prefix("the bytes end at ")?
        .split_once(", within the ")?;
    let (at, length) = field.split_once(" at byte ")?.1.split_once(" (")?;
    let numbers = [end, at, length.strip_suffix(" bytes)")?];
    Some(numbers.map(|number| number.parse().unwrap()))
}

pub fn trailing(at: usize, count: usize) -> Error {
    malformed(format!("{count} more bytes follow the end at byte {at}"))
}

pub fn is_trailing(error: &Error) -> bool {
    error.to_string().contains(" more bytes follow the end ")
}

pub fn too_large(got: usize, what: &'static str, limit: usize) -> Error {
    Error::TooLarge { what, got, limit }
}

pub fn key_text(expected: &str) -> Error {
    malformed(format!("expected the text of a key: {expected}"))
}

pub fn signature(place: Place, what: &'static str) -> Error {
    Error::Signature { place, what }
}

pub fn wrong(place: Place) -> Error {
    let of_root = "the signature does not hold, or it is by another root key";
    match place {
        Place::Block(0) => signature(place, of_root),
        _ => signature(place, "the signature does not hold"),
    }
}

pub fn point(place: Place) -> Error {
    signature(place, "the signature is not a canonical point")
}

pub fn scalar(place: Place) -> Error {
    let what = "the signature's scalar is not below the order of the group";
    signature(place, what)
}

pub fn high_s(place: Place) -> Error {
    signature(
        place,
        "s of the signature is above half the order of the group",
    )
}
