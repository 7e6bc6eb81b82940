//! The program depends neither on the directory it was built in nor on the one it runs in.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Copies the program to a directory and runs it in another. Returns its standard error and the
/// table with this name.
fn run_copy(place: &Path, arguments: &[&str], table: &str) -> (String, String) {
    let copy = place.join("copy-of-klero-bench");
    fs::copy(env!("CARGO_BIN_EXE_klero-bench"), &copy).unwrap();
    let elsewhere = place.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let ran = Command::new(copy)
        .args(arguments)
        .current_dir(&elsewhere)
        .env_remove("CARGO_MANIFEST_DIR")
        .output()
        .unwrap();
    let stderr = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.success(), "{stderr}");
    let days: Vec<_> = fs::read_dir(elsewhere.join("results")).unwrap().collect();
    let day = days[0].as_ref().unwrap();
    assert_eq!(days.len(), 1);
    assert_eq!(day.file_name().len(), "2026-11-22".len());
    let table = fs::read_to_string(day.path().join(table)).unwrap();
    (stderr, table)
}

#[test]
fn tokens_need_no_peers() {
    let place = tempfile::tempdir().unwrap();
    let page = place.path().join("page.md");
    let text = "# Title\n<!-- figures: Tokens: size in bytes -->\nold\n<!-- end of figures -->\n";
    fs::write(&page, text).unwrap();
    let arguments = [
        "--rounds=3",
        "--only=token",
        "--fill",
        page.to_str().unwrap(),
    ];
    let (stderr, sizes) = run_copy(place.path(), &arguments, "tokens-size.csv");
    assert!(
        !stderr.contains("Building") && !stderr.contains("Left out"),
        "{stderr}"
    );
    assert!(
        sizes.contains("challenge token,192,288,576,1056,2016,"),
        "{sizes}"
    );
    let page = fs::read_to_string(page).unwrap();
    let line = "| challenge token | 192 | 288 | 576 | 1056 | 2016 |";
    assert!(page.contains(line) && !page.contains("old"), "{page}");
}

#[test]
fn peers_whose_sources_are_not_there_are_left_out_and_named() {
    let place = tempfile::tempdir().unwrap();
    let arguments = [
        "--rounds=3",
        "--backend=portable",
        "--only=prove one alone, praos",
    ];
    let (stderr, summary) = run_copy(place.path(), &arguments, "summary.csv");
    assert!(stderr.contains("Left out: klero-peer-composed"), "{stderr}");
    assert!(stderr.contains("its sources were not found"), "{stderr}");
    for name in ["klero-portable", "cardano-crypto"] {
        assert!(summary.contains(name), "{name} is not in {summary}");
    }
}
