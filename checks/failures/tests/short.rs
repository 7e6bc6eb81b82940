//! The short version: two commands, and the faults that are planted.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::process::Command;

#[test]
fn failed_calls_are_told_and_leave_nothing() {
    // Built with the tests of the command, in the directory above that of this test.
    let test = std::env::current_exe().unwrap();
    let klero = test.parent().unwrap().with_file_name("klero");
    if !klero.exists() {
        eprintln!("SKIPPED: no command at {}", klero.display());
        return;
    }
    for case in ["token mint", "batch verify --json"] {
        let output = Command::new(env!("CARGO_BIN_EXE_klero-failures"))
            .arg("--klero")
            .arg(&klero)
            .args(["--only", case])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:#?}");
    }
}
