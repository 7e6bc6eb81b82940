//! Key files and root keys.

use crate::common::Place;
use crate::support::{CHALLENGE, SCHEMES, invalid, keygen, place, third_party, token, verify};

#[test]
fn only_the_root_key_counts() {
    let place = place();
    for scheme in SCHEMES {
        keygen(&place, scheme, "other");
        let text = token(&place, scheme);
        let reason = "block 0 is not signed by root key 0 (--root other.vkey), or was changed";
        invalid(verify(&place, "--root other.vkey", text.as_str()), reason);
        for command in [
            "append --payload x",
            &format!("seal --audience shop {CHALLENGE}"),
        ] {
            let line = format!("token {command} --root other.vkey");
            let ran = place.run_with(&line, text.as_str()).ends(1);
            assert_eq!(
                ran.stderr,
                format!("klero: the token is invalid: {reason}\n")
            );
            assert_eq!(ran.stdout, "");
        }
        invalid(
            verify(&place, &format!("--root 1={scheme}.vkey"), text.as_str()),
            "no root key has the number 0 (--root ID=KEY)",
        );
        for end in ["skey", "vkey"] {
            std::fs::remove_file(place.path(&format!("other.{end}"))).unwrap();
        }
    }
    let scheme = "the token is of scheme chain, no root key is (--root)";
    let text = token(&place, "chain");
    invalid(
        verify(&place, "--root aggregate.vkey", text.as_str()),
        scheme,
    );
    let line = "token append --root aggregate.vkey --payload x";
    assert!(place.run_with(line, text).ends(1).stderr.contains(scheme));
}

#[test]
fn root_keys_have_numbers() {
    let place = place();
    keygen(&place, "chain", "new");
    let mint = |line: &str| {
        place
            .run(&format!("token mint {line} --payload all"))
            .ends(0)
            .stdout
    };
    let old = mint("--key chain.skey --root-id 2025");
    let new = mint("--key new.skey --root-id 2026");
    let roots = "--root 2025=chain.vkey --root 2026=new.vkey";
    let said = verify(&place, roots, format!("{old}{new}")).ends(0).stdout;
    assert!(said.contains("root key 2025") && said.contains("root key 2026"));
    let line = format!("token append {roots} --payload x");
    place.run_with(&line, new).ends(0);

    verify(&place, "--root chain.vkey --root new.vkey", old.as_str())
        .refused("--root new.vkey: another key of scheme chain has the number 0");
    let wrong = verify(&place, "--root 4294967296=chain.vkey", old.as_str()).ends(2);
    assert!(wrong.stderr.contains("expected a number below 2^32"));
    place.write("1=a", place.read("chain.vkey"));
    let said = verify(&place, "--root ./1=a", old.as_str()).ends(1).stdout;
    assert!(said.contains("no root key has the number 2025"));
    verify(&place, "--root -", old).refused("wanted for the token and for --root");
}

