//! Challenges and revoked blocks.

use crate::support::{CHALLENGE, SCHEMES, invalid, json, place, sealed, token, verify};

#[test]
fn a_sealed_token_answers_its_challenge_only() {
    let place = place();
    for scheme in SCHEMES {
        let root = format!("--root {scheme}.vkey");
        let text = sealed(&place, scheme);
        for command in [
            "append --payload x",
            &format!("seal --audience shop {CHALLENGE}"),
        ] {
            place
                .run_with(&format!("token {command} {root}"), text.as_str())
                .refused("the token is sealed: nothing can be added to it");
        }
        invalid(
            verify(&place, &root, text.as_str()),
            "the token is sealed, and no challenge was given to verify it against (--challenge)",
        );
        invalid(
            verify(
                &place,
                &format!("{root} {CHALLENGE}"),
                token(&place, scheme),
            ),
            "the token is not sealed, though a challenge was set",
        );
        for (of, other) in [("\"0011", "\"0111"), ("shop", "bank"), ("1800", "1900")] {
            let options = format!("{root} {}", CHALLENGE.replace(of, other));
            let said = verify(&place, &options, text.as_str()).ends(1).stdout;
            assert!(
                said.contains("the signature does not hold"),
                "{other}: {said}"
            );
        }
    }
    place.run("token seal").ends(2);
    place.run("token verify").ends(2);
}

/// Challenges that are no whole ones, and what is wrong with them.
const NOT_WHOLE: [(&str, &str); 12] = [
    ("{", "EOF while parsing an object at line 1 column 1"),
    ("{}", "missing field `nonce` at line 1 column 2"),
    (
        "{\"nonce\":\"00\",\"audience\":\"a\"}",
        "missing field `time` at line 1 column 29",
    ),
    (
        "{\"nonce\":\"00\",\"time\":1}",
        "missing field `audience` at line 1 column 23",
    ),
    (
        "{\"nonce\":\"\",\"audience\":\"a\",\"time\":1}",
        "nonce: expected at least one byte in hex at",
    ),
    (
        "{\"nonce\":\"0\",\"audience\":\"a\",\"time\":1}",
        "nonce: expected hex: an odd number of digits at",
    ),
    (
        "{\"nonce\":\"0g\",\"audience\":\"a\",\"time\":1}",
        "nonce: expected hex: character 2 is 'g' at",
    ),
    (
        "{\"nonce\":\"00\",\"audience\":\"a\",\"time\":-1}",
        "time: invalid value: integer `-1`, expected u64 at",
    ),
    (
        "{\"nonce\":\"00\",\"audience\":7,\"time\":1}",
        "audience: invalid type: integer `7`, expected a string at",
    ),
    (
        "{\"nonce\":\"00\",\"nonce\":\"01\",\"audience\":\"a\",\"time\":1}",
        "duplicate field `nonce`",
    ),
    (
        "{\"nonce\":\"00\",\"audience\":\"a\",\"time\":1,\"x\":1}",
        "unknown field `x`, expected one of `nonce`, `audience`, `time`",
    ),
    (
        "{\"nonce\":\"00\",\"audience\":\"a\",\"time\":1}7",
        "trailing characters at line 1 column 39",
    ),
];

