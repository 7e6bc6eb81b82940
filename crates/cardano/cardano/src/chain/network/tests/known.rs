//! Tests of the built-in nonces.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::chain::network::Network;
use crate::chain::network::public::built_ins;
use crate::chain::nonce::Nonce;

/// Nonces from sources that are independent of the built-in files: the test data of Blockfrost, and the
/// ledger state snapshots in the tests of daedalus-turbo. The nonce of mainnet's epoch 259 includes the only
/// extra entropy of that chain.
const KNOWN: &str = "
    mainnet 236 78db307186291e37e4b602c9f0fe0853c1cc8daf80c3df303ccb0fd9d1b31be3
    mainnet 237 ac0e65bc72164256d1349245073a52cafeb9bcd313c6bfbcac6d2c62d6437085
    mainnet 251 db2a7b11d92f2458d8491c830238ede4aa69394cbb0b7e6983c770ae9825370b
    mainnet 259 0022cfa563a5328c4fb5c8017121329e964c26ade5d167b1bd9b2ec967772b60
    mainnet 290 ec74cf84e44689f41edbc84ce39209142b6378454eeaeb8b01ecf0e9587bdb32
    mainnet 298 cb4cf3c0c67676b6c2a6b5929ca141f4e19950fc56f66289e343cfd06b535c7e
    mainnet 306 f6e710f14ff4d2ccfb150d9584c7dfcbf697a5ba453bc71943321e10bc0cdfdd
    mainnet 365 411148a40d6c2b49dea994da90fcca559418c63ac8fff8e0d708a8799a10f790
    mainnet 394 46a37dc80a9fde65c333b863810dc88cc85e3d059cce665bd59c2963197d6c3e
    mainnet 444 f619b2c5cad144bbf7fe295b1aed463dbdf7b16ba941cb99cc63f0805842274a
    mainnet 498 dc172240a2bfc9c58185f5005acff6e56f6aa784406eca3354a2a6c1c26e538b
    mainnet 499 513d90eee74183255c9111426f0848fd9559d88625694b05d9a8dbe84f678bf3
    mainnet 507 1556b02efe433eefb439572d1794865e6e116de46d16dbfe2ce037bbbbc66f48
    mainnet 508 c7937fc47fecbe687891b3decd71e904d1e129598aa3852481d295eea3ea3ada
    preprod 10 e8d2160d3236d209545862350375c449d0ae40456241cd11085652df79fda95d
    preprod 13 625c7ab49a7d9320b22520fde133910a57827eeec8624b08e5f5668525e3caeb";

#[test]
fn nonces_of_other_sources_are_the_built_in_ones() {
    for line in KNOWN.trim().lines() {
        let [name, epoch, nonce] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let known = Network::by_name(name)
            .unwrap()
            .known_nonce(epoch.parse().unwrap());
        assert_eq!(known.unwrap().to_string(), nonce, "{name} {epoch}");
    }
}

#[test]
fn every_epoch_since_shelley_is_built_in() {
    for network in built_ins() {
        let epochs = network.built_in_nonces().unwrap();
        let first = network.era_starts().shelley;
        assert_eq!(*epochs.start(), first);
        assert_eq!(
            network.known_nonce(first),
            Some(network.genesis_hash().into())
        );
        for other in [
            first.wrapping_sub(1),
            epochs.end() + 1,
            u64::MAX,
            first.wrapping_add(1 << 32),
        ] {
            assert_eq!(network.known_nonce(other), None, "{other}");
        }
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/networks");
        let file = Path::new(file).join(format!("{}-nonces.bin", network.name()));
        let packed = fs::read(&file).unwrap();
        assert_eq!(packed, network.built_in_nonces.as_flattened());
        assert_eq!(packed.len(), 32 * epochs.count());
    }
}

/// Compares the built-in nonces with the lists that they were made from, which are not in this repository.
#[test]
fn the_lists_are_the_built_in_ones() {
    let dir = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../../shared/chain/nonces"
    );
    if !Path::new(dir).is_dir() {
        println!("SKIPPED: no lists of nonces in {dir}");
        return;
    }
    for network in built_ins() {
        let file = Path::new(dir).join(format!("{}.json", network.name()));
        let entries: Vec<Value> = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let list = entries.iter().flat_map(|entry| {
            let nonce = hex::decode(entry["nonce"].as_str().unwrap());
            nonce.unwrap()
        });
        let list: Vec<u8> = list.collect();
        assert_eq!(list, network.built_in_nonces.as_flattened());
        let epochs = entries
            .iter()
            .map(|entry| entry["epoch_no"].as_u64().unwrap());
        assert!(epochs.eq(network.built_in_nonces().unwrap()));
    }
}

#[test]
fn what_a_caller_adds_goes_before() {
    let mut network = Network::preview();
    let before = network.known_nonce(7);
    network.set_known_nonce(6, Nonce::Neutral);
    network.set_known_nonce(u64::MAX, Nonce::Neutral);
    assert_eq!(network.known_nonce(6), Some(Nonce::Neutral));
    assert_eq!(network.known_nonce(7), before);
    assert_eq!(network.known_nonce(u64::MAX), Some(Nonce::Neutral));
    assert_eq!(network.built_in_nonces(), Some(0..=1238));
}
