//! Caveats as text, and text as caveats.

use Caveat::{After, Before};
use klero_token::{Caveat, Error, KeyKind, PublicKey, Scheme, SecretKey, Token};
use proptest::prelude::*;

use crate::support;

fn key() -> PublicKey {
    *SecretKey::from_bytes(KeyKind::Ed25519, &[7; 32])
        .unwrap()
        .public_key()
}

fn field(name: &str, value: &str) -> Caveat {
    Caveat::Field {
        name: name.into(),
        value: value.into(),
    }
}

/// Texts of caveats, each with the parsed caveat.
fn both() -> Vec<(String, Caveat)> {
    let audience = |name: &str| Caveat::Audience(name.into());
    let path = |prefix: &str| Caveat::Path(prefix.into());
    let method = |names: &[&str]| Caveat::Method(names.iter().map(|n| (*n).into()).collect());
    let vouched = Caveat::Vouched {
        key: key(),
        text: "of age, 18".into(),
    };
    [
        ("before 1970-01-01T00:00:00Z", Before(0)),
        ("before 2026-11-23T06:15:00Z", Before(1_795_414_500)),
        ("after 2024-02-29T23:59:59Z", After(1_709_251_199)),
        ("before 9999-12-31T23:59:59Z", Before(253_402_300_799)),
        ("audience api.example.org", audience("api.example.org")),
        ("audience two words", audience("two words")),
        ("path /", path("/")),
        ("path /files/17", path("/files/17")),
        ("path /café/a b", path("/café/a b")),
        ("method GET", method(&["GET"])),
        ("method GET HEAD", method(&["GET", "HEAD"])),
        ("account = 17", field("account", "17")),
        ("a-1.b_c = = x = y", field("a-1.b_c", "= x = y")),
        (&format!("vouched {} of age, 18", key()), vouched),
    ]
    .map(|(text, caveat)| (text.to_owned(), caveat))
    .into()
}

#[test]
fn every_caveat_has_one_text() {
    for (text, caveat) in both() {
        assert_eq!(caveat.to_string(), text);
        assert_eq!(text.parse(), Ok(caveat));
    }
}

/// `vectors/tokens/caveats.json` has more texts that are not caveats.
#[test]
fn other_texts_are_no_caveats() {
    let (key, other) = (key(), format!("chain{}", &key().to_string()[7..]));
    let mut texts = vec![
        format!("vouched {key}"),
        format!("vouched {key} "),
        format!("vouched {other} of age"),
    ];
    texts.extend([" ", "=", "audience a\nb", "account = a\0"].map(String::from));
    texts.push("account = a\u{85}".into());
    for (text, _) in both() {
        texts.push(format!(" {text}"));
        texts.push(format!("{text}\n"));
        texts.push(format!("{text}\r"));
        texts.push(format!("x{text}y\u{7f}"));
    }
    for text in texts {
        let error = text.parse::<Caveat>().unwrap_err();
        assert!(matches!(error, Error::Caveat { text: of, .. } if of == text));
    }
}

