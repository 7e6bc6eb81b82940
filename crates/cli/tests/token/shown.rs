//! What is shown of a token, and what never is.

use klero_token::{Caveat, Scheme, SecretKey, ThirdParty, Token};

use crate::common::Place;
use crate::support::{SCHEMES, json, keygen, place, sealed, token, verify};

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
        let verified = verified.stdout.strip_prefix("valid: ").unwrap();
        assert!(lines.eq(verified.lines()));

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
        assert_eq!(kinds, ["root", "opaque"]);
        assert_eq!(blocks[1]["payload"], "736f6d65");
        assert_eq!(blocks[1]["text"], "some");
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
    let refused = verify(&place, "--root chain.vkey --json", "S1QDAgAA")
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
    let root = SecretKey::generate(Scheme::Chain).unwrap();
    let token = Token::mint(&root, 0, b"all", &[]).unwrap();
    let token = token.append(b"some").unwrap();
    let (text, bytes) = (token.to_text().unwrap(), token.encode().unwrap());
    let place = Place::new();
    let secret = hex::encode(&bytes[bytes.len() - 32..]);
    for line in ["token inspect", "token inspect --json"] {
        let said = place.run_with(line, text.as_bytes()).ends(0).stdout;
        assert!(!said.contains(&secret) && !said.contains(&text[text.len() - 40..]));
    }
}

#[test]
fn caveats_are_shown_one_by_one() {
    let root = SecretKey::generate(Scheme::Chain).unwrap();
    let caveats = ["path /files", "method GET HEAD"].map(|text| text.parse::<Caveat>().unwrap());
    let token = Token::mint(&root, 0, b"all", &caveats).unwrap();
    let token = token.narrow(&[Caveat::Before(1_800_000_000)]).unwrap();
    let text = token.to_text().unwrap();
    let place = Place::new();
    let said = place
        .run_with("token inspect", text.as_bytes())
        .ends(0)
        .stdout;
    let first = "\
├─ block 0: root
│    payload of 3 bytes: all
│    caveat: path /files
│    caveat: method GET HEAD
";
    assert!(said.contains(first), "{said}");
    let second = "├─ block 1: caveats\n│    caveat: before 2027-01-15T08:00:00Z\n";
    assert!(said.contains(second), "{said}");
    let said = place
        .run_with("token inspect --json", text.as_bytes())
        .ends(0)
        .stdout;
    assert_eq!(
        json(&said)["blocks"][0]["caveats"][1]["text"],
        "method GET HEAD"
    );
}

/// A token with the statement of a third party, and that party's key.
fn with_statement(scheme: Scheme) -> (String, String) {
    let root = SecretKey::generate(scheme).unwrap();
    let party = SecretKey::generate(ThirdParty).unwrap();
    let token = Token::mint(&root, 0, b"all", &[]).unwrap();
    let statement = token.request().unwrap().sign(&party, b"of age").unwrap();
    let token = token.append_statement(&statement).unwrap();
    let key = party.public_key().to_string();
    (token.to_text().unwrap().to_string(), key)
}

#[test]
fn a_third_partys_word_is_shown_as_such() {
    let place = Place::new();
    for (text, key) in Scheme::ALL.map(with_statement) {
        let inspect = |line: &str| place.run_with(line, text.as_str()).ends(0).stdout;
        let said = inspect("token inspect");
        assert!(said.contains("block 1: statement\n│    payload of 6 bytes: of age\n"));
        assert!(said.contains(&format!("│    third party's key: {key}\n")));
        let said = inspect("token inspect --json");
        assert_eq!(json(&said)["blocks"][1]["third_party"], key);
    }
}

/// Whoever uploads a file chooses its name.
#[cfg(unix)]
#[test]
fn the_name_of_a_file_cannot_speak_to_the_terminal() {
    let place = place();
    let text = token(&place, "chain");
    place.write("token", &text);
    keygen(&place, "chain", "other");
    for name in [
        "\u{1b}]0;owned\u{7}",
        "a\rklero: all is well",
        "a\nklero: all is well",
        "\u{9b}2J",
        "\u{202e}lla",
    ] {
        let challenge = serde_json::json!({ name: 1 }).to_string();
        let runs = |line: &str, last: &str, status: i32| {
            let ran = place.run_and(line, last).ends(status);
            let said = ran.stdout + &ran.stderr;
            assert!(!said.contains(name), "{line}: {said:?}");
            let harmless = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
            assert!(said.chars().all(harmless), "{line}: {said:?}");
            assert!(said.contains("\\u{") || said.contains("\\r") || said.contains("\\n"));
        };
        let lines = [
            "token inspect",
            "token inspect token",
            "token verify --no-challenge --none-revoked --root",
            "token verify --no-challenge token --root chain.vkey --revoked",
            "token check --no-challenge --none-revoked token --root chain.vkey --access",
            "token append token --payload-file",
            "token mint --payload x --key",
            "token append token --payload x --caveat",
            "token",
        ];
        // There is no such file, and then it is a directory.
        for line in lines {
            runs(line, name, 2);
        }
        std::fs::create_dir(place.path(name)).unwrap();
        for line in lines {
            runs(line, name, 2);
        }
        runs("token append token --payload x --out", name, 2);
        std::fs::remove_dir(place.path(name)).unwrap();

        // The verdict names the key.
        std::fs::copy(place.path("other.vkey"), place.path(name)).unwrap();
        runs(
            "token verify --no-challenge --none-revoked token --root",
            name,
            1,
        );
        runs("token append token --payload x --root", name, 1);
        std::fs::remove_file(place.path(name)).unwrap();

        runs(
            "token seal token --audience shop --challenge",
            &challenge,
            2,
        );
    }
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
            "token verify --no-challenge --none-revoked --root chain.vkey",
            "token verify --no-challenge --none-revoked --root chain.vkey --json",
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
    assert!(said.contains("│    payload of 17 bytes: Zürich: \"東京\"\n"));
}