#[test]
fn challenges_are_whole() {
    let place = place();
    let text = sealed(&place, "chain");
    for (challenge, fault) in NOT_WHOLE {
        for command in [
            "seal --audience shop",
            "verify --none-revoked --root chain.vkey",
        ] {
            let line = format!("token {command} --challenge {challenge}");
            let ran = place.run_with(&line, text.as_str()).refused(fault);
            let place = "cannot read the challenge on the command line: ";
            assert!(ran.stderr.contains(place), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_challenge_is_an_object_and_has_a_place() {
    let place = place();
    let text = sealed(&place, "chain");
    place.write("challenge", "[\"00\",\"a\",1]");
    place
        .run_with(
            "token seal --audience shop --challenge challenge",
            text.as_str(),
        )
        .refused("in challenge: expected a JSON object");
    place
        .run_with("token seal --audience shop --challenge none", text.as_str())
        .refused("cannot read none");
    place
        .run_with("token seal --audience shop --challenge -", text)
        .refused("wanted for the token and for --challenge");
}

/// Whoever is shown a token could pass on another verifier's challenge, and use the answer there.
#[test]
fn a_token_is_sealed_to_the_audience_that_the_holder_names() {
    let place = place();
    for scheme in SCHEMES {
        let text = token(&place, scheme);
        for audience in ["bank", "Shop", "sho", "shop."] {
            let line = format!("token seal --audience {audience} {CHALLENGE} --out sealed");
            let ran = place.run_with(&line, text.as_str()).ends(1);
            assert_eq!(
                ran.stderr,
                format!(
                    "klero: the challenge is for the audience \"shop\", but --audience names another\n"
                )
            );
            assert!(!place.path("sealed").exists());
        }
        let ran = place
            .run_with(&format!("token seal {CHALLENGE}"), text)
            .ends(2);
        assert!(ran.stderr.contains("--audience <NAME>"), "{}", ran.stderr);
    }
}

#[test]
fn each_challenge_is_a_new_one() {
    let place = place();
    let text = token(&place, "chain");
    let make = "token challenge --audience";
    let [one, two] = [0, 1].map(|_| place.run_and(make, "shop").ends(0).stdout);
    let shown = json(&one);
    assert_eq!(shown["nonce"].as_str().unwrap().len(), 32);
    assert_ne!(shown["nonce"], json(&two)["nonce"]);
    assert_eq!(shown["audience"], "shop");
    let clock = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    assert!((clock - 60..=clock).contains(&shown["time"].as_u64().unwrap()));

    // As text, as a file and on standard input.
    place.write("token", &text);
    place.write("challenge", &one);
    place
        .run("token seal token --audience shop --challenge challenge --out a")
        .ends(0);
    place
        .run_and("token seal token --audience shop --out b --challenge", &one)
        .ends(0);
    place
        .run_with(
            "token seal token --audience shop --challenge - --out c",
            one.as_str(),
        )
        .ends(0);
    for name in ["a", "b", "c"] {
        let line = format!("token verify --none-revoked {name} --root chain.vkey --challenge");
        place.run_and(&line, &one).ends(0);
        place.run_and(&line, &two).ends(1);
    }
    place.run("token challenge").ends(2);
}

#[test]
fn revoked_blocks_are_refused() {
    let place = place();
    let (mine, yours) = (token(&place, "chain"), token(&place, "chain"));
    let said = verify(&place, "--root chain.vkey --json", mine.as_str())
        .ends(0)
        .stdout;
    let id = json(&said)["blocks"][1]["revocation_id"]
        .as_str()
        .unwrap()
        .to_owned();
    place.write("revoked", format!("{}\r\n\n{id}\n", "00".repeat(32)));
    let options = "--root chain.vkey --revoked revoked";
    let said = verify(&place, options, format!("{mine}{yours}"))
        .ends(1)
        .stdout;
    assert!(said.starts_with("line 1: invalid: block 1 is revoked\nline 2: valid: token of "));

    place.write("revoked", "");
    verify(&place, options, mine.as_str()).ends(0);
    for wrong in [
        &id[1..],
        &format!("{id}00"),
        &id.replace(&id[..1], "g"),
        // An id has one text. What is not understood is never skipped.
        &id.replace(&id[..1], "A"),
        "\u{1b}[2J",
    ] {
        place.write("revoked", format!("{id}\n{wrong}"));
        verify(&place, options, mine.as_str()).refused(
            "revoked, line 2: expected a revocation id: 64 hexadecimal digits in lower case",
        );
    }
    verify(&place, "--root chain.vkey --revoked none", mine.as_str()).refused("cannot read none");
    verify(&place, "--root chain.vkey --revoked -", mine.as_str()).refused("for --revoked");
    place.write("token", mine);
    let said = place.run_with(
        "token verify --no-challenge token --root chain.vkey --revoked -",
        id,
    );
    invalid(said, "block 1 is revoked");
}

/// Nothing about the chain of a node, which is also called a chain.
#[test]
fn the_statuses_of_verify_are_its_own() {
    let help = place().run("token verify --help").ends(0).stdout;
    assert!(help.contains("\n  1  some token is invalid\n"), "{help}");
    assert!(
        !help.contains("(chain)") && !help.contains("\n  3  "),
        "{help}"
    );
}

/// Without a word on the challenge or on revocations there is no verdict: both are easily forgotten.
#[test]
fn a_verifier_says_what_becomes_of_challenge_and_revocations() {
    let place = place();
    place.write("token", token(&place, "chain"));
    place.write("revoked", "");
    let (bare, none) = ("--no-challenge", "--none-revoked");
    for command in ["verify", "check --access {}"] {
        let run = |options: &str| {
            let line = format!("token {command} token --root chain.vkey {options}");
            place.run(&line)
        };
        for (options, missing) in [
            ("", "<--challenge <JSON|FILE|->|--no-challenge>"),
            (none, "<--challenge <JSON|FILE|->|--no-challenge>"),
            (bare, "<--revoked <FILE|->|--none-revoked>"),
            (CHALLENGE, "<--revoked <FILE|->|--none-revoked>"),
        ] {
            let ran = run(options).ends(2);
            assert!(ran.stderr.contains(missing), "{}: {}", ran.line, ran.stderr);
            assert_eq!(ran.stdout, "");
        }
        for twice in [
            format!("{bare} {CHALLENGE} {none}"),
            format!("{bare} {none} --revoked revoked"),
        ] {
            let ran = run(&twice).ends(2);
            assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
        }
    }
    for options in [
        format!("{bare} {none}"),
        format!("{bare} --revoked revoked"),
    ] {
        verify(
            &place,
            &format!("--root chain.vkey {options}"),
            token(&place, "chain"),
        )
        .ends(0);
    }
}
