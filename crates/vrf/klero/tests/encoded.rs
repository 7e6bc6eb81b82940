//! Reading keys, proofs and outputs in every form, and the errors for anything else.
#![cfg(feature = "envelope")]

use base64ct::{Base64, Base64Unpadded, Base64Url, Base64UrlUnpadded, Encoding};
use bech32::{Bech32, Bech32m, Hrp};
use klero::{Encoded, Error, PublicKey, SecretKey, Suite};
use proptest::prelude::*;

type Read = fn(&[u8]) -> Result<Encoded, Error>;

/// The kinds of values: name, reader, lengths, and prefix in Bech32.
const THINGS: [(&str, Read, &[usize], Option<&str>); 4] = [
    ("secret key", Encoded::secret_key, &[32, 64], Some("vrf_sk")),
    ("public key", Encoded::public_key, &[32], Some("vrf_vk")),
    ("proof", Encoded::proof, &[80, 128, 144], None),
    ("output", Encoded::output, &[64], None),
];

fn bech32<Ck: bech32::Checksum>(prefix: &str, bytes: &[u8]) -> String {
    bech32::encode::<Ck>(Hrp::parse(prefix).unwrap(), bytes).unwrap()
}

fn key() -> SecretKey {
    SecretKey::from_seed(Suite::DRAFT13, &[7; 32])
}