#[test]
fn a_key_is_what_its_file_says() {
    let place = place();
    place
        .run("token mint --key chain.vkey --payload x")
        .refused("the secret key in chain.vkey: it is a public key for tokens");
    let ran = verify(&place, "--root chain.skey", "x")
        .refused("the public key in chain.skey: it is a secret key for tokens");
    let text = place.read("chain.skey");
    let secret = text.trim();
    let seed = &secret["chain-secret:".len()..];
    assert!(!ran.stderr.contains(seed));

    for suite in ["praos", "draft13"] {
        place
            .run(&format!("keygen --suite {suite} --force"))
            .ends(0);
        place
            .run("token mint --key vrf.skey --payload x")
            .refused("it is the secret key of a VRF, which must sign no tokens, expected");
        verify(&place, "--root vrf.vkey", "x").refused("it is the public key of a VRF, expected");
    }
    for suite in ["", "--suite praos"] {
        let ran = place
            .run(&format!("prove --key chain.skey --alpha 00 {suite}"))
            .refused("chain.skey: it is a key for tokens (a key that signs must not prove");
        assert!(!ran.stderr.contains(seed));
    }
    place
        .run("verify --key chain.vkey --alpha 00 --proof 00")
        .refused("--key: chain.vkey: it is a key for tokens");
    // Keys of each kind, stored in each way.
    for kind in ["chain", "aggregate", "ed25519", "es256", "passkey"] {
        place.write("key", format!("\u{feff}\"{kind}:AAAA\"\r\n"));
        place
            .run("verify --key key --alpha 00 --proof 00")
            .refused("--key: key: it is a key for tokens");
    }
    let stored: Vec<u8> = format!("\u{feff}{text}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    place.write("stored", stored);
    place.run("token mint --key stored --payload x").ends(0);

    let ran = place
        .run(&format!("token mint --key {secret} --payload x"))
        .refused("secrets do not belong on the command line");
    assert!(!ran.stderr.contains(seed));
}

/// A table of files and what is wrong with them.
#[test]
fn a_damaged_key_file_is_refused() {
    let place = place();
    let text = place.read("chain.skey");
    let secret = text.trim();
    let seed = &secret["chain-secret:".len()..];
    let no_key = "expected the text of a secret key for tokens: chain-secret:…";
    for (content, reason) in [
        (String::new(), no_key),
        (seed.to_owned(), no_key),
        (format!("secret:{seed}"), no_key),
        (format!("Chain-secret:{seed}"), no_key),
        (format!("\u{1b}[2J:{seed}"), no_key),
        (
            format!("{{\"type\": \"Other\", \"hex\": \"{seed}\"}}"),
            no_key,
        ),
        (
            "chain-secret:".into(),
            "expected the text of a key: chain-secret",
        ),
        (
            format!("{secret}A"),
            "expected the text of a key: chain-secret",
        ),
        (
            format!("{secret}\n{secret}"),
            "expected the text of a key: chain-secret",
        ),
        (
            format!("chain-secret: {seed}"),
            "expected the text of a key: chain-secret",
        ),
        (
            format!("ed25519-secret:{seed}="),
            "expected the text of a key: ed25519-secret",
        ),
        (
            format!("es256-secret:{seed}"),
            "expected the text of a key: chain-secret or",
        ),
    ] {
        place.write("key", content);
        let ran = place
            .run("token mint --key key --payload x")
            .refused(reason);
        assert!(!ran.stderr.contains(&seed[2..]), "{}", ran.stderr);
    }
    // White space around it is that of editors.
    place.write("key", format!("\n{secret}\r\n"));
    place.run("token mint --key key --payload x").ends(0);
    place.write("key", [0xff, 0xfe]);
    place
        .run("token mint --key key --payload x")
        .refused(no_key);
    place
        .run("token mint --key none --payload x")
        .refused("cannot read none");
    let (zero, ones) = ("A".repeat(43), format!("{}8", "_".repeat(42)));
    for (text, reason) in [
        (format!("chain:{zero}"), "the key has small order"),
        (
            format!("aggregate:{ones}"),
            "the key is not a point of the group",
        ),
        (
            format!("chain:{zero}AA"),
            "expected the text of a key: chain",
        ),
        (
            format!("other:{zero}"),
            "expected the text of a public key for tokens: chain:…",
        ),
    ] {
        place.write("key", text);
        verify(&place, "--root key", "x").refused(reason);
    }
}

#[test]
fn a_secret_key_may_come_from_standard_input() {
    let place = place();
    let line = "token mint --key - --payload all";
    let minted = place
        .run_with(line, place.read("chain.skey"))
        .ends(0)
        .stdout;
    verify(&place, "--root chain.vkey", minted).ends(0);
    place
        .run("token mint --key - --payload-file -")
        .refused("wanted for --key and for --payload-file");
    place
        .run("token append --root chain.vkey --payload-file -")
        .refused("wanted for the token and for --payload-file");
}

#[cfg(unix)]
#[test]
fn secret_keys_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mode = |name: &str| place.path(name).metadata().unwrap().permissions().mode() & 0o777;
    place.run("token keygen").ends(0);
    assert_eq!(place.names(), ["token.skey", "token.vkey"]);
    assert_eq!(mode("token.skey"), 0o600);
    assert_ne!(mode("token.vkey") & 0o400, 0);
    std::fs::set_permissions(place.path("token.skey"), PermissionsExt::from_mode(0o644)).unwrap();
    place.run("token keygen --force").ends(0);
    assert_eq!(mode("token.skey"), 0o600);
}

#[test]
fn keys_are_never_overwritten_by_chance() {
    let place = Place::new();
    place.write("b", "precious");
    place
        .run("token keygen --out-secret a --out-public b")
        .refused("b: the file exists. To keep its key, work in another directory or ");
    place
        .run("token keygen --out-secret b --out-public a")
        .refused("b: the file exists. To keep its key, work in another directory or ");
    assert_eq!(place.names(), ["b"]);
    assert_eq!(place.read("b"), "precious");
    place
        .run("token keygen --out-secret a --out-public ./a --force")
        .refused("both keys would be written");
    place
        .run("token keygen --out-secret no/a --out-public c")
        .refused("cannot write no/a");
    assert_eq!(place.names(), ["b"]);
    let made = place
        .run("token keygen --out-secret a --out-public b --force")
        .ends(0);
    let public = place.run("token public-key --key a").ends(0).stdout;
    assert_eq!(public, made.stdout);
    assert!(place.read("a").starts_with("chain-secret:"));
    assert_eq!(place.read("b"), public);
}

#[cfg(unix)]
#[test]
fn a_secret_key_that_is_open_to_others_is_a_warning() {
    let place = place();
    third_party(&place, "party");
    place
        .run("keygen --suite praos --out-secret vrf.skey")
        .ends(0);
    place.write("claims.csv", "alpha\n00\n");
    place.write("token", token(&place, "chain"));
    let request = place.run("token request token").ends(0).stdout;
    let statement = format!(
        "token statement {} --payload x --key party.skey",
        request.trim()
    );
    for (line, key) in [
        ("token mint --payload x --key chain.skey", "chain.skey"),
        ("token public-key --key chain.skey", "chain.skey"),
        (&statement, "party.skey"),
        ("public-key --key vrf.skey", "vrf.skey"),
        ("prove --alpha 00 --key vrf.skey", "vrf.skey"),
        ("evaluate --alpha 00 --key vrf.skey", "vrf.skey"),
        ("batch prove claims.csv --key vrf.skey", "vrf.skey"),
    ] {
        for (mode, warns) in [(0o600, false), (0o400, false), (0o640, true), (0o602, true)] {
            place.set_mode(key, mode);
            let said = place.run(line).ends(0).stderr;
            let warning = format!(
                "klero: warning: other users may read or change the secret key in {key} (mode \
                 {mode:o}); chmod 600 keeps it to you"
            );
            let warnings = said.lines().filter(|said| *said == warning).count();
            assert_eq!(warnings, usize::from(warns), "{line}: {said}");
            assert_eq!(said.contains("warning"), warns, "{line}: {said}");
        }
    }
}
