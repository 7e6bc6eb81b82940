//! Tests of the line of text and the JSON object that are made from each kind of fault.

use std::collections::BTreeSet;

use klero_leader::{LeaderValue, Stake};
use serde_json::{Value, to_value};

use super::*;
use crate::finding::{Finding, Location};

fn finding(fault: Fault) -> Finding {
    let hash = Some(Hash::new([7; 32]));
    let at = Location {
        chunk: 3,
        offset: Some(5),
        item: None,
        epoch: Some(9),
        slot: Some(11),
        hash,
    };
    Finding::new(fault, at)
}

/// A sample of each kind of fault, with the beginning of its sentence.
fn samples() -> Vec<(Fault, &'static str)> {
    let hash = Hash::new([1; 32]);
    let (pool, vrf) = (PoolId::new([2; 28]), VrfKeyHash::new([3; 32]));
    let value = LeaderValue::Praos([0x80; 32]);
    let why = |text: &str| text.to_owned();
    vec![
        (
            Fault::Crc {
                expected: 1,
                found: 0xff,
                header: HeaderState::Unreadable,
                why: Some(why("x")),
            },
            "CRC-32 is 000000ff, the index says 00000001; the header is unreadable: x",
        ),
        (
            Fault::Truncated {
                length: 9,
                incomplete: Some(4),
                missing: 2,
            },
            "the file ends after 9 bytes, within the block at byte 4, and the index lists 2 more blocks",
        ),
        (
            Fault::Unreadable {
                until: Some(9),
                why: why("x"),
            },
            "bytes up to 9 are no block: x",
        ),
        (
            Fault::MissingChunks {
                first: 2,
                last_chunk: 4,
            },
            "chunks 00002 to 00004 are missing",
        ),
        (
            Fault::BadHeader { why: why("x") },
            "the header cannot be used: x",
        ),
        (
            Fault::BodyHash {
                expected: hash,
                found: None,
            },
            "the body does not have the parts of its era, the header says 0101",
        ),
        (
            Fault::BodySize {
                expected: 2,
                found: 1,
            },
            "the body has 1 byte, the header says 2",
        ),
        (
            Fault::HashLink {
                before: hash,
                names: None,
            },
            "the block before is 0101",
        ),
        (
            Fault::BlockNumber {
                expected: 2,
                found: 1,
            },
            "block number is 1, expected 2",
        ),
        (
            Fault::SlotOrder { before: 12 },
            "its slot is not after slot 12 of the block before",
        ),
        (
            Fault::OutsideChunk {
                first: 1,
                last_slot: 4,
            },
            "its slot is not among the chunk's slots 1 to 4",
        ),
        (
            Fault::Era {
                found: Era::Allegra,
                before: Some(Era::Conway),
            },
            "an Allegra block after one of Conway",
        ),
        (
            Fault::Index {
                file: IndexFile::Primary,
                what: None,
            },
            "the primary index is missing",
        ),
        (
            Fault::CrcUnchecked { blocks: 2 },
            "CRC-32 of 2 blocks not checked",
        ),
        (
            Fault::HalfWritten { bytes: 1 },
            "the last block is not complete; not read: 1 byte",
        ),
        (
            Fault::UnknownEra { tag: 9, from: 12 },
            "blocks of an era this version does not know (tag 9) from slot 12 on; update klero",
        ),
        (
            Fault::Io {
                file: Some(IndexFile::Secondary),
                why: why("x"),
            },
            "the secondary index cannot be read: x",
        ),
        (
            Fault::NonceUnknown {},
            "the nonce of the epoch is not known",
        ),
        (
            Fault::InvalidProof {
                proof: ClaimKind::Eta,
                why: klero::Invalid::OutputMismatch,
            },
            "the proof (eta) is invalid: ",
        ),
        (
            Fault::LeaderValue {},
            "the leader value is not below f, so no stake could lead",
        ),
        (Fault::UnknownPool { pool }, "pool pool1"),
        (
            Fault::OtherVrfKey {
                pool,
                registered: vrf,
                used: VrfKeyHash::new([4; 32]),
            },
            "the VRF key of pool pool1",
        ),
        (
            Fault::NoLeader {
                why: Box::new(ValueTooLarge {
                    pool,
                    stake: Stake::new(1, 8).unwrap(),
                    value,
                    last: None,
                }),
            },
            "the leader value of pool pool1",
        ),
        (
            Fault::TwoVrfKeys {
                pool,
                first: vrf,
                second: VrfKeyHash::new([4; 32]),
            },
            "pool pool1",
        ),
        (
            Fault::WrongDelegate {
                expected: Hash::new([5; 28]),
                found: Hash::new([6; 28]),
            },
            "the slot is that of genesis delegate 0505",
        ),
        (
            Fault::ReservedSlot {},
            "the slot is taken out of the lottery, and no delegate's",
        ),
        (
            Fault::KesPeriod {
                period: 1,
                first: 2,
                end: 4,
            },
            "the certificate does not hold in KES period 1, but from 2 to before 4",
        ),
        (
            Fault::InvalidCertificate {
                why: klero_ed25519::Invalid::Mismatch,
            },
            "the cold key did not sign the certificate: ",
        ),
        (
            Fault::InvalidKes {
                why: InvalidKes::Path(1),
            },
            "the hot key did not sign the header: ",
        ),
        (
            Fault::CertificateNumber {
                last_number: 4,
                found: 3,
            },
            "certificate number is 3 after 4, which was used before",
        ),
        (
            Fault::EpochNonce {
                expected: Nonce::Neutral,
                found: Nonce::Value(hash),
            },
            "the nonce of the epoch is 0101",
        ),
        (
            Fault::ExpectedBlock { expected: hash },
            "the expected block is 0101",
        ),
        (
            Fault::LedgerState {
                what: "last block",
                ledger: "1".into(),
                chain: "none".into(),
            },
            "last block: the ledger state has 1, the chain none",
        ),
    ]
}

