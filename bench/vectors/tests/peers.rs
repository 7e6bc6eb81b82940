//! The program on two peers: the model, which agrees with every test, and one with faults, each of
//! which is found under the flags that it belongs to.

use std::collections::BTreeSet;
use std::env;
use std::process::{Command, Output};

fn run(peer: &str) -> Output {
    // Examples are beside the directory of the tests.
    let mut path = env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push(format!("examples/lib{peer}.so"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_klero-peer-vectors"));
    command.arg(path).output().unwrap()
}

#[test]
fn the_model_agrees() {
    let output = run("reference");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(!text.contains("another answer"));
    assert!(text.contains("rfc9381-tai-bc"));
}

#[test]
fn faults_are_found() {
    let output = run("faulty");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let (_, failures) = text.split_once("another answer:\n").unwrap();
    // The suite, the first flag and what the peer did.
    let found: BTreeSet<_> = failures
        .lines()
        .map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            let what = line.rsplit_once(": ").unwrap().1;
            (words[1], words[2].trim_end_matches(':'), what)
        })
        .collect();
    let has = |suite, flag, what| found.contains(&(suite, flag, what));
    let other = "not accepted, or with another output";
    assert!(has("praos", "MixedOrderKey", other), "{text}");
    assert!(has("praos", "MixedOrderKey", "accepted"), "{text}");
    assert!(has("praos", "MixedOrderGamma", "accepted"), "{text}");
    assert!(has("draft13", "ScalarPlusL", "accepted"), "{text}");
    assert!(has("rfc9381-tai", "ProofLength", "accepted"), "{text}");
    assert!(
        has("rfc9381-ell2", "ProofLength", "the process ended"),
        "{text}"
    );
    assert!(has("draft10-tai", "Honest", other), "{text}");
    assert!(
        has("draft13-bc", "MixedOrderKey", "accepted in a batch"),
        "{text}"
    );
    // Nothing but what has to do with the faults.
    let flags: BTreeSet<_> = found
        .iter()
        .filter(|(suite, ..)| *suite != "draft10-tai")
        .map(|(_, flag, _)| *flag)
        .collect();
    let expected = [
        "MixedOrderGamma",
        "MixedOrderKey",
        "ProofLength",
        "ScalarPlusL",
    ];
    assert_eq!(flags, BTreeSet::from(expected), "{text}");
}
