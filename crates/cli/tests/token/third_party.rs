//! What third parties state about tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::common::Place;
use crate::support::{CHALLENGE, SCHEMES, json, place, sealed, third_party, token};

const ACCESS: &str = "--access {}";

/// A token that asks for the word of a third party, as file `token`.
fn wanting(place: &Place, scheme: &str, key: &str) {
    let mint = format!("token mint --key {scheme}.skey --payload all --out token --force --caveat");
    place
        .run_and(&mint, &format!("vouched {key} of age"))
        .ends(0);
}

fn state(place: &Place, name: &str, text: &str) {
    place
        .run("token request token --out request --force")
        .ends(0);
    let line =
        format!("token statement request --key {name}.skey --out statement --force --payload");
    place.run_and(&line, text).ends(0);
    place
        .run("token append token --statement statement --out vouched --force")
        .ends(0);
}

#[test]
fn a_third_party_vouches() {
    let place = place();
    let key = third_party(&place, "registry");
    assert!(key.starts_with("ed25519:"));
    third_party(&place, "stranger");
    for scheme in SCHEMES {
        wanting(&place, scheme, &key);
        let check =
            format!("token check --no-challenge --none-revoked --root {scheme}.vkey {ACCESS}");
        let refusal = format!(
            "refused: block 0: `vouched {key} of age` does not hold: no later block has this \
             statement by this key, or it has expired\n"
        );
        let asked = place.run(&format!("{check} token")).ends(1).stdout;
        assert_eq!(asked, refusal);

        state(&place, "registry", "of age");
        let allowed = place.run(&format!("{check} vouched")).ends(0).stdout;
        assert_eq!(allowed, "allowed\npayload of 3 bytes: all\n");
        let shown = json(&place.run("token inspect vouched --json").ends(0).stdout);
        assert_eq!(shown["blocks"][1]["third_party"], key);

        // Not what was asked for, and not who was asked.
        for (name, text) in [("registry", "of age "), ("stranger", "of age")] {
            state(&place, name, text);
            let refused = place.run(&format!("{check} vouched")).ends(1).stdout;
            assert_eq!(refused, refusal);
        }
    }
}

#[test]
fn a_statement_is_for_one_token() {
    let place = place();
    let key = third_party(&place, "registry");
    for scheme in SCHEMES {
        wanting(&place, scheme, &key);
        state(&place, "registry", "of age");
        let reason = "klero: the statement is invalid for this token: ";
        // Another token, the same with one more block, and one of another scheme.
        place.write("other", token(&place, scheme));
        place
            .run("token append token --payload x --out longer --force")
            .ends(0);
        let foreign = if scheme == "chain" {
            "aggregate"
        } else {
            "chain"
        };
        place.write("foreign", token(&place, foreign));
        for wrong in ["other", "longer", "foreign", "vouched"] {
            let line = format!("token append {wrong} --statement statement --out no");
            let ran = place.run(&line).ends(1);
            assert!(ran.stderr.starts_with(reason), "{}", ran.stderr);
            assert!(!place.path("no").exists());
        }
        // Every copy of the token has the same statement.
        place
            .run("token append token --statement statement")
            .ends(0);
    }
}

/// It is the token that is broken, whatever is added to it.
#[test]
fn a_broken_token_is_not_a_wrong_statement() {
    let place = place();
    third_party(&place, "registry");
    let mint = |payload| {
        place
            .run(&format!(
                "token mint --key aggregate.skey --payload {payload}"
            ))
            .ends(0)
            .stdout
    };
    // Whose last characters are all of the sum.
    let whole = |text: &String| text.trim().len().is_multiple_of(4);
    let text = ["a", "ab", "abc"].map(mint).into_iter().find(whole);
    let text = text.unwrap();
    let text = text.trim();
    place.write(
        "token",
        format!("{}{}", &text[..text.len() - 40], "_".repeat(40)),
    );
    place.run("token request token --out request").ends(0);
    place
        .run("token statement request --key registry.skey --payload x --out statement")
        .ends(0);
    for (command, reason) in [
        ("append --payload x", "cannot add to the token: "),
        ("append --expires 2h", "cannot add to the token: "),
        ("append --statement statement", "cannot add to the token: "),
        (
            &format!("seal --audience shop {CHALLENGE}"),
            "cannot seal the token: ",
        ),
    ] {
        place
            .run(&format!("token {command} token"))
            .refused(&format!(
                "klero: {reason}all blocks: the signature's scalar"
            ));
    }
}

