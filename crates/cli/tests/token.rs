//! Tokens: keygen, mint, append, seal, verify, inspect.

mod common;

use common::{Place, Ran};
use klero_token::{Aggregate, Chain, Limits, SecretKey, Unverified, Verified};
use serde_json::Value;

const SCHEMES: [&str; 3] = ["chain", "aggregate", "bls"];
const CHALLENGE: &str =
    "--nonce 00112233445566778899aabbccddeeff --audience shop --time 1800000000";

/// A place with a key pair of each scheme, `chain.skey` and `chain.vkey` and so on.
fn place() -> Place {
    let place = Place::new();
    for scheme in SCHEMES {
        keygen(&place, scheme, scheme);
    }
    place
}

fn keygen(place: &Place, scheme: &str, name: &str) {
    let line =
        format!("token keygen --scheme {scheme} --out-secret {name}.skey --out-public {name}.vkey");
    let printed = place.run(&line).ends(0).stdout;
    let public = json(&place.read(&format!("{name}.vkey")))["hex"].clone();
    assert_eq!(public.as_str(), printed.strip_suffix('\n'));
}

/// A token of two blocks, "all" and "some".
fn token(place: &Place, scheme: &str) -> String {
    let minted = place
        .run(&format!("token mint --key {scheme}.skey --payload all"))
        .ends(0)
        .stdout;
    let line = format!("token append --root {scheme}.vkey --payload some");
    place.run_with(&line, minted).ends(0).stdout
}

fn sealed(place: &Place, scheme: &str) -> String {
    let line = format!("token seal --root {scheme}.vkey {CHALLENGE}");
    place.run_with(&line, token(place, scheme)).ends(0).stdout
}

fn verify(place: &Place, options: &str, tokens: impl Into<Vec<u8>>) -> Ran {
    place.run_with(&format!("token verify {options}"), tokens)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Ended with status 1 and this as the verdict on line 1.
#[track_caller]
fn invalid(ran: Ran, reason: &str) {
    let said = ran.ends(1).stdout;
    assert_eq!(said, format!("line 1: invalid: {reason}\n"));
}

#[test]
fn a_token_goes_through_all_commands() {
    let place = place();
    for scheme in SCHEMES {
        let text = token(&place, scheme);
        assert!(text.starts_with("S1QB") && text.ends_with('\n'));
        let said = verify(&place, &format!("--root {scheme}.vkey"), text.as_str()).ends(0);
        for words in [
            "line 1: valid\n",
            &format!("token of scheme {scheme}, root key 0, 2 blocks, "),
            "block 0: root, 3 bytes of payload\n│    text: all\n",
            "block 1: block, 4 bytes of payload\n│    text: some\n",
            "└─ not sealed: ",
        ] {
            assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
        }

        let line = format!("token seal --root {scheme}.vkey {CHALLENGE}");
        let sealed = place.run_with(&line, text.as_str()).ends(0).stdout;
        let options = format!("--root {scheme}.vkey {CHALLENGE}");
        let said = verify(&place, &options, sealed.as_str()).ends(0).stdout;
        assert!(said.starts_with("line 1: valid\n") && said.contains("└─ sealed: "));

        // What the library reads is what the command wrote.
        if scheme == "chain" {
            let token = Unverified::<Chain>::from_text(sealed.trim(), &Limits::default()).unwrap();
            assert!(token.is_sealed());
        }
    }
}

#[cfg(unix)]
#[test]
fn commands_join_in_a_shell() {
    let place = place();
    for scheme in SCHEMES {
        let pipeline = format!(
            "\"$KLERO\" token mint --key {scheme}.skey --payload 'account 17: all' |
             \"$KLERO\" token append --root {scheme}.vkey --payload 'read only' |
             \"$KLERO\" token append --root {scheme}.vkey --payload-hex 00ff |
             \"$KLERO\" token seal --root {scheme}.vkey {CHALLENGE} |
             \"$KLERO\" token verify --root {scheme}.vkey {CHALLENGE}"
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &pipeline])
            .env("KLERO", env!("CARGO_BIN_EXE_klero"))
            .current_dir(place.path(""))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{said}"
        );
        for words in [
            "text: account 17: all\n",
            "text: read only\n",
            "hex: 00ff\n",
        ] {
            assert!(said.contains(words), "{said}");
        }
    }
}

