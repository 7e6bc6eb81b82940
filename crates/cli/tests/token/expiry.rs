//! `--expires` and `--caveat`.

use std::time::UNIX_EPOCH;

use klero_token::Caveat;

use crate::common::Place;
use crate::support::{json, place};

fn caveats(place: &Place, name: &str, block: usize) -> Vec<String> {
    let shown = json(
        &place
            .run(&format!("token inspect {name} --json"))
            .ends(0)
            .stdout,
    );
    let caveats = shown["blocks"][block]["caveats"]
        .as_array()
        .unwrap()
        .clone();
    let text = |caveat: &serde_json::Value| caveat["text"].as_str().unwrap().to_owned();
    caveats.iter().map(text).collect()
}

fn expiry(place: &Place, name: &str, block: usize) -> u64 {
    let caveats = caveats(place, name, block);
    assert_eq!(caveats.len(), 1);
    match caveats[0].parse() {
        Ok(Caveat::Before(time)) => time,
        other => panic!("{other:?}"),
    }
}

/// Beside a time that has passed is that it has, where a token is verified.
#[test]
fn a_time_that_has_passed() {
    let place = place();
    for (time, passed) in [("2026-01-01", true), ("9999-01-01", false)] {
        let mint = "token mint --key chain.skey --payload all --out token --force --caveat";
        let caveat = format!("before {time}T00:00:00Z");
        place.run_and(mint, &caveat).ends(0);
        let line = "token verify token --root chain.vkey --no-challenge --none-revoked";
        let said = place.run(line).ends(0).stdout;
        let expected = format!(
            "caveat: {caveat}{}\n",
            if passed { " (passed)" } else { "" }
        );
        assert!(said.contains(&expected), "{said}");
        let said = json(&place.run(&format!("{line} --json")).ends(0).stdout);
        let shown = &said["blocks"][0]["caveats"][0];
        assert_eq!(shown["passed"] == true, passed);
    }
}

/// A duration counts from now. The ways to write one are tested where they are read.
#[test]
fn tokens_expire_after_a_duration() {
    let place = place();
    for (duration, seconds) in [("90s", 90), ("1d 12h", 129_600)] {
        let before = UNIX_EPOCH.elapsed().unwrap().as_secs();
        let mint = "token mint --key chain.skey --payload all --out token --force --expires";
        place.run_and(mint, duration).ends(0);
        place
            .run_and(
                "token append token --out narrow --force --expires",
                duration,
            )
            .ends(0);
        let after = UNIX_EPOCH.elapsed().unwrap().as_secs();
        for (name, block) in [("token", 0), ("narrow", 1)] {
            let time = expiry(&place, name, block);
            assert!(
                (before + seconds..=after + seconds).contains(&time),
                "{duration}"
            );
        }
    }
}

#[test]
fn tokens_expire_at_a_time() {
    let place = place();
    for (time, text) in [
        ("2037-01-15T08:00:00Z", "before 2037-01-15T08:00:00Z"),
        ("2037-01-15T09:00:00+01:00", "before 2037-01-15T08:00:00Z"),
        ("9999-12-30T00:00:00Z", "before 9999-12-30T00:00:00Z"),
    ] {
        let mint = "token mint --key chain.skey --payload all --out token --force --expires";
        place.run_and(mint, time).ends(0);
        assert_eq!(caveats(&place, "token", 0), [text]);
    }
}

#[test]
fn no_token_expires_at_a_time_that_is_none() {
    let place = place();
    place
        .run("token mint --key chain.skey --payload all --out token")
        .ends(0);
    let shape = "expected a duration such as 90s, 15m, 2h, 7d or 4w, or a time such as \
                 2026-11-23T06:15:00Z";
    let past = "expected a time that has not passed";
    for (wrong, reason) in [
        ("", shape),
        ("2", shape),
        ("h", shape),
        ("2x", shape),
        ("=-2h", shape),
        ("2h ago", shape),
        ("1mo", shape),
        ("1y", shape),
        ("2h 2h", shape),
        ("tomorrow", shape),
        ("1800000000", shape),
        ("2037-01-15", shape),
        ("2037-01-15T08:00:00", shape),
        ("2037-02-30T08:00:00Z", shape),
        ("99999999999999999999h", shape),
        ("0s", past),
        ("0.5s", past),
        ("2025-01-15T08:00:00Z", past),
        ("10000w 80000000h", "expected a time before the year 10000"),
    ] {
        for command in ["mint --key chain.skey --payload all", "append token"] {
            let line = format!("token {command} --out no");
            let ran = place.run_and(&line, &format!("--expires={wrong}")).ends(2);
            assert!(ran.stderr.contains(reason), "{wrong}: {}", ran.stderr);
        }
    }
    assert!(!place.path("no").exists());
}

#[test]
fn caveats_are_what_the_library_knows() {
    let place = place();
    let all = [
        "before 2037-01-15T08:00:00Z",
        "after 2020-01-15T08:00:00Z",
        "audience the shop",
        "path /files/a b",
        "method GET HEAD",
        "user = alice b",
        "vouched ed25519:6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw of age",
    ];
    place
        .run("token mint --key chain.skey --payload all --out token")
        .ends(0);
    for caveat in all {
        place
            .run_and("token append token --out narrow --force --caveat", caveat)
            .ends(0);
        assert_eq!(caveats(&place, "narrow", 1), [caveat]);
    }
    // One block has several, and --expires is one more.
    place
        .run_and(
            "token append token --out narrow --force --expires 2037-01-15T08:00:00Z --caveat",
            all[4],
        )
        .ends(0);
    assert_eq!(caveats(&place, "narrow", 1), [all[4], all[0]]);
    // One block is caveats, a statement or bytes.
    for two in [
        "--payload x --expires 2h",
        "--payload x --statement S1Q",
        "--statement S1Q --expires 2h",
        "",
    ] {
        place
            .run(&format!("token append token --out no {two}"))
            .ends(2);
    }
    assert!(!place.path("no").exists());
}

#[test]
fn a_caveat_that_is_none_is_told_what_to_write() {
    let place = place();
    place
        .run("token mint --key chain.skey --payload all --out token")
        .ends(0);
    let forms = "expected `before TIME`, `after TIME`";
    let secret = format!("account={}", "0123456789abcdef".repeat(4));
    for (wrong, advice) in [
        ("", forms),
        ("unless raining", forms),
        ("account 17", forms),
        (&secret, "expected `NAME = VALUE`"),
        ("account=17", "write `account = 17`"),
        ("User = a", "write `user = a`"),
        ("methods GET", "did you mean `method`?"),
        ("method=GET", "write `method GET`"),
        ("method GET, HEAD", "write `method GET HEAD`"),
        ("method GET\npath /", "expected methods such as GET"),
        (
            "path /files/",
            "a segment of the path is empty: write `path /files`",
        ),
        (
            "path files",
            "the path does not begin with /: write `path /files`",
        ),
        ("path /a/../b", "a segment of the path is . or .."),
        (
            "before 2026-12-01",
            "the time of day is missing: write `before 2026-12-01T00:00:00Z`",
        ),
        (
            "before noon",
            "expected a time in UTC since 1970, such as 2026-11-23T06:15:00Z",
        ),
    ] {
        let line = "token append token --out no --caveat";
        let ran = place.run_and(line, wrong).ends(2);
        let said = ran.stderr.lines().next().unwrap();
        match advice.starts_with("expected") {
            true => assert!(said.contains(advice), "{said}"),
            false => assert!(said.ends_with(advice), "{said}"),
        }
        assert!(!said.contains("0123456789abcdef"), "{said}");
    }
    assert!(!place.path("no").exists());
}
