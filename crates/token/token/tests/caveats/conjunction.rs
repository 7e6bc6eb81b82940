//! The conjunction of caveats: a request needs all of them, so more caveats never grant more.

use klero_token::{
    Access, Caveat, KeyKind, Reason, Refused, Revoked, Scheme, SecretKey, Statement, Token,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{root, statement, verified};

fn parse(text: &str) -> Caveat {
    text.parse().unwrap()
}

fn vouched(number: u8, text: &str) -> Caveat {
    let third_party = SecretKey::from_bytes(KeyKind::Ed25519, &[number; 32]).unwrap();
    Caveat::Vouched {
        key: *third_party.public_key(),
        text: text.into(),
    }
}

fn minted(caveats: &[Caveat]) -> Token {
    Token::mint(&root(Scheme::Chain), 0, b"all", caveats).unwrap()
}

fn stated(token: &Token, number: u8, text: &str) -> Token {
    let statement = statement(token, &[number; 32], text.as_bytes());
    token.append_statement(&statement).unwrap()
}

const FULL: Access<'_> = Access {
    now: 100,
    audience: Some("shop"),
    path: Some("/files/17"),
    method: Some("GET"),
    fields: &[("account", "17"), ("plan", "free")],
    revoked: Revoked::none(),
};

/// Tests caveats that nearly allow a request, in the first block and in a later block. (`vectors/tokens` has
/// requests that each kind of caveat allows or refuses.)
#[test]
fn what_is_only_alike_is_not_the_same() {
    let [audience, path] = ["audience is shop", "path is /files/17"].map(of_request);
    let [method, account] = ["method is GET", "field account is 17"].map(of_request);
    for (text, stated) in [
        ("audience shop.example", &audience),
        ("path /Files", &path),
        ("path /files/1", &path),
        ("method PUT", &method),
        ("account = 1", &account),
        ("account = 170", &account),
        ("other = 17", &"the request states no field other".into()),
    ] {
        let reason = match stated.contains(" no ") {
            true => Reason::Missing,
            false => Reason::Unmet,
        };
        let narrowed = minted(&[]).narrow(&[parse(text)]).unwrap();
        for (block, token) in [minted(&[parse(text)]), narrowed].iter().enumerate() {
            let refused = Refused {
                block: Some(block),
                caveat: text.into(),
                parsed: Some(Box::new(parse(text))),
                reason,
                stated: Some(stated.clone()),
            };
            // The text that a service shows to clients.
            let says = format!("block {block}: {text}: {reason}");
            assert_eq!(refused.to_string(), says);
            assert_eq!(verified(token).check(&FULL), Err(refused));
        }
    }
}

fn of_request(states: &str) -> String {
    format!("the request's {states}")
}

/// If the request's value may look like the caveat's, `Refused::stated` shows the first different character.
#[test]
fn what_the_request_states_is_said_to_the_one_who_made_it() {
    let (no_break, long) = ("a\u{a0}b", "x".repeat(300));
    let fields = &[("a", "b\""), ("a", "\u{1b}"), ("n", "07"), ("s", no_break)];
    let fields = &[&fields[..], &[("l", &long), ("w", "\u{430}b")]].concat();
    let access = Access { fields, ..FULL };
    for (text, states) in [
        ("a = b", "field a is b\\\" and \\u{1b}"),
        ("n at most 9", "field n is 07, which is not an integer"),
        ("n at least 9", "field n is 07, which is not an integer"),
        (
            "s = a b",
            "field s is a\\u{a0}b (character 2 is U+00A0, and U+0020 in the caveat)",
        ),
        // If the caveat has several values, `stated` compares the request's value with the caveat's value
        // that begins like it for the most characters.
        (
            "w in b \u{430}é",
            "field w is \u{430}b (character 2 is U+0062, and U+00E9 in the caveat)",
        ),
        ("l = x", &format!("field l is {}…", &long[..200])),
    ] {
        let token = verified(&minted(&[parse(text)]));
        let refused = token.check(&access).unwrap_err();
        assert_eq!(refused.stated, Some(of_request(states)));
    }
    let access = Access { now: 101, ..FULL };
    for (caveat, stated) in [
        (Caveat::Before(100), "the time is 1970-01-01T00:01:41Z"),
        (Caveat::After(102), "the time is 1970-01-01T00:01:41Z"),
        (parse("depth 0"), "more blocks follow"),
        (
            vouched(7, "of age"),
            "no later block has this statement by this key, or it has expired",
        ),
    ] {
        let token = verified(&minted(&[caveat]).narrow(&[]).unwrap());
        let refused = token.check(&access).unwrap_err();
        assert_eq!(refused.stated.as_deref(), Some(stated));
    }
}

#[test]
fn why_a_path_has_no_normal_form_is_said() {
    let access = Access {
        path: Some("/files/../etc"),
        ..FULL
    };
    assert_eq!(Reason::Unmet.to_string(), "it does not hold");
    let token = verified(&minted(&[parse("path /files")]));
    let refused = token.check(&access).unwrap_err();
    let fault = "a segment of the path is . or ..";
    assert_eq!(refused.reason, Reason::Path(fault));
    let stated = format!("in the request, {fault}");
    assert_eq!(refused.stated, Some(stated));
}

#[test]
fn handlers_are_asked_about_each_opaque_block() {
    let token = minted(&[]).append(b"weekdays").unwrap();
    let token = verified(&token.append(b"mornings").unwrap());
    let refused = token.check(&FULL).unwrap_err();
    assert_eq!(refused.to_string(), "block 1: 8 bytes: not accepted");
    assert_eq!((refused.parsed, refused.stated), (None, None));
    let refused = token.check_with(&FULL, |payload| payload == b"weekdays");
    assert_eq!(refused.unwrap_err().block, Some(2));
}

