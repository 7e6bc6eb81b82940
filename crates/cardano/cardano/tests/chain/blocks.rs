//! Tests with real blocks of eras that are not in the chain of the other tests.

use std::fs;

use klero_cardano::{
    Era, Event, Header, Immutable, Leadership, Network, NonceState, Severity, Start, Vrf, Walk,
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

#[test]
fn headers() {
    let boundary = header(&block("mainnet-boundary-0")).place;
    let hash = "89d9b5a5b8ddc8d7e5a6795e9774d97faf1efea59b2caf7eaf9f8c5b32059df4";
    assert_eq!(boundary.hash.to_string(), hash);
    // The hash of the Byron genesis.
    let genesis = "5f20df933584822601f9e3f8c024eb5eb252fe8cefb24d1317dc3d432e940ebb";
    assert_eq!(boundary.prev_hash, Some(genesis.parse().unwrap()));
    assert!(boundary.boundary);
    assert_eq!((boundary.slot, boundary.number), (0, 0));

    let Header {
        place: first,
        lottery,
        body_hash,
        ..
    } = header(&block("mainnet-1"));
    let hash = "f0f7892b5c333cffc4b3c4344de48af4cc63f55e44936196f365a9ef2244134f";
    assert_eq!(first.hash.to_string(), hash);
    assert_eq!(first.prev_hash, Some(boundary.hash));
    assert_eq!((first.slot, first.number), (0, 1));
    assert_eq!((first.era, first.boundary), (Era::Byron, false));
    assert_eq!((lottery, body_hash), (None, None));

    let Header { place, lottery, .. } = header(&block("mainnet-allegra-5192804"));
    assert_eq!((place.slot, place.number), (18_748_707, 5_192_804));
    assert!(Network::mainnet().admits(place.era, Network::mainnet().epoch(place.slot)));
    assert!(matches!(lottery.unwrap().vrf, Vrf::TPraos { .. }));

    let Header { place, lottery, .. } = header(&block("testnet-conway-1392116"));
    assert_eq!((place.slot, place.number), (27_953_668, 1_392_116));
    assert!(matches!(lottery.unwrap().vrf, Vrf::Praos(_)));
}

/// Tests the slots of Byron blocks with the epoch length of mainnet and with another epoch length.
#[test]
fn byron_slots() {
    for (epoch, slot, length, expected) in [
        (0u64, 5u64, 40u64, Some(5)),
        (3, 5, 40, Some(125)),
        (3, 5, 21_600, Some(64_805)),
        (u64::MAX, 1, 40, None),
    ] {
        // In the header of block 1, only the slot is encoded as `820000`, which is the list [0, 0].
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
                assert_eq!(finding.fault.severity(), Severity::Warning, "{finding}");
                warnings.push(finding.to_string());
            }
        }
    }
    assert_eq!(
        warnings,
        [
            "warning: index: chunk 00000: the secondary index is missing",
            "warning: index: chunk 00000: the primary index is missing",
            "warning: crc-unchecked: chunk 00000: CRC-32 of 3 blocks not checked"
        ]
    );
    let places = blocks.iter().map(|b| (b.place.number, b.place.slot));
    assert_eq!(Vec::from_iter(places), [(0, 0), (1, 0), (2, 1)]);
    for block in blocks {
        assert!(block.linked && block.nonce.is_none() && block.claims.is_empty());
        assert_eq!(block.leadership, Leadership::None);
        let genesis = NonceState::genesis(Network::mainnet().genesis_hash());
        assert_eq!(block.nonces, Some(genesis));
    }
}

/// Tests a header that is too long, a header that is cut, and headers with tags of other eras.
#[test]
fn bytes_that_are_no_header() {
    let bytes = block("testnet-conway-1392116");
    let mut decoder = Decoder::new(&bytes[3..]);
    decoder.skip().unwrap();
    let header = &bytes[3..3 + decoder.position()];
    assert!(Header::decode(7, header, 1).is_ok());
    let longer = [header, &[0]].concat();
    for (tag, bytes) in [
        (7, &longer[..]),
        (7, &header[..800]),
        (5, header),
        (1, header),
        (0, header),
        (9, header),
        (7, &[]),
    ] {
        let error = Header::decode(tag, bytes, 1).unwrap_err();
        assert_eq!(error.place, None, "{error}");
    }
}
