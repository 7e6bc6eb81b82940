//! Tests `abandon`, which a program calls when it ends while outputs are open. `abandon` ends all writing of
//! the process, so this must be the only test in its file.

use std::fs;
use std::io::Write;

use klero_support::{Output, abandon};

#[test]
fn what_was_not_committed_goes_and_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let begin = |name: &str| {
        let mut output = Output::create(&path(name)).unwrap();
        output.write_all(b"half").unwrap();
        output.flush().unwrap();
        output
    };
    fs::write(path("old"), "old").unwrap();
    fs::write(path("failed"), "old").unwrap();
    let (absent, old) = (begin("absent"), begin("old"));
    drop(begin("failed"));
    begin("done").commit().unwrap();
    let null = begin("/dev/null");

    let told: Vec<_> = abandon().iter().map(ToString::to_string).collect();
    let mut expected = vec![
        format!("{} was not written", path("absent").display()),
        format!("{} is as it was", path("old").display()),
        format!("{} is as it was", path("failed").display()),
    ];
    if cfg!(unix) {
        expected.push("/dev/null is incomplete".into());
    }
    expected.sort();
    assert_eq!(told, expected);

    // Nothing more can be written, and no temporary file is left behind.
    for late in [absent, old] {
        let error = late.commit().unwrap_err().to_string();
        assert!(error.ends_with("the program is ending"), "{error}");
    }
    drop(null);
    assert!(Output::create(&path("later")).is_err());
    assert_eq!(fs::read(path("old")).unwrap(), b"old");
    let left = fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(left, 3, "old, failed and done");
}
