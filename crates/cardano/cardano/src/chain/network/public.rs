//! The three public networks.

use core::ops::Range;
use core::time::Duration;

use crate::chain::network::facts::{EraStarts, Network};
use crate::chain::overlay::Decentralization;

impl Network {
    /// Mainnet.
    #[must_use]
    pub fn mainnet() -> Network {
        let mut network = built_in(
            "mainnet",
            include_bytes!("../../../networks/mainnet-shelley-genesis.json"),
            include_bytes!("../../../networks/mainnet-nonces.bin"),
            [208, 236, 251, 290, 365, 507],
        );
        // The only extra entropy that votes on mainnet have set.
        let extra = "d982e06fd33e7440b43cefad529b7ecafbaa255e38178ad4189a37e4ce9bf1fa";
        let extra = extra.parse().expect("a built-in nonce is right");
        network.extra_entropy.insert(259, extra);
        // Epochs 208 to 210, before pools made blocks: all slots are in the overlay. Since epoch 257: none.
        let of = |epochs: Range<u64>, d| epochs.map(move |epoch| (epoch, d));
        network.decentralization = of(208..211, Decentralization::ALL)
            .chain(of(257..365, Decentralization::NONE))
            .collect();
        network
    }

    /// The preprod test network.
    #[must_use]
    pub fn preprod() -> Network {
        built_in(
            "preprod",
            include_bytes!("../../../networks/preprod-shelley-genesis.json"),
            include_bytes!("../../../networks/preprod-nonces.bin"),
            [4, 5, 6, 7, 12, 163],
        )
    }

    /// The preview test network, which began in Alonzo.
    #[must_use]
    pub fn preview() -> Network {
        built_in(
            "preview",
            include_bytes!("../../../networks/preview-shelley-genesis.json"),
            include_bytes!("../../../networks/preview-nonces.bin"),
            [0, 0, 0, 0, 3, 646],
        )
    }

    /// A built-in network by its name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Network> {
        built_ins().find(|network| network.name == name)
    }
}

/// The networks that are built in.
pub(crate) fn built_ins() -> impl Iterator<Item = Network> {
    [Network::mainnet, Network::preprod, Network::preview]
        .into_iter()
        .map(|make| make())
}

/// Makes a network from a genesis file that is compiled in. This cannot fail, because the tests parse each
/// of these files. `nonces` has the nonces of the network's epochs from Shelley on, concatenated.
fn built_in(name: &str, genesis: &[u8], nonces: &'static [u8], starts: [u64; 6]) -> Network {
    let [shelley, allegra, mary, alonzo, babbage, conway] = starts;
    let starts = EraStarts {
        shelley,
        allegra: Some(allegra),
        mary: Some(mary),
        alonzo: Some(alonzo),
        babbage: Some(babbage),
        conway: Some(conway),
        dijkstra: None,
        byron_k: None,
    };
    let mut network = Network::from_shelley_genesis(name, genesis, starts)
        .expect("a built-in genesis file is right");
    let (nonces, rest) = nonces.as_chunks();
    debug_assert!(rest.is_empty(), "a nonce is cut off");
    network.built_in_nonces = nonces;
    // This is the length in the Byron genesis files of all three networks.
    network.byron_slot_length = Some(Duration::from_secs(20));
    network
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::kes::KesPeriods;

    #[test]
    fn genesis_hashes() {
        for (network, hash) in [
            (
                Network::mainnet(),
                "1a3be38bcbb7911969283716ad7aa550250226b76a61fc51cc9a9a35d9276d81",
            ),
            (
                Network::preprod(),
                "162d29c4e1cf6b8a84f2d692e67a3ac6bc7851bc3e6e4afe64d15778bed8bd86",
            ),
            (
                Network::preview(),
                "363498d1024f84bb39d3fa9593ce391483cb40d479b87233f868d6e57c3a400d",
            ),
        ] {
            assert_eq!(
                network.genesis_hash().to_string(),
                hash,
                "{}",
                network.name()
            );
            assert_eq!(network.active_slots().to_string(), "1/20");
            assert_eq!(network.delegates().unwrap().len(), 7);
            let periods = KesPeriods {
                slots: 129_600,
                evolutions: 62,
            };
            assert_eq!(network.kes_periods(), Some(periods));
            assert_eq!(Network::by_name(network.name()), Some(network));
        }
    }
}
