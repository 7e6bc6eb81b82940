//! Key files: who can read them, what they say, and what is not one.

use crate::common::Place;
use crate::{KEY, OUTPUT, PROOF, SEED, cip22};

#[test]
fn a_key_belongs_to_the_suite_that_its_file_says() {
    let place = Place::new();
    for suite in klero::Suite::ALL {
        place
            .run(&format!("keygen --suite {suite} --force"))
            .ends(0);
        assert_eq!(place.names(), ["vrf.skey", "vrf.vkey"]);
        let types = if *suite == klero::Suite::PRAOS {
            ["VrfSigningKey_PraosVRF", "VrfVerificationKey_PraosVRF"].map(String::from)
        } else {
            ["KleroVrfSigningKey_", "KleroVrfVerificationKey_"].map(|kind| format!("{kind}{suite}"))
        };
        for (name, kind) in ["vrf.skey", "vrf.vkey"].into_iter().zip(types) {
            let key: serde_json::Value = serde_json::from_str(&place.read(name)).unwrap();
            assert_eq!(key["type"], kind);
        }
        let envelope = place
            .run("public-key --key vrf.skey --format envelope")
            .ends(0);
        assert_eq!(envelope.stdout, place.read("vrf.vkey"));

        // Neither command is told the suite.
        let proved = place.run("prove --key vrf.skey --alpha 0102").ends(0);
        let named = format!("prove --suite {suite} --key vrf.skey --alpha 0102");
        assert_eq!(place.run(&named).ends(0).stdout, proved.stdout);
        let (proof, output) = proved.stdout.split_once('\n').unwrap();
        place.write("proof", proof.strip_prefix("proof:  ").unwrap());
        let line = "verify --key vrf.vkey --alpha 0102 --proof proof";
        let verified = place.run(line).ends(0);
        assert_eq!(verified.stdout, format!("{}valid\n", output));
        let line = "verify --key vrf.vkey --alpha 0103 --proof proof";
        assert!(place.run(line).ends(1).stdout.starts_with("invalid: "));
        std::fs::remove_file(place.path("proof")).unwrap();
    }
}

#[test]
fn a_key_is_used_in_another_suite_only_with_the_flag_that_says_the_danger() {
    let place = Place::new();
    place.run("keygen --suite draft10-tai").ends(0);
    let other = "prove --key vrf.skey --alpha 00 --suite rfc9381-tai";
    let refused = place
        .run(other)
        .refused("the key belongs to suite draft10-tai");
    assert!(refused.stderr.contains("--suite is rfc9381-tai"));
    let reused = place
        .run(&format!("{other} --dangerously-reuse-key --json"))
        .ends(0);
    assert!(reused.stdout.contains("\"suite\":\"rfc9381-tai\""));
    place.write("a.csv", "alpha\n00\n");
    for command in ["prove", "evaluate"] {
        let batch = format!("batch {command} a.csv --suite rfc9381-tai --key vrf.skey");
        place
            .run(&batch)
            .refused("the key belongs to suite draft10-tai");
        place
            .run(&format!("{batch} --dangerously-reuse-key"))
            .ends(0);
    }

    // A key without a suite is never given one by chance, and no command guesses.
    place.write("seed", SEED);
    place
        .run("prove --key seed --alpha 00")
        .refused("it does not say its suite: expected --suite");
    place
        .run("public-key --key seed")
        .refused("it does not say its suite: expected --suite");
    place
        .run(&format!("verify --key {KEY} --alpha 00 --proof {PROOF}"))
        .refused("--key does not say its suite: expected --suite");
    place.run("keygen --force").ends(2);
    place
        .run("prove --key vrf.skey --alpha 00 --dangerously-reuse-key")
        .ends(2);
}

#[cfg(unix)]
#[test]
fn signing_keys_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mode = || {
        place
            .path("vrf.skey")
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    place.run("keygen --suite praos").ends(0);
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(place.path("vrf.skey"), PermissionsExt::from_mode(0o644)).unwrap();
    place.run("keygen --suite praos --force").ends(0);
    assert_eq!(mode(), 0o600);
}

