//! What is read: lines of tokens, payloads, and the limits of both.

use crate::support::{CHALLENGE, SCHEMES, invalid, json, place, sealed, token, verify};

#[test]
fn many_tokens_get_a_verdict_each() {
    let place = place();
    let mut lines = String::from("\n");
    for scheme in SCHEMES {
        lines += &token(&place, scheme);
        lines += "nonsense!\n \n";
    }
    let options = "--root chain.vkey --root aggregate.vkey";
    let said = verify(&place, options, lines.as_str()).ends(1).stdout;
    let verdicts: Vec<_> = said
        .lines()
        .filter(|line| line.starts_with("line "))
        .collect();
    let nonsense = "character 9 is not of base64url without padding (A-Z a-z 0-9 - _)";
    assert_eq!(
        verdicts,
        [
            "line 2: valid: token of scheme chain, root key 0, 2 blocks, 274 bytes",
            &format!("line 3: invalid: {nonsense}"),
            "line 5: valid: token of scheme aggregate, root key 0, 2 blocks, 178 bytes",
            &format!("line 6: invalid: {nonsense}"),
        ]
    );

    // More than are held at once, and a last group of one.
    let one = token(&place, "aggregate");
    let said = verify(&place, "--root aggregate.vkey", one.repeat(257)).ends(0);
    assert!(said.stdout.contains("\nline 257: valid: token"));
    let many = one.repeat(600);
    let said = verify(&place, "--root aggregate.vkey --json", many)
        .ends(0)
        .stdout;
    let numbers: Vec<_> = said
        .lines()
        .map(|line| json(line)["line"].as_u64())
        .collect();
    assert_eq!(numbers, (1..=600).map(Some).collect::<Vec<_>>());
}

#[test]
fn white_space_around_a_token_is_no_part_of_it() {
    let place = place();
    let text = token(&place, "chain");
    let text = text.trim();
    for input in [
        text.to_owned(),
        format!("{text}\n"),
        format!("{text}\r\n"),
        format!("\r\n\n  {text} \t\n\n\n"),
    ] {
        verify(&place, "--root chain.vkey", input.as_str()).ends(0);
        place.run_with("token inspect", input.as_str()).ends(0);
        place
            .run_with("token append --root chain.vkey --payload x", input)
            .ends(0);
    }
}

#[test]
fn input_that_is_no_token_is_said_to_be_none() {
    let place = place();
    let text = token(&place, "chain");
    let commands = [
        "token inspect",
        "token append --root chain.vkey --payload x",
        &format!("token seal --audience shop --root chain.vkey {CHALLENGE}"),
    ];
    let cases: [(&[u8], &str); 8] = [
        (b"nonsense!", "character 9 is not of base64url"),
        (b"S1QD\xff\xfe", "character 5 is not of base64url"),
        (b"S1QDAQA=", "character 8 is not of base64url"),
        (b"\x1b[2J", "character 1 is not of base64url"),
        (
            b"AAAAAAAA",
            "not a token: expected the bytes \"KT\" at byte 0",
        ),
        (b"S1QBAQAA", "version 1 at byte 2, expected 3"),
        (
            b"S1QDCQAA",
            "scheme 9 at byte 3, expected 1 (chain) or 2 (aggregate)",
        ),
        (
            &text.as_bytes()[..100],
            "the bytes end at 75, within the signature at byte 46",
        ),
    ];
    for (input, reason) in cases {
        for command in commands {
            let ran = place.run_with(command, input).refused(reason);
            assert!(ran.stderr.contains("standard input") && ran.stdout.is_empty());
        }
        let said = verify(&place, "--root chain.vkey", input).ends(1).stdout;
        assert!(
            said.starts_with("invalid: ") && said.contains(reason),
            "{said}"
        );
    }
    for empty in ["", "\n", " \r\n\t\n"] {
        let nothing = "standard input: expected a token, found nothing";
        for command in commands {
            place.run_with(command, empty).refused(nothing);
        }
        verify(&place, "--root chain.vkey", empty).refused(nothing);
    }
    for command in commands {
        place
            .run_with(command, format!("{text}\n{text}"))
            .refused("expected one token, found another on line 3");
    }
}

#[test]
fn nothing_like_a_token_is_one() {
    let place = place();
    for scheme in SCHEMES {
        for (text, challenge) in [
            (token(&place, scheme), ""),
            (sealed(&place, scheme), CHALLENGE),
        ] {
            let text = text.trim();
            let mut lines: Vec<String> = (1..text.len()).map(|end| text[..end].into()).collect();
            for at in 0..text.len() {
                let other = if &text[at..=at] == "A" { "B" } else { "A" };
                lines.push(format!("{}{other}{}", &text[..at], &text[at + 1..]));
            }
            lines.push(format!("{text}AAAA"));
            let options = format!("--root {scheme}.vkey {challenge}");
            let said = verify(&place, &options, lines.join("\n")).ends(1).stdout;
            assert_eq!(said.lines().count(), lines.len());
            for (verdict, line) in said.lines().zip(lines) {
                assert!(verdict.contains(": invalid: "), "{line}: {verdict}");
            }
        }
    }
}

