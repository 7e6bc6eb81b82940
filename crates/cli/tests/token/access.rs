//! `klero token check`: what a token allows.

use crate::common::Place;
use crate::support::{CHALLENGE, SCHEMES, json, place, said, sealed, token};

const CHECK: &str = "token check token --no-challenge --none-revoked --root chain.vkey";

/// A token of three blocks, as file `token`.
fn narrow(place: &Place, scheme: &str) {
    let mint = format!("token mint --key {scheme}.skey --payload all --out wide --force --caveat");
    place.run_and(&mint, "before 2027-01-15T08:00:00Z").ends(0);
    let append = "token append wide --out narrow --force --caveat";
    place.run_and(append, "method GET HEAD").ends(0);
    let append = "token append narrow --out token --force --caveat";
    place.run_and(append, "path /files").ends(0);
}

fn says(place: &Place, access: &str, status: i32) -> String {
    place
        .run_and(&format!("{CHECK} --access"), access)
        .ends(status)
        .stdout
}

#[test]
fn every_caveat_of_every_block_must_hold() {
    let place = place();
    for scheme in SCHEMES {
        narrow(&place, scheme);
        let check = format!(
            "token check --no-challenge --none-revoked token --root {scheme}.vkey --access"
        );
        for (access, said) in [
            (
                r#"{"method": "GET", "path": "/files/a", "now": "2027-01-15T07:59:59Z"}"#,
                "allowed\npayload of 3 bytes: all\n",
            ),
            (
                r#"{"method": "GET", "path": "/files/a", "now": "2027-01-15T08:00:00Z"}"#,
                "refused: block 0: `before 2027-01-15T08:00:00Z` does not hold: the time is \
                 2027-01-15T08:00:00Z\n",
            ),
            (
                r#"{"method": "PUT", "path": "/files/a", "now": "2027-01-15T07:59:59Z"}"#,
                "refused: block 1: `method GET HEAD` does not hold: the request's method is PUT\n",
            ),
            (
                r#"{"method": "HEAD", "path": "/filesystem", "now": "2027-01-15T07:59:59Z"}"#,
                "refused: block 2: `path /files` does not hold: the request's path is /filesystem\n",
            ),
            (
                r#"{"method": "HEAD", "path": "/files/../x", "now": "2027-01-15T07:59:59Z"}"#,
                "refused: block 2: `path /files` does not hold: in the request, a segment of the path \
                 is . or ..\n",
            ),
            (
                r#"{"path": "/files", "now": "2027-01-15T07:59:59Z"}"#,
                "refused: block 1: `method GET HEAD` does not hold: the request states no method\n",
            ),
            (
                r#"{"method": null, "now": "2027-01-15T09:00:00+01:30"}"#,
                "refused: block 1: `method GET HEAD` does not hold: the request states no method\n",
            ),
        ] {
            let status = i32::from(said.starts_with("refused"));
            assert_eq!(place.run_and(&check, access).ends(status).stdout, said);
        }
    }
}

