//! Tests that a file name that a message contains cannot control the terminal.
#![cfg(unix)]

use crate::support::{keygen, place, token};

/// A user who uploads a file chooses its name, which may contain control characters.
#[test]
fn the_name_of_a_file_cannot_speak_to_the_terminal() {
    let place = place();
    let text = token(&place);
    place.write("token", &text);
    keygen(&place, "", "other");
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
        // At first, no file has this name. Then a directory has it.
        for line in lines {
            runs(line, name, 2);
        }
        std::fs::create_dir(place.path(name)).unwrap();
        for line in lines {
            runs(line, name, 2);
        }
        runs("token append token --payload x --out", name, 2);
        std::fs::remove_dir(place.path(name)).unwrap();

        // The verdict contains the name of the key's file.
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
