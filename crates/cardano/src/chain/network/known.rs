//! Nonces that epochs of a network are known to have, from sources that do not depend on the
//! blocks at hand.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::chain::network::facts::Network;
use crate::chain::nonce::Nonce;

/// The known nonces of a network: those that are built in, and those that a caller adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownNonces {
    /// The first epoch whose nonce is built in.
    first: u64,
    /// The nonces that are built in, from there on.
    built_in: &'static [[u8; 32]],
    /// Those that were added, which go before.
    added: BTreeMap<u64, Nonce>,
}

impl KnownNonces {
    /// The nonces of the epochs from `first` on, packed: 32 bytes for each.
    pub(super) fn built_in(first: u64, packed: &'static [u8]) -> KnownNonces {
        let (built_in, rest) = packed.as_chunks();
        debug_assert!(rest.is_empty(), "a nonce is cut off");
        KnownNonces {
            first,
            built_in,
            added: BTreeMap::new(),
        }
    }

    fn of(&self, epoch: u64) -> Option<Nonce> {
        self.added
            .get(&epoch)
            .copied()
            .or_else(|| self.built_in_of(epoch))
    }

    fn built_in_of(&self, epoch: u64) -> Option<Nonce> {
        let place = usize::try_from(epoch.checked_sub(self.first)?).ok()?;
        let nonce = self.built_in.get(place)?;
        Some(Nonce::Value((*nonce).into()))
    }
}

impl Network {
    /// The nonce that an epoch of the real chain has, where a source that does not depend on the
    /// database at hand says so: [built in](Self::built_in_nonces), or added by a caller.
    ///
    /// ```
    /// let mainnet = klero_cardano::Network::mainnet();
    /// let nonce = mainnet.known_nonce(365).unwrap().to_string();
    /// assert!(nonce.starts_with("411148a4"));
    /// assert_eq!(mainnet.known_nonce(207), None); // Byron has none
    /// ```
    pub fn known_nonce(&self, epoch: u64) -> Option<Nonce> {
        self.known_nonces.of(epoch)
    }

    /// The epochs whose nonces are built in: of a public network, all from the first of Shelley up
    /// to when this version was made.
    ///
    /// ```
    /// use klero_cardano::Network;
    /// assert_eq!(Network::mainnet().built_in_nonces(), Some(208..=619));
    /// assert_eq!(Network::preprod().built_in_nonces(), Some(4..=276));
    /// assert_eq!(Network::preview().built_in_nonces(), Some(0..=1238));
    /// ```
    pub fn built_in_nonces(&self) -> Option<RangeInclusive<u64>> {
        let KnownNonces {
            first, built_in, ..
        } = &self.known_nonces;
        let after_first = built_in.len().checked_sub(1)?;
        Some(*first..=first + after_first as u64)
    }

    /// Whether the nonce of any epoch is known.
    ///
    /// ```
    /// assert!(klero_cardano::Network::preview().has_known_nonces());
    /// ```
    pub fn has_known_nonces(&self) -> bool {
        let KnownNonces {
            built_in, added, ..
        } = &self.known_nonces;
        !built_in.is_empty() || !added.is_empty()
    }

    /// Names the nonce that an epoch is known to have. A walk makes claims with it where the chain
    /// does not say what it is ([`Start::Anywhere`](crate::Start::Anywhere)), or says another
    /// ([`Block::known_claims`](crate::Block::known_claims)).
    ///
    /// ```
    /// use klero_cardano::{Network, Nonce};
    /// let mut preview = Network::preview();
    /// preview.set_known_nonce(5000, Nonce::Neutral);
    /// assert_eq!(preview.known_nonce(5000), Some(Nonce::Neutral));
    /// ```
    pub fn set_known_nonce(&mut self, epoch: u64, nonce: Nonce) {
        self.known_nonces.added.insert(epoch, nonce);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::*;
    use crate::chain::network::public::built_ins;

    /// Nonces from sources that are independent of the files: the test data of Blockfrost, and the
    /// snapshots of ledger state that daedalus-turbo's tests hold. That of mainnet's epoch 259 has the
    /// chain's only extra entropy in it.
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
            assert_eq!(packed, network.known_nonces.built_in.as_flattened());
            assert_eq!(packed.len(), 32 * epochs.count());
        }
    }

    /// Lists of the nonces, as they were collected, are not in this repository.
    #[test]
    fn the_lists_are_the_built_in_ones() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/chain/nonces");
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
            assert_eq!(list, network.known_nonces.built_in.as_flattened());
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
}
