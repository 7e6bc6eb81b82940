//! A token from mint to verdict, through every command.

use klero_token::{Limits, Token};

use crate::support::{CHALLENGE, SCHEMES, place, token, verify};

#[test]
fn a_token_goes_through_all_commands() {
    let place = place();
    for scheme in SCHEMES {
        let text = token(&place, scheme);
        assert!(text.starts_with("S1QD") && text.ends_with('\n'));
        let said = verify(&place, &format!("--root {scheme}.vkey"), text.as_str()).ends(0);
        for words in [
            &format!("valid: token of scheme {scheme}, root key 0, 2 blocks, "),
            "block 0: root\n│    payload of 3 bytes: all\n",
            "block 1: opaque\n│    payload of 4 bytes: some\n",
            "└─ not sealed: ",
        ] {
            assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
        }

        let line = format!("token seal --audience shop --root {scheme}.vkey {CHALLENGE}");
        let sealed = place.run_with(&line, text.as_str()).ends(0).stdout;
        let options = format!("--root {scheme}.vkey {CHALLENGE}");
        let said = verify(&place, &options, sealed.as_str()).ends(0).stdout;
        assert!(said.starts_with("valid: token of ") && said.contains("└─ sealed: "));

        // What the library reads is what the command wrote.
        if scheme == "chain" {
            let token = Token::from_text(sealed.trim(), &Limits::default()).unwrap();
            assert!(token.is_sealed());
        }
    }
}

#[cfg(unix)]
#[test]
fn commands_join_in_a_shell() {
    let place = place();
    place.write("challenge", CHALLENGE.strip_prefix("--challenge ").unwrap());
    for scheme in SCHEMES {
        let pipeline = format!(
            "\"$KLERO\" token mint --key {scheme}.skey --payload 'account 17: all' |
             \"$KLERO\" token append --root {scheme}.vkey --payload 'read only' |
             \"$KLERO\" token append --root {scheme}.vkey --payload-hex 00ff |
             \"$KLERO\" token seal --audience shop --root {scheme}.vkey --challenge challenge |
             \"$KLERO\" token verify --none-revoked --root {scheme}.vkey --challenge challenge"
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
            "payload of 15 bytes: account 17: all\n",
            "payload of 9 bytes: read only\n",
            "payload of 2 bytes, in hex: 00ff\n",
        ] {
            assert!(said.contains(words), "{said}");
        }
    }
}