#[test]
fn a_statement_meets_what_was_asked_before_it() {
    let token = minted(&[vouched(7, "of age")]);
    let refusal = |token: &Token| {
        verified(token)
            .check(&FULL)
            .err()
            .map(|r| (r.block, r.reason))
    };
    let unmet = |block| Some((Some(block), Reason::Unmet));
    for text in ["of age ", "of ag", "Of age", ""] {
        let other = stated(&token, 7, text);
        assert_eq!(refusal(&other), unmet(0));
        assert_eq!(refusal(&stated(&other, 7, "of age")), None);
    }
    // A statement before the caveat does not meet the caveat.
    let early = stated(&minted(&[]), 7, "of age");
    let early = early.narrow(&[vouched(7, "of age")]).unwrap();
    assert_eq!(refusal(&early), unmet(2));
    assert_eq!(refusal(&stated(&early, 7, "of age")), None);
    // An opaque block with a statement's payload is not a statement.
    let statement = stated(&token, 7, "of age");
    let payload = statement.unverified_blocks()[1].payload();
    let opaque = verified(&token.append(payload).unwrap());
    assert!(opaque.check_with(&FULL, |_| true).is_err());
}

#[test]
fn a_statement_that_expires_says_so_in_a_second_line() {
    let payload = Statement::expiring("of age", 1_800_000_000).unwrap();
    assert_eq!(payload, "of age\nbefore 2027-01-15T08:00:00Z");
    let token = verified(&stated(&minted(&[vouched(7, "of age")]), 7, &payload));
    let meets = |now| token.check(&Access { now, ..FULL }).is_ok();
    assert!(meets(1_799_999_999) && !meets(1_800_000_000));
    assert!(Statement::expiring("of age ", 1_800_000_000).is_err());
}

fn caveat() -> impl Strategy<Value = Caveat> {
    let texts = vec![
        "audience shop",
        "audience bank",
        "path /",
        "path /files",
        "path /files/17",
        "path /etc",
        "method GET",
        "method GET PUT",
        "method DELETE",
        "account = 17",
        "account = 18",
        "plan = free",
    ];
    prop_oneof![
        (0u64..6).prop_map(Caveat::Before),
        (0u64..6).prop_map(Caveat::After),
        select(texts).prop_map(parse),
        select(vec![7u8, 8]).prop_map(|number| vouched(number, "of age")),
    ]
}

/// An addition to a token: caveats, a statement by this third party, or an opaque block, accepted if true.
#[derive(Clone, Debug)]
enum Added {
    Caveats(Vec<Caveat>),
    Statement(u8),
    Opaque(bool),
}

fn added() -> impl Strategy<Value = Added> {
    prop_oneof![
        4 => prop::collection::vec(caveat(), 0..3).prop_map(Added::Caveats),
        1 => select(vec![7u8, 8]).prop_map(Added::Statement),
        1 => any::<bool>().prop_map(Added::Opaque),
    ]
}

fn access() -> impl Strategy<Value = Access<'static>> {
    let audience = prop::option::of(select(vec!["shop", "bank"]));
    let paths = ["/", "/files", "/files/17", "/files/17/a", "/etc/../files"];
    let path = prop::option::of(select([&paths[..], &["/a"]].concat()));
    let method = prop::option::of(select(vec!["GET", "PUT", "DELETE"]));
    let fields: Vec<&[(&str, &str)]> = vec![
        &[],
        &[("account", "17")],
        &[("account", "17"), ("plan", "free")],
        &[("account", "17"), ("account", "18")],
    ];
    (0u64..6, audience, path, method, select(fields)).prop_map(
        |(now, audience, path, method, fields)| Access {
            now,
            audience,
            path,
            method,
            fields,
            revoked: Revoked::none(),
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        if cfg!(debug_assertions) { 20 } else { 500 }
    ))]

    /// A token grants a request only if the token before the last addition granted it. The exception is the
    /// addition of a statement that an earlier caveat requires.
    #[test]
    fn nothing_that_is_added_grants_more(
        first in prop::collection::vec(caveat(), 0..2),
        more in prop::collection::vec(added(), 1..5),
        requests in prop::collection::vec(access(), 40),
    ) {
        let root = root(Scheme::Aggregate);
        let mut token = Token::mint(&root, 0, b"all", &first).unwrap();
        let accept = |payload: &[u8]| payload == b"accept";
        for added in more {
            let before = verified(&token);
            token = match &added {
                Added::Caveats(caveats) => token.narrow(caveats).unwrap(),
                Added::Opaque(accepted) => {
                    token.append(if *accepted { b"accept" } else { b"refuse" }).unwrap()
                }
                Added::Statement(number) => stated(&token, *number, "of age"),
            };
            let longer = verified(&token);
            for access in &requests {
                let granted = longer.check_with(access, accept).is_ok();
                let granted_before = before.check_with(access, accept);
                if let Err(refused) = granted_before.as_ref() {
                    let waited = refused.caveat.starts_with("vouched ");
                    let may = waited && matches!(added, Added::Statement(_));
                    prop_assert!(!granted || may, "{refused}");
                }
                // A caveat means the same in every block.
                if let Added::Caveats(caveats) = &added {
                    let alone = Token::mint(&root, 0, b"all", caveats).unwrap();
                    let holds = verified(&alone).check(access).is_ok();
                    prop_assert_eq!(granted, granted_before.is_ok() && holds);
                }
            }
        }
    }
}
