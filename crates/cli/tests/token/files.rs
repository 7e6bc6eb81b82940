//! The modes of files that are written or read, and the limits on files and standard input.

use crate::support::{CHALLENGE, keygen, place, token};

#[cfg(unix)]
#[test]
fn tokens_are_written_for_their_owner_alone() {
    let place = place();
    keygen(&place, "--third-party", "registry");
    for line in [
        "mint --key chain.skey --payload all --out wide",
        "append wide --expires 2h --out narrow",
        &format!("seal narrow --audience shop {CHALLENGE} --out sealed"),
    ] {
        let ran = place.run(&format!("token {line}")).ends(0);
        assert_eq!(ran.stdout + &ran.stderr, "");
        let name = line.split(' ').next_back().unwrap();
        assert_eq!(place.mode(name), 0o600);
        assert!(place.read(name).starts_with("S1QD") && place.read(name).ends_with('\n'));
    }
    place.run("token request narrow --out request").ends(0);
    place
        .run("token statement request --key registry.skey --payload x --out statement")
        .ends(0);
    place
        .run("token challenge --audience shop --out challenge")
        .ends(0);
    for name in ["request", "statement", "challenge"] {
        assert_ne!(place.mode(name) & 0o444, 0o400, "anyone may read {name}");
    }
    // A new file is private even if the file that it replaces was not.
    place.set_mode("wide", 0o644);
    place
        .run("token mint --key chain.skey --payload all --out wide --force")
        .ends(0);
    assert_eq!(place.mode("wide"), 0o600);
}

#[cfg(unix)]
#[test]
fn a_secret_key_that_is_open_to_others_is_a_warning() {
    let place = place();
    keygen(&place, "--third-party", "party");
    place
        .run("keygen --suite praos --out-secret vrf.skey")
        .ends(0);
    place.write("claims.csv", "alpha\n00\n");
    place.write("token", token(&place));
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

#[test]
fn no_file_is_replaced_unasked() {
    let place = place();
    place
        .run("token mint --key chain.skey --payload all --out token")
        .ends(0);
    place.run("token request token --out request").ends(0);
    keygen(&place, "--third-party", "registry");
    let before = place.names().len();
    place.write("precious", "precious");
    for line in [
        "mint --key chain.skey --payload all",
        "append token --payload x",
        &format!("seal token --audience shop {CHALLENGE}"),
        "request token",
        "statement request --key registry.skey --payload x",
        "challenge --audience shop",
    ] {
        let line = format!("token {line} --out precious");
        place
            .run(&line)
            .refused("cannot write precious: the file exists (--force replaces it)");
        assert_eq!(place.read("precious"), "precious");
        place.run(&format!("{line} --force")).ends(0);
        assert_ne!(place.read("precious"), "precious");
        place.write("precious", "precious");
        place
            .run(&line.replace("precious", "no/file"))
            .refused("cannot write no/file: ");
    }
    assert_eq!(place.names().len(), before + 1, "nothing is left behind");
}

/// Each command has its own list of values that may come from standard input, but only one at a time.
#[test]
fn standard_input_is_read_for_one_thing() {
    let place = place();
    for (line, wanted) in [
        (
            "mint --key - --payload-file -",
            "--key and for --payload-file",
        ),
        (
            "append --payload-file -",
            "the token and for --payload-file",
        ),
        ("append --statement -", "the token and for --statement"),
        (
            "statement --key - --payload x",
            "the request for a statement and for --key",
        ),
        (
            "verify --root - --no-challenge --none-revoked",
            "the token and for --root",
        ),
    ] {
        place
            .run(&format!("token {line}"))
            .refused(&format!("standard input is wanted for {wanted}: expected"));
    }
}

#[test]
fn files_are_read_up_to_a_limit() {
    let place = place();
    place.write("token", token(&place));
    for (size, line, limit) in [
        (
            16_385,
            "check token --no-challenge --none-revoked --root chain.vkey --access large",
            16_384,
        ),
        (65_537, "mint --key chain.skey --payload-file large", 65_536),
    ] {
        place.write("large", vec![b' '; size]);
        let refusal = format!("large: has {size} bytes, expected at most {limit}");
        place.run(&format!("token {line}")).refused(&refusal);
    }
}

/// A line of any length needs no more memory than a line that is just too long. The next line is still read.
#[test]
fn a_long_line_is_no_token() {
    let place = place();
    let text = token(&place);
    let long = format!("{}\n{text}", "A".repeat(10_000_000));
    let line = "token verify --no-challenge --none-revoked --root chain.vkey";
    let said = place.run_with(line, long).ends(1).stdout;
    let reason = "the token has 7500000 bytes, the limit is 65536 (--max-bytes)";
    assert!(
        said.starts_with(&format!("line 1: invalid: {reason}\nline 2: valid: ")),
        "{said}"
    );
}