/// Returns the bytes in every form of text.
fn texts(bytes: &[u8], prefix: Option<&str>) -> Vec<String> {
    let digits = hex::encode(bytes);
    let pairs: Vec<_> = (0..bytes.len()).map(|i| &digits[2 * i..][..2]).collect();
    let lines = |text: &str, width| {
        let lines = text.as_bytes().chunks(width);
        let lines: Vec<_> = lines.map(|line| str::from_utf8(line).unwrap()).collect();
        lines.join("\r\n")
    };
    let unpadded = Base64Unpadded::encode_string(bytes);
    let mut texts = vec![
        digits.to_uppercase(),
        format!("0x{digits}"),
        format!("0X{digits}"),
        format!("\\x{digits}"),
        pairs.join(":"),
        pairs.join(" "),
        lines(&digits, 40),
        format!("58{:02x}{digits}", bytes.len()),
        format!("0x58{:02X}{digits}", bytes.len()),
        lines(&unpadded, 30),
        Base64::encode_string(bytes),
        Base64Url::encode_string(bytes),
        Base64UrlUnpadded::encode_string(bytes),
    ];
    if let Some(prefix) = prefix {
        let text = bech32::<Bech32>(prefix, bytes);
        texts.extend([text.to_uppercase(), lines(&text, 50), text]);
    }
    texts.extend([unpadded, digits]);
    texts
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

/// Returns the text in the ways in which editors, shells and databases store it.
fn stored(text: &str) -> Vec<Vec<u8>> {
    let marked = format!("\u{feff}{text}\r\n");
    vec![
        text.into(),
        format!(" {text}\n\n").into(),
        format!("\"{text}\"\n").into(),
        format!("'{text}'").into(),
        utf16(text, u16::to_le_bytes),
        utf16(text, u16::to_be_bytes),
        utf16(&marked, u16::to_le_bytes),
        utf16(&marked, u16::to_be_bytes),
        marked.into(),
    ]
}

#[test]
fn every_thing_is_read_in_every_form() {
    for (name, read, lengths, prefix) in THINGS {
        for (length, fill) in lengths
            .iter()
            .flat_map(|length| (0..=255).map(move |f| (*length, f)))
        {
            let bytes: Vec<u8> = (0..length).map(|i| fill ^ (7 * i) as u8).collect();
            let cbor = [&[0x58, length as u8], &bytes[..]].concat();
            let texts = texts(&bytes, prefix);
            let contents = texts
                .iter()
                .flat_map(|text| stored(text))
                .chain([cbor, bytes.clone()]);
            for content in contents {
                let shown = String::from_utf8_lossy(&content);
                match read(&content) {
                    Ok(read) => assert!(
                        read.suite.is_none() && *read.bytes == bytes,
                        "{name}: {shown}"
                    ),
                    Err(error) => panic!("{name}: {shown:?}: {error}"),
                }
            }
        }
    }
}

#[test]
fn envelopes_are_read_and_name_the_suite() {
    for suite in Suite::ALL {
        let key = SecretKey::from_seed(*suite, &[7; 32]);
        let (secret, public) = (key.to_envelope(), key.public_key().to_envelope(*suite));
        assert!(secret.capacity() < secret.len() + 100);
        let other = public
            .replace("VRF Verification Key", "")
            .replace("    \"description\": \"\",\n", "");
        assert!(!other.contains("description"));
        for content in stored(&secret) {
            let read = SecretKey::from_encoded(&content, None).unwrap();
            assert_eq!((read.seed(), read.suite()), (key.seed(), *suite));
        }
        for content in [stored(&public), stored(&other)].concat() {
            let read = PublicKey::from_encoded(&content).unwrap();
            assert_eq!(read, (*key.public_key(), Some(*suite)));
        }
    }
    let (key, given) = (key(), Suite::PRAOS);
    let error = SecretKey::from_encoded(key.to_envelope().as_bytes(), Some(given)).unwrap_err();
    assert_eq!(
        error,
        Error::OtherSuite {
            of_key: key.suite(),
            given
        }
    );
    let error = SecretKey::from_encoded(key.seed(), None).unwrap_err();
    assert_eq!(error, Error::NoSuite);
}

/// Tests that only secret keys need the right length. Public values of any length get a verifier's verdict.
#[test]
fn a_wrong_length_is_an_error_of_secrets_alone() {
    for content in [
        &b"aa"[..],
        b"0xaa",
        &[1; 31],
        &[1; 33],
        "07".repeat(33).as_bytes(),
    ] {
        for (name, read, ..) in THINGS {
            assert_eq!(
                read(content).is_ok(),
                name != "secret key",
                "{name}: {content:?}"
            );
        }
    }
    let digits = "0a".repeat(16);
    assert_eq!(
        *Encoded::secret_key(digits.as_bytes()).unwrap().bytes,
        digits.as_bytes()
    );
    assert_eq!(
        *Encoded::public_key(digits.as_bytes()).unwrap().bytes,
        [10; 16]
    );
}

#[test]
fn what_is_in_no_form_is_named() {
    let (key, [secret, public, _, output]) = (key(), THINGS.map(|(_, read, ..)| read));
    let (seed, bytes) = (*key.seed(), *key.public_key().as_bytes());
    let good = bech32::<Bech32>("vrf_vk", &bytes);
    let envelope = |content: &str| {
        format!(r#"{{"type": "VrfVerificationKey_PraosVRF", "cborHex": {content}}}"#)
    };
    let no_content = "cborHex: expected the hex of a CBOR byte string of 32 bytes";
    let cases: &[(Read, String, &str)] = &[
        (
            public,
            "-----BEGIN PUBLIC KEY-----\nAA==".into(),
            "it is PEM: expected 32 bytes as they are",
        ),
        (public, " \n".into(), "it is empty: expected 32 bytes"),
        (public, "3b:6a:2".into(), "its colons do not divide it"),
        (public, "0xzz".into(), "character 3 is 'z'"),
        (
            secret,
            "ed25519-secret:AAAA".into(),
            "it is a key for tokens (a key that signs must not prove, ",
        ),
        (
            public,
            good.replace("vrf_vk1", "vrf_vk1q"),
            "Bech32 with a wrong checksum: ",
        ),
        (public, good.replacen('q', "Q", 1), "malformed Bech32: "),
        (
            public,
            bech32::<Bech32m>("vrf_vk", &bytes),
            "it is Bech32m, not Bech32: ",
        ),
        (
            public,
            bech32::<Bech32>("vrf_sk", &seed),
            "it is the secret key of a VRF: expected 32 ",
        ),
        (secret, good.clone(), "it is the public key of a VRF: "),
        (
            output,
            good,
            "it is the public key of a VRF: expected 64 bytes",
        ),
        (
            public,
            bech32::<Bech32>("vrf_vkh", &seed),
            "it is the hash of the public key of a VRF: ",
        ),
        (
            public,
            bech32::<Bech32>("pool_vk", &seed),
            "it is the public key of a pool, not of its VRF",
        ),
        (
            public,
            bech32::<Bech32>("stake", &seed),
            "it is the Bech32 of something else: ",
        ),
        (
            secret,
            bech32::<Bech32>("stake", &seed),
            "it is the Bech32 of something else: ",
        ),
        (
            secret,
            bech32::<Bech32>("vrf_sk", &seed[1..]),
            "found 31 bytes: expected 32 or 64 bytes",
        ),
        (secret, hex::encode(&seed[1..]), "found 31 bytes: "),
        (public, "abc".into(), "an odd number of hex digits: "),
        // These texts could be base64, but are read as hex, because they consist of hex digits only.
        (secret, "A".repeat(43), "an odd number of hex digits: "),
        (secret, "A".repeat(86), "found 43 bytes: "),
        (
            public,
            Base64::encode_string(&[0xbf; 33]),
            "character 1 is 'v', and 44 characters of base64 make 33 bytes",
        ),
        (
            secret,
            Base64::encode_string(&[0xbf; 33]),
            "character 1 is no hex digit, and 44 characters of base64 make",
        ),
        (public, "no such key".into(), "character 1 is 'n': expected"),
        (
            output,
            "{}".into(),
            "not a text envelope: expected a JSON object with type",
        ),
        (
            public,
            "{\n7}".into(),
            "not a text envelope: expected a JSON object with type and cborHex (line 2, column 1)",
        ),
        (
            public,
            "{}".into(),
            "not a text envelope: expected a JSON object with type and cborHex (line 1, column 2)",
        ),
        (
            public,
            envelope("5") + "\n}",
            "not a text envelope: expected a JSON object with type and cborHex (line 2, column 1)",
        ),
        (
            public,
            String::clone(&key.to_envelope()),
            "envelope of type \"KleroVrfSigningKey_draft13\", expected \"VrfVerificationKey_PraosVRF\", or ",
        ),
        (
            secret,
            envelope("5"),
            "envelope of type \"VrfVerificationKey_PraosVRF\", expected \"VrfSigningKey_PraosVRF\", or ",
        ),
    ];
    let kinds = ["chain", "aggregate", "ed25519", "es256", "passkey"];
    let of_tokens = "it is a key for tokens: expected 32 bytes";
    let of_tokens = kinds.map(|kind| (public, format!("{kind}:AAAA"), of_tokens));
    let digits = hex::encode(bytes);
    let contents = ["5", "null", "{}", r#""0""#, r#"" 00""#].map(str::to_owned);
    let others = [
        digits.clone(),
        format!("5820{digits}07"),
        format!("5821{digits}"),
        format!("4020{digits}"),
        format!("5820{digits}0"),
        format!("5820{}0g", &digits[2..]),
        format!("581f{}", &digits[2..]),
        format!("\\u0035820{digits}"),
    ];
    let quoted = others.map(|content| format!("{content:?}").replace("\\\\", "\\"));
    let contents = contents.iter().chain(&quoted);
    let contents: Vec<_> = contents
        .map(|c| (public, envelope(c), no_content))
        .collect();
    for (read, text, words) in cases.iter().chain(&of_tokens).chain(&contents) {
        for content in stored(text) {
            let found = read(&content)
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default();
            assert!(found.starts_with(words), "{text}: {found}, not {words}");
        }
    }
    let error = Encoded::public_key("aaé".as_bytes())
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.starts_with("character 3 is U+00E9: expected"),
        "{error}"
    );
    let error = Encoded::secret_key(&[0; 31]).err().unwrap().to_string();
    assert!(
        error.starts_with("found 31 bytes: expected 32 or 64 bytes"),
        "{error}"
    );
}

/// Reads a key as earlier versions did, in which hex and raw bytes were the only forms.
fn before(content: &[u8], is_secret: bool) -> Option<Vec<u8>> {
    let text = content.trim_ascii();
    let digits =
        Some(text).filter(|text| !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit));
    let read = match digits {
        Some(digits) if !is_secret || matches!(digits.len(), 64 | 128) => {
            hex::decode(digits).ok()?
        }
        _ => content.to_vec(),
    };
    let libsodium = || SecretKey::from_libsodium(Suite::PRAOS, read[..].try_into().ok()?).ok();
    (read.len() == 32 || is_secret && libsodium().is_some()).then_some(read)
}

/// Makes contents in one of the forms, or close to one of the forms.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    let some = prop_oneof![
        prop::collection::vec(any::<u8>(), 30..70),
        any::<[u8; 32]>().prop_map(|seed| SecretKey::from_seed(Suite::PRAOS, &seed)
            .to_libsodium()
            .to_vec()),
        prop::collection::vec(
            prop::sample::select(&b"0aF9 \n:x\\'\"-_+=1{v\0"[..]),
            30..140
        ),
        "[0-9a-f]{30,34}|[0-9a-fA-F]{62,66}|0x[0-9a-f]{30}|\"[0-9a-f]{30,64}\"|[0-9a-f ]{32}"
            .prop_map(String::into_bytes),
        "[A-Za-z0-9+/]{42,44}=?|[A-Za-z0-9_-]{32}|[ -~]{32}|[ -~]{64}".prop_map(String::into_bytes),
    ];
    (some, 0..5).prop_map(|(content, form)| {
        let text = str::from_utf8(&content).unwrap_or_default();
        match form {
            0 => stored(text)[6].clone(),
            1 => stored(text)[8].clone(),
            _ => content,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, rng_seed: prop::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn no_key_is_read_as_another_than_before(content in contents()) {
        for (is_secret, read) in [(true, Encoded::secret_key as Read), (false, Encoded::public_key)] {
            if let Some(expected) = before(&content, is_secret) {
                let read = read(&content).unwrap();
                prop_assert_eq!(&*read.bytes, &expected);
            }
        }
    }

    #[test]
    fn marks_and_utf16_change_nothing(text in "\\PC{0,100}|[0-9a-f\n]{60,70}|[A-Za-z0-9]{40,50}") {
        let expected = Encoded::text(text.as_bytes()).unwrap();
        for content in &stored(&text)[6..] {
            prop_assert_eq!(Encoded::text(content), Some(expected.clone()));
        }
    }

    #[test]
    fn errors_repeat_nothing_of_a_secret(secret in "[g-z]{20,80}(1[g-z]{5})?") {
        let error = Encoded::secret_key(secret.as_bytes());
        if let Err(error) = error {
            prop_assert!(!error.to_string().contains(&secret[..6]));
        }
    }
}
