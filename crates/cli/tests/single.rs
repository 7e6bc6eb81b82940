//! Tests of the commands for one key or one proof. The recorded sessions in `golden` cannot contain these
//! tests, because they depend on the machine or the terminal, or test something that is not printed.

mod common;

use common::Place;
use klero::{Backend, SecretKey, Suite};

const SEED: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const KEY: &str = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29";

/// New files of secret keys, for VRFs and for tokens, are private, even if the files they replace were not.
#[cfg(unix)]
#[test]
fn secret_keys_are_private() {
    let place = Place::new();
    for (line, name) in [("keygen --suite praos", "vrf"), ("token keygen", "token")] {
        let [secret, public] = ["skey", "vkey"].map(|end| format!("{name}.{end}"));
        for replace in ["", " --force"] {
            place.run(&format!("{line}{replace}")).ends(0);
            assert_eq!(place.mode(&secret), 0o600);
            assert_ne!(place.mode(&public), 0o600);
            place.set_mode(&secret, 0o644);
        }
    }
}

#[test]
fn exit_statuses_are_those_of_the_help() {
    let place = Place::new();
    place.write("key", SEED);
    let prove = "prove --suite praos --key key --alpha 00";
    place.write("ticket", place.run(prove).ends(0).stdout);
    std::fs::create_dir(place.path("db")).unwrap();
    place.write("db/00000.chunk", "");
    let help = place.run("--help").ends(0).stdout;
    let verify = |alpha| format!("verify --suite praos --key {KEY} --proof ticket {alpha}");
    for (line, status) in [
        (verify("--alpha 00"), 0),
        (verify("--alpha 01"), 1),
        (verify("--alpha-file none"), 2),
        (verify("--alpha"), 2),
        ("man key".into(), 2),
        ("chain verify db --network preview".into(), 3),
    ] {
        place.run(&line).ends(status);
        assert!(help.contains(&format!("\n  {status}  ")), "{help}");
    }
}

#[test]
fn a_secret_on_the_command_line_is_refused_and_not_repeated() {
    let place = Place::new();
    let prove = |key: &str| place.run(&format!("prove --suite praos --key {key} --alpha 00"));
    for key in [
        SEED.to_owned(),
        format!("0x{SEED}"),
        format!("{SEED}0"),
        format!("{{\"cborHex\":\"5820{SEED}\"}}"),
        "vrf_sk1qqqqqqq0000000000000000".to_owned(),
        "AAAAAAAAAAAAAAAA0000000000000000AAAAAAAAAAA=".to_owned(),
        "00:".repeat(31) + "00",
    ] {
        let ran = prove(&key).refused("do not belong on the command line");
        assert!(!ran.stderr.contains(&SEED[..16]), "{}", ran.stderr);
        assert!(!ran.stderr.contains("00:00"), "{}", ran.stderr);
    }
    // The first three names are public keys and hashes. The last is long, but it is not a key.
    for name in [
        SecretKey::from_seed(Suite::PRAOS, &[0; 32])
            .public_key()
            .to_bech32(),
        format!("vrf_vkh1{}", "q".repeat(58)),
        format!("pool1{}", "q".repeat(51)),
        "keys-of-the-lottery-of-7-June-2026-in-Berlin".to_owned(),
    ] {
        prove(&name).refused(&format!("cannot read {name}"));
    }
}

