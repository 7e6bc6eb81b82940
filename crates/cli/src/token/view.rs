//! The content of a token, as a tree for people or JSON for programs. It is the same for
//! verified and unverified tokens; the caller says which it is.
//!
//! Payloads are arbitrary bytes. They are shown as text only if a terminal shows every character
//! as itself. A view does not contain the token's secret.

use std::fmt::Write;

use klero_token::{
    Block, Caveat, KeyKind, Kind, PublicKey, RevocationId, Scheme, Token, Unverified, Verified,
};
use serde_json::{Map, Value, json};

use crate::layout::wrap;
use crate::terminal::harmless;

/// The content of a token.
pub struct View {
    scheme: Scheme,
    root_id: u32,
    sealed: bool,
    held: bool,
    bytes: usize,
    blocks: Vec<BlockView>,
}

struct BlockView {
    kind: &'static str,
    /// A block of caveats has none.
    payload: Option<Vec<u8>>,
    /// The lines, and whether each names a time before which the token counts, and which has passed.
    caveats: Vec<(Vec<u8>, bool)>,
    third_party: Option<String>,
    revocation_id: RevocationId,
}

impl View {
    /// The content of an unverified token. `length` is that of its encoding in bytes.
    pub fn unverified(token: &Unverified, length: usize) -> Self {
        Self::new(token, token.unverified_blocks(), length, 0)
    }

    /// The content of a valid token, and which of its times have passed. `length` is that of its
    /// encoding in bytes.
    pub fn verified(token: &Verified, length: usize, now: u64) -> Self {
        Self::new(token, token.blocks(), length, now)
    }

    fn new<T>(token: &Token<T>, blocks: &[Block], length: usize, now: u64) -> Self {
        let blocks = blocks.iter().zip(token.revocation_ids());
        Self {
            scheme: token.scheme(),
            root_id: token.root_id(),
            sealed: token.is_sealed(),
            held: token.is_held(),
            bytes: length,
            blocks: blocks
                .map(|(block, id)| BlockView::new(block, id, now))
                .collect(),
        }
    }

    /// A tree of blocks, one fact per line. The first line begins with the verdict.
    pub fn tree(&self, verdict: &str) -> String {
        let end = match (self.sealed, self.scheme) {
            (true, _) => "sealed: answers one challenge, and nothing can be added",
            (false, _) if self.held => {
                "not sealed: a device has the last key, and only it can seal"
            }
            (false, Scheme::Chain) => {
                "not sealed: contains a secret key (not shown) to add blocks with"
            }
            (false, Scheme::Aggregate) => "not sealed: whoever has it can use it and add blocks",
        };
        let mut out = String::new();
        let mut line = |text: std::fmt::Arguments<'_>| {
            // Writing to a String does not fail.
            let _ = writeln!(out, "{}", wrap(&text.to_string(), "│      "));
        };
        line(format_args!(
            "{verdict}token of scheme {}, root key {}, {}, {} bytes",
            self.scheme,
            self.root_id,
            plural(self.blocks.len(), "block"),
            self.bytes
        ));
        for (i, block) in self.blocks.iter().enumerate() {
            line(format_args!("├─ block {i}: {}", block.kind));
            if let Some(payload) = &block.payload {
                line(format_args!("│    {}", shown_payload(payload)));
            }
            for (caveat, has_passed) in &block.caveats {
                let passed = if *has_passed { " (passed)" } else { "" };
                line(format_args!("│    {}{passed}", shown("caveat", caveat)));
            }
            if let Some(key) = &block.third_party {
                line(format_args!("│    third party's key: {key}"));
            }
            line(format_args!("│    revocation id: {}", block.revocation_id));
        }
        // Nothing is below it.
        out + &wrap(&format!("└─ {end}"), "   ") + "\n"
    }

    /// A JSON object that begins with these members.
    pub fn json(&self, mut members: Map<String, Value>) -> Value {
        let blocks: Vec<_> = self.blocks.iter().map(BlockView::json).collect();
        members.insert("scheme".into(), json!(self.scheme.name()));
        members.insert("root_id".into(), json!(self.root_id));
        members.insert("sealed".into(), json!(self.sealed));
        members.insert("held".into(), json!(self.held));
        members.insert("bytes".into(), json!(self.bytes));
        members.insert("blocks".into(), json!(blocks));
        Value::Object(members)
    }
}

impl BlockView {
    fn new(block: &Block, revocation_id: RevocationId, now: u64) -> Self {
        let has_passed = |line: &[u8]| {
            let caveat = str::from_utf8(line).ok().and_then(|line| line.parse().ok());
            matches!(caveat, Some(Caveat::Before(time)) if time <= now)
        };
        Self {
            kind: block.kind().name(),
            payload: match block.kind() {
                Kind::Caveats => None,
                _ => Some(block.payload().to_vec()),
            },
            caveats: block
                .caveat_lines()
                .map(|line| (line.to_vec(), has_passed(line)))
                .collect(),
            third_party: block.third_party().map(third_party),
            revocation_id,
        }
    }

    fn json(&self) -> Value {
        let caveat = |(line, has_passed): &(Vec<u8>, bool)| {
            let mut shown = json!({"hex": hex::encode(line), "text": text(line)});
            if *has_passed {
                shown["passed"] = true.into();
            }
            shown
        };
        let caveats: Vec<_> = self.caveats.iter().map(caveat).collect();
        let payload = self.payload.as_deref().unwrap_or_default();
        json!({
            "kind": self.kind,
            "payload": hex::encode(payload),
            "text": text(payload),
            "caveats": caveats,
            "third_party": self.third_party,
            "revocation_id": self.revocation_id.to_string(),
        })
    }
}

/// The key of a third party as text. One that no verifier accepts has none, and is in hex.
fn third_party((kind, key): (KeyKind, &[u8])) -> String {
    match PublicKey::from_bytes(kind, key) {
        Ok(key) => key.to_string(),
        Err(_) => hex::encode(key),
    }
}

/// A payload and its length.
pub fn shown_payload(payload: &[u8]) -> String {
    let name = format!("payload of {}", plural(payload.len(), "byte"));
    match payload {
        [] => name,
        _ => shown(&name, payload),
    }
}

/// The name of some bytes, and the bytes as text if a terminal shows every character as itself, else
/// in hex.
fn shown(name: &str, bytes: &[u8]) -> String {
    match text(bytes) {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}, in hex: {}", hex::encode(bytes)),
    }
}

/// The payload as text, if a terminal shows every character as itself: no control characters,
/// no changes of writing direction, nothing invisible.
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
