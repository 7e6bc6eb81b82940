//! The root key stays in its process, which signs first blocks and nothing else.

mod common;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use axum::http::StatusCode;
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use common::{World, alice, get};
use klero_service::client::ClientError;
use klero_service::server::Running;
use klero_token::{Error, Minting, Place, PublicKey, Scheme, SecretKey};

fn start(key_file: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_signer"))
        .arg(key_file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// All that a signer says to these messages.
fn said(key_file: &Path, messages: &[&[u8]]) -> Vec<u8> {
    let mut child = start(key_file);
    let mut input = child.stdin.take().unwrap();
    for message in messages {
        let length = u32::try_from(message.len()).unwrap();
        input.write_all(&length.to_le_bytes()).unwrap();
        // It may have exited.
        input.write_all(message).ok();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    [output.stdout, output.stderr].concat()
}

#[test]
fn a_signer_signs_first_blocks_only() {
    let world = World::new();
    let file = &world.key_file();
    let key = said(file, &[]);
    let key = PublicKey::from_bytes(Scheme::Chain, &key).unwrap();

    let minting = Minting::prepare(&key, 0, b"alice", &[]).unwrap();
    let answer = said(file, &[minting.to_sign()]);
    assert_eq!(&answer[..32], key.as_bytes());
    let token = minting.assemble(&answer[32..]).unwrap();
    assert_eq!(token.unverified_blocks()[0].payload(), b"alice");
    // A signature of something else makes no token.
    let minting = Minting::prepare(&key, 0, b"alice", &[]).unwrap();
    let place = Place::Block(0);
    let what = "the signature does not hold, or it is by another root key";
    assert_eq!(
        minting.assemble(&answer[32..]).unwrap_err(),
        Error::Signature { place, what }
    );

    let mut narrowing = minting_message(&key);
    // The byte of the kind.
    narrowing[18] = 1;
    let long = [minting_message(&key), vec![0; 4096]].concat();
    for message in [&b"anything"[..], b"", &narrowing, &long] {
        let answer = said(file, &[message, &minting_message(&key)]);
        assert!(
            answer[32..].starts_with(b"Error: "),
            "{:?}",
            String::from_utf8_lossy(&answer)
        );
    }
}

fn minting_message(key: &PublicKey) -> Vec<u8> {
    Minting::prepare(key, 0, b"alice", &[])
        .unwrap()
        .to_sign()
        .to_vec()
}

#[test]
fn a_signer_never_tells_its_key() {
    let world = World::new();
    let file = &world.key_file();
    let public = PublicKey::from_bytes(Scheme::Chain, &said(file, &[])).unwrap();
    assert_eq!(
        std::fs::metadata(file).unwrap().permissions().mode() & 0o777,
        0o600
    );

    let pem = std::fs::read_to_string(file).unwrap();
    let secret = SecretKey::from_pem(Scheme::Chain, &pem).unwrap();
    assert_eq!(*secret.public_key(), public);
    let seed = secret.as_bytes();
    let hex: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
    let list = format!("{seed:?}");
    let forms = [
        seed.to_vec(),
        hex.into_bytes(),
        Base64::encode_string(seed).into_bytes(),
        Base64UrlUnpadded::encode_string(seed).into_bytes(),
        list.trim_matches(['[', ']']).as_bytes().to_vec(),
        pem.lines().nth(1).unwrap().as_bytes().to_vec(),
    ];
    let broken = world.directory().join("broken.pem");
    std::fs::write(&broken, &pem[..pem.len() - 30]).unwrap();
    for said in [
        said(file, &[&minting_message(&public)]),
        said(file, &[b"anything"]),
        said(&broken, &[]),
    ] {
        for form in &forms {
            assert!(!said.windows(form.len()).any(|part| part == form));
        }
    }
}

#[tokio::test]
async fn a_signer_that_died_is_started_again() {
    let mut world = World::new();
    let [program, process_id] = ["signer.sh", "id"].map(|name| world.directory().join(name));
    let script = format!(
        "#!/bin/sh\necho $$ >'{}'\nexec '{}' \"$1\"\n",
        process_id.display(),
        world.settings.signer.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o700)).unwrap();
    world.settings.signer = program;

    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let process = std::fs::read_to_string(process_id).unwrap();
    assert!(
        Command::new("kill")
            .arg(process.trim())
            .status()
            .unwrap()
            .success()
    );
    let refused = client.log_in("alice", "correct horse").await;
    let unavailable = StatusCode::SERVICE_UNAVAILABLE;
    assert!(matches!(refused, Err(ClientError::Refused(status)) if status == unavailable));
    // Tokens are verified without it.
    assert_eq!(
        get(&client, &token, "/jobs/7").await.status,
        StatusCode::NOT_FOUND
    );
    alice(&client).await;
    running.stop().await;
}

/// However early it is killed, the next one starts, with the key that was told if one was.
#[test]
fn a_signer_that_is_killed_while_it_makes_its_key_starts_again() {
    for round in 0..40 {
        let world = World::new();
        let file = world.key_file();
        let mut child = start(&file);
        std::thread::sleep(std::time::Duration::from_micros(100 * round));
        child.kill().unwrap();
        let told = child.wait_with_output().unwrap().stdout;
        let key = said(&file, &[]);
        assert!(
            PublicKey::from_bytes(Scheme::Chain, &key).is_ok(),
            "{round}"
        );
        assert!(told.is_empty() || told == key, "{round}");
        // Whatever was left beside it, only its owner can read.
        for entry in std::fs::read_dir(world.directory()).unwrap() {
            let mode = entry.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}

#[test]
fn an_error_names_the_file() {
    let world = World::new();
    let file = world.key_file();
    std::fs::write(&file, "").unwrap();
    let empty = String::from_utf8(said(&file, &[])).unwrap();
    let missing = world.directory().join("none").join("root-0.pem");
    let nowhere = String::from_utf8(said(&missing, &[])).unwrap();
    for (said, file) in [(empty, file), (nowhere, missing)] {
        assert!(said.contains(file.to_str().unwrap()), "{said}");
    }
}

#[tokio::test]
async fn a_service_whose_signer_does_not_start_names_the_file() {
    let world = World::new();
    std::fs::write(world.key_file(), "").unwrap();
    let error = Running::start(world.settings.clone()).await.err().unwrap();
    assert!(error.to_string().contains("root-0.pem"), "{error}");
}
