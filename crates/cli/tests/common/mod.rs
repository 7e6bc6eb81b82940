//! Helpers for the tests of the command.
#![allow(dead_code)] // not every test file uses all of it

use std::fs;
use std::path::PathBuf;
use std::process::Output;
#[cfg(unix)]
use std::{process, sync::Once};

use assert_cmd::Command;
use tempfile::TempDir;

/// A directory for one test, in which the command runs.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file that only its owner can read, because the file may be a secret key.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
        #[cfg(unix)]
        self.set_mode(name, 0o600);
    }

    #[cfg(unix)]
    pub fn set_mode(&self, name: &str, mode: u32) {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(self.path(name), permissions).unwrap();
    }

    #[cfg(unix)]
    pub fn mode(&self, name: &str) -> u32 {
        let metadata = self.path(name).metadata().unwrap();
        std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs `klero` with the arguments in `line`, split at spaces.
    pub fn run(&self, line: &str) -> Ran {
        self.run_with(line, "")
    }

    /// Runs `klero` with this standard input.
    pub fn run_with(&self, line: &str, stdin: impl Into<Vec<u8>>) -> Ran {
        Ran::new(
            line,
            self.command(line).write_stdin(stdin).output().unwrap(),
        )
    }

    /// Runs `klero` with the arguments in `line`, split at spaces, and with `last`, which may have spaces.
    pub fn run_and(&self, line: &str, last: &str) -> Ran {
        Ran::new(
            &format!("{line} '{last}'"),
            self.command(line).arg(last).output().unwrap(),
        )
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::cargo_bin("klero").unwrap();
        command
            .args(line.split_whitespace())
            // The output must not depend on the terminal in which the tests run.
            .env_remove("COLUMNS")
            .current_dir(self.0.path());
        command
    }

    /// Runs `klero` with this variable in its environment.
    pub fn run_where(&self, variable: &str, value: &str, line: &str) -> Ran {
        Ran::new(
            line,
            self.command(line).env(variable, value).output().unwrap(),
        )
    }
}

/// Gives signals their default effect on the children of this process. If `nohup` or a script in the
/// background started this process, it may ignore signals, and its children would ignore them, too. With a
/// handler, this process no longer ignores them, and children do not inherit handlers.
#[cfg(unix)]
pub fn with_default_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Ctrl-C still ends the tests. If a signal was ignored, this handler is refused, and an empty one is
        // set.
        if ctrlc::try_set_handler(|| process::exit(130)).is_err() {
            ctrlc::set_handler(|| ()).unwrap();
        }
    });
}

#[cfg(unix)]
pub fn send(child: &process::Child, signal: nix::sys::signal::Signal) {
    let id = nix::unistd::Pid::from_raw(child.id().try_into().unwrap());
    nix::sys::signal::kill(id, signal).unwrap();
}

/// Runs a shell command on a terminal, and types `typed` and then the end of input. Returns the output, or
/// `None` without the program `script`.
#[cfg(target_os = "linux")]
pub fn on_a_terminal(place: &Place, command: &str, typed: &str) -> Option<String> {
    let ran = Command::new("script")
        .args(["--quiet", "--command", command, "/dev/null"])
        .env_remove("COLUMNS")
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .current_dir(place.path(""))
        .write_stdin(typed)
        .output();
    let shown = String::from_utf8(ran.ok()?.stdout).unwrap();
    Some(shown.replace('\r', ""))
}

/// A run that has ended, without a panic.
pub struct Ran {
    pub line: String,
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    fn new(line: &str, output: Output) -> Self {
        let ran = Self {
            line: line.to_owned(),
            status: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        for word in ["panicked", "backtrace", "internal error"] {
            assert!(!ran.stderr.contains(word), "{}: {}", ran.line, ran.stderr);
        }
        ran
    }

    #[track_caller]
    pub fn ends(self, status: i32) -> Self {
        let Self {
            line,
            stdout,
            stderr,
            ..
        } = &self;
        assert_eq!(self.status, status, "{line}\n{stdout}\n{stderr}");
        self
    }

    /// Asserts that the run ended with status 2, and with one line of error that contains these words.
    #[track_caller]
    pub fn refused(self, words: &str) -> Self {
        let ran = self.ends(2);
        assert!(
            ran.stderr.starts_with("klero: "),
            "{}: {}",
            ran.line,
            ran.stderr
        );
        assert_eq!(
            ran.stderr.lines().count(),
            1,
            "{}: {}",
            ran.line,
            ran.stderr
        );
        assert!(ran.stderr.contains(words), "{}: {}", ran.line, ran.stderr);
        ran
    }
}

/// A column of a CSV text.
pub fn csv_column(text: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let index = reader
        .headers()
        .unwrap()
        .iter()
        .position(|header| header == name);
    let index = index.unwrap_or_else(|| panic!("no column {name} in {text}"));
    reader
        .records()
        .map(|row| row.unwrap()[index].to_owned())
        .collect()
}

/// The rows of a CSV text without its header, one `Vec` per row.
pub fn csv_rows(text: &str) -> Vec<Vec<String>> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes())
        .records()
        .skip(1)
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect()
}