#[test]
fn many_tokens_get_a_verdict_each() {
    let place = place();
    let mut lines = String::from("\n");
    for scheme in SCHEMES {
        lines += &token(&place, scheme);
        lines += "nonsense!\n \n";
    }
    let options = "--root chain.vkey --root aggregate.vkey --root bls.vkey";
    let said = verify(&place, options, lines.as_str()).ends(1).stdout;
    let verdicts: Vec<_> = said
        .lines()
        .filter(|line| line.starts_with("line "))
        .collect();
    let nonsense = "character 9 is not of base64url without padding (A-Z a-z 0-9 - _)";
    assert_eq!(
        verdicts,
        [
            "line 2: valid",
            &format!("line 3: invalid: {nonsense}"),
            "line 5: valid",
            &format!("line 6: invalid: {nonsense}"),
            "line 8: valid",
            &format!("line 9: invalid: {nonsense}"),
        ]
    );

    // More than are held at once.
    let many = token(&place, "aggregate").repeat(600);
    let said = verify(&place, "--root aggregate.vkey --json", many)
        .ends(0)
        .stdout;
    let numbers: Vec<_> = said
        .lines()
        .map(|line| json(line)["line"].as_u64())
        .collect();
    assert_eq!(numbers, (1..=600).map(Some).collect::<Vec<_>>());
}

#[test]
fn white_space_around_a_token_is_no_part_of_it() {
    let place = place();
    let text = token(&place, "chain");
    let text = text.trim();
    for input in [
        text.to_owned(),
        format!("{text}\n"),
        format!("{text}\r\n"),
        format!("\r\n\n  {text} \t\n\n\n"),
    ] {
        verify(&place, "--root chain.vkey", input.as_str()).ends(0);
        place.run_with("token inspect", input.as_str()).ends(0);
        place
            .run_with("token append --root chain.vkey --payload x", input)
            .ends(0);
    }
}

#[test]
fn input_that_is_no_token_is_said_to_be_none() {
    let place = place();
    let text = token(&place, "chain");
    let commands = [
        "token inspect",
        "token append --root chain.vkey --payload x",
        &format!("token seal --root chain.vkey {CHALLENGE}"),
    ];
    let cases: [(&[u8], &str); 8] = [
        (b"nonsense!", "character 9 is not of base64url"),
        (b"S1QB\xff\xfe", "character 5 is not of base64url"),
        (b"S1QBAQA=", "character 8 is not of base64url"),
        (b"\x1b[2J", "character 1 is not of base64url"),
        (
            b"AAAAAAAA",
            "not a token: expected the bytes \"KT\" at byte 0",
        ),
        (b"S1QCAQAA", "version 2 at byte 2, expected 1"),
        (
            b"S1QBCQAA",
            "scheme 9 at byte 3, expected 1 (chain), 2 (aggregate)",
        ),
        (
            &text.as_bytes()[..100],
            "the bytes end at 75, within the signature at byte 46",
        ),
    ];
    for (input, reason) in cases {
        for command in commands {
            let ran = place.run_with(command, input).refused(reason);
            assert!(ran.stderr.contains("standard input") && ran.stdout.is_empty());
        }
        let said = verify(&place, "--root chain.vkey", input).ends(1).stdout;
        assert!(
            said.starts_with("line 1: invalid: ") && said.contains(reason),
            "{said}"
        );
    }
    for empty in ["", "\n", " \r\n\t\n"] {
        let nothing = "standard input: expected a token, found nothing";
        for command in commands {
            place.run_with(command, empty).refused(nothing);
        }
        verify(&place, "--root chain.vkey", empty).refused(nothing);
    }
    for command in commands {
        place
            .run_with(command, format!("{text}\n{text}"))
            .refused("expected one token, found another on line 3");
    }
}

