//! The part of a chain that is shown to belong to its network, and not only to be consistent with itself.
//!
//! Someone who forges a chain from its first block on can make every proof and signature in it valid. But
//! such a chain cannot have a block that is known from elsewhere, because the hash of that block depends,
//! through the links, on every header before it. Nor can it make the known nonce of a later epoch. The nonce
//! of epoch e depends on the hash of the last block but one of epoch e-2, and through the links on every
//! header up to that block.

use klero_cardano::{Fault, Network, Nonce};

use crate::judge::Verdict;

/// The part of a chain that is *tied* to its network, as far as the chain was read: known nonces or blocks
/// show that this part belongs to the network.
#[derive(Default)]
pub(crate) struct Ties {
    /// The slot of the last header that a known nonce or block ties to the network.
    pub tied_slot: Option<u64>,
    /// The epoch of the last block.
    epoch: Option<u64>,
    last_slot: Option<u64>,
    /// The slot of the last block but one.
    slot_before: Option<u64>,
    /// The slot up to which the nonce of the current epoch ties the chain, if that nonce is the known one.
    tied_by_current_nonce: Option<u64>,
    /// The slot up to which the nonce of the next epoch ties the chain, if that nonce is the known one.
    tied_by_next_nonce: Option<u64>,
    /// True if the nonce of the current epoch was compared with the known nonce.
    nonce_compared: bool,
    /// True if a fault broke the links between the headers.
    pub links_broken: bool,
}

impl Ties {
    /// The ties after an epoch's last block, at slot `last`. `tied` is the slot up to which the chain is
    /// tied. `ties` are the slots up to which the next two epochs' nonces tie it, if they are the known ones.
    pub(crate) fn after(epoch: u64, last: u64, tied: Option<u64>, ties: [Option<u64>; 2]) -> Self {
        Self {
            tied_slot: tied,
            epoch: Some(epoch),
            last_slot: Some(last),
            tied_by_next_nonce: ties[0],
            slot_before: ties[1],
            ..Self::default()
        }
    }

    /// The slots up to which the nonces of the next two epochs tie the chain, if they are the known nonces.
    /// The last block that was passed must be the last one of its epoch.
    pub(crate) fn ties(&self) -> [Option<u64>; 2] {
        [self.tied_by_next_nonce, self.slot_before]
    }

    /// Records that the block at this slot is known from elsewhere.
    pub(crate) fn find(&mut self, slot: u64) {
        if !self.links_broken {
            self.tied_slot = self.tied_slot.max(Some(slot));
        }
    }

    /// Records a fault that breaks the links. Blocks after the fault show nothing about headers before it.
    pub(crate) fn break_links(&mut self) {
        self.links_broken = true;
    }

    /// Passes the next block. `nonce` is the chain's nonce for that epoch; `None` if missing or in doubt.
    pub(crate) fn pass(
        &mut self,
        network: &Network,
        (epoch, slot): (u64, u64),
        nonce: Option<Nonce>,
    ) -> Verdict {
        if self.epoch != Some(epoch) {
            let before = self.epoch.replace(epoch);
            let follows = before.is_some_and(|before| before.checked_add(1) == Some(epoch));
            self.tied_by_current_nonce = self.tied_by_next_nonce.take().filter(|_| follows);
            self.tied_by_next_nonce = self.slot_before.filter(|_| follows);
            self.nonce_compared = false;
        }
        self.slot_before = self.last_slot.replace(slot);
        let (Some(found), false) = (nonce, self.nonce_compared) else {
            return Ok(());
        };
        self.nonce_compared = true;
        match network.known_nonce(epoch) {
            Some(expected) if expected != found => Err(Fault::EpochNonce { expected, found }),
            Some(_) if !self.links_broken => {
                self.tied_slot = self.tied_slot.max(self.tied_by_current_nonce);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use klero_cardano::{EraStarts, Hash};

    use super::*;

    fn nonce(n: u8) -> Option<Nonce> {
        Some(Nonce::Value(Hash::new([n; 32])))
    }

    fn network() -> Network {
        let genesis = br#"{"activeSlotsCoeff": 0.5, "securityParam": 5, "epochLength": 100}"#;
        let network = Network::from_shelley_genesis("unknown", genesis, EraStarts::default());
        let mut network = network.unwrap();
        for epoch in [3, 7] {
            network.set_known_nonce(epoch, nonce(1).unwrap());
        }
        network
    }

    /// Passes five blocks in each epoch, from slot 100·epoch on, with this nonce. Returns the slots of the
    /// blocks at which another nonce than the known one is reported.
    fn pass(ties: &mut Ties, epochs: &[u64], nonce: Option<Nonce>) -> Vec<u64> {
        let network = network();
        let slots = epochs
            .iter()
            .flat_map(|epoch| (0..5).map(move |n| (*epoch, 100 * epoch + n)));
        slots
            .filter(|block| ties.pass(&network, *block, nonce).is_err())
            .map(|(_, slot)| slot)
            .collect()
    }

    #[test]
    fn a_known_nonce_ties_what_it_depends_on() {
        let mut ties = Ties::default();
        assert!(pass(&mut ties, &[0, 1, 2], nonce(1)).is_empty());
        assert_eq!(ties.tied_slot, None);
        assert!(pass(&mut ties, &[3, 4, 5, 6], nonce(1)).is_empty());
        assert_eq!(ties.tied_slot, Some(103));
        assert!(pass(&mut ties, &[7], nonce(1)).is_empty());
        assert_eq!(ties.tied_slot, Some(503));
    }

    #[test]
    fn a_known_block_ties_what_is_before_it() {
        let mut ties = Ties::default();
        assert!(pass(&mut ties, &[0], None).is_empty());
        ties.find(104);
        ties.break_links();
        ties.find(203);
        assert_eq!(ties.tied_slot, Some(104));
    }

    #[test]
    fn another_nonce_is_said_once() {
        let mut ties = Ties::default();
        assert_eq!(pass(&mut ties, &[1, 2, 3, 4], nonce(2)), [300]);
        assert_eq!(ties.tied_slot, None);
    }

    #[test]
    fn nothing_is_tied_across_a_fault_or_a_doubt() {
        let mut ties = Ties::default();
        assert!(pass(&mut ties, &[1, 2], nonce(1)).is_empty());
        ties.break_links();
        assert!(pass(&mut ties, &[3], nonce(1)).is_empty());
        assert_eq!(ties.tied_slot, None);
        ties.find(399);
        assert_eq!(ties.tied_slot, None);
    }

    #[test]
    fn what_is_tied_goes_on_after_a_state() {
        for end in 1..8_u64 {
            let mut whole = Ties::default();
            let epochs: Vec<u64> = (0..end).collect();
            assert!(pass(&mut whole, &epochs, nonce(1)).is_empty());
            let (epoch, tied) = (end - 1, whole.tied_slot);
            let mut after = Ties::after(epoch, 100 * epoch + 4, tied, whole.ties());
            for next in end..8 {
                for ties in [&mut whole, &mut after] {
                    assert!(pass(ties, &[next], nonce(1)).is_empty());
                }
                assert_eq!(after.tied_slot, whole.tied_slot, "{epoch}, {next}");
            }
            assert_eq!(after.tied_slot, Some(503), "after epoch {epoch}");
        }
    }
}
