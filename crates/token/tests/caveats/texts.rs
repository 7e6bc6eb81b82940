//! The text of caveats and back.

use klero_token::{
    Access, Caveat, CaveatFault, Error, PathFault, Place, PublicKey, Reason, Revoked, Scheme,
    SecretKey, ThirdParty, Verified,
};
use proptest::prelude::*;

fn key() -> PublicKey<ThirdParty> {
    *SecretKey::from_seed(ThirdParty, &[7; 32]).public_key()
}

/// Each text, and the caveat that it is.
fn both() -> Vec<(String, Caveat)> {
    let field = |name: &str, value: &str| Caveat::Field {
        name: name.into(),
        value: value.into(),
    };
    let vouched = Caveat::Vouched {
        key: key().into(),
        text: "of age, 18".into(),
    };
    vec![
        ("before 1970-01-01T00:00:00Z".into(), Caveat::Before(0)),
        (
            "before 2026-11-23T06:15:00Z".into(),
            Caveat::Before(1_795_414_500),
        ),
        (
            "after 2024-02-29T23:59:59Z".into(),
            Caveat::After(1_709_251_199),
        ),
        (
            "before 9999-12-31T23:59:59Z".into(),
            Caveat::Before(253_402_300_799),
        ),
        (
            "audience api.example.org".into(),
            Caveat::Audience("api.example.org".into()),
        ),
        (
            "audience two words".into(),
            Caveat::Audience("two words".into()),
        ),
        ("path /".into(), Caveat::Path("/".into())),
        ("path /files/17".into(), Caveat::Path("/files/17".into())),
        ("path /café/a b".into(), Caveat::Path("/café/a b".into())),
        ("method GET".into(), Caveat::Method(vec!["GET".into()])),
        (
            "method GET HEAD".into(),
            Caveat::Method(vec!["GET".into(), "HEAD".into()]),
        ),
        ("account = 17".into(), field("account", "17")),
        ("a-1.b_c = = x = y".into(), field("a-1.b_c", "= x = y")),
        (format!("vouched {} of age, 18", key()), vouched),
    ]
}

#[test]
fn every_caveat_has_one_text() {
    for (text, caveat) in both() {
        assert_eq!(caveat.to_string(), text);
        assert_eq!(text.parse(), Ok(caveat));
    }
}

/// A table of texts.
#[test]
fn other_texts_are_no_caveats() {
    let mut texts: Vec<String> = [
        "",
        " ",
        "before",
        "before ",
        "before noon",
        "before 1800000000",
        "before 2026-11-23",
        "before 2026-11-23t06:15:00z",
        "before 2026-11-23 06:15:00Z",
        "before 2026-11-23T06:15:00+00:00",
        "before 2026-11-23T07:15:00+01:00",
        "before 2026-11-23T06:15:00.0Z",
        "before 2026-11-23T06:15:60Z",
        "before 2026-02-29T00:00:00Z",
        "before 1969-12-31T23:59:59Z",
        "Before 2026-11-23T06:15:00Z",
        "audience",
        "audience ",
        "audience  shop",
        "audience shop ",
        "audience a\tb",
        "audience a\nb",
        "path",
        "path files",
        "path /files/",
        "path //files",
        "path /files/..",
        "path /%66iles",
        "path /a%2fb",
        "method",
        "method ",
        "method GET  HEAD",
        "method GET,HEAD",
        "method GÉT",
        "account",
        "account =",
        "account = ",
        "account =17",
        "account= 17",
        "account  = 17",
        "account = 17 ",
        "account = a\u{0}",
        "account = a\u{85}",
        "Account = 17",
        "1account = 17",
        "=",
        "= = =",
        "before = 17",
        "path = /",
        "vouched = 17",
        "vouched ed25519:AAAA of age",
        "unless raining",
    ]
    .map(str::to_owned)
    .into();
    texts.push(format!("vouched {}", key()));
    texts.push(format!("vouched {} ", key()));
    texts.push(format!("vouched chain{} of age", &key().to_string()[7..]));
    for (text, _) in both() {
        texts.push(format!(" {text}"));
        texts.push(format!("{text}\n"));
        texts.push(format!("{text}\r"));
        texts.push(format!("x{text}y\u{7f}"));
    }
    for text in texts {
        let error = text.parse::<Caveat>().unwrap_err();
        assert_eq!(error.text, text);
    }
}

