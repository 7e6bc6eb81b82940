//! The content of a token, as a tree for people or as JSON for programs. It looks the same whether or not the
//! token was verified, so the caller must say which is the case.
//!
//! Payloads are arbitrary bytes. They are shown as text only if a terminal shows every character as itself.
//! The token's secret is not shown.

use std::fmt::{Display, Write};

use klero_token::{Block, Caveat, KeyKind, Kind, PublicKey, Scheme, Token};
use serde_json::{Value, json};

use crate::ui::layout::wrap;
use crate::ui::terminal::harmless;

/// Returns the verdict and a tree of blocks, one fact per line. Marks caveats `before` that passed by `now`.
pub fn tree(verdict: &str, token: &Token, blocks: &[Block], now: u64) -> String {
    let scheme = token.scheme();
    let end = match scheme {
        _ if token.is_sealed() => "sealed: answers one challenge, and nothing can be added",
        _ if token.is_held() => "not sealed: a device has the last key, and only it can seal",
        Scheme::Chain => "not sealed: contains a secret key (not shown) to add blocks with",
        Scheme::Aggregate => "not sealed: whoever has it can use it and add blocks",
    };
    let mut out = String::new();
    let mut line = |text: &dyn Display| {
        // Writing to a String does not fail.
        let _ = writeln!(out, "{}", wrap(&text.to_string(), "│      "));
    };
    line(&format_args!(
        "{verdict}token of scheme {scheme}, root key {}, {}, {} bytes",
        token.root_id(),
        plural(blocks.len(), "block"),
        length(token)
    ));
    for (i, (block, id)) in blocks.iter().zip(token.revocation_ids()).enumerate() {
        line(&format_args!("├─ block {i}: {}", block.kind().name()));
        if block.kind() != Kind::Caveats {
            line(&format_args!("│    {}", shown_payload(block.payload())));
        }
        for caveat in block.caveat_lines() {
            let passed = if has_passed(caveat, now) {
                " (passed)"
            } else {
                ""
            };
            line(&format_args!("│    {}{passed}", shown("caveat", caveat)));
        }
        if let Some(key) = block.third_party() {
            line(&format_args!(
                "│    third party's key: {}",
                third_party(key)
            ));
        }
        line(&format_args!("│    revocation id: {id}"));
    }
    // This is the last branch of the tree, so further lines of its text begin with spaces instead of `│`.
    out + &wrap(&format!("└─ {end}"), "   ") + "\n"
}

/// Adds the content of a token to a JSON object, after its other members.
pub fn with_content(mut object: Value, token: &Token, blocks: &[Block], now: u64) -> Value {
    let blocks = blocks.iter().zip(token.revocation_ids());
    let blocks = blocks.map(|(block, id)| {
        let payload: &[u8] = match block.kind() {
            Kind::Caveats => &[],
            _ => block.payload(),
        };
        let caveats = block.caveat_lines().map(|line| {
            let mut caveat = json!({"hex": hex::encode(line), "text": text(line)});
            if has_passed(line, now) {
                caveat["passed"] = true.into();
            }
            caveat
        });
        json!({
            "kind": block.kind().name(),
            "payload": hex::encode(payload),
            "text": text(payload),
            "caveats": caveats.collect::<Value>(),
            "third_party": block.third_party().map(third_party),
            "revocation_id": id.to_string(),
        })
    });
    object["scheme"] = token.scheme().name().into();
    object["root_id"] = token.root_id().into();
    object["sealed"] = token.is_sealed().into();
    object["held"] = token.is_held().into();
    object["bytes"] = length(token).into();
    object["blocks"] = blocks.collect();
    object
}

/// The number of bytes in the encoding of the token. The encoding of a token that was read never fails.
fn length(token: &Token) -> usize {
    token.encode().map_or(0, |bytes| bytes.len())
}

/// True for the line of a caveat `before TIME` whose time is not after `now`.
fn has_passed(line: &[u8], now: u64) -> bool {
    let caveat = str::from_utf8(line).ok().and_then(|line| line.parse().ok());
    matches!(caveat, Some(Caveat::Before(time)) if time <= now)
}

/// The key of a third party as text. A key that no verifier accepts has no text, and is shown in hex.
fn third_party((kind, key): (KeyKind, &[u8])) -> String {
    match PublicKey::from_bytes(kind, key) {
        Ok(key) => key.to_string(),
        Err(_) => hex::encode(key),
    }
}

/// Describes a payload and its length.
pub fn shown_payload(payload: &[u8]) -> String {
    let name = format!("payload of {}", plural(payload.len(), "byte"));
    match payload {
        [] => name,
        _ => shown(&name, payload),
    }
}

/// Returns the name of some bytes and then the bytes: as text if [`text`] returns a text, otherwise in hex.
fn shown(name: &str, bytes: &[u8]) -> String {
    match text(bytes) {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}, in hex: {}", hex::encode(bytes)),
    }
}

/// Returns the payload as text if a terminal shows every character as itself. Such a text has no control
/// characters, no changes of writing direction and no invisible characters.
pub fn text(payload: &[u8]) -> Option<&str> {
    let text = str::from_utf8(payload).ok()?;
    (harmless(text) == text).then_some(text)
}

fn plural(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn text_is_what_a_terminal_shows_as_it_is() {
        for shown in [
            "",
            "may read",
            "{\"a\": 'b\\c'}",
            "Zürich, 東京",
            "e\u{301}",
        ] {
            assert_eq!(text(shown.as_bytes()), Some(shown));
        }
        for (hidden, what) in [
            ("a\nb", "line feed"),
            ("\t", "tab"),
            ("\0", "nul"),
            ("\u{1b}[2J", "escape sequence"),
            ("\u{9b}2J", "C1 control"),
            ("\u{7f}", "delete"),
            ("a\u{202e}b", "right to left"),
            ("a\u{200b}b", "zero width"),
            ("a\u{feff}b", "byte order mark"),
            ("a\u{2028}b", "line separator"),
        ] {
            assert_eq!(text(hidden.as_bytes()), None, "{what}");
        }
        assert_eq!(text(&[0xff]), None);
    }
}
