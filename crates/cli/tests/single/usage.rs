//! The command line itself: suites, wrong usage, backends, version, completions.

use crate::common::Place;

#[test]
fn suites_are_listed() {
    let place = Place::new();
    let table = place.run("suites").ends(0).stdout;
    let help = place.run("suites --help").ends(0).stdout;
    for column in table.lines().next().unwrap().split("  ") {
        assert!(help.contains(&format!("\n  {} ", column.trim())), "{help}");
    }
    // The library's test `hostile` shows that these are the pairs.
    let (_, pairs) = table.split_once("honest proofs").unwrap();
    let (pairs, rfc) = pairs.split_once("\n\n").unwrap();
    assert!(
        rfc.contains("ECVRF-EDWARDS25519-SHA512-ELL2 is rfc9381-ell2"),
        "{rfc}"
    );
    let pairs: Vec<_> = pairs.lines().skip(1).map(str::trim).collect();
    let expected = [
        "praos and praos-original",
        "draft13 and rfc9381-ell2",
        "draft13-bc and rfc9381-ell2-bc",
    ];
    assert_eq!(pairs, expected);
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
fn a_suite_is_explained() {
    let place = Place::new();
    for name in [
        "rfc9381-ell2",
        "ecvrf-edwards25519-sha512-ell2",
        "RFC9381_ELL2",
    ] {
        let said = place.run(&format!("suites {name}")).ends(0).stdout;
        assert!(
            said.starts_with("name           rfc9381-ell2\noctet          04\n"),
            "{said}"
        );
        let end =
            "in RFC 9381    ECVRF-EDWARDS25519-SHA512-ELL2\nhonest proofs  also valid in draft13\n";
        assert!(said.ends_with(end), "{said}");
    }
    let json = place.run("suites praos --json").ends(0).stdout;
    let json: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(json.len(), 1);
    assert_eq!(json[0]["name"], "praos");
}

#[test]
fn a_wrong_name_is_answered_with_those_like_it() {
    let place = Place::new();
    for (line, names) in [
        (
            "keygen --suite rfc9381 --out-public k",
            &["rfc9381-ell2", "rfc9381-tai"][..],
        ),
        (
            "verify --suite paos --key 00 --alpha 00 --proof 00",
            &["'praos'", "draft13"],
        ),
        (
            "batch verify t --format parqet",
            &["'parquet'", "ndjson.zst"],
        ),
        (
            "chain verify . --network previw",
            &["'preview'", "mainnet, preprod"],
        ),
        ("chain verify . --only krs", &["'kes'", "vrf, kes"]),
        ("bench --backend portble", &["'portable'"]),
    ] {
        let ran = place.run(line).ends(2);
        assert!(
            ran.stderr.starts_with("klero: invalid value "),
            "{}",
            ran.stderr
        );
        for name in names {
            assert!(ran.stderr.contains(name), "{line}: {}", ran.stderr);
        }
    }
    // Help lists them.
    let help = place.run("keygen --help").ends(0).stdout;
    for suite in klero::Suite::ALL {
        assert!(help.contains(suite.name()), "{help}");
    }
    // A secret is not repeated.
    let secret = "ab".repeat(32);
    let ran = place
        .run(&format!("keygen --suite {secret} --out-public k"))
        .ends(2);
    assert!(!ran.stderr.contains(&secret), "{}", ran.stderr);
}

#[test]
fn a_secret_behind_a_short_option_is_not_repeated() {
    let place = Place::new();
    place.write("t.csv", "key,alpha,proof\n");
    for secret in ["ab".repeat(32), "S1Qabcdef".to_owned()] {
        for argument in [
            format!("-o{secret}"),
            format!("-o={secret}"),
            format!("-o {secret}"),
            format!("-o{secret}.csv/x.csv"),
            format!("--out={secret}"),
        ] {
            let ran = place
                .run(&format!("batch verify --suite praos t.csv {argument}"))
                .ends(2);
            assert!(!ran.stderr.contains(&secret), "{argument}: {}", ran.stderr);
        }
    }
    assert!(!place.run("").ends(2).stderr.starts_with("klero: "));
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::new();
    place.run("man pages").ends(0);
    for name in [
        "klero",
        "klero-verify",
        "klero-batch-verify",
        "klero-chain-verify",
    ] {
        let page = place.read(&format!("pages/{name}.1"));
        assert!(
            page.contains(".TH ") && page.contains(".SH OPTIONS"),
            "{page}"
        );
    }
    place.write("file", "");
    place.run("man file").refused("file: ");
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
fn the_version_names_commit_compiler_and_backends() {
    let version = Place::new().run("--version").ends(0).stdout;
    assert!(version.starts_with(concat!("klero ", env!("CARGO_PKG_VERSION"), " (commit ")));
    assert!(version.contains("rustc "), "{version}");
    for backend in klero::Backend::all() {
        assert!(version.contains(backend.name()), "{version}");
    }
}

#[test]
fn shells_complete() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Place::new().run(&format!("completions {shell}")).ends(0);
        let mut words = vec!["public-key", "evaluate"];
        if !["elvish", "powershell"].contains(&shell) {
            words.extend(["rfc9381-ell2", "preview", "ndjson.zst"]);
        }
        for command in words {
            assert!(ran.stdout.contains(command), "{shell}");
        }
    }
}
