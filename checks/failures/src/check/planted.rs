//! Programs with a fault, which must be found: this program itself, called with their names.

use std::fs::{self, File};
use std::io::Write;

/// All of them: the kind of call whose failure shows the fault, and what it is.
pub const ALL: [(&str, &str); 3] = [
    ("write", "a failed write is ignored"),
    ("sync", "a failed fsync is ignored"),
    ("rename", "a temporary file is left"),
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