/// A request, its statement and the token that asks, which is in `token`.
fn documents(place: &Place) -> [String; 3] {
    let key = third_party(place, "registry");
    wanting(place, "chain", &key);
    state(place, "registry", "of age");
    ["request", "statement", "token"].map(|name| place.read(name).trim().to_owned())
}

#[test]
fn a_damaged_request_is_refused() {
    let place = place();
    let [request, statement, token] = documents(&place);
    assert_eq!(request.len(), 92);
    for (text, reason) in [
        (
            "".to_owned(),
            "expected a request for a statement, found nothing",
        ),
        (
            format!("{request}\n{request}"),
            "expected one request for a statement, found another on line 2",
        ),
        (format!("{request}!"), "character 93 is not of base64url"),
        (request[..88].to_owned(), "within the state at byte 5"),
        (
            format!("{request}AAAA"),
            "3 more bytes follow the end at byte 69",
        ),
        (
            request.replacen("S1QDAQ", "S1QDCQ", 1),
            "scheme 9 at byte 3",
        ),
        (request.replacen("S1QD", "S1QC", 1), "version 2 at byte 2"),
        (
            request.replacen("S1QD", "AAAA", 1),
            "not a token: expected the bytes \"KT\"",
        ),
        (statement, "form 3 at byte 4, expected 2 (request)"),
        (token, "form 0 at byte 4, expected 2 (request)"),
    ] {
        let answer = "token statement --key registry.skey --payload x";
        let ran = place.run_with(answer, text).refused(reason);
        let at = "cannot read the request for a statement on standard input: ";
        assert!(ran.stderr.contains(at), "{}", ran.stderr);
    }
}

#[test]
fn a_damaged_statement_is_refused() {
    let place = place();
    let [request, statement, token] = documents(&place);
    let append = "token append token --statement";
    for (text, reason) in [
        ("".to_owned(), "expected a statement, found nothing"),
        (format!("{statement}=="), "is not of base64url"),
        (statement[..40].to_owned(), "the bytes end at 30"),
        (format!("{statement}AAAA"), "3 more bytes follow"),
        (request, "form 2 at byte 4, expected 3, 6 or 7 (statement)"),
        (token, "form 0 at byte 4, expected 3, 6 or 7 (statement)"),
    ] {
        place.write("damaged", text);
        let ran = place.run(&format!("{append} damaged")).refused(reason);
        let at = "the statement in damaged: ";
        assert!(ran.stderr.contains(at), "{}", ran.stderr);
    }
    // Whole, and not what was signed: in the key, the signature, the payload.
    for at in [30, 80, 140] {
        let other = if &statement[at..=at] == "A" { "B" } else { "A" };
        let changed = format!("{}{other}{}", &statement[..at], &statement[at + 1..]);
        let ran = place.run(&format!("{append} {changed}")).ends(1);
        let reason = "the statement is invalid for this token";
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    }
}

/// The faults that keys of P-256 alone have: of two s the larger one, and no assertion.
#[test]
fn a_wrong_statement_by_a_key_of_p256_is_invalid() {
    let place = place();
    place.write("token", token(&place, "chain"));
    // The base point; r = 1 and s = n - 1.
    let key = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
    let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550";
    let one = format!("{:064x}", 1);
    for (form, assertion, fault) in [
        ("06", "", "s of the signature is above half the order"),
        ("07", "0000000000000000", "not in the form of WebAuthn"),
    ] {
        let length = 97 + assertion.len() / 2;
        let header = format!("4b540301{form}{length:02x}000000");
        let bytes = hex::decode(format!("{header}{key}{one}{order}{assertion}")).unwrap();
        let statement = URL_SAFE_NO_PAD.encode(bytes);
        let line = format!("token append token --statement {statement} --out no");
        let ran = place.run(&line).ends(1);
        let reason = "the statement is invalid for this token";
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
        assert!(ran.stderr.contains(fault), "{}", ran.stderr);
    }
}

