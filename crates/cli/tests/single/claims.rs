//! Where alphas, keys, proofs and outputs are read from, and the verdict.

use crate::common::Place;
#[cfg(target_os = "linux")]
use crate::common::on_a_terminal;
use crate::{KEY, OUTPUT, PROOF, SEED};

#[test]
fn alpha_comes_from_anywhere() {
    let place = Place::new();
    place.write("key", SEED);
    place.write("alpha", [0]);
    for line in [
        "prove --suite praos --key key --alpha-file alpha",
        "prove --suite praos --key key --alpha 00",
    ] {
        assert!(place.run(line).ends(0).stdout.contains(PROOF));
    }
    assert!(
        place
            .run_with("prove --suite praos --key key", [0])
            .ends(0)
            .stdout
            .contains(PROOF)
    );
    assert!(
        place
            .run_with("prove --suite praos --key key --alpha-file -", [0])
            .ends(0)
            .stdout
            .contains(PROOF)
    );
    let empty = place.run("prove --suite praos --key key --json").ends(0);
    assert!(empty.stdout.contains(r#""alpha":"""#));
}

#[test]
fn alpha_is_hex_and_given_once() {
    let place = Place::new();
    place.write("key", SEED);
    place.write("alpha", [0]);
    for (alpha, reason) in [
        ("0", "an odd number of digits"),
        ("0g", "character 2 is 'g'"),
        ("hello", "character 1 is 'h' (--alpha-text takes text)"),
        ("0x00", "it begins with 0x, which is left out here"),
    ] {
        place
            .run(&format!("prove --suite praos --key key --alpha {alpha}"))
            .refused(&format!("--alpha: expected hex: {reason}"));
    }
    place
        .run("prove --suite praos --key - --alpha-file -")
        .refused("wanted for --key and for alpha");
    for two in [
        "--alpha 00 --alpha-file alpha",
        "--alpha-text a --alpha-file alpha",
        "--alpha 00 --alpha-text a",
    ] {
        place
            .run(&format!("prove --suite praos --key key {two}"))
            .ends(2);
    }
}

#[test]
fn alpha_as_text_is_its_bytes() {
    let place = Place::new();
    place.write("key", SEED);
    let proved = |alpha: &str| {
        let line = format!("prove --suite praos --key key {alpha}");
        place.run(&line).ends(0).stdout
    };
    assert_eq!(proved("--alpha-text slot7"), proved("--alpha 736c6f7437"));
    assert_eq!(proved("--alpha-text="), proved("--alpha="));
    place.write(
        "proof",
        proved("--alpha-text é").split_whitespace().nth(1).unwrap(),
    );
    for (alpha, status) in [
        ("--alpha-text é", 0),
        ("--alpha c3a9", 0),
        ("--alpha-text e", 1),
    ] {
        let line = format!("verify --suite praos --key {KEY} --proof proof {alpha}");
        place.run(&line).ends(status);
    }
}

/// What would hang, or fill the memory, is refused at once.
#[cfg(unix)]
#[test]
fn only_files_with_an_end_are_read() {
    let place = Place::new();
    place.write("key", SEED);
    std::fs::create_dir(place.path("dir")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(place.path("pipe"))
        .status();
    assert!(made.unwrap().success());
    let sparse = std::fs::File::create(place.path("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    for (file, reason) in [
        ("dir", "dir: is a directory, expected a regular file"),
        ("pipe", "pipe: is a pipe, expected a regular file"),
        (
            "/dev/zero",
            "/dev/zero: is a device, expected a regular file",
        ),
        (
            "sparse",
            "sparse: has 1099511627776 bytes, expected at most ",
        ),
    ] {
        for line in [
            format!("prove --suite praos --key {file} --alpha 00"),
            format!("prove --suite praos --key key --alpha-file {file}"),
            format!("public-key --suite praos --key {file}"),
            format!("verify --suite praos --key {file} --alpha 00 --proof 00"),
            format!("verify --suite praos --key {KEY} --alpha-file {file} --proof 00"),
            format!("verify --suite praos --key {KEY} --alpha 00 --proof {file}"),
            format!("token mint --key {file} --payload x"),
            format!("token verify --no-challenge --none-revoked --root {file}"),
        ] {
            place.run(&line).refused(reason);
        }
    }
    for (line, limit) in [
        ("prove --suite praos --key - --alpha 00", 16 << 10),
        ("prove --suite praos --key key --alpha-file -", 64 << 20),
    ] {
        place
            .run_with(line, vec![b'0'; limit + 1])
            .refused(&format!("standard input: has more than {limit} bytes"));
    }
    let alpha = vec![b'0'; 64 << 20];
    place
        .run_with("prove --suite praos --key key", alpha)
        .ends(0);
}

#[test]
fn outputs_are_evaluated_without_proofs() {
    let place = Place::new();
    for suite in klero::Suite::ALL {
        place
            .run(&format!("keygen --suite {suite} --force"))
            .ends(0);
        for alpha in ["--alpha 00", "--alpha-text slot7", "--alpha-file vrf.vkey"] {
            let proved = place.run(&format!("prove --key vrf.skey {alpha} --json"));
            let evaluated = place.run(&format!("evaluate --key vrf.skey {alpha} --json"));
            let mut proved: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(&proved.ends(0).stdout).unwrap();
            proved.shift_remove("proof").unwrap();
            let expected = serde_json::Value::Object(proved).to_string() + "\n";
            assert_eq!(evaluated.ends(0).stdout, expected, "{suite} {alpha}");
        }
    }
    place.write("key", SEED);
    for (line, stdin) in [
        ("evaluate --suite praos --key key --alpha 00", ""),
        ("evaluate --suite praos --key key", "\0"),
        ("evaluate --suite praos --key - --alpha 00", SEED),
    ] {
        let ran = place.run_with(line, stdin).ends(0);
        assert_eq!(ran.stdout, format!("{OUTPUT}\n"));
    }
    place
        .run("evaluate --suite praos --key -")
        .refused("wanted for --key and for alpha");
    place
        .run("evaluate --key key --alpha 00")
        .refused("it does not say its suite: expected --suite");
    place
        .run("evaluate --suite praos --key vrf.skey --alpha 00")
        .refused("but --suite is praos");
}

#[test]
fn a_claim_gets_a_verdict() {
    let place = Place::new();
    let line = |rest: &str| format!("verify --suite praos --alpha 00 {rest}");
    let good = place
        .run(&line(&format!(
            "--key {KEY} --proof {PROOF} --output {OUTPUT}"
        )))
        .ends(0);
    assert_eq!(good.stdout, format!("output: {OUTPUT}\nvalid\n"));
    let good = place
        .run(&line(&format!("--key {KEY} --proof {PROOF} --json")))
        .ends(0);
    assert_eq!(
        good.stdout,
        format!("{{\"verdict\":\"valid\",\"output\":\"{OUTPUT}\"}}\n")
    );

    for (rest, reason) in [
        (
            format!("--key {KEY} --proof {PROOF} --output {KEY}"),
            "output has 32 bytes, expected 64",
        ),
        (
            format!("--key {KEY} --proof {OUTPUT}"),
            "proof has 64 bytes, expected 80",
        ),
        (
            format!("--key aa --proof {PROOF}"),
            "public key has 1 bytes, expected 32",
        ),
        (
            format!("--key {SEED} --proof {PROOF}"),
            "public key has small order",
        ),
    ] {
        let bad = place.run(&line(&rest)).ends(1);
        assert_eq!(bad.stdout, format!("invalid: {reason}\n"));
        let bad = place.run(&line(&format!("{rest} --json"))).ends(1);
        assert_eq!(
            bad.stdout,
            format!("{{\"verdict\":\"invalid: {reason}\"}}\n")
        );
    }
}

/// The way of each value to its reader. The forms themselves are tested in klero.
#[test]
fn every_value_is_read_in_every_form() {
    let place = Place::new();
    let bytes = |digits: &str| hex::decode(digits).unwrap();
    let key = klero::PublicKey::from_bytes(&bytes(KEY)).unwrap();
    let base64 = |digits| base64::Engine::encode(&base64::prelude::BASE64_STANDARD, bytes(digits));
    let utf16 = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>()
    };
    place.write("key", format!("\"{}\"\n", key.to_bech32().to_uppercase()));
    place.write("proof", utf16(&format!("\u{feff}0x{PROOF}\r\n")));
    place.write("output", base64(OUTPUT));
    place.write("seed", base64(SEED));
    let claim = |key: &str, proof: &str, output: &str| {
        place
            .run(&format!(
                "verify --suite praos --alpha 00 --key {key} --proof {proof} --output {output}"
            ))
            .ends(0);
    };
    claim("key", "proof", "output");
    claim(
        &key.to_bech32(),
        &format!("0x{PROOF}"),
        &format!("0X{OUTPUT}"),
    );
    place.run("keygen --suite praos").ends(0);
    let envelope = key.to_envelope(klero::Suite::PRAOS);
    claim(
        &envelope.split_whitespace().collect::<String>(),
        PROOF,
        OUTPUT,
    );
    place.write("a.csv", "alpha\n00\n");
    for command in [
        "prove --alpha 00",
        "evaluate --alpha 00",
        "batch prove a.csv",
        "batch evaluate a.csv",
    ] {
        let ran = place
            .run(&format!("{command} --suite praos --key seed"))
            .ends(0);
        assert!(ran.stdout.contains(OUTPUT), "{command}");
    }
    place.write("vkey", envelope);
    place
        .run(&format!(
            "verify --key vkey --suite draft13 --alpha 00 --proof {PROOF}"
        ))
        .refused("the key in --key belongs to suite praos, but --suite is draft13");
}

#[test]
fn public_values_come_from_files_too() {
    let place = Place::new();
    place.write("key.bin", hex::decode(KEY).unwrap());
    place.write("key.hex", format!("{KEY}\n"));
    place.write("proof.bin", hex::decode(PROOF).unwrap());
    place.write("proof.hex", format!("{PROOF}\n"));
    // A name of hex digits is hex unless it says that it is a path.
    place.write("beef", hex::decode(PROOF).unwrap());
    for (key, proof) in [
        ("key.bin", "proof.bin"),
        ("key.hex", "proof.hex"),
        (KEY, "./beef"),
    ] {
        place
            .run(&format!(
                "verify --suite praos --key {key} --alpha 00 --proof {proof}"
            ))
            .ends(0);
    }
    place
        .run(&format!(
            "verify --suite praos --key {KEY} --alpha 00 --proof beef"
        ))
        .ends(1);
    place
        .run_with(
            &format!("verify --suite praos --key {KEY} --alpha 00 --proof -"),
            PROOF,
        )
        .ends(0);
    place
        .run_with(
            &format!("verify --suite praos --key {KEY} --proof {PROOF}"),
            [0],
        )
        .ends(0);
}

#[test]
fn what_prove_printed_is_a_proof_and_its_output() {
    let place = Place::new();
    place.write("key", SEED);
    let printed = place
        .run("prove --suite praos --key key --alpha 00")
        .ends(0);
    let verify = format!("verify --suite praos --key {KEY} --alpha 00 --proof");
    place.write("printed", &printed.stdout);
    place.run(&format!("{verify} printed")).ends(0);
    place
        .run_with(&format!("{verify} -"), printed.stdout.replace('\n', "\r\n"))
        .ends(0);
    let wrong = printed.stdout.replace(OUTPUT, &"00".repeat(64));
    let ran = place.run_with(&format!("{verify} -"), wrong.as_str());
    let mismatch = "invalid: output mismatch: the proof is for another output\n";
    assert_eq!(ran.ends(1).stdout, mismatch);
    place
        .run_with(&format!("{verify} - --output {OUTPUT}"), wrong.as_str())
        .ends(0);
    let json = place
        .run("prove --suite praos --key key --alpha 00 --json")
        .ends(0)
        .stdout;
    place
        .run_with(&format!("{verify} -"), json.as_str())
        .ends(0);
    let wrong = json.replace(OUTPUT, &"00".repeat(64));
    assert_eq!(
        place.run_with(&format!("{verify} -"), wrong).ends(1).stdout,
        mismatch
    );
    for (text, words) in [
        (
            json.replace("proof", "prove"),
            "--proof: standard input: expected an object as klero prove --json prints it: missing field `proof`",
        ),
        (json.repeat(2), "prints it: trailing characters"),
        (json.replace(PROOF, "x"), "prints it: character 1 is 'x'"),
        (
            printed.stdout.replace("output:", "result:"),
            "--proof: standard input, line 2: expected \"output:\" and hex, as klero prove prints: \
             another word",
        ),
        (
            printed.stdout.lines().next().unwrap().to_owned(),
            "line 2: expected \"output:\"",
        ),
        (
            printed.stdout.replace("proof:  ", "proof:  x"),
            "line 1: expected \"proof:\" and hex, as klero prove prints: character 1 is 'x'",
        ),
        (printed.stdout.repeat(2), "line 3: expected two lines"),
    ] {
        place.run_with(&format!("{verify} -"), text).refused(words);
    }
}

#[test]
fn what_is_no_public_key_is_said() {
    let place = Place::new();
    place
        .run("verify --suite praos --key none --alpha 00 --proof 00")
        .refused("--key: not hex, and cannot read none");
    // A secret by mistake is not repeated.
    let secret = format!("7b{}", "00".repeat(63));
    let envelope = klero::SecretKey::from_seed(klero::Suite::PRAOS, &[7; 32]).to_envelope();
    let packed = envelope.split_whitespace().collect::<String>();
    for (secret, status) in [(&secret, 1), (&packed, 2)] {
        let line = format!("verify --suite praos --alpha 00 --proof 00 --key {secret}");
        let ran = place.run(&line).ends(status);
        assert!(!(ran.stdout + &ran.stderr).contains("00000000"));
        assert!(status == 1 || ran.stderr.starts_with("klero: --key: envelope of type "));
    }
    place
        .run("verify --suite praos --key - --alpha 00 --proof -")
        .refused("wanted for --key and for --proof");
    place
        .run("verify --suite praos --key abc --alpha 00 --proof 00")
        .refused("--key: an odd number of hex digits: expected 32 bytes");
    place
        .run("verify --key vrf_vkh1abc --alpha 00 --proof 00")
        .refused("--key: it is the hash of the public key of a VRF");
}

/// The identity is an invalid key, not an unreadable file. A secret key is neither.
#[test]
fn keys_in_envelopes() {
    let place = Place::new();
    place.write("proof.bin", hex::decode(PROOF).unwrap());
    let identity = "01".to_owned() + &"00".repeat(31);
    let key = klero::SecretKey::from_seed(klero::Suite::PRAOS, &[0; 32]);
    place.write(
        "small",
        key.public_key()
            .to_envelope(klero::Suite::PRAOS)
            .replace(KEY, &identity),
    );
    let bad = place
        .run("verify --suite praos --key small --alpha 00 --proof proof.bin")
        .ends(1);
    assert_eq!(bad.stdout, "invalid: public key has small order\n");
    place.write("skey", key.to_envelope().as_bytes());
    place
        .run("verify --suite praos --key skey --alpha 00 --proof 00")
        .refused("VrfSigningKey_PraosVRF");
}

/// Somebody who leaves alpha out sees why nothing happens.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_is_asked_for_alpha() {
    let place = Place::new();
    place.write("key", SEED);
    let klero = env!("CARGO_BIN_EXE_klero");
    let shown = |line: &str| on_a_terminal(&place, &format!("{klero} {line}"), "a line\n");
    // Without the end of the line: the terminal may echo what was typed ahead before it.
    let asked = "reading alpha from the terminal; Ctrl-D ends it (or give --alpha-text TEXT)";
    for command in ["prove", "evaluate"] {
        let command = format!("{command} --suite praos --key key");
        let Some(said) = shown(&command) else {
            return; // no program script
        };
        assert_eq!(said.matches(asked).count(), 1, "{said}");
        let given = place.run_with(&command, "a line\n").ends(0);
        assert_eq!(given.stderr, "");
        assert!(said.ends_with(&given.stdout), "{said}");
        let silent = shown(&format!("{command} --alpha-file -")).unwrap();
        assert!(!silent.contains(asked) && silent.ends_with(&given.stdout));
    }
    let proof = "00".repeat(80);
    let said = shown(&format!("verify --suite praos --key {KEY} --proof {proof}")).unwrap();
    assert_eq!(said.matches(asked).count(), 1, "{said}");
    assert!(said.contains("\ninvalid: "), "{said}");
}
