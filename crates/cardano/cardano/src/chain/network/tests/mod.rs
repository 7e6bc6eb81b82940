//! Tests of the epochs, windows and eras of public networks and of small test networks.

mod known;
mod times;

use crate::chain::era::Era;
use crate::chain::network::error::NetworkError;
use crate::chain::network::facts::{EraStarts, Network};
use crate::chain::nonce::Nonce;
use crate::chain::overlay::Decentralization;
use crate::limits::NETWORK_NUMBER as LIMIT;

pub(super) fn custom(json: &str, starts: EraStarts) -> Result<Network, NetworkError> {
    Network::from_shelley_genesis("custom", json.as_bytes(), starts)
}

pub(super) const SMALL: &str =
    r#"{"activeSlotsCoeff": 0.3, "securityParam": 7, "epochLength": 250}"#;

#[test]
fn era_starts_in_slots() {
    let mainnet = Network::mainnet();
    let preprod = Network::preprod();
    let preview = Network::preview();
    for (network, epoch, slot) in [
        (&mainnet, 208, 4_492_800),
        (&mainnet, 236, 16_588_800),
        (&mainnet, 251, 23_068_800),
        (&mainnet, 290, 39_916_800),
        (&mainnet, 365, 72_316_800),
        (&mainnet, 507, 133_660_800),
        (&preprod, 4, 86_400),
        (&preprod, 5, 518_400),
        (&preprod, 6, 950_400),
        (&preprod, 7, 1_382_400),
        (&preprod, 12, 3_542_400),
        (&preprod, 163, 68_774_400),
        (&preview, 0, 0),
        (&preview, 3, 259_200),
        (&preview, 646, 55_814_400),
        // Byron epochs.
        (&mainnet, 1, 21_600),
        (&mainnet, 207, 4_471_200),
        (&preprod, 3, 64_800),
    ] {
        assert_eq!(network.first_slot(epoch), slot);
        assert_eq!(network.epoch(slot), epoch);
        if slot > 0 {
            assert_eq!(network.epoch(slot - 1), epoch - 1);
        }
    }
    assert_eq!(mainnet.chunk_size(), 21_600);
    assert_eq!(preprod.chunk_size(), 21_600);
    assert_eq!(preview.chunk_size(), 4_320);
    assert_eq!(mainnet.extra_entropy(258), Nonce::Neutral);
    assert_eq!(
        mainnet.extra_entropy(259).to_string(),
        "d982e06fd33e7440b43cefad529b7ecafbaa255e38178ad4189a37e4ce9bf1fa"
    );
}

#[test]
fn windows() {
    for (network, three, four) in [
        (Network::mainnet(), 129_600, 172_800),
        (Network::preview(), 25_920, 34_560),
    ] {
        for era in Era::ALL {
            let expected = if era >= Era::Conway { four } else { three };
            assert_eq!(network.window(era), expected, "{era}");
        }
    }
    // 3 * 7 / 0.3 = 70, 4 * 7 / 0.3 = 93.3
    let small = custom(SMALL, EraStarts::default()).unwrap();
    assert_eq!(
        (small.window(Era::Alonzo), small.window(Era::Conway)),
        (70, 94)
    );
    assert!(small.feeds_candidate(Era::Alonzo, 250 + 179));
    assert!(!small.feeds_candidate(Era::Alonzo, 250 + 180));
    // A window that is longer than the epoch is allowed, and so is the greatest slot number.
    let tiny = custom(
        r#"{"activeSlotsCoeff": 1e-18, "securityParam": 268435456, "epochLength": 1}"#,
        EraStarts::default(),
    )
    .unwrap();
    assert_eq!(tiny.window(Era::Alonzo), u64::MAX);
    for slot in [0, 1, u64::MAX - 1, u64::MAX] {
        assert!(!tiny.feeds_candidate(Era::Conway, slot));
        assert!(small.epoch(slot) <= slot);
    }
    assert_eq!(small.first_slot(u64::MAX), u64::MAX);
    // The largest numbers that are allowed.
    let starts = EraStarts {
        shelley: LIMIT,
        byron_k: Some(LIMIT),
        ..EraStarts::default()
    };
    let large = custom(SMALL, starts).unwrap();
    assert_eq!(large.shelley_slot(), 10 << 56);
    assert_eq!(
        large.epoch(u64::MAX) > LIMIT,
        large.first_slot(LIMIT) == 10 << 56
    );
}