/// A table: a text, its fault, and the caveat that was probably meant.
#[test]
fn what_is_wrong_is_said() {
    use CaveatFault::*;
    let long = format!("account={}", "x".repeat(200));
    for (text, fault, written) in [
        ("", Unknown, None),
        ("unless raining", Unknown, None),
        ("Method GET", Unknown, Some("method GET")),
        (" method GET\n", Unknown, Some("method GET")),
        ("account=17", Field, Some("account = 17")),
        (" account  =  17 ", Field, Some("account = 17")),
        ("Account = 17", Field, Some("account = 17")),
        ("1account = 17", Field, None),
        (&long, Field, None),
        ("account=a\u{202e}b", Field, None),
        ("account = 17 ", Text, Some("account = 17")),
        ("account = ", Text, None),
        ("account = a\nb", Text, None),
        ("audience", Text, None),
        ("audience  shop", Text, Some("audience shop")),
        ("audience = shop", NotAField, Some("audience shop")),
        ("path = /", NotAField, Some("path /")),
        ("before", Time, None),
        ("before noon", Time, None),
        ("before 1800000000", Time, None),
        ("before 1969-12-31T23:59:59Z", Time, None),
        ("before 2026-02-29T00:00:00Z", Time, None),
        (
            "before 2026-11-23",
            TimeOfDay,
            Some("before 2026-11-23T00:00:00Z"),
        ),
        (
            "after 2026-11-23Z",
            TimeOfDay,
            Some("after 2026-11-23T00:00:00Z"),
        ),
        (
            "before 2026-11-23T06:15:00",
            Time,
            Some("before 2026-11-23T06:15:00Z"),
        ),
        (
            "before 2026-11-23T07:15:00+01:00",
            Time,
            Some("before 2026-11-23T06:15:00Z"),
        ),
        (
            "before 2026-11-23 06:15Z",
            NotCanonical,
            Some("before 2026-11-23T06:15:00Z"),
        ),
        ("path", Path(PathFault::NotAbsolute), None),
        (
            "path files",
            Path(PathFault::NotAbsolute),
            Some("path /files"),
        ),
        (
            "path /files/",
            Path(PathFault::EmptySegment),
            Some("path /files"),
        ),
        ("path /a//b", Path(PathFault::EmptySegment), None),
        ("path /a/../b", Path(PathFault::Dots), None),
        ("path /%66iles", NotCanonical, Some("path /files")),
        ("method", Method, None),
        ("method GET,HEAD", Method, Some("method GET HEAD")),
        ("method  GET", Method, Some("method GET")),
        ("method get,post", Method, Some("method GET POST")),
        ("method GÉT", Method, None),
        ("vouched ed25519:AAAA of age", Vouched, None),
    ] {
        let error = text.parse::<Caveat>().unwrap_err();
        assert_eq!(error.fault, fault, "{text:?}");
        let advice = error.advice();
        match written {
            Some(written) => assert!(advice.ends_with(&format!("write `{written}`")), "{advice}"),
            None => assert_eq!(advice, fault.to_string(), "{text:?}"),
        }
        assert_eq!(
            error.to_string(),
            format!("not a caveat: {text:?}: {advice}")
        );
    }
}

