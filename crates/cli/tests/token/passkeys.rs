//! Tokens that passkeys hold or speak in: for whom they are accepted.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use klero_token::{PublicKey, Scheme};
use serde_json::{Value, json};

use crate::common::Place;
use crate::support::invalid;

/// The shop that the vectors' passkeys belong to.
const SHOP: &str = "--rp-id shop.example --origin https://shop.example";

/// The test vectors.
fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../../vectors/tokens/passkeys.json")).unwrap()
}

/// The options for the root keys of the vectors.
fn roots(vectors: &Value) -> String {
    let roots = vectors["roots"].as_object().unwrap();
    let options = roots.iter().map(|(id, key)| {
        let key = hex::decode(key.as_str().unwrap()).unwrap();
        let key = PublicKey::from_bytes(Scheme::Chain, &key).unwrap();
        format!(" --root {id}={key}")
    });
    options.collect()
}

/// The challenge of a vector, as an option.
fn challenge(vector: &Value) -> String {
    match &vector["challenge"] {
        Value::Null => " --no-challenge".into(),
        challenge => format!(" --challenge {challenge}"),
    }
}

/// The relying party of a vector, as options.
fn relying_party(vector: &Value) -> String {
    let party = &vector["relying_party"];
    let Some(id) = party["id"].as_str() else {
        return String::new();
    };
    let mut options = format!(" --rp-id {id}");
    for origin in party["origins"].as_array().unwrap() {
        options += &format!(" --origin {}", origin.as_str().unwrap());
    }
    if party["user_verification"] == true {
        options += " --user-verification";
    }
    options
}

fn text(vector: &Value) -> String {
    URL_SAFE_NO_PAD.encode(hex::decode(vector["token"].as_str().unwrap()).unwrap())
}

/// The text of a vector of this name, and the beginning of a line that verifies it.
fn named(name: &str) -> (String, String) {
    let vectors = vectors();
    let tokens = vectors["tokens"].as_array().unwrap();
    let vector = tokens.iter().find(|vector| vector["name"] == name).unwrap();
    let line = "token verify --none-revoked".to_owned() + &roots(&vectors) + &challenge(vector);
    (text(vector), line)
}

#[test]
fn every_vector_gets_its_verdict() {
    let (place, vectors) = (Place::new(), vectors());
    let roots = roots(&vectors);
    for vector in vectors["tokens"].as_array().unwrap() {
        let is_valid = vector["valid"] == true;
        let options = roots.clone() + &challenge(vector) + &relying_party(vector);
        let line = format!("token verify --none-revoked --json{options}");
        let ran = place.run_with(&line, text(vector));
        assert_eq!(ran.status, i32::from(!is_valid), "{}", vector["name"]);
    }
}

#[test]
fn passkeys_are_accepted_for_one_relying_party() {
    let place = Place::new();
    for (name, at) in [
        ("sealed by a passkey", "seal"),
        ("statement by a passkey", "block 1, third party"),
    ] {
        let (token, verify) = named(name);
        let with = |options: &str| place.run_with(&format!("{verify} {options}"), token.as_str());
        let refused = |options: &str, why: &str| invalid(with(options), &format!("{at}: {why}"));
        with(SHOP).ends(0);
        with(&format!("{SHOP} --user-verification")).ends(0);
        with(&format!("{SHOP} --origin https://other.example")).ends(0);
        refused(
            "",
            "made by a passkey, but the verifier has no relying party (--rp-id)",
        );
        refused(
            "--rp-id other.example --origin https://shop.example",
            "the authenticator data is for another relying party (--rp-id)",
        );
        for origin in ["https://other.example", "http://shop.example"] {
            refused(
                &format!("--rp-id shop.example --origin {origin}"),
                "the client data has an origin that the verifier does not accept (--origin)",
            );
        }
    }
    let (token, verify) = named("only present");
    let verify = format!("{verify} {SHOP}");
    place.run_with(&verify, token.as_str()).ends(0);
    let verified = place.run_with(&format!("{verify} --user-verification"), token);
    invalid(
        verified,
        "seal: the user was not verified (--user-verification)",
    );
}

#[test]
fn check_takes_a_relying_party() {
    let place = Place::new();
    let (token, verify) = named("sealed by a passkey");
    let access = json!({"audience": "shop", "path": "/files/17", "now": "2027-01-15T08:00:00Z"});
    let check = verify.replacen("verify", "check", 1) + &format!(" --access {access}");
    let said = place.run_with(&format!("{check} {SHOP}"), token.as_str());
    assert_eq!(
        said.ends(0).stdout,
        "allowed\npayload of 10 bytes: account 17\n"
    );
    let reason = "seal: made by a passkey, but the verifier has no relying party (--rp-id)";
    invalid(place.run_with(&check, token), reason);
}

/// Who adds to a token with a passkey's statement can verify it first.
#[test]
fn holders_take_a_relying_party() {
    let place = Place::new();
    let vectors = vectors();
    let (token, _) = named("statement by a passkey");
    let challenge = json!({"nonce": "00", "audience": "shop", "time": 0});
    for command in [
        "append --expires 2h",
        "append --payload x",
        "request",
        &format!("seal --audience shop --challenge {challenge}"),
    ] {
        let line = format!("token {command}");
        place.run_with(&line, token.as_str()).ends(0);
        let line = line + &roots(&vectors);
        let ran = place.run_with(&line, token.as_str()).ends(1);
        let reason = "klero: the token is invalid: block 1, third party: made by a passkey, but the \
                      verifier has no relying party (--rp-id)\n";
        assert_eq!(ran.stderr, reason);
        place
            .run_with(&format!("{line} {SHOP}"), token.as_str())
            .ends(0);
    }
}

#[test]
fn a_relying_party_is_whole() {
    let place = Place::new();
    let (token, verify) = named("sealed by a passkey");
    for (options, missing) in [
        ("--rp-id shop.example", "--origin <ORIGIN>"),
        ("--origin https://shop.example", "--rp-id <DOMAIN>"),
        ("--user-verification", "--rp-id <DOMAIN>"),
    ] {
        let ran = place.run_with(&format!("{verify} {options}"), token.as_str());
        let said = ran.ends(2).stderr;
        assert!(said.contains(missing), "{said}");
    }
    // Nothing is verified without a root key.
    let said = place.run(&format!("token request {SHOP} {token}")).ends(2);
    assert!(said.stderr.contains("--root"), "{}", said.stderr);
    for (options, place_and_fault) in [
        (
            "--rp-id https://shop.example --origin https://shop.example",
            "'--rp-id <DOMAIN>': expected a domain in lower case",
        ),
        (
            "--rp-id shop.example --origin https://shop.example/",
            "'--origin <ORIGIN>': expected scheme and host, and no slash",
        ),
        (
            "--rp-id shop.example --origin shop.example",
            "'--origin <ORIGIN>': expected scheme and host, and no slash",
        ),
    ] {
        let ran = place.run_with(&format!("{verify} {options}"), token.as_str());
        let said = ran.ends(2).stderr;
        assert!(said.contains(place_and_fault), "{said}");
    }
}