#[test]
fn payloads_come_from_anywhere() {
    let place = place();
    place.write("payload", b"\x00\xff\n");
    let payload = |options: &str, stdin: &[u8]| {
        let line = format!("token mint --key chain.skey {options}");
        let minted = place.run_with(&line, stdin).ends(0).stdout;
        let said = verify(&place, "--root chain.vkey --json", minted)
            .ends(0)
            .stdout;
        json(&said)["blocks"][0]["payload"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(payload("--payload all", b""), "616c6c");
    assert_eq!(payload("--payload=", b""), "");
    assert_eq!(payload("--payload-hex 00FF", b""), "00ff");
    assert_eq!(payload("--payload-file payload", b""), "00ff0a");
    assert_eq!(payload("--payload-file -", b"\xfe"), "fe");

    place
        .run("token mint --key chain.skey --payload-file none")
        .refused("cannot read none");
    // Refused at once: nothing waits for a pipe, or reads a device without an end.
    #[cfg(unix)]
    {
        let made = std::process::Command::new("mkfifo")
            .arg(place.path("pipe"))
            .status();
        assert!(made.unwrap().success());
        for (file, kind) in [("pipe", "a pipe"), ("/dev/zero", "a device")] {
            let refusal = format!("cannot read {file}: is {kind}, expected a regular file");
            let mint = format!("token mint --key chain.skey --payload-file {file}");
            place.run(&mint).refused(&refusal);
            let verify = format!("token verify --no-challenge --root chain.vkey --revoked {file}");
            place.run(&verify).refused(&refusal);
        }
    }
    for wrong in [
        "",
        "--payload a --payload-hex 00",
        "--payload-hex 0",
        "--payload-hex 0g",
    ] {
        place
            .run(&format!("token mint --key chain.skey {wrong}"))
            .ends(2);
    }
}

#[test]
fn tokens_are_as_large_as_the_limits_say() {
    let place = place();
    let text = token(&place, "chain");
    let within = |limit: &str| {
        let options = format!("--root chain.vkey {limit}");
        verify(&place, &options, text.as_str())
    };
    let blocks = "the token has 2 signatures or more, the limit is 1 (--max-signatures)";
    invalid(within("--max-signatures 1"), blocks);
    place
        .run_with("token inspect --max-signatures 1", text.as_str())
        .refused(blocks);
    let bytes = text.trim().len() * 3 / 4;
    for limit in [bytes, usize::MAX] {
        within(&format!("--max-bytes {limit}")).ends(0);
    }
    for limit in [0, 1, 100, bytes - 1] {
        let said = within(&format!("--max-bytes {limit}")).ends(1).stdout;
        let reason = format!("the limit is {limit} (--max-bytes)\n");
        assert!(said.ends_with(&reason), "{said}");
    }
}

/// A line of any length costs no more memory than one that is just too long, and the next is
/// read.
#[test]
fn a_long_line_is_no_token() {
    let place = place();
    let text = token(&place, "chain");
    let long = format!("{}\n{text}", "A".repeat(10_000_000));
    let said = verify(&place, "--root chain.vkey", long).ends(1).stdout;
    let reason = "the token has 7500000 bytes, the limit is 65536 (--max-bytes)";
    assert!(
        said.starts_with(&format!("line 1: invalid: {reason}\nline 2: valid: ")),
        "{said}"
    );
}

#[test]
fn nothing_is_made_that_would_not_be_read_again() {
    let place = place();
    place
        .run_with(
            "token append --root chain.vkey --payload x --max-signatures 2",
            token(&place, "chain"),
        )
        .refused("cannot make the token: the token has 3 signatures");
    place.write("payload", vec![b'x'; 65_536]);
    let mint = "token mint --key chain.skey --payload-file payload";
    place
        .run(mint)
        .refused("cannot make the token: the token has");
    let line = format!("{mint} --max-bytes 200000");
    let large = place.run(&line).ends(0).stdout;
    let options = "--root chain.vkey --max-bytes 200000";
    verify(&place, options, large.as_str()).ends(0);
    verify(&place, "--root chain.vkey", large).ends(1);
    place.write("payload", vec![b'x'; 65_537]);
    place
        .run(mint)
        .refused("payload: has 65537 bytes, expected at most 65536");
}
