//! One key, one proof: keygen, public-key, prove, verify, suites.

mod common;

use common::Place;

const SEED: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const KEY: &str = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29";
/// cardano-base, vrf_ver03_generated_1: that seed, alpha 00.
const PROOF: &str = "000f006e64c91f84212919fe0899970cd341206fc081fe599339c8492e2cea3299ae9de4b6ce21cda0a975f65f45b70f82b3952ba6d0dbe11a06716e67aca233c0d78f115a655aa1952ada9f3d692a0a";
const OUTPUT: &str = "9930b5dddc0938f01cf6f9746eded569ee676bd6ff3b4f19233d74b903ec53a45c5728116088b7c622b6d6c354f7125c7d09870b56ec6f1e4bf4970f607e04b2";

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
    let batch = "batch prove a.csv --suite rfc9381-tai --key vrf.skey";
    place
        .run(batch)
        .refused("the key belongs to suite draft10-tai");
    place
        .run(&format!("{batch} --dangerously-reuse-key"))
        .ends(0);

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
        .refused("b: the file exists (--force");
    assert_eq!(place.names(), ["b"]);
    assert_eq!(place.read("b"), "precious");
    place
        .run("keygen --suite praos --out-secret b --out-public a")
        .refused("b: the file exists (--force");
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
    ] {
        let ran = Place::new().run(&format!("prove --suite praos --key {key} --alpha 00"));
        let stderr = ran.refused("do not belong on the command line").stderr;
        assert!(!stderr.contains(&SEED[..16]), "{stderr}");
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
    let line = "batch prove a.csv --key vrf.skey --out ./vrf.skey --out-format csv";
    place.run(line).refused("the file of the key");
    assert_eq!(place.read("vrf.skey"), key);
}

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
    place
        .run("prove --suite praos --key key --alpha 0")
        .refused("--alpha: expected hex: an odd number of digits");
    place
        .run("prove --suite praos --key key --alpha 0g")
        .refused("--alpha: expected hex: character 2 is 'g'");
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
            format!("token verify --root {file}"),
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
fn a_claim_is_judged() {
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
    place
        .run("verify --suite praos --key none --alpha 00 --proof 00")
        .refused("--key: not hex, and cannot read none");
    place
        .run("verify --suite praos --key - --alpha 00 --proof -")
        .refused("wanted for --key and for --proof");
    place
        .run("verify --suite praos --key abc --alpha 00 --proof 00")
        .refused("--key: expected hex: an odd number");

    // The identity in an envelope: an invalid key, not an unreadable file.
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

#[test]
fn suites_are_listed() {
    let place = Place::new();
    let table = place.run("suites").ends(0).stdout;
    let json = place.run("suites --json").ends(0).stdout;
    let json: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(json.len(), klero::Suite::ALL.len());
    for (suite, entry) in klero::Suite::ALL.iter().zip(json) {
        assert!(
            table
                .lines()
                .any(|line| line.split_whitespace().next() == Some(suite.name()))
        );
        assert_eq!(entry["name"], suite.name());
        assert_eq!(entry["proof_bytes"], suite.proof_len());
    }
}

#[test]
fn wrong_usage_ends_with_2() {
    let place = Place::new();
    for line in [
        "",
        "nonsense",
        "prove",
        "verify --suite none",
        "batch",
        "batch verify x.csv",
    ] {
        assert_eq!(place.run(line).status, 2, "{line}");
    }
    assert!(place.run("--help").ends(0).stdout.contains("Exit status"));
}

#[test]
fn a_backend_is_one_that_there_is() {
    let place = Place::new();
    let names: Vec<_> = klero::Backend::all()
        .into_iter()
        .map(klero::Backend::name)
        .collect();
    for name in &names {
        place.run_where("KLERO_BACKEND", name, "suites").ends(0);
    }
    place.run_where("KLERO_BACKEND", "", "suites").ends(0);
    for wrong in ["avx1024", "Portable", "portable "] {
        place
            .run_where("KLERO_BACKEND", wrong, "suites")
            .refused(&format!(
                "KLERO_BACKEND: {wrong:?} is no backend of this processor: expected {}",
                names.join(", ")
            ));
    }
    let help = place
        .run_where("KLERO_BACKEND", "avx1024", "--help")
        .ends(0);
    assert!(help.stdout.contains("KLERO_BACKEND"));
}

#[test]
fn the_version_names_commit_and_backends() {
    let version = Place::new().run("--version").ends(0).stdout;
    assert!(version.starts_with(concat!("klero ", env!("CARGO_PKG_VERSION"), " (commit ")));
    for backend in klero::Backend::all() {
        assert!(version.contains(backend.name()), "{version}");
    }
}

#[test]
fn shells_complete() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Place::new().run(&format!("completions {shell}")).ends(0);
        assert!(ran.stdout.contains("public-key"), "{shell}");
    }
}
