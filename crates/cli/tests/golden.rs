//! Tests of recorded sessions of `klero`, on pages of Markdown that can also be read as documentation.
//!
//! In a `console` block, a line that begins with `$ ` is a command for `sh`, and lines that begin with `> `
//! continue the command. The lines below are its standard output, then its standard error, and then `? N` if
//! it ends with a status other than 0. The commands of a page run in one shell, in a directory that has only
//! the files of `golden/files`. `[..]` matches any characters of a line, and `...` matches any lines. A page
//! may have one `...`, which must not hide a verdict, a count or a status. An `sh` block runs in its own
//! shell with its own copy of `golden/files`, and must succeed without a warning. Its output is not shown.
//!
//! To write the present output of all commands into the pages:
//!
//! ```text
//! SNAPSHOTS=overwrite cargo test --release --workspace --test golden
//! ```
// The pages need GNU tools and /proc.
#![cfg(target_os = "linux")]

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use snapbox::{Assert, Data};
use tempfile::TempDir;

/// The directory of the pages of this crate.
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

/// Defines a test for each page, and a test that fails if a page has no test.
macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(&format!("{GOLDEN}/{}.md", stringify!($name)), |ours, _| ours);
        })*

        #[test]
        fn every_session_is_run() {
            let names = fs::read_dir(GOLDEN).unwrap().map(|entry| entry.unwrap().file_name());
            let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
            names.retain(|name| name != "files");
            names.sort();
            assert_eq!(names, [$(concat!(stringify!($name), ".md")),*]);
        }
    };
}

golden! {
    a_claim_gets_its_verdict
    a_key_belongs_to_one_suite
    a_key_has_one_use
    a_network_is_not_guessed
    a_part_of_a_chain_needs_nonces
    a_passkey_speaks_to_one_relying_party
    a_pool_learns_its_slots
    a_public_key_has_several_forms
    a_request_needs_every_caveat
    a_row_that_cannot_be_read_stands_alone
    a_sealed_token_answers_one_challenge
    a_second_key_does_not_replace_the_first
    a_seed_is_used_and_never_written
    a_state_is_bound_to_its_chain
    a_statement_is_for_one_token
    a_table_that_cannot_be_read_replaces_none
    a_token_narrows_and_never_widens
    a_trusted_block_ties_a_chain
    a_valid_chain_is_all_valid
    a_wrong_word_is_answered_with_those_like_it
    alpha_is_bytes_from_anywhere
    an_invalid_row_is_named_and_counted
    columns_are_read_as_their_maker_wrote_them
    damage_is_found_and_named
    every_field_of_a_report_is_in_the_help
    every_format_holds_the_same_table
    no_table_is_lost_among_several
    other_columns_pass_through
    planted_faults_are_found_and_no_other
    stake_says_who_may_lead
    the_suite_of_a_row_is_never_guessed
    what_a_client_sends_is_a_token_or_invalid
    what_prove_prints_is_read_by_verify
}

#[test]
fn the_page_of_a_pool_shows_the_example_of_cip_22() {
    let page = "/../../docs/leaderlog.md";
    check(
        &format!("{}{page}", env!("CARGO_MANIFEST_DIR")),
        |ours, _| ours,
    );
}

/// Keys, proofs and times on these pages differ from run to run.
#[test]
fn the_pages_show_what_is_printed() {
    for page in [
        "README.md",
        "docs/rules.md",
        "docs/tables.md",
        "docs/tokens.md",
    ] {
        let path = format!("{}/../../{page}", env!("CARGO_MANIFEST_DIR"));
        check(&path, with_values_of);
    }
}

/// Runs the sessions of a page. Their output, adapted to the page by `alike`, must be the output on the page.
fn check(path: &str, alike: fn(String, &str) -> String) {
    let page = fs::read_to_string(path).unwrap();
    let elided = page.lines().filter(|line| *line == "...").count();
    assert!(elided <= 1, "{path}: {elided} lines of `...`");
    let mut commands = Vec::new();
    walk(&page, |command| {
        commands.push(command.to_owned());
        String::new()
    });
    let blocks: Vec<_> = page.split("```sh\n").skip(1).collect();
    let sessions = commands.len() + blocks.len();
    assert_ne!(sessions, 0, "{path}: no session");
    for block in blocks {
        succeeds(block.split_once("\n```").unwrap().0);
    }
    let mut printed = run(&commands).into_iter();
    let again = walk(&page, |_| printed.next().unwrap());
    assert!(!again.contains("panicked"), "{again}");
    Assert::new()
        .action_env("SNAPSHOTS")
        .normalize_paths(false)
        .eq(alike(again, &page), Data::read_from(Path::new(path), None));
}

