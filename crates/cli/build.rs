//! Passes the compiler's version and the Git commit to the program.

use std::path::Path;
use std::process::Command;

fn main() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiler = output_of(Command::new(compiler).arg("--version"));
    println!("cargo:rustc-env=KLERO_COMPILER={}", or_unknown(compiler));

    // Cargo reruns this script when the script itself changes. The lines below add the other reasons.
    println!("cargo:rerun-if-env-changed=RUSTC");
    // Outside a Git checkout, for example in a published package, there is no commit.
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
