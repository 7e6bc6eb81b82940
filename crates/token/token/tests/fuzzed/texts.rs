//! Parses an arbitrary text with a parser that the first byte selects. Nothing may panic, every error must be
//! short, and a parsed value (unless from PEM) must be written as the same text.

use std::fmt::Display;
use std::str::FromStr;

use klero_token::{
    Caveat, Error, KeyKind, Limits, PublicKey, Request, RevocationId, SecretKey, Statement, Token,
    normal_path,
};

const LIMITS: Limits = Limits {
    signatures: 8,
    caveats: 64,
    bytes: 4096,
};

/// The length of the longest input, in bytes. An error message about a caveat can repeat the input, with
/// control characters escaped. Even so, every message is shorter than 8 times this length.
const LONGEST: usize = 2048;

/// Parses all bytes after the first byte, which selects the parser. Some parsers read text, others bytes.
pub fn texts(input: &[u8]) {
    let Some((parser, bytes)) = input.split_first() else {
        return;
    };
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    let lossy = String::from_utf8_lossy(bytes);
    let text = lossy.as_ref();
    match parser % 16 {
        0 => token(Token::from_text(text, &LIMITS), text),
        1 => request(Request::from_text(text), text),
        2 => statement(Statement::from_text(text, &LIMITS), text),
        3 => caveat(text),
        4 => path(text),
        5 => pem(KeyKind::Ed25519, text),
        6 => pem(KeyKind::Chain, text),
        7..=9 => one_text::<PublicKey>(text),
        10 => one_text::<RevocationId>(text),
        11 | 12 => secret(text.parse(), text),
        13 => spki(bytes),
        // Parsers 14 and 15 read bytes, because base64url would hide their structure from the fuzzer.
        14 => decoded_token(bytes),
        _ => decoded_parts(bytes),
    }
}

fn token(read: Result<Token, Error>, text: &str) {
    if let Some(token) = checked(read) {
        assert_eq!(*token.to_text().unwrap(), text);
        assert_eq!(
            token.unverified_blocks().len(),
            token.revocation_ids().len()
        );
        assert!(!format!("{token:?}").is_empty());
    }
}

fn request(read: Result<Request, Error>, text: &str) {
    if let Some(request) = checked(read) {
        assert_eq!(request.to_text(), text);
    }
}

fn statement(read: Result<Statement, Error>, text: &str) {
    if let Some(statement) = checked(read) {
        assert_eq!(statement.to_text().unwrap(), text);
    }
}

fn decoded_token(bytes: &[u8]) {
    if let Some(token) = checked(Token::decode(bytes, &LIMITS)) {
        assert_eq!(*token.encode().unwrap(), bytes);
        let text = token.to_text().unwrap();
        self::token(Token::from_text(&text, &LIMITS), &text);
        for block in token.unverified_blocks() {
            for line in block.caveat_lines() {
                caveat(&String::from_utf8_lossy(line));
            }
        }
    }
}

fn decoded_parts(bytes: &[u8]) {
    if let Some(request) = checked(Request::decode(bytes)) {
        assert_eq!(request.encode(), bytes);
        assert_eq!(Request::from_text(&request.to_text()).unwrap(), request);
    }
    if let Some(statement) = checked(Statement::decode(bytes, &LIMITS)) {
        assert_eq!(statement.encode().unwrap(), bytes);
        let text = statement.to_text().unwrap();
        assert_eq!(Statement::from_text(&text, &LIMITS).unwrap(), statement);
    }
}

fn caveat(text: &str) {
    match text.parse::<Caveat>() {
        Ok(caveat) => assert_eq!(caveat.to_string(), text),
        Err(error) => {
            assert!(matches!(&error, Error::Caveat { advice, .. } if !advice.is_empty()));
            checked::<(), _>(Err(error));
        }
    }
}

fn path(text: &str) {
    if let Some(path) = checked(normal_path(text)) {
        assert_eq!(normal_path(&path).as_ref(), Ok(&path));
    }
}

/// A PEM file can have many forms (white space, line ends), so only the keys are compared, not the texts.
fn pem(kind: KeyKind, text: &str) {
    if let Some(key) = checked(SecretKey::from_pem(kind, text)) {
        let written = key.to_pem().expect("an Ed25519 key");
        assert_eq!(SecretKey::from_pem(kind, &written).unwrap(), key);
    }
    if let Some(key) = checked(PublicKey::from_pem(kind, text)) {
        let written = key.to_pem().expect("an Ed25519 key");
        let again = PublicKey::from_pem(kind, &written).unwrap();
        assert_eq!(again.as_bytes(), key.as_bytes());
    }
}

/// Asserts that a parsed value is written as the same text.
fn one_text<T: FromStr<Err = Error> + Display>(text: &str) {
    if let Some(read) = checked(text.parse::<T>()) {
        assert_eq!(read.to_string(), text);
    }
}

fn secret(read: Result<SecretKey, Error>, text: &str) {
    match read {
        Ok(key) => assert_eq!(*key.to_text(), text),
        // The message is one of a few fixed texts, not the input, which may be almost a secret key.
        Err(error) => {
            let error = error.to_string();
            let expected = error.strip_prefix("expected the text of a key: ").unwrap();
            let names = ["chain-secret", "aggregate-secret", "ed25519-secret"];
            let all = "chain-secret, aggregate-secret or ed25519-secret";
            assert!(expected == all || names.contains(&expected), "{error}");
        }
    }
}

fn spki(bytes: &[u8]) {
    for kind in [KeyKind::Ed25519, KeyKind::Es256, KeyKind::Passkey] {
        if let Some(key) = checked(PublicKey::from_spki(kind, bytes)) {
            assert_eq!(PublicKey::from_bytes(kind, key.as_bytes()).unwrap(), key);
            assert_eq!(key.to_string().parse::<PublicKey>().unwrap(), key);
        }
    }
}

/// Returns the parsed value. Asserts that the message of an error is short, but not empty.
fn checked<T, E: Display>(read: Result<T, E>) -> Option<T> {
    read.map_err(|error| {
        let message = error.to_string();
        assert!(!message.is_empty() && message.len() < 8 * LONGEST);
    })
    .ok()
}
