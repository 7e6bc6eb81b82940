use klero::Invalid;
use klero_cardano::{ClaimKind, EraStarts, Hash, Leadership, NonceState, Place};

use super::*;

/// A network in which `nonce(7)` is the known nonce of epoch 7.
fn network(conway: Option<u64>) -> Network {
    let genesis = br#"{"activeSlotsCoeff": 0.5, "securityParam": 5, "epochLength": 100}"#;
    let starts = EraStarts {
        conway,
        ..EraStarts::default()
    };
    let mut network = Network::from_shelley_genesis("unknown", genesis, starts).unwrap();
    network.set_known_nonce(7, nonce(7));
    network
}

fn nonce(n: u8) -> Nonce {
    Nonce::Value(Hash::new([n; 32]))
}

/// A sequence of blocks, one in each slot.
struct Chain {
    network: Network,
    nonces: Nonces,
    slot: u64,
    era: Era,
}

/// Two flags of a block: true if it is linked to the block before, and true if it changes the candidate.
const LINKED: (bool, bool) = (true, true);
const LATE: (bool, bool) = (true, false);
const BROKEN: (bool, bool) = (false, true);

impl Chain {
    fn new() -> Self {
        Self::of(network(Some(0)))
    }

    fn of(network: Network) -> Self {
        Self {
            network,
            nonces: Nonces::default(),
            slot: 0,
            era: Era::Conway,
        }
    }

    /// Adds a block of an epoch, with a valid or an invalid proof. Returns true if the verdict counts.
    fn block(&mut self, epoch: u64, place: (bool, bool), is_valid: bool) -> bool {
        let why = Invalid::ChallengeMismatch;
        let proof = ClaimKind::Praos;
        let verdict = match is_valid {
            true => Ok(()),
            false => Err(Fault::InvalidProof { proof, why }),
        };
        self.block_with(epoch, place, vec![verdict])
    }

    fn block_with(
        &mut self,
        epoch: u64,
        (linked, in_window): (bool, bool),
        verdicts: Vec<Verdict>,
    ) -> bool {
        self.slot += 1;
        let built_in = self.network.built_in_nonce(epoch);
        let eta0 = built_in.unwrap_or(nonce(epoch as u8));
        let block = Block {
            chunk: 0,
            offset: 0,
            item: None,
            size: 0,
            place: Place {
                era: self.era,
                boundary: false,
                slot: self.slot,
                number: self.slot,
                hash: Hash::new([0; 32]),
                prev_hash: None,
            },
            epoch,
            signed: None,
            body: None,
            lottery: None,
            linked,
            nonce: Some(eta0),
            claims: Vec::new(),
            leadership: Leadership::None,
            in_window,
            nonces: Some(NonceState {
                epoch,
                eta0,
                ..NonceState::genesis(Hash::new([0; 32]))
            }),
        };
        self.nonces.enter(&self.network, &block);
        if self.era == Era::Byron {
            return false;
        }
        let counts = self.nonces.judge(&self.network, &block, verdicts);
        let counted = self.nonces.of(&self.network, &block);
        assert_eq!(counted, counts.as_ref().map(|_| eta0));
        self.nonces.leave(&block);
        counts.is_some()
    }

    /// Adds a block with a valid proof, whose verdict must count.
    fn valid(&mut self, epoch: u64, links: (bool, bool)) {
        assert!(self.block(epoch, links, true), "slot {}", self.slot);
    }

    fn fault(&mut self) {
        self.nonces.doubt(Some(self.slot));
    }

    /// Begins an epoch with a failing proof. The verdict must count if and only if nothing is in doubt.
    fn counts_from_the_beginning(&mut self, epoch: u64) -> bool {
        let is_clean = !self.nonces.are_in_doubt();
        let counts = self.block(epoch, LINKED, false);
        assert_eq!(counts, is_clean);
        counts
    }
}

#[test]
fn a_nonce_in_doubt_counts_from_its_first_valid_proof() {
    let mut chain = Chain::new();
    assert!(chain.block(0, LINKED, false), "nothing is wrong before it");
    assert!(!chain.block(1, LINKED, false));
    assert_eq!(chain.nonces.since, Some(1));
    chain.valid(1, LINKED);
    assert!(chain.block(1, LINKED, false));
}

#[test]
fn a_broken_link_ends_what_a_proof_showed() {
    let mut chain = Chain::new();
    chain.valid(0, LINKED);
    assert!(!chain.block(0, BROKEN, false));
    chain.valid(0, LINKED);
    assert!(chain.block(0, LINKED, false));
    // A broken link at a block of Byron, which has no proof.
    chain.era = Era::Byron;
    chain.block(0, BROKEN, true);
    chain.era = Era::Conway;
    assert!(!chain.block(0, LINKED, false));
    // A broken link in an epoch that began without a doubt.
    let mut chain = Chain::new();
    chain.valid(0, LINKED);
    chain.valid(1, LINKED);
    assert!(!chain.block(1, BROKEN, false));
}

#[test]
fn doubt_ends_with_a_candidate_that_was_moved_after_it() {
    for (fed, fault_before_the_proof, ends) in [
        (LINKED, false, true),
        (LATE, false, false),
        (LINKED, true, false),
        (BROKEN, false, true),
    ] {
        let mut chain = Chain::new();
        chain.valid(0, LINKED);
        chain.fault();
        chain.valid(0, fed);
        if fault_before_the_proof {
            chain.fault();
        }
        chain.valid(1, LATE);
        assert_eq!(chain.counts_from_the_beginning(2), ends, "{fed:?}");
    }
}

/// A valid proof says nothing about blocks that came after the candidate of its nonce was frozen.
#[test]
fn a_break_between_the_candidate_and_the_proof_leaves_the_doubt() {
    let mut chain = Chain::new();
    chain.valid(0, LINKED);
    chain.fault();
    chain.valid(0, LINKED);
    chain.valid(0, (false, false));
    chain.valid(1, LATE);
    assert!(!chain.counts_from_the_beginning(2));
    // There is a failing proof before the valid one, in the same epoch.
    let mut chain = Chain::new();
    chain.fault();
    chain.valid(0, LINKED);
    assert!(!chain.block(1, LATE, false));
    chain.valid(1, LATE);
    assert!(!chain.counts_from_the_beginning(2));
}

#[test]
fn a_built_in_nonce_ends_a_doubt_without_any_proof() {
    let mut chain = Chain::of(Network::preview());
    chain.fault();
    chain.valid(6, LINKED);
    assert!(chain.nonces.are_in_doubt());
    let counts = chain.block_with(7, LINKED, Vec::new());
    assert!(counts && !chain.nonces.are_in_doubt());
}

#[test]
fn a_given_nonce_shows_nothing_without_a_proof() {
    let mut chain = Chain::new();
    chain.fault();
    chain.valid(6, LINKED);
    assert!(!chain.block(7, LINKED, false));
}

#[test]
fn without_the_start_of_conway_nothing_counts_before_a_proof() {
    let mut chain = Chain::of(network(None));
    assert!(!chain.block(0, LINKED, false));
    chain.valid(0, LINKED);
    assert!(!chain.block(1, LINKED, false));
}

#[test]
fn the_nonce_of_a_state_counts() {
    let mut chain = Chain::of(network(None));
    assert!(!chain.block(5, LINKED, false));
    let mut chain = Chain::of(network(None));
    chain.nonces = Nonces::after(5, nonce(5));
    assert!(chain.block(5, LINKED, false));
}