#[test]
fn the_clock_says_what_the_file_does_not() {
    let place = place();
    let mint = "token mint --key chain.skey --payload all --out token --force --caveat";
    place.run_and(mint, "before 2026-01-01T00:00:00Z").ends(0);
    let said = says(&place, "{}", 1);
    let refused = "refused: block 0: `before 2026-01-01T00:00:00Z` does not hold: the time is 20";
    assert!(said.starts_with(refused), "{said}");
    says(&place, r#"{"now": "2025-12-31T23:59:59Z"}"#, 0);
    place.run_and(mint, "after 2026-01-01T00:00:00Z").ends(0);
    says(&place, "{}", 0);
    place
        .run("token mint --key chain.skey --payload all --out token --force --expires 1h")
        .ends(0);
    says(&place, "{}", 0);
}

#[test]
fn fields_and_audience_are_told() {
    let place = place();
    let mint = "token mint --key chain.skey --payload all --out wide --caveat";
    place.run_and(mint, "user = alice b").ends(0);
    place
        .run_and("token append wide --out token --caveat", "audience shop")
        .ends(0);
    says(
        &place,
        r#"{"fields": {"user": "alice b"}, "audience": "shop"}"#,
        0,
    );
    for (access, block) in [
        (
            r#"{"fields": {"user": "bob\u001b"}, "audience": "shop"}"#,
            "0: `user = alice b` does not hold: the request's field user is bob\\u{1b}\n",
        ),
        (
            r#"{"fields": {}, "audience": "shop"}"#,
            "0: `user = alice b` does not hold: the request states no field user\n",
        ),
        (
            r#"{"audience": "shop"}"#,
            "0: `user = alice b` does not hold: the request states no field user\n",
        ),
        // Of two, both count.
        (
            r#"{"fields": {"user": "bob", "user": "alice b"}, "audience": "shop"}"#,
            "0: `user = alice b` does not hold: the request's field user is bob and alice b\n",
        ),
        (
            r#"{"fields": {"user": "alice b"}, "audience": "bank"}"#,
            "1: `audience shop` does not hold: the request's audience is bank\n",
        ),
    ] {
        let said = says(&place, access, 1);
        assert_eq!(said, format!("refused: block {block}"));
    }
}

/// Texts that look alike are told apart by their characters.
#[test]
fn texts_that_look_alike() {
    let place = place();
    for (caveat, access, said) in [
        (
            "path /files/caf\u{e9}",
            r#"{"path": "/files/cafe\u0301/x"}"#,
            "(character 11 is U+0065, and U+00E9 in the caveat)",
        ),
        (
            "audience cafe\u{301}",
            r#"{"audience": "caf\u00e9"}"#,
            "(character 4 is U+00E9, and U+0065 in the caveat)",
        ),
        (
            "user in b \u{430}b",
            r#"{"fields": {"user": "\u0430b\u200b"}}"#,
            "(character 3 is U+200B, and the end in the caveat)",
        ),
        (
            "user = 17",
            r#"{"fields": {"user": "18"}}"#,
            "the request's field user is 18\n",
        ),
    ] {
        let mint = "token mint --key chain.skey --payload all --out token --force --caveat";
        place.run_and(mint, caveat).ends(0);
        let refused = says(&place, access, 1);
        assert!(refused.trim_end().ends_with(said.trim_end()), "{refused}");
    }
}

#[test]
fn invalid_tokens_allow_nothing() {
    let place = place();
    for [scheme, other] in [["chain", "aggregate"], ["aggregate", "chain"]] {
        let check = |options: &str, status: i32| {
            let access = match options.contains("--access") {
                true => "",
                false => "--access {} ",
            };
            let line = format!("token check {access}{}", said(options));
            place.run(&line).ends(status).stdout
        };
        // A block whose meaning the command cannot know.
        place.write("token", token(&place, scheme));
        let root = format!("--root {scheme}.vkey");
        let said = check(&format!("{root} token"), 1);
        assert_eq!(said, "refused: block 1: 4 bytes: not accepted\n");

        let mint = format!("token mint --key {scheme}.skey --payload all");
        place.write("token", place.run(&mint).stdout);
        check(&format!("{root} token"), 0);
        let said = check(&format!("{root} token {CHALLENGE}"), 1);
        let reason = "the token is not sealed, though a challenge was set";
        assert_eq!(said, format!("invalid: {reason}\n"));
        let said = check(&format!("--root {other}.vkey token"), 1);
        let reason = format!("the token is of scheme {scheme}, no root key is (--root)");
        assert_eq!(said, format!("invalid: {reason}\n"));
        place
            .run(&format!("token keygen --scheme {scheme} --force"))
            .ends(0);
        let said = check("--root token.vkey token", 1);
        let reason = "block 0 is not signed by root key 0 (--root token.vkey), or was changed";
        assert_eq!(said, format!("invalid: {reason}\n"));

        let shown = json(&place.run("token inspect token --json").stdout);
        let id = shown["blocks"][0]["revocation_id"].as_str().unwrap();
        place.write("revoked", id);
        let said = check(&format!("{root} token --revoked revoked"), 1);
        assert_eq!(said, "invalid: block 0 is revoked\n");

        let seal = format!("token seal token --audience shop {CHALLENGE} --out sealed --force");
        place.run(&seal).ends(0);
        let sealed = format!("{root} sealed {CHALLENGE}");
        let refused = "refused: seal: `audience shop` does not hold: the request";
        let verdict = check(&sealed, 1);
        assert_eq!(verdict, format!("{refused} states no audience\n"));
        let verdict = check(&format!("{sealed} --access {{\"audience\":\"bank\"}}"), 1);
        assert_eq!(verdict, format!("{refused}'s audience is bank\n"));
        check(&format!("{sealed} --access {{\"audience\":\"shop\"}}"), 0);
        let said = check(&sealed.replace("1800", "1900"), 1);
        assert!(said.starts_with("invalid: "), "{said}");
    }
}

#[test]
fn nothing_to_check_allows_nothing() {
    let place = place();
    let check = "token check --no-challenge --none-revoked --access {} --root chain.vkey";
    place.run("token check --root chain.vkey").ends(2);
    place.run("token check --access {}").ends(2);
    // No challenge.
    place.run_with(check, sealed(&place, "chain")).ends(1);
}

#[test]
fn programs_read_verdicts_as_json() {
    let place = place();
    narrow(&place, "chain");
    let check = |access: &str, status: i32| {
        let line = format!("{CHECK} --json --access");
        json(&place.run_and(&line, access).ends(status).stdout)
    };
    let allowed = r#"{"method": "GET", "path": "/files", "now": "2026-01-01T00:00:00Z"}"#;
    assert_eq!(
        check(allowed, 0),
        serde_json::json!({"verdict": "allowed", "rights": "616c6c", "text": "all"})
    );
    assert_eq!(
        check(&allowed.replace("GET", "PUT"), 1),
        serde_json::json!({
            "verdict": "refused: block 1: `method GET HEAD` does not hold: the request's method is \
                        PUT",
            "block": 1,
            "caveat": "method GET HEAD",
        })
    );
    let line = format!(
        "token check --none-revoked token --root chain.vkey {CHALLENGE} --json --access {{}}"
    );
    assert_eq!(
        json(&place.run(&line).ends(1).stdout)["verdict"],
        "invalid: the token is not sealed, though a challenge was set"
    );
}

/// A table of files and what is wrong with them.
#[test]
fn faults_of_the_file_are_located() {
    let place = place();
    narrow(&place, "chain");
    for (access, fault) in [
        ("", "expected a JSON object"),
        ("[]", "expected a JSON object"),
        (
            "[\"shop\", \"GET\", \"/files\", {}, \"2026-01-01T00:00:00Z\"]",
            "expected a JSON object",
        ),
        (
            "{\"path\": \"/\"",
            "EOF while parsing an object at line 1 column 12",
        ),
        ("{}{}", "trailing characters at line 1 column 3"),
        (
            "{\n  \"methd\": \"GET\"}",
            "methd: unknown field `methd`, expected one of `audience`, `method`, `path`, \
             `fields`, `now` at line 2 column 9",
        ),
        (
            "{\"path\": \"/\", \"path\": \"/files\"}",
            "duplicate field `path` at line 1 column 20",
        ),
        (
            "{\"path\": 7}",
            "path: invalid type: integer `7`, expected a string at line 1 column 10",
        ),
        (
            "{\"method\": [\"GET\"]}",
            "method: invalid type: sequence, expected a string at",
        ),
        (
            "{\"fields\": [\"user\"]}",
            "fields: invalid type: sequence, expected an object of texts at",
        ),
        (
            "{\"fields\": {\"user\": 7}}",
            "fields.user: invalid type: integer `7`, expected a string at",
        ),
        (
            "{\"now\": 1800000000}",
            "now: invalid type: integer `1800000000`, expected a string at",
        ),
        (
            "{\"now\": \"noon\"}",
            "now: expected a time since 1970 such as 2026-11-23T06:15:00Z at",
        ),
        (
            "{\"\\u001b[2J\": 1}",
            "unknown field `\\u{1b}[2J`, expected one of",
        ),
        (
            "{\"fields\": {\"\\u202ea\": 1}}",
            "fields.\\u{202e}a: invalid type: integer `1`",
        ),
    ] {
        place.write("access.json", access);
        let ran = place
            .run(&format!("{CHECK} --access access.json"))
            .refused(fault);
        let begin = "klero: cannot read the request of --access in access.json: ";
        assert!(ran.stderr.starts_with(begin), "{}", ran.stderr);
    }
    place.write("access.json", b"\xff\xfe");
    place
        .run(&format!("{CHECK} --access access.json"))
        .refused("access.json: expected a JSON object");
    place
        .run(&format!("{CHECK} --access none"))
        .refused("cannot read none");
    place.write("access.json", vec![b' '; 20_000]);
    place
        .run(&format!("{CHECK} --access access.json"))
        .refused("access.json: has 20000 bytes, expected at most 16384");
}

#[test]
fn the_request_comes_from_anywhere() {
    let place = place();
    narrow(&place, "chain");
    let access = r#"{"method": "GET", "path": "/files", "now": "2026-01-01T00:00:00Z"}"#;
    place.write("access.json", access);
    place.run(&format!("{CHECK} --access access.json")).ends(0);
    place.run_and(&format!("{CHECK} --access"), access).ends(0);
    place
        .run_with(&format!("{CHECK} --access -"), access)
        .ends(0);
    place
        .run_with(
            "token check --no-challenge --none-revoked --root chain.vkey --access -",
            access,
        )
        .refused("wanted for the token and for --access");
    place
        .run_with(
            "token check token --none-revoked --root chain.vkey --access - --challenge -",
            access,
        )
        .refused("wanted for --access and for --challenge");
}

/// Whatever a client sends is an invalid token and no fault of the service: exit status 1, with the
/// reason, for programs too.
#[test]
fn what_a_client_sends_is_invalid_and_not_unreadable() {
    let place = place();
    let one = token(&place, "chain");
    let two = format!("{one}{one}");
    let version = one.replacen("S1QD", "S1QJ", 1);
    let long = one.trim().repeat(600);
    for (sent, reason) in [
        ("", "expected a token, found nothing"),
        ("\n \n", "expected a token, found nothing"),
        ("hello", "the text is not base64url without padding"),
        (
            "nonsense!",
            "character 9 is not of base64url without padding (A-Z a-z 0-9 - _)",
        ),
        ("AAAA", "not a token: expected the bytes \"KT\" at byte 0"),
        (
            "S1QDAQ",
            "the bytes end at 4, within the form at byte 4 (1 bytes)",
        ),
        (&version, "version 9 at byte 2, expected "),
        (&two, "expected one token, found another on line 2"),
        (&long, "the token has "),
    ] {
        let check = "token check --no-challenge --none-revoked --root chain.vkey --access {}";
        let said = place.run_with(check, sent).ends(1);
        assert_eq!(said.stderr, "");
        let begin = format!("invalid: {reason}");
        assert!(
            said.stdout.starts_with(&begin),
            "{sent:.20}: {}",
            said.stdout
        );
        let said = place.run_with(&format!("{check} --json"), sent).ends(1);
        let verdict = json(&said.stdout)["verdict"].as_str().unwrap().to_owned();
        assert!(verdict.starts_with(&begin), "{verdict}");
        // The same from a file.
        place.write("sent", sent);
        let said = place
            .run(&check.replace("check", "check sent"))
            .ends(1)
            .stdout;
        assert!(said.starts_with(&begin), "{said}");
    }
    // A file that is not there is the service's fault.
    let check = "token check none --no-challenge --none-revoked --root chain.vkey --access {}";
    place.run(check).refused("cannot read none");
}

#[test]
fn an_old_challenge_is_refused_if_its_age_is_limited() {
    let place = place();
    place.write(
        "token",
        place
            .run("token mint --key chain.skey --payload all")
            .ends(0)
            .stdout,
    );
    place
        .run(&format!(
            "token seal token --audience shop {CHALLENGE} --out sealed"
        ))
        .ends(0);
    let options = format!("sealed --root chain.vkey {CHALLENGE} --none-revoked");
    let check = |time: &str, status: i32| {
        let access = format!("{{\"audience\":\"shop\",\"now\":\"2027-01-15T{time}Z\"}}");
        let line = format!("token check {options} --max-age 1m --access");
        place.run_and(&line, &access).ends(status).stdout
    };
    check("08:01:00", 0);
    assert_eq!(
        check("08:01:01", 1),
        "invalid: the challenge is 61 seconds old, the limit is 60 (--max-age)\n"
    );
    check("07:59:00", 0);
    assert_eq!(
        check("07:58:59", 1),
        "invalid: the challenge is 61 seconds in the future, the limit is 60 (--max-age)\n"
    );
    // `verify` asks the clock.
    let verify = format!("token verify {options} --max-age");
    place.run_and(&verify, "999999d").ends(0);
    let said = place.run_and(&verify, "1s").ends(1).stdout;
    assert!(said.starts_with("invalid: the challenge is "), "{said}");
    // There is nothing to be old.
    let ran = place
        .run("token verify token --root chain.vkey --no-challenge --none-revoked --max-age 1m")
        .ends(2);
    assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
    place.run_and(&verify, "soon").ends(2);
}
