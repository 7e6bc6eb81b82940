//! Tests that anchors are read from good texts and files, and that bad ones are refused.

use std::fs;

use super::*;

const A: &str = "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";
const B: &str = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b";

/// Reads the anchors in a file with this content. Removes the file's name from an error message.
fn read(json: impl AsRef<[u8]>, asked: Option<u64>) -> Result<Vec<Anchor>, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("anchors.json");
    fs::write(&path, json).unwrap();
    read_anchors(&path, &Network::preview(), asked).map_err(|error| {
        let place = format!("{}: ", path.display());
        let error = error.to_string();
        error.strip_prefix(&place).expect(&error).to_owned()
    })
}

fn nonce(epoch: u64, digits: &str) -> Anchor {
    let nonce = digits.parse().unwrap();
    Anchor::Nonce { epoch, nonce }
}

fn number(number: u64, digits: &str) -> Anchor {
    let hash = digits.parse().unwrap();
    Anchor::Number { number, hash }
}

#[test]
fn texts() {
    let of = |text: &str| read_anchors(text.as_ref(), &Network::preview(), None);
    let hash = A.parse().unwrap();
    for (text, anchor) in [
        (format!("7:{A}"), Anchor::Block { slot: 7, hash }),
        (format!("tip=7:{A}"), Anchor::Tip { slot: 7, hash }),
        (format!("7={A}"), nonce(7, A)),
        ("7=neutral".to_owned(), nonce(7, "neutral")),
    ] {
        assert_eq!(of(&text).unwrap(), [anchor]);
    }
    for (text, says) in [
        (
            "7:00",
            "expected a hash of 64 hexadecimal digits after the colon",
        ),
        (":00", "expected the number of a slot before the colon"),
        ("tip=7", "expected a slot, a colon and a hash"),
        ("tip=x:00", "expected the number of a slot before the colon"),
        (
            "7=00",
            "expected 64 hexadecimal digits or neutral after the =",
        ),
        ("=00", "expected tip or the number of an epoch before the ="),
    ] {
        assert_eq!(of(text).unwrap_err().to_string(), says);
    }
    for text in ["7", "tip", "x:00", "no/such.json"] {
        let error = of(text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{text}: ")), "{error}");
        assert!(error.ends_with("EPOCH=NONCE or a file"), "{error}");
    }
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
        format!(r#"[{{"epoch_no": 7, "nonce": null}}][{object}]"#).into(),
        format!(r#"{{"epoch_no": "2000", "nonce": "\\x{A}"}}"#).into(),
        format!(r#"[{{"epoch_no": 2000, "nonce": "0x{A}", "max_block_size": 65536}}]"#).into(),
        format!(
            r#"[{{"epoch_no": 2000, "nonce": {{"tag": "Nonce", "contents": "{A}"}}}},
                {{"epoch": 2001, "nonce": {{"tag": "NeutralNonce"}}}}]"#
        )
        .into(),
    ] {
        assert_eq!(read(&file, None).unwrap(), [nonce(2000, A)]);
    }
    let lines = format!(
        "{object}\n\n{}\n",
        object.replace("2000", "2001").replace(A, B)
    );
    let both = [nonce(2000, A), nonce(2001, B)];
    assert_eq!(read(lines, None).unwrap(), both);
    assert_eq!(read("[]", None).unwrap(), []);
}

#[test]
fn the_nonce_of_a_protocol_state() {
    let slot = Network::preview().first_slot(2000) + 5;
    let tagged = format!(r#"{{"epochNonce": {{"contents": "{A}", "tag": "Nonce"}}}}"#);
    let without = format!(r#"{{"epochNonce": "{A}", "candidateNonce": "{B}", "lastSlot": null}}"#);
    let with = format!(r#"{{"lastSlot": {slot}, "labNonce": null, "epochNonce": "{A}"}}"#);
    for (json, asked) in [
        (&tagged, Some(2000)),
        (&without, Some(2000)),
        (&with, Some(2000)),
        (&with, None),
    ] {
        assert_eq!(read(json, asked).unwrap(), [nonce(2000, A)]);
    }
    assert_eq!(read(r#"{"epochNonce": null}"#, Some(2000)).unwrap(), []);
    for (json, asked, says) in [
        (&without, None, "entry 1: it names no epoch"),
        (
            &with,
            Some(2001),
            "is in epoch 2000 of preview, so its epochNonce is not that of epoch 2001",
        ),
        (&with, Some(1999), "is not that of epoch 1999"),
        // The entry names no epoch. It is not assumed to be of epoch 2000, for which anchors are read.
        (
            &format!(r#"{{"number": 1999, "nonce": "{A}"}}"#),
            Some(2000),
            "entry 1: it names no epoch and no block",
        ),
    ] {
        let error = read(json, asked).unwrap_err();
        assert!(error.contains(says), "{json}: {error}");
    }
}

#[test]
fn checkpoints_of_a_node() {
    // The first two checkpoints of mainnet.
    let first = "a82e2b2253a39897f57912cf8fdd70786eb8a2460c2955bb3521642539b87ead";
    let second = "68f5bcce46a2ef622952377854986a44aa79eded70220aaaf61ac84bf90da338";
    let json = format!(
        r#"{{
  "checkpoints": [
{{
  "blockNo": 2000,
  "hash": "{first}"
}},
{{
  "blockNo": 4000,
  "hash": "{second}"
}}
  ]
}}"#
    );
    let both = [number(2000, first), number(4000, second)];
    assert_eq!(read(json, None).unwrap(), both);
}

#[test]
fn bad_files() {
    let good = format!(r#"{{"epoch_no": 2000, "nonce": "{A}"}}"#);
    for (json, says) in [
        ("", "it is empty; expected [{\"epoch_no\": 208"),
        (" \n", "it is empty"),
        ("{}", "entry 1: it names no epoch and no block; expected [{"),
        (&format!("{good} {{"), "EOF while parsing"),
        (&format!("[{good}"), "EOF while parsing"),
        (&format!("[{good}, 7]"), "entry 2: expected [{"),
        (r#"{"checkpoints": 7}"#, "entry 1: expected [{"),
        (
            r#"[{"epoch_no": 5}]"#,
            "entry 1: it has no nonce of epoch 5",
        ),
        (
            r#"[{"epoch_no": -5, "nonce": null}]"#,
            "entry 1: expected the number of an epoch",
        ),
        (
            r#"[{"epoch_no": "x", "nonce": null}]"#,
            "entry 1: expected the number of an epoch",
        ),
        (
            r#"[{"epoch_no": 2000, "nonce": 7}]"#,
            "entry 1: the nonce of epoch 2000: expected 64 hexadecimal digits, or null",
        ),
        (
            r#"{"epoch_no": 1, "epoch": 2, "nonce": null}"#,
            "entry 1: it has both epoch_no and epoch",
        ),
        (
            &format!(r#"[{good}, {{"epoch_no": 2001, "nonce": "0x\\x{A}"}}]"#),
            "entry 2: the nonce of epoch 2001: expected 64 hexadecimal digits",
        ),
        (
            &format!(r#"{{"checkpoints": [{{"blockNo": "7", "hash": "{A}"}}]}}"#),
            "entry 1: expected the number of a block as blockNo",
        ),
        (
            r#"{"checkpoints": [{"blockNo": 7, "hash": "xx"}]}"#,
            "entry 1: the hash of block 7: expected 64 hexadecimal digits",
        ),
        (
            r#"{"checkpoints": [{"blockNo": 7}]}"#,
            "entry 1: the hash of block 7: expected 64 hexadecimal digits",
        ),
    ] {
        let error = read(json, None).unwrap_err();
        assert!(error.contains(says), "{json}: {error}");
    }
}
