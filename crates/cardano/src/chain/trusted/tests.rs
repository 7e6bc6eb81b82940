//! Nonces and checkpoints from files, and what is wrong with files.

use std::fs;

use super::*;

const A: &str = "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";
const B: &str = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b";

fn preview_with(json: impl AsRef<[u8]>) -> Result<Network, String> {
    preview_asked(json, None)
}

fn preview_asked(json: impl AsRef<[u8]>, asked: Option<u64>) -> Result<Network, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("nonces.json");
    fs::write(&path, json).unwrap();
    let mut network = Network::preview();
    match network.read_known_nonces(&path, asked) {
        Ok(()) => Ok(network),
        Err(error) => {
            assert_eq!(network, Network::preview());
            let place = format!("{}: ", path.display());
            Err(error.to_string().replace(&place, ""))
        }
    }
}

#[test]
fn nonces() {
    let text = format!(
        r#"[{{"epoch_no": 2000, "nonce": "{A}"}}, {{"nonce": "\\x{B}", "epoch_no": 2001}},
            {{"epoch_no": 2002, "nonce": "0x{A}", "max_block_size": 65536}},
            {{"epoch_no": 2000, "nonce": "{A}"}}]"#
    );
    let network = preview_with(&text).unwrap();
    for (epoch, nonce) in [(2000, A), (2001, B), (2002, A)] {
        assert_eq!(network.known_nonce(epoch).unwrap().to_string(), nonce);
    }
    assert_eq!(preview_with("[]").unwrap(), Network::preview());
    // A built-in nonce may be said again.
    let known = Network::preview().known_nonce(5).unwrap();
    preview_with(format!(r#"[{{"epoch_no": 5, "nonce": "{known}"}}]"#)).unwrap();
}

#[test]
fn nonces_as_others_write_them() {
    let object = format!(r#"{{"epoch": 2000, "min_fee_a": 44, "nonce": "{A}"}}"#);
    let utf16 = |to: fn(u16) -> [u8; 2]| {
        let marked = "\u{feff}".to_owned() + &object;
        Vec::from_iter(marked.encode_utf16().flat_map(to))
    };
    for file in [
        object.clone().into_bytes(),
        format!("\u{feff}[{object}]\r\n").into(),
        utf16(u16::to_le_bytes),
        utf16(u16::to_be_bytes),
        format!("{object}\n\n{object}\n").into(),
        format!(r#"[{{"epoch_no": 7, "nonce": null}}][{object}]"#).into(),
        format!(r#"{{"epoch_no": "2000", "nonce": "\\x{A}"}}"#).into(),
        format!(
            r#"[{{"epoch_no": 2000, "nonce": {{"tag": "Nonce", "contents": "{A}"}}}},
                {{"epoch": 2001, "nonce": {{"tag": "NeutralNonce"}}}}]"#
        )
        .into(),
    ] {
        let network = preview_with(&file).unwrap();
        assert_eq!(network.known_nonce(2000).unwrap().to_string(), A);
        assert_eq!(network.known_nonce(2001), None);
    }
}

#[test]
fn the_nonce_of_a_protocol_state() {
    let slot = Network::preview().first_slot(2000) + 5;
    let tagged = format!(r#"{{"epochNonce": {{"contents": "{A}", "tag": "Nonce"}}}}"#);
    let without = format!(r#"{{"epochNonce": "{A}", "candidateNonce": "{B}"}}"#);
    let with = format!(r#"{{"lastSlot": {slot}, "labNonce": null, "epochNonce": "{A}"}}"#);
    for (json, asked) in [
        (&tagged, Some(2000)),
        (&without, Some(2000)),
        (&with, Some(2000)),
        (&with, None),
    ] {
        let network = preview_asked(json, asked).unwrap();
        assert_eq!(network.known_nonce(2000).unwrap().to_string(), A);
    }
    let neutral = r#"{"epochNonce": null}"#;
    assert_eq!(
        preview_asked(neutral, Some(2000)).unwrap(),
        Network::preview()
    );
    for (json, asked, says) in [
        (&without, None, "entry 1: it names no epoch"),
        (
            &with,
            Some(2001),
            "is in epoch 2000 of preview, so its epochNonce is not that of epoch 2001",
        ),
        (&with, Some(1999), "is not that of epoch 1999"),
    ] {
        let error = preview_asked(json, asked).unwrap_err();
        assert!(error.contains(says), "{json}: {error}");
    }
    // A nonce that is not said to be that of the epoch of the tip is not taken for it.
    let number = format!(r#"{{"number": 1999, "nonce": "{A}"}}"#);
    let error = preview_asked(number, Some(2000)).unwrap_err();
    assert!(error.contains("missing field `epoch_no`"), "{error}");
}

#[test]
fn bad_nonces() {
    let good = format!(r#"{{"epoch_no": 2000, "nonce": "{A}"}}"#);
    for (json, says) in [
        ("", "EOF while parsing"),
        (" \n", "expected [{\"epoch_no\": 208"),
        ("{}", "entry 1: missing field `epoch_no`"),
        (&format!("{good} {{"), "EOF while parsing"),
        (&format!("[{good}"), "EOF while parsing"),
        (
            &format!("[{good}, 7]"),
            "entry 2: invalid type: integer `7`, expected an object with epoch_no and nonce",
        ),
        (
            &format!(r#"[{good}, {{"epoch_no": 5}}]"#),
            "entry 2: missing field `nonce`",
        ),
        (
            &format!(r#"[{{"epoch_no": -5, "nonce": "{A}"}}]"#),
            "entry 1: expected the number of an epoch",
        ),
        (
            &format!(r#"[{{"epoch_no": "x", "nonce": "{A}"}}]"#),
            "entry 1: expected the number of an epoch",
        ),
        (
            r#"[{"epoch_no": 2000, "nonce": 7}]"#,
            "entry 1: a nonce of 64 hexadecimal digits, or null",
        ),
        (
            &format!(r#"{{"epoch_no": 1, "epoch": 2, "nonce": "{A}"}}"#),
            "entry 1: duplicate field `epoch_no`",
        ),
        (
            r#"[{"epoch_no": 2000, "nonce": "00"}]"#,
            "entry 1: the nonce of epoch 2000: expected 64 hexadecimal digits",
        ),
        (
            &format!(r#"[{{"epoch_no": 2000, "nonce": "0x\\x{A}"}}]"#),
            "expected 64 hexadecimal digits",
        ),
        (
            &format!(r#"[{good}, {{"epoch_no": 2000, "nonce": "{B}"}}]"#),
            &format!("entry 2: the nonce of epoch 2000 is {B}, but {A} in an entry before"),
        ),
        (
            &format!(r#"[{good}, {{"epoch_no": 5, "nonce": "{B}"}}]"#),
            &format!(
                "entry 2: the nonce of epoch 5 of preview is known to be {}, not {B}",
                Network::preview().known_nonce(5).unwrap()
            ),
        ),
    ] {
        let error = preview_with(json).unwrap_err();
        assert!(error.contains(says), "{json}: {error}");
    }
    let absent = Path::new("no/nonces.json");
    let error = Network::preview()
        .read_known_nonces(absent, None)
        .unwrap_err();
    assert!(matches!(error, TrustedFileError::Read(_)), "{error}");
}

fn checkpoints(json: &str) -> Result<BTreeMap<u64, Hash<32>>, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("checkpoints.json");
    fs::write(&path, json).unwrap();
    read_checkpoints(&path).map_err(|error| {
        let place = format!("{}: ", path.display());
        error.to_string().replace(&place, "")
    })
}

#[test]
fn checkpoints_of_a_node() {
    // The first of mainnet's.
    let json = r#"{
  "checkpoints": [
{
  "blockNo": 2000,
  "hash": "a82e2b2253a39897f57912cf8fdd70786eb8a2460c2955bb3521642539b87ead"
},
{
  "blockNo": 4000,
  "hash": "68f5bcce46a2ef622952377854986a44aa79eded70220aaaf61ac84bf90da338"
}
  ]
}"#;
    let read = checkpoints(json).unwrap();
    assert_eq!(read.keys().copied().collect::<Vec<_>>(), [2000, 4000]);
    assert!(read[&4000].to_string().starts_with("68f5bcce"));
    for (json, says) in [
        ("[]".to_owned(), "expected {\"checkpoints\": [{\"blockNo\""),
        ("{}".to_owned(), "missing field `checkpoints`"),
        (
            format!(r#"{{"checkpoints": [{{"blockNo": "7", "hash": "{A}"}}]}}"#),
            "entry 1: invalid type: string",
        ),
        (
            r#"{"checkpoints": [{"blockNo": 7, "hash": "xx"}]}"#.to_owned(),
            "entry 1: the hash of block 7: expected 64 hexadecimal digits",
        ),
        (
            format!(
                r#"{{"checkpoints": [{{"blockNo": 7, "hash": "{A}"}},
                    {{"blockNo": 7, "hash": "{B}"}}]}}"#
            ),
            "entry 2: the hash of block 7 is 0b0b",
        ),
    ] {
        let error = checkpoints(&json).unwrap_err();
        assert!(error.contains(says), "{json}: {error}");
    }
}