#[test]
fn a_genesis_file_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("genesis.json");
    std::fs::write(&path, "{}").unwrap();
    let error = Network::read_shelley_genesis("mine", &path, EraStarts::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("genesis.json: Shelley genesis: "), "{error}");
}

#[test]
fn the_overlay_of_mainnet_is_known_at_its_ends() {
    let mainnet = Network::mainnet();
    for (epoch, d) in [
        (209, Some(Decentralization::ALL)),
        (222, None),
        (300, Some(Decentralization::NONE)),
        (400, Some(Decentralization::NONE)),
    ] {
        assert_eq!(mainnet.decentralization(epoch), d, "{epoch}");
    }
    // Byron has no overlay.
    assert_eq!(mainnet.turn(0, Decentralization::ALL), None);
}

#[test]
fn eras_of_epochs() {
    let mainnet = Network::mainnet();
    for (era, epoch, fits) in [
        (Era::Byron, 207, true),
        (Era::Byron, 208, false),
        (Era::Shelley, 207, false),
        (Era::Shelley, 235, true),
        (Era::Allegra, 235, false),
        (Era::Babbage, 506, true),
        (Era::Babbage, 507, false),
        (Era::Conway, 507, true),
        (Era::Conway, 9999, true),
        (Era::Dijkstra, 9999, true),
        // Dijkstra's first epoch is not known, but it cannot be earlier than that of Conway (507).
        (Era::Dijkstra, 506, false),
    ] {
        assert_eq!(mainnet.admits(era, epoch), fits, "{era} {epoch}");
    }
    let preview = Network::preview();
    assert!(preview.admits(Era::Alonzo, 0) && !preview.admits(Era::Shelley, 0));
    // If the first epoch of an era is not known, no block is rejected because of that era.
    let starts = EraStarts {
        shelley: 2,
        mary: Some(5),
        ..EraStarts::default()
    };
    let network = custom(SMALL, starts).unwrap();
    assert!(network.admits(Era::Allegra, 3) && network.admits(Era::Shelley, 3));
    assert!(!network.admits(Era::Allegra, 5) && network.admits(Era::Conway, 5));
    // An era cannot begin before an earlier era.
    assert!(!network.admits(Era::Conway, 4) && !network.admits(Era::Conway, 1));
    assert_eq!(network.shelley_slot(), 140);
}

#[test]
fn files_that_are_hardly_those_of_the_nodes() {
    let preprod = include_str!("../../../../networks/preprod-shelley-genesis.json");
    for (file, has, lacks) in [
        (SMALL.into(), "", ""),
        (preprod.into(), "", ""),
        (SMALL.replace(", ", ",\r\n"), "end with CR LF", "magic"),
        (
            preprod.to_owned() + "\n",
            "magic of preprod, whose file has 162d29c4",
            "CR",
        ),
        (
            preprod.replace('\n', "\r\n"),
            "162d29c4e1cf6b8a84f2d692e67a3ac6bc7851bc3e6e4afe64d15778bed8bd86: its lines end with CR LF",
            "preview",
        ),
    ] {
        let network = custom(&file, EraStarts::default()).unwrap();
        let doubt = network.genesis_doubt();
        assert_eq!(doubt.is_some(), !has.is_empty());
        let Some(doubt) = doubt else { continue };
        let hash = format!("has the hash {}", network.genesis_hash());
        assert!(doubt.contains(&hash) && doubt.contains(has), "{doubt}");
        assert!(!doubt.contains(lacks), "{doubt}");
    }
}
