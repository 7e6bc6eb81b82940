//! What cannot be checked: status 2, and a line that says why.

use std::fs;

use crate::common::Place;
use crate::db::Chain;
use crate::run::verify;

#[test]
fn no_database() {
    let place = Place::new();
    place
        .run("chain verify nowhere --network preview")
        .refused("nowhere: No such file");
    fs::create_dir(place.path("empty")).unwrap();
    place
        .run("chain verify empty --network preview")
        .refused("empty has no chunk files (00000.chunk and so on)");
    place.write("file", "x");
    place
        .run("chain verify file --network preview")
        .refused("file: Not a directory");
}

#[test]
fn which_network() {
    let place = Place::new();
    place.write("00000.chunk", "");
    place
        .run("chain verify .")
        .refused("--network mainnet, preprod or preview, or --shelley-genesis FILE");
    place.write("protocolMagicId", "508");
    place
        .run("chain verify .")
        .refused("network magic 508, which is not built in");
    place.write("protocolMagicId", "five");
    place
        .run("chain verify .")
        .refused("\"five\" is not a network magic");
    place.write("protocolMagicId", "2");
    place
        .run("chain verify . --network mainnet")
        .refused("the database is of network magic 2, mainnet has 764824073");
    // Nothing wrong, and nothing checked.
    let ran = place.run("chain verify .").ends(3);
    assert!(
        ran.stdout.contains("No blocks: nothing was checked."),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_genesis_file_that_is_none() {
    let chain = Chain::small();
    let place = Place::new();
    for (content, words) in [
        ("", "EOF"),
        ("{}", "missing field"),
        (
            r#"{"activeSlotsCoeff": 2, "securityParam": 1, "epochLength": 1}"#,
            "active slots coefficient",
        ),
        (
            r#"{"activeSlotsCoeff": 0.5, "securityParam": 0, "epochLength": 1}"#,
            "securityParam is 0",
        ),
    ] {
        place.write("genesis.json", content);
        let file = place.path("genesis.json").display().to_string();
        let ran = verify(&chain.dir, &format!("--shelley-genesis {file}")).refused(words);
        assert!(ran.stderr.contains(&file));
    }
    verify(&chain.dir, "--shelley-genesis nowhere").refused("nowhere: No such file");
    let back = chain.options.replace("mary=4", "mary=1");
    verify(&chain.dir, &back).refused("Mary is said to begin in epoch 1, before");
}

#[test]
fn command_lines() {
    let nonce = "00".repeat(32);
    for (line, words) in [
        ("", "<DIR>"),
        (
            "x --network moonnet",
            "expected mainnet, preprod or preview",
        ),
        (
            "x --network preview --shelley-genesis y",
            "cannot be used with",
        ),
        ("x --era-start shelley=1", "--shelley-genesis"),
        (
            "x --shelley-genesis y --era-start byron=1",
            "\"byron\" is not one of",
        ),
        ("x --shelley-genesis y --era-start mary", "="),
        (
            "x --shelley-genesis y --era-start mary=-1",
            "not the number of an epoch",
        ),
        ("x --epoch-nonce 1=00", "expected 64 hexadecimal digits"),
        ("x --epoch-nonce one=00", "hexadecimal"),
        ("x --threads 0", "0 is not in 1..=1024"),
        (
            &format!("x --state y --epoch-nonce 1={nonce}"),
            "cannot be used with",
        ),
    ] {
        let ran = Place::new().run(&format!("chain verify {line}")).ends(2);
        assert!(ran.stderr.contains(words), "{line}: {}", ran.stderr);
    }
    let chain = Chain::small();
    for (more, words) in [
        ("--era-start mary=4", "names Mary twice"),
        (
            &format!("--epoch-nonce 1={nonce} --epoch-nonce 1={nonce}"),
            "--epoch-nonce names epoch 1 twice",
        ),
        (
            &format!("--extra-entropy 3={nonce},3={nonce}"),
            "--extra-entropy names epoch 3 twice",
        ),
        (
            &format!("--extra-entropy 12={nonce}"),
            "epoch 12 of custom is in none of these",
        ),
        (&format!("--extra-entropy 0={nonce}"), "epoch 0 of custom"),
    ] {
        verify(&chain.dir, &format!("{} {more}", chain.options)).refused(words);
    }
}

#[test]
fn help_tells_the_exit_status_and_the_json() {
    let place = Place::new();
    let ran = place.run("chain verify --help").ends(0);
    for words in ["130  interrupted", "unverifiable_since", "not all checked"] {
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
    let ran = place.run("chain verify -h").ends(0);
    assert!(ran.stdout.contains("130  interrupted") && !ran.stdout.contains("unverifiable_since"));
}
