//! Programs with a fault, which must be found: this program itself, called with their names.

use std::fs::{self, File};
use std::io::Write;

use super::cases::{Case, Outcome};

const fn case(name: &'static str, arguments: &'static str) -> Case {
    Case {
        name,
        arguments,
        given: &[],
        result: Outcome::Same,
    }
}

/// All of them, by the kind of call whose failure shows the fault.
pub const ALL: [(&str, Case); 3] = [
    ("write", case("a failed write is ignored", "--plant write")),
    ("sync", case("a failed fsync is ignored", "--plant sync")),
    ("rename", case("a temporary file is left", "--plant rename")),
];

/// Writes a file as a program with this fault.
pub fn run(name: &str) -> anyhow::Result<()> {
    let fails = |result: std::io::Result<()>, of: &str| match result {
        Err(error) if name != of => {
            eprintln!("klero: {error}");
            let _ = fs::remove_file("temporary");
            std::process::exit(2);
        }
        _ => {}
    };
    let mut file = File::create("temporary")?;
    fails(file.write_all(b"what was made"), "write");
    fails(file.sync_all(), "sync");
    if let Err(error) = fs::rename("temporary", "out") {
        eprintln!("klero: {error}");
        std::process::exit(2);
    }
    Ok(())
}