fn keys(value: impl Serialize) -> BTreeSet<String> {
    let Value::Object(fields) = to_value(value).unwrap() else {
        panic!("no object")
    };
    fields.into_iter().map(|(key, _)| key).collect()
}

#[test]
fn each_kind_has_a_name_a_sentence_and_fields_of_its_own() {
    let names: Vec<_> = samples().iter().map(|(fault, _)| fault.name()).collect();
    assert_eq!(names, Fault::NAMES);
    for (fault, sentence) in samples() {
        let (fields, finding) = (keys(&fault), finding(fault.clone()));
        let mut of_finding = keys(&finding.at);
        of_finding.extend(["severity", "reason", "count", "last"].map(String::from));
        assert!(fields.is_disjoint(&of_finding), "{fields:?}");
        of_finding.extend(fields);
        let json = to_value(&finding).unwrap();
        assert_eq!(keys(&json), of_finding);
        assert_eq!(json["finding"], fault.name());
        let reason = json["reason"].as_str().unwrap();
        assert!(reason.starts_with(sentence), "{reason}");
        assert!(
            !reason.contains("  ") && !reason.ends_with([' ', ':']),
            "{reason}"
        );
    }
}

#[test]
fn a_line_has_severity_name_place_sentence_and_number() {
    let place = "epoch 9, chunk 00003, byte 5, slot 11, block 0707";
    for (fault, before) in [
        (Fault::SlotOrder { before: 12 }, "slot-order: "),
        (
            Fault::CrcUnchecked { blocks: 1 },
            "warning: crc-unchecked: ",
        ),
        (Fault::HalfWritten { bytes: 5 }, "note: half-written: "),
    ] {
        let line = finding(fault.clone()).to_string();
        assert!(line.starts_with(&format!("{before}{place}")), "{line}");
        assert!(line.ends_with(&format!(": {fault}")), "{line}");
    }
    let one = finding(Fault::SlotOrder { before: 12 });
    let last = Location {
        slot: Some(20),
        ..one.at.clone()
    };
    let several = Finding {
        count: 3,
        last: Some(last),
        ..one
    };
    let end = " (3 like this in the chunk, the last at slot 20)";
    assert!(several.to_string().ends_with(end), "{several}");
    let of_item = Location {
        item: Some(4),
        ..Location::default()
    };
    assert_eq!(of_item.to_string(), "item 4");
}

#[test]
fn one_and_many() {
    let missing = |first, last_chunk| Fault::MissingChunks { first, last_chunk }.to_string();
    assert_eq!(missing(7, 7), "the chunk is missing");
    assert_eq!(counted(1, "block"), "1 block");
    let (incomplete, missing) = (None, 0);
    let fault = Fault::Truncated {
        length: 9,
        incomplete,
        missing,
    };
    assert_eq!(fault.to_string(), "the file ends after 9 bytes");
    let (found, before) = (Era::Mary, None);
    let era = Fault::Era { found, before }.to_string();
    assert_eq!(era, "a Mary block in an epoch that is not of that era");
}
