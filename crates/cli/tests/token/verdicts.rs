//! Verdicts on the vectors of passkeys, and what no session shows.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use klero_token::{PublicKey, Scheme};
use serde_json::Value;

use crate::common::Place;
use crate::support::{CHALLENGE, keygen, place, token};

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

#[test]
fn every_vector_gets_its_verdict() {
    let place = Place::new();
    let vectors = include_str!("../../../../vectors/tokens/passkeys.json");
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    let roots = roots(&vectors);
    for vector in vectors["tokens"].as_array().unwrap() {
        let is_valid = vector["valid"] == true;
        let options = roots.clone() + &challenge(vector) + &relying_party(vector);
        let line = format!("token verify --none-revoked --json{options}");
        let token = hex::decode(vector["token"].as_str().unwrap()).unwrap();
        let ran = place.run_with(&line, URL_SAFE_NO_PAD.encode(token));
        assert_eq!(ran.status, i32::from(!is_valid), "{}", vector["name"]);
    }
}

/// It is the token that is broken, whatever is added to it.
#[test]
fn a_broken_token_is_not_a_wrong_statement() {
    let place = place();
    keygen(&place, "--third-party", "registry");
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

/// `verify` has no request that tells the time.
#[test]
fn verify_compares_a_challenge_with_the_clock() {
    let place = place();
    let line = format!("token seal --audience shop --root chain.vkey {CHALLENGE}");
    let sealed = place.run_with(&line, token(&place)).ends(0).stdout;
    let line = format!("token verify --none-revoked --root chain.vkey {CHALLENGE} --max-age 1s");
    let said = place.run_with(&line, sealed).ends(1);
    assert!(
        said.stdout.starts_with("invalid: the challenge is "),
        "{}",
        said.stdout
    );
}

#[test]
fn nothing_gets_no_verdict() {
    let line = "token verify --no-challenge --none-revoked --root chain.vkey";
    let ran = place().run_with(line, " \n\n");
    ran.refused("cannot read the token on standard input: expected a token, found nothing");
}

/// Both are easily forgotten.
#[test]
fn a_verifier_says_one_thing_of_challenge_and_revocations() {
    let place = place();
    for command in ["verify", "check --access {}"] {
        for options in [
            "--no-challenge --none-revoked --revoked -",
            "--no-challenge --none-revoked --max-age 1m",
            &format!("--no-challenge --none-revoked {CHALLENGE}"),
        ] {
            let line = format!("token {command} token --root chain.vkey {options}");
            let ran = place.run(&line).ends(2);
            assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
        }
    }
}
