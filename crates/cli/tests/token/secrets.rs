//! Tests that no output repeats a secret.

use klero_token::{KeyKind, Scheme, SecretKey, Token};
use serde_json::json;

use crate::common::{Place, Ran};
use crate::support::{CHALLENGE, place, token};

#[track_caller]
fn is_not_repeated(secret: &str, ran: &Ran) {
    let said = ran.stdout.clone() + &ran.stderr;
    assert!(!said.contains(&secret[20..36]), "{}: {said}", ran.line);
}

/// Beginnings of commands whose next argument is a token.
const IN_PLACE: [&str; 3] = [
    "token inspect",
    "token verify --no-challenge --none-revoked --root chain.vkey",
    "token check --no-challenge --none-revoked --root chain.vkey --access {}",
];

/// Beginnings of commands whose next argument should not be a secret.
const OUT_OF_PLACE: [&str; 32] = [
    "token inspect token",
    "token inspect --max-bytes",
    "token verify --no-challenge --none-revoked --root",
    "token verify --no-challenge --root chain.vkey token --revoked",
    "token verify --none-revoked --root chain.vkey token --challenge",
    "token verify --no-challenge --none-revoked --root chain.vkey token --rp-id",
    "token verify --no-challenge --none-revoked --root chain.vkey token --origin",
    "token check --no-challenge --none-revoked token --root chain.vkey --access",
    "token append token --payload-file",
    "token append token --payload-hex",
    "token append token --caveat",
    "token append token --expires",
    "token append token --statement",
    "token mint --payload x --key",
    "token statement --payload x --key chain.skey",
    "token keygen --scheme",
    "verify --alpha 00 --proof 00 --suite praos --key",
    "verify --key 00 --alpha 00 --suite praos --proof",
    "verify --key 00 --alpha 00 --proof 00 --suite praos --output",
    "verify --key 00 --proof 00 --suite praos --alpha-file",
    "batch verify",
    "batch verify --format csv",
    "batch evaluate --suite praos",
    "chain verify",
    "chain verify . --network preview --state",
    "chain verify . --network preview --expect",
    "chain verify . --network preview --stake",
    "chain verify . --shelley-genesis",
    "sample --suite praos --out",
    "sample --suite praos --out none/x.csv --out-format",
    "token",
    "",
];

/// Tries each secret that a user may give by mistake: a key, a token, or a part of a token.
fn each_secret(try_with: impl Fn(&Place, &str)) {
    let place = place();
    let token = token(&place);
    let token = token.trim();
    place.write("token", token);
    let [chain, aggregate] = [Scheme::Chain, Scheme::Aggregate]
        .map(|scheme| SecretKey::generate(scheme).unwrap().to_text());
    let party = SecretKey::generate(KeyKind::Ed25519).unwrap().to_text();
    for secret in [
        chain.as_str(),
        &aggregate,
        &party,
        token,
        &token[..40],
        &token[1..],
        &format!("{}/{}", &token[4..20], &token[20..]),
        &format!("{}.{}", &token[4..90], &token[90..]),
    ] {
        try_with(&place, secret);
    }
}

#[test]
fn a_secret_in_an_argument_is_not_repeated() {
    each_secret(|place, secret| {
        for line in IN_PLACE {
            // A token is expected here, so the command may succeed.
            is_not_repeated(secret, &place.run_and(line, secret));
        }
        for line in OUT_OF_PLACE {
            is_not_repeated(secret, &place.run_and(line, secret).ends(2));
        }
        for (line, before) in [
            ("chain verify . --network preview --expect", "4="),
            ("chain verify . --network preview --expect", "tip=4:"),
            ("chain verify . --extra-entropy", "4="),
            ("chain verify . --shelley-genesis x --era-start", "mary="),
            ("chain verify . --shelley-genesis x --era-start", ""),
            ("sample --suite praos", "--out="),
            ("token challenge --audience shop --out", "none/"),
            ("token append token --caveat", "account="),
        ] {
            let ran = place.run_and(line, &format!("{before}{secret}"));
            is_not_repeated(secret, &ran.ends(2));
        }
    });
}

/// A user may by mistake put a secret in the place of a name or a value in a request or a challenge.
#[test]
fn a_secret_in_a_document_is_not_repeated() {
    each_secret(|place, secret| {
        let seal = format!("token seal token {CHALLENGE} --audience");
        is_not_repeated(secret, &place.run_and(&seal, secret).ends(1));
        let challenge = json!({ "nonce": "00", "audience": secret, "time": 0 }).to_string();
        let line = format!("token seal token --audience shop --challenge {challenge}");
        is_not_repeated(secret, &place.run(&line).ends(1));
        let check = "token check --no-challenge --none-revoked token --root chain.vkey --access";
        let verify = "token verify --none-revoked token --root chain.vkey --challenge";
        let of_text = json!({ "nonce": "00", "audience": "a", "time": secret });
        for (line, document, at) in [
            (check, json!({ secret: 1 }), "request of --access"),
            (
                check,
                json!({ "fields": { secret: 1 } }),
                "request of --access",
            ),
            (verify, json!({ secret: 1 }), "challenge"),
            (verify, of_text, "challenge"),
        ] {
            let ran = place.run_and(line, &document.to_string());
            let reason = format!("cannot read the {at} on the command line: ");
            let ran = ran
                .refused(&reason)
                .refused("(not shown, it looks like a secret)")
                .refused(", expected ");
            is_not_repeated(secret, &ran);
        }
    });
}

#[test]
fn a_file_of_the_name_of_a_secret_is_a_file() {
    let place = place();
    place.write("token", token(&place).trim());
    place.write("chain-secret:", "");
    place
        .run("token append token --payload-file chain-secret:")
        .ends(0);
}

#[test]
fn no_secret_is_shown() {
    let root = SecretKey::generate(Scheme::Chain).unwrap();
    let token = Token::mint(&root, 0, b"all", &[]).unwrap();
    let token = token.append(b"some").unwrap();
    let (text, bytes) = (token.to_text().unwrap(), token.encode().unwrap());
    let place = Place::new();
    let secret = hex::encode(&bytes[bytes.len() - 32..]);
    for line in ["token inspect", "token inspect --json"] {
        let said = place.run_with(line, text.as_bytes()).ends(0).stdout;
        assert!(!said.contains(&secret) && !said.contains(&text[text.len() - 40..]));
    }
}