/// What could not be read again is not written.
#[test]
fn no_token_is_narrowed_with_what_cannot_be_read() {
    let root = SecretKey::from_seed(Scheme::Chain, &[1; 32]);
    let token = Verified::mint(&root, 0, b"all", &[]).unwrap();
    let lines = "shop\nmethod GET".to_owned();
    let field = |name: &str, value: &str| Caveat::Field {
        name: name.into(),
        value: value.into(),
    };
    for caveat in [
        Caveat::Audience(lines.clone()),
        Caveat::Audience(String::new()),
        Caveat::Path("/a/../b".into()),
        Caveat::Path("/a%20b".into()),
        Caveat::Path("/a/".into()),
        Caveat::Method(vec![]),
        Caveat::Method(vec!["GET HEAD".into()]),
        Caveat::Before(u64::MAX),
        Caveat::After(253_402_300_800),
        field("path", "/"),
        field("a b", "c"),
        field("a", " b"),
        field("a", &lines),
    ] {
        let refused = |error: Error| matches!(error, Error::Caveat(_));
        let with = [Caveat::Before(7), caveat];
        assert!(refused(token.narrow(&with).unwrap_err()), "{with:?}");
        assert!(refused(Verified::mint(&root, 0, b"", &with).unwrap_err()));
    }
}

/// The library of tomorrow has a caveat that this one does not know, or somebody writes bytes:
/// the token verifies, and refuses everything.
#[test]
fn unknown_lines_refuse() {
    let access = Access::at(0, Revoked::none());
    for (text, shown) in [
        (&b"weekday Monday"[..], "weekday Monday"),
        (b"before noon", "before noon"),
        (b"\xff", "\u{fffd}"),
        (b"\n", ""),
        (b"before 2026-11-23T06:15:00Z\n", ""),
    ] {
        let token = with_block(text);
        let refused = token.check(&access).unwrap_err();
        assert_eq!(
            (refused.place, refused.reason),
            (Place::Block(1), Reason::Unknown)
        );
        assert_eq!((&*refused.caveat, refused.parsed), (shown, None));
        // No handler of opaque blocks is asked.
        assert!(token.check_with(&access, |_| true).is_err());
    }
    assert!(
        with_block(b"before 2026-11-23T06:15:00Z")
            .check(&access)
            .is_ok()
    );
    assert!(with_block(b"").check(&access).is_ok());
}

/// A token whose second block is of the kind of caveats and has this text: as the root, in a
/// chain, anybody can sign it with the key that a minted token carries.
fn with_block(text: &[u8]) -> Verified {
    use ed25519_dalek::{Signer, SigningKey};
    let root = SecretKey::from_seed(Scheme::Chain, &[1; 32]);
    let token = Verified::mint(&root, 0, b"all", &[]).unwrap();
    let mut bytes = token.encode().unwrap().to_vec();
    let secret: [u8; 32] = bytes.split_off(bytes.len() - 32).try_into().unwrap();
    let state = token.request().unwrap().encode()[5..].to_vec();
    let next = SigningKey::from_bytes(&[9; 32]).verifying_key().to_bytes();
    let message = [
        &b"klero-token/chain\x03\x01"[..],
        &state,
        &next,
        &(text.len() as u64).to_le_bytes(),
        text,
    ];
    let signature = SigningKey::from_bytes(&secret)
        .sign(&message.concat())
        .to_bytes();
    bytes[9] = 2;
    bytes.push(1);
    bytes.extend(
        [
            &next[..],
            &signature,
            &(text.len() as u32).to_le_bytes(),
            text,
            &[9; 32],
        ]
        .concat(),
    );
    let token = klero_token::Unverified::decode(&bytes, &Default::default()).unwrap();
    token.verify(&(*root.public_key()).into(), None).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        if cfg!(debug_assertions) { 500 } else { 20_000 }
    ))]

    /// Whatever is a caveat is the text of it.
    #[test]
    fn what_parses_prints_as_it_was(
        word in prop::sample::select(vec!["before ", "after ", "audience ", "path ", "method ", "a = ", ""]),
        rest in "[ -~\u{80}-\u{a0}é\n]{0,24}|[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z|(/[a-c.%2]{0,3}){0,4}",
    ) {
        let text = format!("{word}{rest}");
        if let Ok(caveat) = text.parse::<Caveat>() {
            prop_assert_eq!(caveat.to_string(), text);
        }
    }

    /// Every time has a text, up to the year 9999.
    #[test]
    fn times(seconds in 0u64..253_402_300_800) {
        for caveat in [Caveat::Before(seconds), Caveat::After(seconds)] {
            prop_assert_eq!(caveat.to_string().parse(), Ok(caveat));
        }
    }
}
