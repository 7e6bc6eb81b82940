//! Verdicts that no session in `golden` shows.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use klero_token::{PublicKey, Scheme};
use serde_json::Value;

use crate::common::Place;
use crate::support::{CHALLENGE, keygen, place, token};

/// The token is sealed by a passkey that did not verify its user.
#[test]
fn user_verification_is_asked_for_by_its_option() {
    let vectors = include_str!("../../../../vectors/tokens/passkeys.json");
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    let mut tokens = vectors["tokens"].as_array().unwrap().iter();
    let vector = tokens.find(|vector| vector["name"] == "only present");
    let vector = vector.unwrap();
    let token = URL_SAFE_NO_PAD.encode(hex::decode(vector["token"].as_str().unwrap()).unwrap());
    let root = hex::decode(vectors["roots"]["0"].as_str().unwrap()).unwrap();
    let root = PublicKey::from_bytes(Scheme::Chain, &root).unwrap();
    let challenge = &vector["challenge"];
    let line = format!(
        "token verify --none-revoked --root 0={root} --challenge {challenge} --rp-id shop.example \
         --origin https://shop.example"
    );
    let place = Place::new();
    place.run_with(&line, &*token).ends(0);
    let asked = line + " --user-verification";
    let said = place.run_with(&asked, token).ends(1).stdout;
    assert!(said.ends_with("(--user-verification)\n"), "{said}");
}

/// The error is about the token, no matter what is added to it.
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
    // This text has no unused bits at its end: its last 40 characters encode part of the signature's scalar.
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

/// Unlike `check`, `verify` gets no request that could contain a time, so it uses the clock.
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

/// The checks of challenges and of revocations are easily forgotten, so each needs an option. Options that
/// contradict each other are refused.
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
