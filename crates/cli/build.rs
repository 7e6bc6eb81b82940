//! Tells the program its compiler and commit.

use std::path::Path;
use std::process::Command;

fn main() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiler = output_of(Command::new(compiler).arg("--version"));
    println!("cargo:rustc-env=KLERO_COMPILER={}", or_unknown(compiler));

    // Cargo runs the script again when it changes, and otherwise only for the causes named here.
    println!("cargo:rerun-if-env-changed=RUSTC");
    // Outside of a checkout, as in a package, there is no commit to name.
    let commit = output_of(Command::new("git").args(["rev-parse", "--short=12", "HEAD"]));
    println!("cargo:rustc-env=KLERO_COMMIT={}", or_unknown(commit));
    let log = output_of(Command::new("git").args(["rev-parse", "--git-path", "logs/HEAD"]));
    if let Some(log) = log.filter(|log| Path::new(log).exists()) {
        println!("cargo:rerun-if-changed={log}");
    }
}

fn output_of(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|out| out.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| "unknown".into())
}
