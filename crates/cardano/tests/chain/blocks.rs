//! Real blocks of eras that are in no test chain.

use std::fs;

use klero_cardano::{
    Claims, Era, Event, Hash, Header, Immutable, Leadership, Network, NonceState, Severity, Start,
    Vrf, Walk,
};
use pallas_codec::minicbor::Decoder;

fn block(name: &str) -> Vec<u8> {
    let lines = include_str!("../../testdata/blocks.txt").lines();
    let mut named = lines
        .filter_map(|line| line.split_once(' '))
        .filter(|line| line.0 == name);
    hex::decode(named.next().unwrap().1).unwrap()
}

fn header(block: &[u8]) -> Header {
    let mut decoder = Decoder::new(block);
    decoder.array().unwrap();
    let tag = decoder.u8().unwrap();
    decoder.array().unwrap();
    let start = decoder.position();
    decoder.skip().unwrap();
    Header::decode(tag, &block[start..decoder.position()], 21_600).unwrap()
}

fn hash(text: &str) -> Hash<32> {
    text.parse().unwrap()
}

#[test]
fn headers() {
    let boundary = header(&block("mainnet-boundary-0"));
    assert_eq!(
        boundary.place.hash,
        hash("89d9b5a5b8ddc8d7e5a6795e9774d97faf1efea59b2caf7eaf9f8c5b32059df4")
    );
    // The hash of the Byron genesis.
    assert_eq!(
        boundary.place.prev_hash,
        Some(hash(
            "5f20df933584822601f9e3f8c024eb5eb252fe8cefb24d1317dc3d432e940ebb"
        ))
    );
    assert!(boundary.place.boundary);
    assert_eq!((boundary.place.slot, boundary.place.number), (0, 0));

    let first = header(&block("mainnet-1"));
    assert_eq!(
        first.place.hash,
        hash("f0f7892b5c333cffc4b3c4344de48af4cc63f55e44936196f365a9ef2244134f")
    );
    assert_eq!(first.place.prev_hash, Some(boundary.place.hash));
    assert_eq!((first.place.slot, first.place.number), (0, 1));
    assert_eq!((first.place.era, first.place.boundary), (Era::Byron, false));
    assert_eq!((first.lottery, first.body_hash), (None, None));

    let allegra = header(&block("mainnet-allegra-5192804"));
    assert_eq!(
        (allegra.place.slot, allegra.place.number),
        (18_748_707, 5_192_804)
    );
    let place = &allegra.place;
    assert!(Network::mainnet().admits(place.era, Network::mainnet().epoch(place.slot)));
    assert!(matches!(allegra.lottery.unwrap().vrf, Vrf::TPraos { .. }));

    let conway = header(&block("testnet-conway-1392116"));
    assert_eq!(
        (conway.place.slot, conway.place.number),
        (27_953_668, 1_392_116)
    );
    assert!(matches!(conway.lottery.unwrap().vrf, Vrf::Praos(_)));
}

/// Byron epochs are as long as the network says, not as long as mainnet's.
#[test]
fn byron_slots() {
    for (epoch, slot, length, expected) in [
        (0u64, 5u64, 40u64, Some(5)),
        (3, 5, 40, Some(125)),
        (3, 5, 21_600, Some(64_805)),
        (u64::MAX, 1, 40, None),
    ] {
        // The slot of block 1, [0, 0], is the only `820000` in its header.
        let bytes = hex::encode(block("mainnet-1"));
        let start = bytes.find("83851a").unwrap() + 2;
        let end = bytes.find("849fff").unwrap();
        let slot_id = format!("821b{epoch:016x}1b{slot:016x}");
        let (head, tail) = bytes[start..end].rsplit_once("84820000").unwrap();
        let header = hex::decode(format!("{head}84{slot_id}{tail}")).unwrap();
        let decoded = Header::decode(1, &header, length);
        assert_eq!(decoded.ok().map(|header| header.place.slot), expected);
    }
}

#[test]
fn the_first_blocks_of_mainnet() {
    let dir = tempfile::tempdir().unwrap();
    let chunk = ["mainnet-boundary-0", "mainnet-1", "mainnet-2"]
        .map(block)
        .concat();
    fs::write(dir.path().join("00000.chunk"), chunk).unwrap();
    let db = Immutable::open(dir.path()).unwrap();
    let mut warnings = Vec::new();
    let mut blocks = Vec::new();
    for event in Walk::new(&db, Network::mainnet(), Start::Genesis).unwrap() {
        match event {
            Event::Block(block) => blocks.push(block),
            Event::Finding(finding) => {
                assert_eq!(finding.severity(), Severity::Warning, "{finding}");
                warnings.push(finding.to_string());
            }
        }
    }
    assert_eq!(
        warnings,
        [
            "00000.secondary is missing",
            "00000.primary is missing",
            "chunk 00000: CRC-32 of 3 blocks not checked"
        ]
    );
    let places: Vec<_> = blocks
        .iter()
        .map(|b| (b.place.number, b.place.slot))
        .collect();
    assert_eq!(places, [(0, 0), (1, 0), (2, 1)]);
    for block in blocks {
        assert_eq!(
            (block.claims, block.leadership),
            (Claims::None, Leadership::None)
        );
        let genesis = NonceState::genesis(Network::mainnet().genesis_hash());
        assert_eq!(block.nonces, Some(genesis));
    }
}

/// A wrong length is named, and the place in the chain is kept.
#[test]
fn wrong_lengths() {
    let bytes = block("testnet-conway-1392116");
    let mut decoder = Decoder::new(&bytes[3..]);
    decoder.skip().unwrap();
    let header_bytes = &bytes[3..3 + decoder.position()];
    let whole = Header::decode(7, header_bytes, 1).unwrap();
    let text = hex::encode(header_bytes);
    for (old, new, says) in [
        ("5850", "584f", "VRF proof has 79 bytes, expected 80"),
        ("825840", "82583f", "VRF output has 63 bytes, expected 64"),
        ("5820472a", "581f2a", "issuer key has 31 bytes, expected 32"),
        ("58206ee6", "581fe6", "VRF key has 31 bytes, expected 32"),
        (
            "5901c0",
            "5901bf",
            "KES signature has 447 bytes, expected 448",
        ),
    ] {
        // One byte less, with the length changed accordingly.
        let at = text.find(old).unwrap();
        let shorter = match old.len() {
            8 => text.replacen(old, new, 1),
            _ => format!("{}{new}{}", &text[..at], &text[at + old.len() + 2..]),
        };
        let error = Header::decode(7, &hex::decode(shorter).unwrap(), 1).unwrap_err();
        assert_eq!(error.reason, says);
        let place = error.place.unwrap();
        assert_eq!(
            (place.slot, place.number),
            (whole.place.slot, whole.place.number)
        );
        assert_eq!(place.prev_hash, whole.place.prev_hash);
    }
    // More than a header, less than one, another era's.
    let longer = [header_bytes, &[0]].concat();
    for (tag, bytes) in [
        (7, &longer[..]),
        (7, &header_bytes[..800]),
        (5, header_bytes),
        (1, header_bytes),
        (0, header_bytes),
        (9, header_bytes),
        (7, &[]),
    ] {
        let error = Header::decode(tag, bytes, 1).unwrap_err();
        assert_eq!(error.place, None, "{error}");
    }
}
