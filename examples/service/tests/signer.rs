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
    let file = &world.settings.key_file;
    let key = said(file, &[]);
    let key = PublicKey::from_bytes(Scheme::Chain, &key).unwrap();

    let minting = Minting::prepare(&key, 0, b"alice", &[]).unwrap();
    let answer = said(file, &[minting.to_sign()]);
    assert_eq!(&answer[..32], key.as_bytes());
    let token = minting.assemble(&answer[32..]).unwrap();
    assert_eq!(token.blocks()[0].payload(), b"alice");
    // A signature of something else makes no token.
    let minting = Minting::prepare(&key, 0, b"alice", &[]).unwrap();
    let place = Place::Block(0);
    assert_eq!(
        minting.assemble(&answer[32..]).unwrap_err(),
        Error::Signature { place }
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
    let file = &world.settings.key_file;
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
