//! Texts of tokens. Each token has exactly one text.

use klero_token::{Error, KeyKind, Limits, RevocationId, RootKeys, Scheme, Token};

use crate::equations::Twin;
use crate::support::errors::{NOT_BASE64URL, malformed, too_large};
use crate::support::{decode, on_all};
use crate::token;

fn read(text: &str) -> Result<(), Error> {
    Token::from_text(text, &Limits::default()).map(drop)
}

/// Texts with padding, white space, characters of the other base64 alphabet, or letters beyond ASCII.
fn other_characters<S: Twin>() {
    let text = token::<S>().to_text().unwrap().to_string();
    assert_eq!(read(&text), Ok(()));
    let middle = text.len() / 2;
    for character in [
        '=', ' ', '\n', '\r', '\t', '\0', '+', '/', '.', 'é', '√', '\u{feff}', '𝔄',
    ] {
        let mut tries = vec![format!("{text}{character}"), format!("{character}{text}")];
        let mut within = text.clone();
        within.insert(middle, character);
        tries.push(within);
        let mut instead = text.clone();
        instead.replace_range(middle..middle + 1, &character.to_string());
        tries.push(instead);
        for text in tries {
            assert_eq!(
                read(&text),
                Err(malformed(NOT_BASE64URL)),
                "{character:?} in {text}"
            );
        }
    }
    for padded in [format!("{text}=="), format!("{text}===")] {
        assert_eq!(read(&padded), Err(malformed(NOT_BASE64URL)));
    }
}

/// All bits of every character are used, except in the last character. Its unused bits must be zero.
fn trailing_bits<S: Twin>() {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for more in 0..3 {
        let token = token::<S>().append(&vec![0; more]).unwrap();
        let bytes = token.encode().unwrap();
        let text = token.to_text().unwrap();
        let (last, rest) = text.as_bytes().split_last().unwrap();
        let mut good = 0;
        for character in ALPHABET {
            let text = [rest, &[*character]].concat();
            let text = String::from_utf8(text).unwrap();
            match Token::from_text(&text, &Limits::default()) {
                // The unused bits are zero, so the text encodes a token with another last byte.
                Ok(_) => good += 1,
                Err(error) => assert_eq!(error, malformed(NOT_BASE64URL)),
            }
        }
        let bits = [6, 2, 4][bytes.len() % 3];
        assert_eq!(good, 1 << bits);
        // After groups of four characters, a single further character is too few for a byte.
        let over = text.len() % 4;
        for length in 0..text.len() {
            let cut = &text[..length];
            let error = read(cut).unwrap_err();
            let expected = length % 4 == 1;
            assert!(
                !expected || error == malformed(NOT_BASE64URL),
                "{length}: {error:?}"
            );
        }
        assert!(ALPHABET.contains(last) && over != 1);
        assert!(decode(&bytes).is_ok());
    }
}

/// The limit counts bytes of the encoding, not characters. It is checked before the text is decoded.
fn limits<S: Twin>() {
    let token = token::<S>();
    let (text, bytes) = (token.to_text().unwrap(), token.encode().unwrap().len());
    let read = |text: &str, bytes: usize| {
        let limits = Limits {
            bytes,
            ..Limits::default()
        };
        Token::from_text(text, &limits).map(drop)
    };
    assert_eq!(read(&text, bytes), Ok(()));
    let limit = bytes - 1;
    let too_long = |bytes, limit| Err(too_large(bytes, "bytes", limit));
    assert_eq!(read(&text, limit), too_long(bytes, limit));
    let long = "=".repeat(1 << 20);
    assert_eq!(read(&long, bytes), too_long(786_432, bytes));
    assert_eq!(
        read("", bytes),
        Token::decode(b"", &Limits::default()).map(drop)
    );
}

/// A revocation id has one text: 64 hexadecimal digits in lower case.
#[test]
fn revocation_ids() {
    let id = RevocationId(std::array::from_fn(|i| 0xf0 ^ i as u8));
    let text = id.to_string();
    let read = |text: &str| text.parse::<RevocationId>();
    assert_eq!(read(&text), Ok(id));
    let upper = text.to_uppercase();
    let instead = |digit: &str| format!("{}{digit}", &text[..64 - digit.len()]);
    let others = ["g", " ", "\n", "/", ":", "`", "+1", "é", "\0"].map(instead);
    let lengths = [&text[..63], &text[..62], ""].map(str::to_owned);
    let longer = [format!("{text}0"), format!("{text}00")];
    for other in lengths.iter().chain(&longer).chain(&others).chain([&upper]) {
        let refusal = malformed("expected a revocation id: 64 hexadecimal digits in lower case");
        assert_eq!(read(other), Err(refusal), "{other}");
    }
}

on_all!(other_characters, trailing_bits, limits);

#[test]
fn schemes_have_names_and_their_letters() {
    assert_eq!(Scheme::ALL.map(Scheme::name), ["chain", "aggregate"]);
    let kinds = ["chain", "aggregate", "ed25519", "es256", "passkey"];
    assert_eq!(KeyKind::ALL.map(KeyKind::name), kinds);
    for scheme in Scheme::ALL {
        assert_eq!(Scheme::named(scheme.name()), Some(scheme));
    }
    assert_eq!(Scheme::named("Chain"), None);
}

/// The compiler warns if nobody looks at the verdicts. Without this warning, the test would not compile.
#[test]
#[deny(unfulfilled_lint_expectations)]
fn verdicts_that_nobody_looks_at_are_a_warning() {
    #[expect(unused_must_use)]
    Token::verify_many([], &RootKeys::new());
}