/// Each row of the table is a text, its fault, and the caveat that was probably meant.
#[test]
fn what_is_wrong_is_said() {
    let unknown = "expected `before TIME`, `after TIME`, `audience NAME`, `path PREFIX`, `method \
        NAME...`, `NAME = VALUE`, `NAME in VALUE...`, `NAME at most N`, `NAME at least N`, `vouched \
        KEY TEXT` or `depth N`, with a time such as 2026-11-23T06:15:00Z, a path such as /files and \
        a key such as ed25519:...";
    let form = "expected `NAME = VALUE`, with one space on each side of =, and a name of a-z, 0-9, \
        _, . and - that begins with a letter";
    let plain = "expected a text that is not empty, and has no control character and no space at \
        either end";
    let no_field = "before, after, audience, path, method, vouched and depth are no fields";
    let time = "expected a time in UTC since 1970, such as 2026-11-23T06:15:00Z";
    let time_of_day = "the time of day is missing";
    let other_form = "a caveat is written in one way only";
    let absolute = "the path does not begin with /";
    let [empty, dots] = ["empty", ". or .."].map(|is| format!("a segment of the path is {is}"));
    let methods = "expected methods such as GET, with one space between two of them";
    let vouched = "expected the key of a third party such as ed25519:..., and a text";
    let long = format!("account={}", "x".repeat(200));
    let [midnight, quarter] =
        ["before 2026-11-23T00:00:00Z", "before 2026-11-23T06:15:00Z"].map(Some);
    for (text, fault, written) in [
        ("", unknown, None),
        ("unless raining", unknown, None),
        ("Method GET", unknown, Some("method GET")),
        (" method GET\n", unknown, Some("method GET")),
        ("account=17", form, Some("account = 17")),
        (" account  =  17 ", form, Some("account = 17")),
        ("Account = 17", form, Some("account = 17")),
        ("1account = 17", form, None),
        (&long, form, None),
        ("account=a\u{202e}b", form, None),
        ("account = 17 ", plain, Some("account = 17")),
        ("account = ", plain, None),
        ("account = a\nb", plain, None),
        ("audience", plain, None),
        ("audience  shop", plain, Some("audience shop")),
        ("audience = shop", no_field, Some("audience shop")),
        ("path = /", no_field, Some("path /")),
        ("before", time, None),
        ("before noon", time, None),
        ("before 1800000000", time, None),
        ("before 1969-12-31T23:59:59Z", time, None),
        ("before 2026-02-29T00:00:00Z", time, None),
        ("before 2026-11-23", time_of_day, midnight),
        (
            "after 2026-11-23Z",
            time_of_day,
            Some("after 2026-11-23T00:00:00Z"),
        ),
        ("before 2026-11-23T06:15:00", time, quarter),
        ("before 2026-11-23T07:15:00+01:00", time, quarter),
        ("before 2026-11-23 06:15Z", other_form, quarter),
        ("path", absolute, None),
        ("path files", absolute, Some("path /files")),
        ("path /files/", &empty, Some("path /files")),
        ("path /a//b", &empty, None),
        ("path /a/../b", &dots, None),
        ("path /%66iles", other_form, Some("path /files")),
        ("method", methods, None),
        ("method GET,HEAD", methods, Some("method GET HEAD")),
        ("method  GET", methods, Some("method GET")),
        ("method get,post", methods, Some("method GET POST")),
        ("method GÉT", methods, None),
        ("vouched ed25519:AAAA of age", vouched, None),
    ] {
        let error = text.parse::<Caveat>().unwrap_err();
        let Error::Caveat { what, advice, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(*what, fault, "{text:?}");
        match written {
            Some(written) => assert!(advice.ends_with(&format!("write `{written}`")), "{advice}"),
            None => assert_eq!(advice, fault, "{text:?}"),
        }
        assert_eq!(
            error.to_string(),
            format!("not a caveat: {text:?}: {advice}")
        );
    }
}

/// No token gets a caveat whose text could not be parsed again.
#[test]
fn no_token_is_narrowed_with_what_cannot_be_read() {
    let (root, token) = (support::root(Scheme::Chain), support::minted(Scheme::Chain));
    let lines = "shop\nmethod GET".to_owned();
    for caveat in [
        Caveat::Audience(lines.clone()),
        Caveat::Audience(String::new()),
        Caveat::Path("/a/../b".into()),
        Caveat::Path("/a%20b".into()),
        Caveat::Path("/a/".into()),
        Caveat::Method(vec![]),
        Caveat::Method(vec!["GET HEAD".into()]),
        Before(u64::MAX),
        After(253_402_300_800),
        field("path", "/"),
        field("a b", "c"),
        field("a", " b"),
        field("a", &lines),
    ] {
        let refused = |error: Error| matches!(error, Error::Caveat { .. });
        let with = [Before(7), caveat];
        assert!(refused(token.narrow(&with).unwrap_err()), "{with:?}");
        assert!(refused(Token::mint(&root, 0, b"", &with).unwrap_err()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        if cfg!(debug_assertions) { 500 } else { 20_000 }
    ))]

    /// If a text can be parsed as a caveat, the caveat is written as exactly this text.
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

    /// Every time up to the year 9999 has a text.
    #[test]
    fn times(seconds in 0u64..253_402_300_800) {
        for caveat in [Before(seconds), After(seconds)] {
            prop_assert_eq!(caveat.to_string().parse(), Ok(caveat));
        }
    }
}
