//! Challenges and revoked blocks.

use crate::support::{CHALLENGE, SCHEMES, invalid, json, place, sealed, token, verify};

#[test]
fn a_sealed_token_answers_its_challenge_only() {
    let place = place();
    for scheme in SCHEMES {
        let root = format!("--root {scheme}.vkey");
        let text = sealed(&place, scheme);
        for command in ["append --payload x", &format!("seal {CHALLENGE}")] {
            place
                .run_with(&format!("token {command} {root}"), text.as_str())
                .refused("the token is sealed: nothing can be added to it");
        }
        invalid(
            verify(&place, &root, text.as_str()),
            "the token is sealed, and no challenge was given to verify it against (--nonce, \
             --audience, --time)",
        );
        invalid(
            verify(
                &place,
                &format!("{root} {CHALLENGE}"),
                token(&place, scheme),
            ),
            "the token is not sealed, though a challenge was set",
        );
        for (of, other) in [("nonce 00", "nonce 01"), ("shop", "bank"), ("1800", "1900")] {
            let options = format!("{root} {}", CHALLENGE.replace(of, other));
            let said = verify(&place, &options, text.as_str()).ends(1).stdout;
            assert!(
                said.contains("the signature does not hold"),
                "{other}: {said}"
            );
        }
    }
    // All of a challenge or nothing.
    for part in [
        "--nonce 00",
        "--audience shop",
        "--time 1",
        "--nonce 00 --time 1",
        "--nonce= --audience shop --time 1",
        "--nonce 0 --audience shop --time 1",
        "--nonce 00 --audience shop --time -1",
    ] {
        for command in ["seal", "verify"] {
            let line = format!("token {command} --root chain.vkey {part}");
            place.run_with(&line, sealed(&place, "chain")).ends(2);
        }
    }
    place.run("token seal --root chain.vkey").ends(2);
    place.run("token verify").ends(2);
}

/// The usage of `seal` shows that no part of a challenge can be left out.
#[test]
fn sealing_takes_a_whole_challenge() {
    let place = place();
    let help = place.run("token seal --help").ends(0).stdout;
    let usage = help
        .lines()
        .find(|line| line.starts_with("Usage:"))
        .unwrap();
    for required in ["--nonce <HEX>", "--audience <TEXT>", "--time <SECONDS>"] {
        assert!(usage.contains(required), "{usage}");
    }
    assert!(!usage.contains('|'), "{usage}");
    let all = ["--nonce 00", "--audience a", "--time 1"];
    for missing in 0..3 {
        let mut given = all.to_vec();
        given.remove(missing);
        let line = format!("token seal --root chain.vkey {}", given.join(" "));
        let name = all[missing].split(' ').next().unwrap();
        let ran = place.run_with(&line, token(&place, "chain")).ends(2);
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
    let line = format!("token seal --root chain.vkey {}", all.join(" "));
    place.run_with(&line, token(&place, "chain")).ends(0);
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
    place.write(
        "revoked",
        format!("{}\r\n\n{}\n", "00".repeat(32), id.to_uppercase()),
    );
    let options = "--root chain.vkey --revoked revoked";
    let said = verify(&place, options, format!("{mine}{yours}"))
        .ends(1)
        .stdout;
    assert!(said.starts_with("line 1: invalid: block 1 is revoked\nline 2: valid\n"));

    place.write("revoked", "");
    verify(&place, options, mine.as_str()).ends(0);
    for wrong in [
        &id[1..],
        &format!("{id}00"),
        &id.replace(&id[..1], "g"),
        "\u{1b}[2J",
    ] {
        place.write("revoked", format!("{id}\n{wrong}"));
        verify(&place, options, mine.as_str())
            .refused("revoked, line 2: expected a revocation id of 64 hex digits");
    }
    verify(&place, "--root chain.vkey --revoked none", mine.as_str()).refused("cannot read none");
    verify(&place, "--root chain.vkey --revoked -", mine).refused("for --revoked");
}