#[test]
fn a_secret_in_the_place_of_another_value_is_not_repeated() {
    let place = Place::new();
    let secret = format!("7b{}", "00".repeat(63));
    let envelope = SecretKey::from_seed(Suite::PRAOS, &[7; 32]).to_envelope();
    let packed = envelope.split_whitespace().collect::<String>();
    for (secret, status) in [(&secret, 1), (&packed, 2)] {
        let line = format!("verify --suite praos --alpha 00 --proof 00 --key {secret}");
        let ran = place.run(&line).ends(status);
        assert!(!(ran.stdout + &ran.stderr).contains("00000000"));
        assert!(status == 1 || ran.stderr.starts_with("klero: --key: envelope of type "));
    }
    place.write("skey", envelope.as_bytes());
    let verify = "verify --suite praos --alpha 00 --proof 00 --key skey";
    let ran = place.run(verify).refused("VrfSigningKey_PraosVRF");
    assert!(!ran.stderr.contains("07070707"), "{}", ran.stderr);

    place.write("t.csv", "key,alpha,proof\n");
    for secret in ["ab".repeat(32), "S1Qabcdef".to_owned()] {
        let suite = format!("keygen --out-public k --suite {secret}");
        let table = "batch verify --suite praos t.csv";
        for line in [
            suite,
            format!("{table} -o{secret}"),
            format!("{table} -o={secret}"),
            format!("{table} -o {secret}"),
            format!("{table} -o{secret}.csv/x.csv"),
            format!("{table} --out={secret}"),
        ] {
            let ran = place.run(&line).ends(2);
            assert!(!ran.stderr.contains(&secret), "{line}: {}", ran.stderr);
        }
        // The name of an existing file is not treated as a secret.
        place.write(&secret, "");
        place.run(&format!("{table} -o {secret}")).refused(&secret);
    }
}

/// The command tells the user that it is waiting for alpha if alpha is left out.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_is_asked_for_alpha() {
    let place = Place::new();
    place.write("key", SEED);
    let klero = env!("CARGO_BIN_EXE_klero");
    let shown = |line: &str| common::on_a_terminal(&place, &format!("{klero} {line}"), "a line\n");
    // The newline of this message is not compared: the terminal may echo the typed text before it.
    let asked = "reading alpha from the terminal; Ctrl-D ends it (or give --alpha-text TEXT)";
    for command in ["prove", "evaluate"] {
        let command = format!("{command} --suite praos --key key");
        let Some(said) = shown(&command) else {
            return; // there is no program `script`
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

#[test]
fn every_suite_is_listed() {
    let place = Place::new();
    let table = place.run("suites").ends(0).stdout;
    let json = place.run("suites --json").ends(0).stdout;
    let json: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(json.len(), Suite::ALL.len());
    let help = place.run("keygen --help").ends(0).stdout;
    for (suite, entry) in Suite::ALL.iter().zip(json) {
        assert!(table.contains(&format!("\n {suite} ")), "{table}");
        assert!(help.contains(suite.name()), "{help}");
        assert_eq!(entry["name"], suite.name());
        assert_eq!(entry["proof_bytes"], suite.proof_len());
    }
    let help = place.run("suites --help").ends(0).stdout;
    for column in table.lines().next().unwrap().split("  ") {
        assert!(help.contains(&format!("\n  {} ", column.trim())), "{help}");
    }
}

#[test]
fn a_backend_is_one_that_there_is() {
    let place = Place::new();
    let names: Vec<_> = Backend::all().into_iter().map(Backend::name).collect();
    for name in names.iter().chain(&[""]) {
        place.run_where("KLERO_BACKEND", name, "suites").ends(0);
    }
    for wrong in ["avx1024", "Portable", "portable "] {
        let expected = names.join(", ");
        place
            .run_where("KLERO_BACKEND", wrong, "suites")
            .refused(&format!(
                "KLERO_BACKEND: {wrong:?} is no backend of this processor: expected {expected}"
            ));
    }
    let help = place.run_where("KLERO_BACKEND", "avx1024", "--help");
    assert!(help.ends(0).stdout.contains("KLERO_BACKEND"));
    let version = place.run("--version").ends(0).stdout;
    assert!(version.starts_with(concat!("klero ", env!("CARGO_PKG_VERSION"), " (commit ")));
    assert!(version.contains("rustc "), "{version}");
    assert!(names.iter().all(|name| version.contains(name)), "{version}");
}