#[test]
fn nothing_like_a_token_is_one() {
    let place = place();
    for scheme in SCHEMES {
        for (text, challenge) in [
            (token(&place, scheme), ""),
            (sealed(&place, scheme), CHALLENGE),
        ] {
            let text = text.trim();
            let mut lines: Vec<String> = (1..text.len()).map(|end| text[..end].into()).collect();
            for at in 0..text.len() {
                let other = if &text[at..=at] == "A" { "B" } else { "A" };
                lines.push(format!("{}{other}{}", &text[..at], &text[at + 1..]));
            }
            lines.push(format!("{text}AAAA"));
            let options = format!("--root {scheme}.vkey {challenge}");
            let said = verify(&place, &options, lines.join("\n")).ends(1).stdout;
            assert_eq!(said.lines().count(), lines.len());
            for (verdict, line) in said.lines().zip(lines) {
                assert!(verdict.contains(": invalid: "), "{line}: {verdict}");
            }
        }
    }
}

#[test]
fn only_the_root_key_counts() {
    let place = place();
    for scheme in SCHEMES {
        keygen(&place, scheme, "other");
        let text = token(&place, scheme);
        let said = verify(&place, "--root other.vkey", text.as_str())
            .ends(1)
            .stdout;
        assert!(said.starts_with("line 1: invalid: "), "{said}");
        for command in ["append --payload x", &format!("seal {CHALLENGE}")] {
            let line = format!("token {command} --root other.vkey");
            let ran = place.run_with(&line, text.as_str()).ends(1);
            assert!(ran.stderr.starts_with("klero: the token is invalid: "));
            assert_eq!(ran.stdout, "");
        }
        invalid(
            verify(&place, &format!("--root 1={scheme}.vkey"), text.as_str()),
            "no root key has the number 0 (--root ID=FILE)",
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
    let line = "token append --root bls.vkey --payload x";
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
        .refused("the secret key in chain.vkey: it is a public key of tokens");
    let ran = verify(&place, "--root chain.skey", "x")
        .refused("the public key in chain.skey: it is a secret key of tokens");
    let secret = json(&place.read("chain.skey"))["hex"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(!ran.stderr.contains(&secret));
    place
        .run_with(
            "token append --root chain.vkey --key bls.skey --payload x",
            token(&place, "chain"),
        )
        .refused("bls.skey: it is of scheme bls, the token of scheme chain");

    place.run("keygen --suite praos").ends(0);
    place
        .run("token mint --key vrf.skey --payload x")
        .refused("it is the signing key of a VRF, which must sign no tokens: type \"VrfSi");
    verify(&place, "--root vrf.vkey", "x").refused("it is the verification key of a VRF: type");
    place.run("keygen --suite draft13 --force").ends(0);
    place
        .run("token mint --key vrf.skey --payload x")
        .refused("it is the signing key of a VRF, which must sign no tokens: type \"KleroVrf");
    for suite in ["", "--suite praos"] {
        place
            .run(&format!("prove --key chain.skey --alpha 00 {suite}"))
            .refused("it is a key of tokens: type \"KleroTokenSecretKey_chain\"");
    }
    place
        .run("verify --key chain.vkey --alpha 00 --proof 00")
        .refused("envelope of type \"KleroTokenPublicKey_chain\", expected");

    let envelope = |kind: &str, hex: &str| {
        format!("{{\"type\": \"{kind}\", \"description\": \"\", \"hex\": {hex}}}")
    };
    let digits = format!("\"{secret}\"");
    let chain = "KleroTokenSecretKey_chain";
    for (content, reason) in [
        (String::new(), "expected a JSON object with type"),
        (secret.clone(), "expected a JSON object with type"),
        (envelope(chain, ""), "expected a JSON object with type"),
        (envelope(chain, "7"), "expected a string of hex digits"),
        (
            envelope(chain, "\"0\""),
            "expected an even number of hex digits",
        ),
        (
            envelope(chain, &digits.replace(&secret[..2], "zz")),
            "hex digits and nothing else",
        ),
        (
            envelope(chain, "\"00\""),
            "the key has 1 bytes, expected 32",
        ),
        (
            envelope("KleroTokenSecretKey_", &digits),
            "secret key of tokens: type",
        ),
        (
            envelope("KleroTokenSecretKey_Chain", &digits),
            "secret key of tokens: type",
        ),
        (
            envelope("\\u001b[2J", &digits),
            "no key of tokens: type \"\\u{1b}[2J\"",
        ),
    ] {
        place.write("key", content);
        let ran = place
            .run("token mint --key key --payload x")
            .refused(reason);
        assert!(!ran.stderr.contains(&secret[2..]), "{}", ran.stderr);
    }
    place.write("key", [0xff, 0xfe]);
    place
        .run("token mint --key key --payload x")
        .refused("expected a JSON object");
    place
        .run("token mint --key none --payload x")
        .refused("cannot read none");
    for (kind, hex, reason) in [
        ("chain", "00".repeat(32), "the key has small order"),
        (
            "aggregate",
            "ff".repeat(32),
            "the key is not a point of the group",
        ),
        ("bls", "00".repeat(32), "the key has 32 bytes, expected 48"),
    ] {
        let kind = format!("KleroTokenPublicKey_{kind}");
        place.write("key", envelope(&kind, &format!("\"{hex}\"")));
        verify(&place, "--root key", "x").refused(reason);
    }

    let ran = place
        .run(&format!("token mint --key {secret} --payload x"))
        .refused("secrets do not belong on the command line");
    assert!(!ran.stderr.contains(&secret));
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
        .run("token append --root chain.vkey --key - --payload x")
        .refused("wanted for the token and for --key");
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
        .refused("b: the file exists (--force");
    place
        .run("token keygen --out-secret b --out-public a")
        .refused("b: the file exists (--force");
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
    let public = json(&place.read("b"))["hex"].clone();
    assert_eq!(public.as_str(), made.stdout.strip_suffix('\n'));
    assert_eq!(json(&place.read("a"))["type"], "KleroTokenSecretKey_chain");
    assert_eq!(json(&place.read("b"))["type"], "KleroTokenPublicKey_chain");
}

#[test]
fn payloads_come_from_anywhere() {
    let place = place();
    place.write("payload", b"\x00\xff\n");
    let payload = |options: &str, stdin: &[u8]| {
        let line = format!("token mint --key chain.skey {options}");
        let minted = place.run_with(&line, stdin).ends(0).stdout;
        let said = verify(&place, "--root chain.vkey --json", minted)
            .ends(0)
            .stdout;
        json(&said)["blocks"][0]["payload"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(payload("--payload all", b""), "616c6c");
    assert_eq!(payload("--payload=", b""), "");
    assert_eq!(payload("--payload-hex 00FF", b""), "00ff");
    assert_eq!(payload("--payload-file payload", b""), "00ff0a");
    assert_eq!(payload("--payload-file -", b"\xfe"), "fe");

    place
        .run("token mint --key chain.skey --payload-file none")
        .refused("cannot read none");
    // Refused at once: nothing waits for a pipe, or reads a device without an end.
    #[cfg(unix)]
    {
        let made = std::process::Command::new("mkfifo")
            .arg(place.path("pipe"))
            .status();
        assert!(made.unwrap().success());
        for (file, kind) in [("pipe", "a pipe"), ("/dev/zero", "a device")] {
            let refusal = format!("cannot read {file}: is {kind}, expected a regular file");
            let mint = format!("token mint --key chain.skey --payload-file {file}");
            place.run(&mint).refused(&refusal);
            let verify = format!("token verify --root chain.vkey --revoked {file}");
            place.run(&verify).refused(&refusal);
        }
    }
    for wrong in [
        "",
        "--payload a --payload-hex 00",
        "--payload-hex 0",
        "--payload-hex 0g",
    ] {
        place
            .run(&format!("token mint --key chain.skey {wrong}"))
            .ends(2);
    }
}

#[test]
fn a_key_of_choice_is_seen() {
    let place = place();
    for scheme in SCHEMES {
        let name = format!("gateway-{scheme}");
        keygen(&place, scheme, &name);
        let line = format!("token append --root {scheme}.vkey --key {name}.skey --payload via");
        let text = place.run_with(&line, token(&place, scheme)).ends(0).stdout;
        let said = verify(&place, &format!("--root {scheme}.vkey --json"), text)
            .ends(0)
            .stdout;
        let key = &json(&place.read(&format!("{name}.vkey")))["hex"];
        assert_eq!(&json(&said)["blocks"][2]["key"], key);
    }
    // A chain hands on the secret half.
    let line = "token append --root chain.vkey --key chain.skey --payload x";
    place
        .run_with(line, token(&place, "chain"))
        .refused("--key: this is a root key, and the token would carry it");
}

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

#[test]
fn tokens_are_as_large_as_the_limits_say() {
    let place = place();
    let text = token(&place, "chain");
    let blocks = "the token announces 2 blocks at byte 9, the limit is 1 (--max-blocks)";
    invalid(
        verify(&place, "--root chain.vkey --max-blocks 1", text.as_str()),
        blocks,
    );
    place
        .run_with("token inspect --max-blocks 1", text.as_str())
        .refused(blocks);
    let bytes = text.trim().len() * 3 / 4;
    verify(
        &place,
        &format!("--root chain.vkey --max-bytes {bytes}"),
        text.as_str(),
    )
    .ends(0);
    for limit in [0, 1, 100, bytes - 1] {
        let options = format!("--root chain.vkey --max-bytes {limit}");
        let said = verify(&place, &options, text.as_str()).ends(1).stdout;
        assert!(
            said.ends_with(&format!("the limit is {limit} (--max-bytes)\n")),
            "{said}"
        );
    }

    // A line of any length costs no more memory than one that is just too long, and the
    // next is read.
    let long = format!("{}\n{text}", "A".repeat(10_000_000));
    let said = verify(&place, "--root chain.vkey", long).ends(1).stdout;
    let reason = "the token has 7500000 bytes, the limit is 65536 (--max-bytes)";
    assert!(
        said.starts_with(&format!("line 1: invalid: {reason}\nline 2: valid\n")),
        "{said}"
    );

    // Nothing is made that would not be read again.
    let append = "token append --root chain.vkey --payload x";
    place
        .run_with(&format!("{append} --max-blocks 2"), text.as_str())
        .refused("cannot make the token: the token announces 3 blocks");
    place.write("payload", vec![b'x'; 65_536]);
    let mint = "token mint --key chain.skey --payload-file payload";
    place
        .run(mint)
        .refused("cannot make the token: the token has");
    let large = place
        .run(&format!("{mint} --max-bytes 200000"))
        .ends(0)
        .stdout;
    verify(
        &place,
        "--root chain.vkey --max-bytes 200000",
        large.as_str(),
    )
    .ends(0);
    verify(&place, "--root chain.vkey", large).ends(1);
    place.write("payload", vec![b'x'; 65_537]);
    place
        .run(mint)
        .refused("payload: has 65537 bytes, expected at most 65536");
    let most = usize::MAX;
    verify(
        &place,
        &format!("--root chain.vkey --max-bytes {most}"),
        text,
    )
    .ends(0);
}

#[test]
fn inspect_shows_what_nobody_vouches_for() {
    let place = place();
    for scheme in SCHEMES {
        let text = token(&place, scheme);
        let said = place
            .run_with("token inspect", text.as_str())
            .ends(0)
            .stdout;
        let mut lines = said.lines();
        assert!(lines.next().unwrap().starts_with("UNVERIFIED: "));
        // But for that line it is what verify shows of a valid one.
        let verified = verify(&place, &format!("--root {scheme}.vkey"), text.as_str()).ends(0);
        assert!(lines.eq(verified.stdout.lines().skip(1)));

        let shown = json(
            &place
                .run_with("token inspect --json", text.as_str())
                .ends(0)
                .stdout,
        );
        assert_eq!(shown["verified"], false);
        assert_eq!(shown["scheme"], scheme);
        assert_eq!(shown["root_id"], 0);
        assert_eq!(shown["sealed"], false);
        assert_eq!(shown["bytes"], text.trim().len() * 3 / 4);
        let blocks = shown["blocks"].as_array().unwrap();
        let kinds: Vec<_> = blocks.iter().map(|block| &block["kind"]).collect();
        assert_eq!(kinds, ["root", "block"]);
        assert_eq!(blocks[1]["payload"], "736f6d65");
        assert_eq!(blocks[1]["text"], "some");
        let digits = if scheme == "bls" { 96 } else { 64 };
        assert_eq!(blocks[1]["key"].as_str().unwrap().len(), digits);
        assert_eq!(blocks[1]["revocation_id"].as_str().unwrap().len(), 64);

        let options = format!("--root {scheme}.vkey --json");
        let verified = json(&verify(&place, &options, text.as_str()).ends(0).stdout);
        assert_eq!(verified["verdict"], "valid");
        assert_eq!(verified["line"], 1);
        assert_eq!(verified["blocks"], shown["blocks"]);

        let sealed = sealed(&place, scheme);
        let said = place.run_with("token inspect", sealed).ends(0).stdout;
        assert!(said.contains("└─ sealed: "));
    }
    let refused = verify(&place, "--root chain.vkey --json", "S1QBAgAA")
        .ends(1)
        .stdout;
    let reason = "invalid: the token is of scheme aggregate, no root key is (--root)";
    assert_eq!(
        json(&refused),
        serde_json::json!({"line": 1, "verdict": reason})
    );
}

#[test]
fn no_secret_is_shown() {
    let root = SecretKey::<Chain>::generate().unwrap();
    let next = SecretKey::<Chain>::generate().unwrap();
    let token = Verified::mint(&root, 0, b"all").unwrap();
    let token = token.append_with(&next, b"some").unwrap();
    let text = token.to_text().unwrap();
    let place = Place::new();
    let secret = hex::encode(next.as_bytes());
    for line in ["token inspect", "token inspect --json"] {
        let said = place.run_with(line, text.as_bytes()).ends(0).stdout;
        assert!(said.contains(&hex::encode(next.public_key().as_bytes())));
        assert!(!said.contains(&secret) && !said.contains(&text[text.len() - 40..]));
    }
}

#[test]
fn a_third_partys_word_is_shown_as_such() {
    let place = place();
    let root = SecretKey::<Chain>::generate().unwrap();
    let party = SecretKey::<Chain>::generate().unwrap();
    let token = Verified::mint(&root, 0, b"all").unwrap();
    let statement = token.request().unwrap().sign(&party, b"of age").unwrap();
    let text = token
        .append_external(&statement)
        .unwrap()
        .to_text()
        .unwrap();
    let key = hex::encode(party.public_key().as_bytes());
    let said = place
        .run_with("token inspect", text.as_bytes())
        .ends(0)
        .stdout;
    assert!(said.contains("block 1: external, 6 bytes of payload\n│    text: of age\n"));
    assert!(said.contains(&format!("│    third party's key: {key}\n")));
    let said = place
        .run_with("token inspect --json", text.as_bytes())
        .ends(0)
        .stdout;
    assert_eq!(json(&said)["blocks"][1]["external_key"], key);

    let root = SecretKey::<Aggregate>::generate().unwrap();
    let party = SecretKey::<Aggregate>::generate().unwrap();
    let token = Verified::mint(&root, 0, b"all").unwrap();
    let statement = token.request().unwrap().sign(&party, b"of age").unwrap();
    let text = token
        .append_external(&statement)
        .unwrap()
        .to_text()
        .unwrap();
    let key = hex::encode(party.public_key().as_bytes());
    let said = place
        .run_with("token inspect", text.as_bytes())
        .ends(0)
        .stdout;
    assert!(
        said.contains(&format!("│    third party's key: {key}\n")),
        "{said}"
    );
}

#[test]
fn a_payload_cannot_speak_to_the_terminal() {
    let place = place();
    for payload in [
        "\u{1b}]0;owned\u{7}",
        "a\r\nline 2: valid",
        "\u{9b}2J",
        "\u{202e}lla",
        "\u{0}",
        "\u{7f}",
    ] {
        place.write("payload", payload);
        let mint = "token mint --key chain.skey --payload-file payload";
        let text = place.run(mint).ends(0).stdout;
        for line in [
            "token inspect",
            "token inspect --json",
            "token verify --root chain.vkey",
            "token verify --root chain.vkey --json",
        ] {
            let said = place.run_with(line, text.as_str()).ends(0).stdout;
            assert!(said.contains(&hex::encode(payload)), "{said}");
            assert!(!said.contains(payload), "{payload:?}");
            let harmless = |c: char| c == '\n' || !c.is_control();
            assert!(said.chars().all(harmless), "{payload:?}");
        }
    }
    place.write("payload", "Zürich: \"東京\"");
    let mint = "token mint --key chain.skey --payload-file payload";
    let text = place.run(mint).ends(0).stdout;
    let said = place.run_with("token inspect", text).ends(0).stdout;
    assert!(said.contains("│    text: Zürich: \"東京\"\n"));
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

/// At four blocks `bls` and `aggregate` are of one size.
#[test]
fn the_smallest_scheme_is_named_where_schemes_are_chosen() {
    let help = Place::new().run("token keygen --help").ends(0).stdout;
    assert!(help.contains("smallest from five blocks on"), "{help}");
}
