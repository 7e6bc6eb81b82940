//! Tests with processes that are killed while they write, and with processes that write at the same time.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use klero_support::Output;

/// The environment variable that gives a started process its task and its directory.
const TASK: &str = "KLERO_TEST_TASK";

/// Starts a copy of this test program, which does `task` in `dir`.
fn start(task: &str, dir: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "process", "--nocapture"])
        .env(TASK, format!("{task} {}", dir.display()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Does the task of a started process. It is not a test: without a task, it does nothing.
#[test]
fn process() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let (task, dir) = task.split_once(' ').unwrap();
    let dir = Path::new(dir);
    match task {
        "wait" => {
            let mut output = Output::create(&dir.join("out")).unwrap();
            output.write_all(b"half").unwrap();
            output.flush().unwrap();
            sleep(Duration::from_secs(600));
        }
        "look" => Output::create(&dir.join("next")).unwrap().discard(),
        "write" => {
            for n in 0..40 {
                let sub = dir.join(n.to_string());
                let name = format!("{}", std::process::id());
                let mut output = Output::create(&sub.join(name)).unwrap();
                output.write_all(b"whole").unwrap();
                output.commit().unwrap();
            }
        }
        other => panic!("{other}"),
    }
}

fn partial(dir: &Path) -> usize {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".partial")).count()
}

/// Makes all files in a directory two days old.
fn age(dir: &Path) {
    let then = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            let file = fs::File::options().write(true).open(entry.path()).unwrap();
            file.set_modified(then).unwrap();
        }
    }
}

#[test]
fn what_a_killed_process_leaves_is_removed_a_day_later() {
    let dir = tempfile::tempdir().unwrap();
    let mut killed = start("wait", dir.path());
    let mut alive = start("wait", dir.path());
    while partial(dir.path()) < 2 {
        assert!(killed.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(5));
    }
    // Files and directories that only look like temporary files stay.
    fs::create_dir(dir.path().join(".klero-1.partial")).unwrap();
    fs::write(dir.path().join("klero-2.partial"), "").unwrap();
    fs::write(dir.path().join(".klero-mine.partial"), "").unwrap();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(partial(dir.path()), 5);
    Output::create(&dir.path().join("next")).unwrap().discard();
    assert_eq!(partial(dir.path()), 5, "a new one may be in use elsewhere");
    age(dir.path());
    // A process searches a directory for old files only once, so the next search needs another process.
    let mut next = start("look", dir.path());
    next.wait().unwrap();
    assert_eq!(partial(dir.path()), 4, "that of the process that is alive");
    alive.kill().unwrap();
    alive.wait().unwrap();
}

/// Each process removes files that were left behind, but none that another process is writing.
#[test]
fn processes_do_not_disturb_each_other() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..40 {
        fs::create_dir(dir.path().join(n.to_string())).unwrap();
    }
    let all: Vec<Child> = (0..16).map(|_| start("write", dir.path())).collect();
    for mut child in all {
        assert!(child.wait().unwrap().success());
    }
    for n in 0..40 {
        let sub = dir.path().join(n.to_string());
        assert_eq!(fs::read_dir(&sub).unwrap().count(), 16);
        assert_eq!(partial(&sub), 0);
    }
}