#[test]
fn keys_are_never_overwritten_by_chance() {
    let place = Place::new();
    place.write("b", "precious");
    place
        .run("keygen --suite praos --out-secret a --out-public b")
        .refused("b: the file exists. To keep its key, work in another directory or ");
    assert_eq!(place.names(), ["b"]);
    assert_eq!(place.read("b"), "precious");
    place
        .run("keygen --suite praos --out-secret b --out-public a")
        .refused("b: the file exists. To keep its key, work in another directory or ");
    place
        .run("keygen --suite praos --out-secret no/a --out-public c")
        .refused("cannot write no/a");
    place
        .run("keygen --suite praos --out-secret c --out-public no/a")
        .refused("cannot write no/a");
    assert_eq!(place.names(), ["b"]);
    let made = place
        .run("keygen --suite praos --out-secret a --out-public b --force")
        .ends(0);
    assert_eq!(place.names(), ["a", "b"]);
    let printed = place.run("public-key --key a").ends(0);
    assert_eq!(printed.stdout, made.stdout);
    // cardano-cli's names are taken too.
    place
        .run("keygen --suite praos --signing-key-file c --verification-key-file d")
        .ends(0);
    assert_eq!(place.names(), ["a", "b", "c", "d"]);
}

#[test]
fn a_public_key_and_its_hash_are_printed_in_every_form() {
    let place = Place::new();
    let (seed, key, expected) = (cip22::SEED, cip22::KEY, cip22::HASH);
    let skey = format!(r#"{{"type": "VrfSigningKey_PraosVRF", "cborHex": "5840{seed}{key}"}}"#);
    place.write("vrf.skey", skey);
    let printed = |args: &str| {
        place
            .run(&format!("public-key --key {args}"))
            .ends(0)
            .stdout
    };
    place.write("vrf.vkey", printed("vrf.skey --format envelope"));
    place.write("bech32", printed("vrf.skey --format bech32"));
    assert!(place.read("bech32").starts_with("vrf_vk1"));
    for file in ["vrf.skey", "vrf.vkey", "bech32"] {
        assert_eq!(printed(&format!("{file} --hash")), format!("{expected}\n"));
        assert_eq!(printed(file), format!("{key}\n"));
        let hash = printed(&format!("{file} --hash --format bech32"));
        let (prefix, bytes) = bech32::decode(hash.trim_end()).unwrap();
        assert_eq!(
            (prefix.as_str(), hex::encode(bytes)),
            ("vrf_vkh", expected.to_owned())
        );
        assert_eq!(
            printed(&format!("{file} --suite praos --format envelope")),
            place.read("vrf.vkey")
        );
    }
    for (args, words) in [
        (
            "bech32 --format envelope",
            "--key does not say its suite: expected --suite",
        ),
        (
            "vrf.vkey --suite draft13",
            "belongs to suite praos, but --suite is draft13",
        ),
        (
            "vrf.vkey --hash --format envelope",
            "--hash: expected --format hex or bech32",
        ),
    ] {
        place
            .run(&format!("public-key --key {args}"))
            .refused(words);
    }
}

#[test]
fn a_signing_key_is_read_in_every_form() {
    let place = Place::new();
    let key = klero::SecretKey::from_seed(klero::Suite::PRAOS, &[0; 32]);
    place.write("envelope", key.to_envelope().as_bytes());
    place.write("seed.hex", SEED);
    place.write("seed-line.hex", format!("{SEED}\r\n"));
    place.write("libsodium.hex", format!("{SEED}{KEY}"));
    place.write("seed", [0; 32]);
    place.write("libsodium", *key.to_libsodium());
    for file in [
        "envelope",
        "seed.hex",
        "seed-line.hex",
        "libsodium.hex",
        "seed",
        "libsodium",
    ] {
        let proved = place
            .run(&format!("prove --suite praos --key {file} --alpha 00"))
            .ends(0);
        assert_eq!(
            proved.stdout,
            format!("proof:  {PROOF}\noutput: {OUTPUT}\n"),
            "{file}"
        );
    }
    let proved = place
        .run_with("prove --suite praos --key - --alpha 00", SEED)
        .ends(0);
    assert!(proved.stdout.contains(PROOF));

    place.write("short", [0; 31]);
    place
        .run("prove --suite praos --key short --alpha 00")
        .refused("found 31 bytes");
    place.write("mixed", format!("{KEY}{KEY}"));
    place
        .run("prove --suite praos --key mixed --alpha 00")
        .refused("not the public key of the seed");
    place.write("vkey", key.public_key().to_envelope(klero::Suite::PRAOS));
    place
        .run("prove --suite praos --key vkey --alpha 00")
        .refused("VrfVerificationKey_PraosVRF");
    place.write("huge", vec![b'0'; 1 << 20]);
    place
        .run("prove --suite praos --key huge --alpha 00")
        .refused("cannot read huge: has 1048576 bytes, expected at most 16384");
    place
        .run("prove --suite praos --key none --alpha 00")
        .refused("cannot read none");
}

#[test]
fn a_secret_on_the_command_line_is_refused_and_not_repeated() {
    let ran = Place::new().run(&format!("prove --suite praos --key {SEED} --alpha 00"));
    assert!(
        !ran.refused("do not belong on the command line")
            .stderr
            .contains("0000")
    );
    // Nor in any other form that somebody may paste.
    for key in [
        format!("0x{SEED}"),
        format!("{SEED}0"),
        format!("{{\"cborHex\":\"5820{SEED}\"}}"),
        "vrf_sk1qqqqqqq0000000000000000".to_owned(),
        "AAAAAAAAAAAAAAAA0000000000000000AAAAAAAAAAA=".to_owned(),
        "00:".repeat(31) + "00",
    ] {
        let ran = Place::new().run(&format!("prove --suite praos --key {key} --alpha 00"));
        let stderr = ran.refused("do not belong on the command line").stderr;
        assert!(!stderr.contains(&SEED[..16]), "{stderr}");
    }
    for name in [
        klero::SecretKey::from_seed(klero::Suite::PRAOS, &[0; 32])
            .public_key()
            .to_bech32(),
        format!("vrf_vkh1{}", "q".repeat(58)),
        format!("pool1{}", "q".repeat(51)),
    ] {
        let line = format!("prove --suite praos --key {name} --alpha 00");
        Place::new()
            .run(&line)
            .refused(&format!("cannot read {name}"));
    }
    // A name is not a key for being long.
    Place::new()
        .run("prove --suite praos --key keys-of-the-lottery-of-7-June-2026-in-Berlin --alpha 00")
        .refused("keys-of-the-lottery");
}

/// Names that stand for one file by way of directories and links.
#[cfg(unix)]
#[test]
fn a_pair_of_keys_is_two_files() {
    let place = Place::new();
    std::fs::create_dir(place.path("sub")).unwrap();
    std::os::unix::fs::symlink("k", place.path("link")).unwrap();
    for kind in ["keygen --suite praos", "token keygen"] {
        for public in ["k", "./k", "sub/../k", "link"] {
            let line = format!("{kind} --out-secret k --out-public {public}");
            place.run(&format!("{line} --force")).refused("two files");
            assert!(!place.path("k").exists(), "{line}");
        }
        // What cannot be written costs no key that was there.
        place.write("old", "precious");
        let line = format!("{kind} --out-secret old --out-public /dev/full --force");
        place.run(&line).refused("/dev/full");
        assert_eq!(place.read("old"), "precious");
    }
}

/// A table does not take the place of the key that it was proved with.
#[test]
fn a_key_is_not_lost_to_a_table() {
    let place = Place::new();
    place.run("keygen --suite praos").ends(0);
    let key = place.read("vrf.skey");
    place.write("a.csv", "alpha\n00\n");
    for command in ["prove", "evaluate"] {
        let line = "a.csv --key vrf.skey --out ./vrf.skey --out-format csv";
        place
            .run(&format!("batch {command} {line}"))
            .refused("the file of the key");
    }
    assert_eq!(place.read("vrf.skey"), key);
}
