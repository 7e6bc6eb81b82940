//! Text as editors, shells and databases store it.

use alloc::borrow::ToOwned;
use alloc::string::String;

use zeroize::Zeroizing;

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The text in some content: without byte order mark, from UTF-16, and without white space and one pair of
/// quotes at its ends. `None` if it is not text: it is no such encoding, or has control characters.
pub(crate) fn of(content: &[u8]) -> Option<Zeroizing<String>> {
    let text = decoded(content)?;
    let is_text = |c: char| !c.is_control() || c.is_ascii_whitespace();
    // Without a mark, bytes are UTF-16 only if all of it is ASCII.
    let is_wide = content.contains(&0);
    let is_known = !is_wide || text.starts_with(MARK) || text.is_ascii();
    if !is_known || !text.chars().all(is_text) {
        return None;
    }
    let inner = text.trim_start_matches(MARK).trim();
    let unquoted = |quote: &char| inner.strip_prefix(*quote)?.strip_suffix(*quote);
    let text = ['"', '\''].iter().find_map(unquoted).unwrap_or(inner);
    Some(Zeroizing::new(text.trim().to_owned()))
}

/// The characters of UTF-8, or of UTF-16 if the first of them is a mark or ASCII.
fn decoded(content: &[u8]) -> Option<Zeroizing<String>> {
    // Reserved at once: a unit of UTF-16 has at most three bytes in UTF-8.
    let mut text = Zeroizing::new(String::with_capacity(2 * content.len()));
    let unit: fn([u8; 2]) -> u16 = match content {
        [0xff, 0xfe, ..] | [_, 0, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] | [0, _, ..] => u16::from_be_bytes,
        _ => {
            text.push_str(str::from_utf8(content).ok()?);
            return Some(text);
        }
    };
    let (units, []) = content.as_chunks() else {
        return None;
    };
    for character in char::decode_utf16(units.iter().copied().map(unit)) {
        text.push(character.ok()?);
    }
    Some(text)
}
