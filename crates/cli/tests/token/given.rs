//! Tokens and public keys as text, as files and on standard input.

use klero_token::{PublicKey, Scheme, SecretKey, ThirdParty, Token};
use serde_json::json;

use crate::common::{Place, Ran};
use crate::support::{CHALLENGE, SCHEMES, place, said, sealed, token, verify};

#[test]
fn a_token_is_text_a_file_or_standard_input() {
    let place = place();
    for scheme in SCHEMES {
        let mint = format!("token mint --key {scheme}.skey --payload all");
        let text = place.run(&mint).ends(0).stdout;
        let text = text.trim();
        place.write("token", format!(" {text}\r\n\n"));
        for command in [
            "inspect",
            "request",
            "append --expires 2h",
            "append --payload x",
            &format!("seal --audience shop {CHALLENGE}"),
            &said(&format!("verify --root {scheme}.vkey")),
            &said(&format!("check --root {scheme}.vkey --access {{}}")),
        ] {
            let line = format!("token {command}");
            let stdin = place.run_with(&line, text).ends(0);
            let dash = place.run_with(&format!("{line} -"), text).ends(0);
            let file = place.run(&format!("{line} token")).ends(0);
            let argument = place.run(&format!("{line} {text}")).ends(0);
            // Keys of new blocks are random.
            let same = |a: &str, b: &str| match command.starts_with("append")
                || command.starts_with("seal")
            {
                true => a.len() == b.len(),
                false => a == b,
            };
            for other in [&dash, &file, &argument] {
                assert!(same(&other.stdout, &stdin.stdout), "{line}");
            }
            assert_eq!(stdin.stderr.clone() + &dash.stderr + &file.stderr, "");
            let warning = "klero: warning: other users of this machine can see the token";
            assert!(argument.stderr.starts_with(warning), "{}", argument.stderr);
            assert_eq!(argument.stderr.lines().count(), 1);
        }
        // What a verifier is sent is no secret.
        let sealed = sealed(&place, scheme);
        let line = format!("token verify --none-revoked --root {scheme}.vkey {CHALLENGE} {sealed}");
        assert_eq!(place.run(&line).ends(0).stderr, "");
    }
}

#[test]
fn a_token_that_cannot_be_read_is_not_repeated() {
    let place = place();
    let text = token(&place, "chain");
    let text = text.trim();
    for (damaged, reason) in [
        (
            text[1..].to_owned(),
            "not a token: expected the bytes \"KT\" at byte 0",
        ),
        (text.replacen("S1QD", "s1qc", 1), "not a token: expected"),
        (
            text[..100].to_owned(),
            "the bytes end at 75, within the signature",
        ),
        (format!("{text}!"), "is not of base64url"),
        (format!("{}=", &text[1..]), "is not of base64url"),
        (
            text.replacen("S1QD", "S1QC", 1),
            "version 2 at byte 2, expected 3",
        ),
    ] {
        let ran = place
            .run(&format!("token inspect {damaged}"))
            .refused(reason);
        let place = "klero: cannot read the token on the command line: ";
        assert!(ran.stderr.starts_with(place), "{}", ran.stderr);
        assert!(!ran.stderr.contains(&damaged[20..40]), "{}", ran.stderr);
    }
    place.run("token inspect none").refused("cannot read none");
    // A file may have any name.
    let name = "a".repeat(70);
    place.write(&name, text);
    place.run(&format!("token inspect {name}")).ends(0);
    place.write("S1Q", text);
    place.run("token inspect ./S1Q").ends(0);
    place
        .run("token inspect S1Q")
        .refused("the token on the command line: ");
    place.write("empty", "\n");
    place
        .run("token inspect empty")
        .refused("cannot read the token in empty: expected a token, found nothing");
    place
        .run("token verify --no-challenge --none-revoked --root chain.vkey empty")
        .refused("the token in empty: expected a token, found nothing");
    place.write("two", format!("{text}\n{text}\n"));
    place
        .run("token inspect two")
        .refused("cannot read the token in two: expected one token, found another on line 2");
    place
        .run("token verify --no-challenge --none-revoked --root chain.vkey two")
        .ends(0);
    #[cfg(unix)]
    place
        .run("token inspect /dev/zero")
        .refused("is a device, expected a regular file");
}

#[track_caller]
fn is_not_repeated(secret: &str, ran: &Ran) {
    let said = ran.stdout.clone() + &ran.stderr;
    assert!(!said.contains(&secret[20..36]), "{}: {said}", ran.line);
}

/// Commands that end where a token belongs.
const IN_PLACE: [&str; 3] = [
    "token inspect",
    "token verify --no-challenge --none-revoked --root chain.vkey",
    "token check --no-challenge --none-revoked --root chain.vkey --access {}",
];

/// Commands that end where no secret belongs.
const OUT_OF_PLACE: [&str; 33] = [
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
    "chain verify . --network preview --nonces",
    "chain verify . --network preview --checkpoints",
    "chain verify . --network preview --stake",
    "chain verify . --shelley-genesis",
    "sample --suite praos --out",
    "sample --suite praos --out none/x.csv --out-format",
    "token",
    "",
];

