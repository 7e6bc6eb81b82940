//! Abandoning closes the registry of the whole process: a test binary of its own.

use std::io::Write;

use klero_files::{Output, abandon};

#[test]
fn nothing_is_left_and_nothing_more_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    let mut output = Output::create(&path).unwrap();
    output.write_all(b"half").unwrap();
    output.flush().unwrap();
    assert_eq!(abandon(), 1);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    assert!(Output::create(&path).is_err());
    assert!(output.commit().is_err());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