#[test]
fn requests_and_statements_come_from_anywhere() {
    let place = place();
    let key = third_party(&place, "registry");
    wanting(&place, "aggregate", &key);
    state(&place, "registry", "of age");
    let [request, statement] = ["request", "statement"].map(|name| place.read(name));
    let answer = "token statement --key registry.skey --payload-hex 6f6620616765";
    let answers = [
        place.run(&format!("{answer} request")),
        place.run(&format!("{answer} {request}")),
        place.run_with(answer, request.as_str()),
        place.run_with(&format!("{answer} -"), request),
    ];
    for answer in answers {
        let answer = answer.ends(0);
        assert_eq!(answer.stdout, statement);
        assert_eq!(answer.stderr, "");
    }
    let append = "token append token --statement";
    place.run(&format!("{append} {statement}")).ends(0);
    place
        .run_with(&format!("{append} -"), statement.as_str())
        .ends(0);
    place
        .run_with("token append --statement -", statement)
        .refused("wanted for the token and for --statement");
    place
        .run("token statement --key - --payload x")
        .refused("wanted for the request for a statement and for --key");
    place.run("token statement --key registry.skey").ends(2);
}

#[test]
fn every_key_has_its_use() {
    let place = place();
    third_party(&place, "registry");
    place.write(
        "request",
        place
            .run_with("token request", token(&place, "chain"))
            .stdout,
    );
    place
        .run("token statement request --key chain.skey --payload x")
        .refused("in chain.skey: it is for tokens of scheme chain, expected one of a third party");
    place
        .run("token statement request --key registry.vkey --payload x")
        .refused("in registry.vkey: it is a public key for tokens");
    place
        .run("token mint --key registry.skey --payload x")
        .refused("in registry.skey: it is of a third party, expected an issuer's (chain, ");
    place
        .run("token verify --no-challenge --none-revoked request --root registry.vkey")
        .refused("in registry.vkey: it is of a third party, expected an issuer's (chain, ");
    place
        .run("token keygen --third-party --scheme aggregate")
        .ends(2);
    place.run("token keygen --third-party").ends(0);
    assert!(
        place
            .read("third-party.skey")
            .starts_with("ed25519-secret:")
    );
    assert!(place.read("third-party.vkey").starts_with("ed25519:"));
}

#[test]
fn nobody_asks_about_a_sealed_token() {
    let place = place();
    for scheme in SCHEMES {
        place
            .run_with("token request", sealed(&place, scheme))
            .refused("the token is sealed: nothing can be added to it");
    }
}

#[test]
fn a_statement_expires() {
    let place = place();
    let registry = third_party(&place, "registry");
    let mint = "token mint --key chain.skey --payload all --out token --caveat";
    place
        .run_and(mint, &format!("vouched {registry} of age"))
        .ends(0);
    let request = place.run("token request token").ends(0).stdout;
    place.write("text", "of age");
    place.write("request", &request);
    let line = "token statement request --key registry.skey --payload-file text --expires";
    let statement = place.run_and(line, "2027-01-15T08:00:00Z");
    let statement = statement.ends(0).stdout;
    place
        .run_and(
            "token append token --out vouched --statement",
            statement.trim(),
        )
        .ends(0);
    for (now, status) in [("2027-01-15T07:59:59Z", 0), ("2027-01-15T08:00:00Z", 1)] {
        let check = "token check vouched --no-challenge --none-revoked --root chain.vkey --access";
        place
            .run_and(check, &format!("{{\"now\":\"{now}\"}}"))
            .ends(status);
    }
    // No caveat can ask for a text of two lines.
    place.write("text", "of\nage");
    let line = "token statement request --key registry.skey --payload-file text --expires 1h";
    place
        .run(line)
        .refused("cannot make a statement that expires: expected a text");
}