/// What an option or an argument may be by mistake: a secret key, a token, or a part of one.
fn each_secret(try_with: impl Fn(&Place, &str)) {
    let place = place();
    let token = token(&place, "chain");
    let token = token.trim();
    place.write("token", token);
    let [chain, aggregate] = [Scheme::Chain, Scheme::Aggregate]
        .map(|scheme| SecretKey::generate(scheme).unwrap().to_text());
    let party = SecretKey::generate(ThirdParty).unwrap().to_text();
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
            // Where a token belongs, one may be valid.
            is_not_repeated(secret, &place.run_and(line, secret));
        }
        for line in OUT_OF_PLACE {
            is_not_repeated(secret, &place.run_and(line, secret).ends(2));
        }
        for (line, before) in [
            ("chain verify . --epoch-nonce", "4="),
            ("chain verify . --epoch-nonce", ""),
            ("chain verify . --extra-entropy", "4="),
            ("chain verify . --shelley-genesis x --era-start", "mary="),
            ("chain verify . --shelley-genesis x --era-start", ""),
            ("chain verify . --expect-tip", ""),
            ("sample --suite praos", "--out="),
            ("token challenge --audience shop --out", "none/"),
        ] {
            let ran = place.run_and(line, &format!("{before}{secret}"));
            is_not_repeated(secret, &ran.ends(2));
        }
    });
}

/// In a request or a challenge, a secret may stand for a name or a value.
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
    place.write("token", token(&place, "chain").trim());
    place.write("chain-secret:", "");
    place
        .run("token append token --payload-file chain-secret:")
        .ends(0);
}

#[test]
fn a_public_key_is_text_or_a_file() {
    let place = place();
    for scheme in SCHEMES {
        let line = format!("token public-key --key {scheme}.skey");
        let key = place.run(&line).ends(0).stdout;
        assert!(key.starts_with(&format!("{scheme}:")), "{key}");
        let stdin = place.run_with(
            "token public-key --key -",
            place.read(&format!("{scheme}.skey")),
        );
        assert_eq!(stdin.ends(0).stdout, key);
        let text = token(&place, scheme);
        place.write("key", &key);
        for root in [key.trim(), "key", &format!("0={}", key.trim()), "0=key"] {
            verify(&place, &format!("--root {root}"), text.as_str()).ends(0);
        }
        let damaged = key.trim().replacen(':', ":A", 1);
        verify(&place, &format!("--root {damaged}"), text.as_str()).refused(&format!(
            "cannot use the public key on the command line: expected the text of a key: {scheme}"
        ));
        // As it is named on the command line.
        let other = place
            .run(&format!("token keygen --scheme {scheme} --force"))
            .ends(0)
            .stdout;
        let said = verify(&place, &format!("--root {other}"), text)
            .ends(1)
            .stdout;
        let reason = format!(
            "block 0 is not signed by root key 0 (--root {})",
            other.trim()
        );
        assert!(said.contains(&reason), "{said}");
    }
    place
        .run("token public-key --key chain.vkey")
        .refused("the secret key in chain.vkey: it is a public key for tokens");
    let ran = verify(&place, "--root chain-secret:AAAA", "x")
        .refused("secrets do not belong on the command line");
    assert!(!ran.stderr.contains("AAAA"));
    place
        .run("token public-key --key chain-secret:AAAA")
        .refused("secrets do not belong on the command line");
}

/// A holder need not know the issuer.
#[test]
fn holders_need_no_key() {
    let place = place();
    for scheme in SCHEMES {
        let text = token(&place, scheme);
        let longer = place
            .run_with("token append --payload x", text.as_str())
            .ends(0)
            .stdout;
        let seal = format!("token seal --audience shop {CHALLENGE}");
        let sealed = place.run_with(&seal, longer).ends(0).stdout;
        verify(&place, &format!("--root {scheme}.vkey {CHALLENGE}"), sealed).ends(0);
        // An invalid one stays invalid.
        let at = 100;
        let other = if &text[at..=at] == "A" { "B" } else { "A" };
        let damaged = format!("{}{other}{}", &text[..at], &text[at + 1..]);
        let longer = place
            .run_with("token append --payload x", damaged)
            .ends(0)
            .stdout;
        verify(&place, &format!("--root {scheme}.vkey"), longer).ends(1);
    }
}

/// A token that a device holds, as file `held`, and the root key.
fn held(place: &Place) -> PublicKey {
    let root = SecretKey::generate(Scheme::Chain).unwrap();
    let device = SecretKey::generate(Scheme::Chain).unwrap();
    let token = Token::mint(&root, 0, b"all", &[]).unwrap();
    let held = token.entrust(device.public_key(), &[]).unwrap();
    place.write("held", held.to_text().unwrap());
    *root.public_key()
}

/// It is valid, so it is never called invalid, and nothing is said of the root key.
#[test]
fn nothing_is_added_to_a_token_that_a_device_holds() {
    let place = Place::new();
    let root = held(&place);
    let reason = "klero: the token is held by a device: nothing can be added to it, and only the \
                  device can seal it\n";
    for command in [
        "append --payload x",
        "append --expires 2h",
        "request",
        &format!("seal --audience shop {CHALLENGE}"),
    ] {
        for options in ["", &format!("--root {root}")] {
            let ran = place
                .run(&format!("token {command} held {options}"))
                .ends(2);
            assert_eq!(ran.stderr, reason, "{}", ran.line);
        }
    }
}

#[test]
fn programs_know_who_holds_a_token() {
    let place = place();
    held(&place);
    place.write("bearer", token(&place, "chain"));
    place.write("sealed", sealed(&place, "chain"));
    for (name, is_sealed, is_held) in [
        ("bearer", false, false),
        ("sealed", true, false),
        ("held", false, true),
    ] {
        let said = place
            .run(&format!("token inspect {name} --json"))
            .ends(0)
            .stdout;
        let shown: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(
            (&shown["sealed"], &shown["held"]),
            (&json!(is_sealed), &json!(is_held))
        );
    }
}