/// Returns the page with new outputs. `printed` returns the output of a command.
fn walk(page: &str, mut printed: impl FnMut(&str) -> String) -> String {
    let mut again = String::new();
    let mut lines = page.lines().peekable();
    let mut in_session = false;
    while let Some(line) = lines.next() {
        match line.strip_prefix("$ ") {
            Some(begin) if in_session => {
                let mut command = begin.to_owned();
                writeln!(again, "{line}").unwrap();
                while let Some(line) = lines.next_if(|line| line.starts_with("> ")) {
                    write!(command, "\n{}", &line[2..]).unwrap();
                    writeln!(again, "{line}").unwrap();
                }
                again += &printed(&command);
                while lines
                    .next_if(|line| !line.starts_with("$ ") && *line != "```")
                    .is_some()
                {}
                continue;
            }
            _ => writeln!(again, "{line}").unwrap(),
        }
        in_session = line == "```console";
    }
    again
}

/// Replaces the keys, proofs and times of the text with those of the page.
fn with_values_of(mut text: String, page: &str) -> String {
    for (new, old) in hex(&text).iter().zip(hex(page)) {
        // A value whose length differs from the one on the page stays as it is, so that the comparison fails.
        if new.len() == old.len() {
            text = text.replace(new, &old);
        }
    }
    for (new, old) in seconds(&text).iter().zip(seconds(page)) {
        text = text.replace(new, &old);
    }
    text
}

/// Each run of hex digits that is long enough for a key, a proof or an output.
fn hex(text: &str) -> Vec<String> {
    let runs = text.split(|c: char| !c.is_ascii_hexdigit());
    let runs = runs.filter(|run| run.len() >= 64);
    runs.map(str::to_owned).collect()
}

/// Each duration in the text.
fn seconds(text: &str) -> Vec<String> {
    let times = text.split(" in ").skip(1);
    let times = times.filter_map(|rest| rest.split_once(" s."));
    let times = times.filter(|(time, _)| time.parse::<f64>().is_ok());
    times.map(|(time, _)| format!(" in {time} s.")).collect()
}

/// Asserts that a block of `sh` ends with status 0 and that `klero` reports no fault.
fn succeeds(block: &str) {
    let printed = run(&[format!("(set -e\n{block}\n)")]).concat();
    let mut lines = printed.lines();
    assert!(
        lines.all(|line| !line.starts_with("klero: ") && !line.starts_with("? ")),
        "{block}\n{printed}"
    );
}

/// Runs commands in one shell. Returns the output of each command, and its status if that is not 0.
fn run(commands: &[String]) -> Vec<String> {
    let (place, printed) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for file in fs::read_dir(format!("{GOLDEN}/files")).unwrap() {
        let file = file.unwrap();
        let copy = place.path().join(file.file_name());
        fs::copy(file.path(), &copy).unwrap();
        // Some files contain secret keys. `klero` would warn if anyone except their owner could read them.
        fs::set_permissions(copy, PermissionsExt::from_mode(0o600)).unwrap();
    }
    let at = |i: usize, what: &str| printed.path().join(format!("{i}.{what}"));
    let mut script = String::new();
    for (i, command) in commands.iter().enumerate() {
        let (out, err, status) = (at(i, "out"), at(i, "err"), at(i, "status"));
        let (out, err, status) = (out.display(), err.display(), status.display());
        writeln!(
            script,
            "exec >'{out}' 2>'{err}'\n{command}\necho $? >'{status}'"
        )
        .unwrap();
    }
    let klero = Path::new(env!("CARGO_BIN_EXE_klero"));
    let path = std::env::var("PATH").unwrap();
    let ran = Command::new("sh")
        .args(["-u", "-c", &script])
        .env(
            "PATH",
            format!("{}:{path}", klero.parent().unwrap().display()),
        )
        .env("LC_ALL", "C")
        .env_remove("COLUMNS")
        .current_dir(place.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let read = |i, what| {
        fs::read_to_string(at(i, what))
            .unwrap_or_else(|error| panic!("{}: {error}: {ran:?}", commands[i]))
    };
    (0..commands.len())
        .map(|i| {
            let mut text = read(i, "out") + &read(i, "err");
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            match read(i, "status").trim() {
                "0" => text,
                status => text + "? " + status + "\n",
            }
        })
        .collect()
}
