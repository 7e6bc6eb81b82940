//! What caveats grant: never more than there were before, and nothing that they do not understand.

use klero_token::{
    Access, Caveat, PathFault, Place, Reason, Refused, Revoked, Scheme, SecretKey, Statement,
    ThirdParty, Verified,
};
use proptest::prelude::*;
use proptest::sample::select;

fn parse(text: &str) -> Caveat {
    text.parse().unwrap()
}

fn third_party(number: u8) -> SecretKey<ThirdParty> {
    SecretKey::from_seed(ThirdParty, &[number; 32])
}

fn vouched(number: u8, text: &str) -> Caveat {
    Caveat::Vouched {
        key: third_party(number).public_key().into(),
        text: text.into(),
    }
}

fn minted(caveats: &[Caveat]) -> Verified {
    let root = SecretKey::from_seed(Scheme::Chain, &[1; 32]);
    Verified::mint(&root, 0, b"all", caveats).unwrap()
}

fn stated(token: &Verified, number: u8, text: &str) -> Verified {
    let statement = token
        .request()
        .unwrap()
        .sign(&third_party(number), text.as_bytes())
        .unwrap();
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

#[test]
fn each_caveat_holds_or_says_why_not() {
    let unmet = Err(Reason::Unmet);
    let missing = Err(Reason::Missing);
    let none = Access::at(100, Revoked::none());
    for (text, full, bare) in [
        ("before 1970-01-01T00:01:41Z", Ok(()), Ok(())),
        ("before 1970-01-01T00:01:40Z", unmet, unmet),
        ("after 1970-01-01T00:01:40Z", Ok(()), Ok(())),
        ("after 1970-01-01T00:01:41Z", unmet, unmet),
        ("audience shop", Ok(()), missing),
        ("audience Shop", unmet, missing),
        ("audience shop.example", unmet, missing),
        ("path /", Ok(()), missing),
        ("path /files", Ok(()), missing),
        ("path /files/17", Ok(()), missing),
        ("path /files/1", unmet, missing),
        ("path /files/17/a", unmet, missing),
        ("path /Files", unmet, missing),
        ("method GET", Ok(()), missing),
        ("method PUT GET", Ok(()), missing),
        ("method get", unmet, missing),
        ("method PUT", unmet, missing),
        ("account = 17", Ok(()), missing),
        ("account = 170", unmet, missing),
        ("other = 17", missing, missing),
    ] {
        for token in [
            minted(&[parse(text)]),
            minted(&[]).narrow(&[parse(text)]).unwrap(),
        ] {
            for (access, expected) in [(FULL, full), (none, bare)] {
                let verdict = token.check(&access);
                assert_eq!(
                    verdict.clone().map(drop).map_err(|refused| refused.reason),
                    expected
                );
                match verdict {
                    Ok(rights) => assert_eq!(&*rights, b"all"),
                    Err(refused) => {
                        assert_eq!(refused.caveat, text);
                        assert_eq!(refused.parsed, Some(parse(text)));
                        let block = token.blocks().len() - 1;
                        assert_eq!(refused.place, Place::Block(block));
                        let says = format!("block {block}: {text}: {}", refused.reason);
                        assert_eq!(refused.to_string(), says);
                    }
                }
            }
        }
    }
}

#[test]
fn a_path_is_compared_as_it_arrived_in_normal_form() {
    let token = minted(&[parse("path /files")]);
    let at = |path| {
        token
            .check(&Access {
                path: Some(path),
                ..FULL
            })
            .map(drop)
            .map_err(|r| r.reason)
    };
    assert_eq!(at("/%66iles/a%20b"), Ok(()));
    assert_eq!(at("/files/../etc"), Err(Reason::Path(PathFault::Dots)));
    assert_eq!(
        at("/files/%2e%2e/etc"),
        Err(Reason::Path(PathFault::Encoded))
    );
    assert_eq!(
        at("/files\\..\\etc"),
        Err(Reason::Path(PathFault::Character))
    );
    assert_eq!(at("/filesystem"), Err(Reason::Unmet));
}

#[test]
fn a_field_told_twice_must_have_the_value_twice() {
    let fields = [("account", "17"), ("account", "18")];
    let twice = Access {
        fields: &fields,
        ..FULL
    };
    assert_eq!(
        minted(&[parse("account = 17")])
            .check(&twice)
            .unwrap_err()
            .reason,
        Reason::Unmet
    );
}

#[test]
fn opaque_blocks_refuse_unless_they_are_known() {
    let token = minted(&[])
        .append(b"weekdays")
        .unwrap()
        .append(b"mornings")
        .unwrap();
    let refused = token.check(&FULL).unwrap_err();
    assert_eq!(refused.to_string(), "block 1: 8 bytes: not accepted");
    assert_eq!(refused.parsed, None);
    let known = |payload: &[u8]| payload == b"weekdays";
    let of = |refused: Refused| refused.place;
    assert_eq!(
        token.check_with(&FULL, known).map_err(of),
        Err(Place::Block(2))
    );
    assert!(token.check_with(&FULL, |_| true).is_ok());
    // Handlers take nothing back.
    let narrowed = token.narrow(&[parse("method PUT")]).unwrap();
    assert_eq!(
        narrowed.check_with(&FULL, |_| true).map_err(of),
        Err(Place::Block(3))
    );
}

#[test]
fn a_statement_meets_what_was_asked_before_it() {
    let token = minted(&[vouched(7, "of age")]);
    let refusal = |token: &Verified| {
        token
            .check(&FULL)
            .map(drop)
            .map_err(|r| (r.place, r.reason))
    };
    assert_eq!(refusal(&token), Err((Place::Block(0), Reason::Unmet)));
    assert_eq!(refusal(&stated(&token, 7, "of age")), Ok(()));
    assert_eq!(
        refusal(&stated(
            &token.narrow(&[parse("path /")]).unwrap(),
            7,
            "of age"
        )),
        Ok(())
    );
    // Another third party, and other texts.
    for (number, text) in [
        (8, "of age"),
        (7, "of age "),
        (7, "of ag"),
        (7, "Of age"),
        (7, ""),
    ] {
        let unmet = Err((Place::Block(0), Reason::Unmet));
        assert_eq!(refusal(&stated(&token, number, text)), unmet);
        let both = stated(&stated(&token, number, text), 7, "of age");
        assert_eq!(refusal(&both), Ok(()));
    }
    // A statement that was there before the caveat is none about what came after it.
    let early = stated(&minted(&[]), 7, "of age")
        .narrow(&[vouched(7, "of age")])
        .unwrap();
    assert_eq!(refusal(&early), Err((Place::Block(2), Reason::Unmet)));
    assert_eq!(refusal(&stated(&early, 7, "of age")), Ok(()));
    // A block that only looks like a statement.
    let opaque = token
        .append(stated(&token, 7, "of age").blocks()[1].payload())
        .unwrap();
    assert!(opaque.check_with(&FULL, |_| true).is_err());
}

#[test]
fn a_statement_that_expires_says_so_in_a_second_line() {
    let payload = Statement::expiring("of age", 1_800_000_000).unwrap();
    assert_eq!(payload, "of age\nbefore 2027-01-15T08:00:00Z");
    let token = stated(&minted(&[vouched(7, "of age")]), 7, &payload);
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

/// What is added to a token: caveats, a third party's statement, or bytes.
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
    let path = select(vec![
        "/",
        "/files",
        "/files/17",
        "/files/17/a",
        "/etc/../files",
        "/a",
    ]);
    let method = prop::option::of(select(vec!["GET", "PUT", "DELETE"]));
    let fields: Vec<&[(&str, &str)]> = vec![
        &[],
        &[("account", "17")],
        &[("account", "17"), ("plan", "free")],
        &[("account", "17"), ("account", "18")],
    ];
    (
        0u64..6,
        audience,
        prop::option::of(path),
        method,
        select(fields),
    )
        .prop_map(|(now, audience, path, method, fields)| Access {
            now,
            audience,
            path,
            method,
            fields,
            revoked: Revoked::none(),
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        if cfg!(debug_assertions) { 20 } else { 500 }
    ))]

    /// A longer token grants a request only if the shorter one did, but for a statement, which
    /// is what a caveat before it waits for.
    #[test]
    fn nothing_that_is_added_grants_more(
        first in prop::collection::vec(caveat(), 0..2),
        more in prop::collection::vec(added(), 1..5),
        requests in prop::collection::vec(access(), 40),
    ) {
        let root = SecretKey::from_seed(Scheme::Aggregate, &[1; 32]);
        let mut token = Verified::mint(&root, 0, b"all", &first).unwrap();
        let accept = |payload: &[u8]| payload == b"accept";
        for added in more {
            let before = token.clone();
            token = match &added {
                Added::Caveats(caveats) => token.narrow(caveats).unwrap(),
                Added::Opaque(accepted) => {
                    token.append(if *accepted { b"accept" } else { b"refuse" }).unwrap()
                }
                Added::Statement(number) => {
                    let statement = token.request().unwrap().sign(&third_party(*number), b"of age").unwrap();
                    token.append_statement(&statement).unwrap()
                }
            };
            for access in &requests {
                let granted = token.check_with(access, accept).is_ok();
                let granted_before = before.check_with(access, accept);
                if let Err(refused) = granted_before.as_ref() {
                    let waited = refused.caveat.starts_with("vouched ");
                    let may = waited && matches!(added, Added::Statement(_));
                    prop_assert!(!granted || may, "{refused}");
                }
                // A caveat means the same wherever it stands.
                if let Added::Caveats(caveats) = &added {
                    let alone = Verified::mint(&root, 0, b"all", caveats).unwrap();
                    let holds = alone.check(access).is_ok();
                    prop_assert_eq!(granted, granted_before.is_ok() && holds);
                }
            }
        }
    }
}
