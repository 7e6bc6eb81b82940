//! Forged chains, compared with their recipes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use klero_cardano::{Era, Hash, Network, Nonce};
use klero_forge::Recipe;
use pallas_crypto::hash::Hasher;
use pallas_traverse::MultiEraBlock;

use crate::checks::{Chain, check_links, check_proofs, make, replay, right_window, small};
use crate::walk::check_walk;

/// The hash of the sample's last block. It changes if any block changes.
const TIP_OF_THE_SAMPLE: &str = "194ee36836e277343903436534b4719ba54f8147e330b9dcaa7e1d8bdf6cc7ef";

/// Makes the chain of a recipe. Checks its links and proofs, and that a walk finds the whole chain.
fn checked(recipe: Recipe) -> Chain {
    let chain = make(recipe);
    check_links(&chain);
    check_proofs(&chain);
    check_walk(&chain);
    chain
}

#[test]
fn the_sample_is_a_chain_of_every_era() {
    let chain = checked(Recipe::sample());
    let blocks: u64 = chain.forged.epochs.iter().map(|epoch| epoch.blocks).sum();
    let proofs: u64 = chain.forged.epochs.iter().map(|epoch| epoch.proofs).sum();
    assert!((2_800..3_200).contains(&blocks), "{blocks} blocks");
    assert!((3_000..4_500).contains(&proofs), "{proofs} proofs");
    let eras: BTreeSet<Era> = chain.forged.epochs.iter().map(|epoch| epoch.era).collect();
    let settled = Era::ALL.into_iter().filter(|era| !era.is_experimental());
    assert_eq!(eras, settled.collect());
    // Equal recipes give equal files, on every machine.
    let tip = chain.forged.tip.as_ref().unwrap().hash;
    assert_eq!(tip.to_string(), TIP_OF_THE_SAMPLE);
}

#[test]
fn a_network_born_in_alonzo_carries_its_nonces_into_praos() {
    let chain = checked(small(&[(Era::Alonzo, 2), (Era::Babbage, 2)]));
    assert_eq!(chain.forged.network.era_starts().mary, Some(0));
    assert_eq!(chain.forged.network.era_starts().conway, None);
    // The nonce of the first Babbage epoch depends on Alonzo blocks: it changes if the replay lets no Alonzo
    // block update the candidate nonce.
    let network = &chain.forged.network;
    let all = replay(&chain, right_window(4), |_, _, _, _| {}).nonces;
    let shut = |era| match era {
        Era::Alonzo => network.epoch_length(),
        _ => 6 * 4,
    };
    let without = replay(&chain, shut, |_, _, _, _| {}).nonces;
    assert_eq!(all[&0], without[&0]);
    assert_ne!(all[&2], without[&2]);
}

#[test]
fn the_windows_of_babbage_and_conway_differ() {
    let chain = checked(small(&[(Era::Babbage, 3), (Era::Conway, 3)]));
    let right = replay(&chain, right_window(4), |_, _, _, _| {}).nonces;
    let always = |multiple: u64| replay(&chain, move |_| 2 * multiple * 4, |_, _, _, _| {}).nonces;
    let (three, four) = (always(3), always(4));
    // Where an epoch's window begins, the candidate nonce stops following the evolving nonce. So the window
    // affects the next epoch's nonce, and the nonce of epoch 3, Conway's first, depends on Babbage's window.
    // No window affects the evolving nonce, so a wrong window in Babbage affects no nonce after epoch 3.
    for epoch in 0..6 {
        let same = [&three, &four].map(|other| right[&epoch] == other[&epoch]);
        let expected = [epoch <= 3, epoch == 0 || epoch > 3];
        assert_eq!(same, expected, "3k/f and 4k/f, epoch {epoch}");
    }
}

#[test]
fn silent_epochs_make_one_tick() {
    let recipe = Recipe {
        silent: BTreeSet::from([1, 3, 4, 7]),
        ..small(&[
            (Era::Byron, 2),
            (Era::Mary, 3),
            (Era::Babbage, 2),
            (Era::Conway, 2),
        ])
    };
    let chain = checked(recipe);
    for epoch in &chain.forged.epochs {
        let silent = chain.recipe.silent.contains(&epoch.epoch);
        assert_eq!(epoch.blocks == 0, silent);
        assert_eq!(epoch.nonce.is_none(), silent || epoch.era == Era::Byron);
    }
    // The chunks of silent epochs are empty, but they exist.
    let immutable = chain.dir.path().join("immutable");
    let length = |name| fs::metadata(immutable.join(name)).unwrap().len();
    assert_eq!(length("00001.chunk"), 0);
    assert_eq!(length("00001.primary"), 1 + 4 * 42);
}

#[test]
fn extra_entropy_changes_its_epoch_and_all_after() {
    let eras = [(Era::Shelley, 2), (Era::Alonzo, 2)];
    let plain = make(small(&eras));
    let voted = checked(Recipe {
        extra_entropy: BTreeMap::from([(1, [9; 32])]),
        ..small(&eras)
    });
    for epoch in 0..4 {
        let same = plain.forged.epochs[epoch].nonce == voted.forged.epochs[epoch].nonce;
        assert_eq!(same, epoch < 1, "epoch {epoch}");
    }
    let entropy = voted.forged.network.extra_entropy(1);
    assert_eq!(entropy, Nonce::Value(Hash::new([9; 32])));
}

#[test]
fn the_overlay_belongs_to_the_delegates_in_turn() {
    let recipe = Recipe {
        overlay_percent: vec![100, 30],
        ..small(&[(Era::Shelley, 3)])
    };
    let chain = checked(recipe);
    let [all, some, none] = &chain.forged.epochs[..] else {
        panic!("three epochs")
    };
    // In the first epoch, all 80 slots are in the overlay and every second slot is active. In the second
    // epoch, 24 slots are in the overlay and 12 of these are active.
    assert_eq!((all.blocks, all.overlay_blocks), (40, 40));
    assert_eq!(some.overlay_blocks, 12);
    assert!(some.blocks > 12);
    assert_eq!(none.overlay_blocks, 0);

    let genesis = fs::read(chain.dir.path().join("shelley-genesis.json")).unwrap();
    let genesis: serde_json::Value = serde_json::from_slice(&genesis).unwrap();
    let delegations = genesis["genDelegs"].as_object().unwrap();
    let in_turn: BTreeMap<&String, &serde_json::Value> = delegations.iter().collect();
    let in_turn: Vec<_> = in_turn.into_values().collect();
    for (i, stored) in chain.blocks.iter().take(40).enumerate() {
        let block = MultiEraBlock::decode(&stored.bytes).unwrap();
        let (header, turn) = (block.header(), in_turn[i % in_turn.len()]);
        let issuer = Hasher::<224>::hash(header.issuer_vkey().unwrap());
        let vrf = Hasher::<256>::hash(header.vrf_vkey().unwrap());
        assert_eq!(turn["delegate"], issuer.to_string());
        assert_eq!(turn["vrf"], vrf.to_string());
        assert_eq!(stored.listed, 2 * i as u64);
    }
}

#[test]
fn pools_win_by_their_stake() {
    let recipe = Recipe {
        k: 40,
        stakes: vec![5, 3, 0],
        ..small(&[(Era::Conway, 2)])
    };
    let chain = make(recipe);
    let mut blocks: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for stored in &chain.blocks {
        let block = MultiEraBlock::decode(&stored.bytes).unwrap();
        let issuer = block.header().issuer_vkey().unwrap().to_vec();
        *blocks.entry(issuer).or_default() += 1;
    }
    // About half of the 1,560 slots are won. The first pool wins about 5/8 of the won slots.
    let mut counts: Vec<u64> = blocks.into_values().collect();
    counts.sort_unstable();
    let [fewer, more] = counts[..] else {
        panic!("two pools: {counts:?}")
    };
    assert!((700..860).contains(&(fewer + more)), "{counts:?}");
    let percent = 100 * more / (fewer + more);
    assert!((55..70).contains(&percent), "{counts:?}");
}

#[test]
fn byron_alone_has_no_proofs() {
    let chain = make(Recipe {
        k: 40,
        ..small(&[(Era::Byron, 3)])
    });
    check_links(&chain);
    check_walk(&chain);
    for epoch in &chain.forged.epochs {
        let counts = (epoch.boundary_blocks, epoch.proofs);
        assert_eq!((counts, epoch.nonce), ((1, 0), None));
    }
    // Some slots were missed.
    let epochs = chain.forged.epochs.iter();
    let blocks: u64 = epochs.map(|epoch| epoch.blocks - 1).sum();
    assert!((1_140..1_160).contains(&blocks), "{blocks}");
}

#[test]
fn the_files_beside_the_chunks_tell_the_network() {
    let chain = make(Recipe {
        extra_entropy: [(1, [7; 32])].into(),
        ..small(&[(Era::Byron, 1), (Era::Shelley, 1)])
    });
    let magic = fs::read_to_string(chain.dir.path().join("protocolMagicId")).unwrap();
    assert_eq!(magic.trim().parse(), Ok(chain.recipe.magic));
    let genesis = fs::read(chain.dir.path().join("shelley-genesis.json")).unwrap();
    let starts = chain.forged.network.era_starts().clone();
    let mut network = Network::from_shelley_genesis("custom", &genesis, starts).unwrap();
    network.set_extra_entropy(1, chain.forged.network.extra_entropy(1));
    assert_ne!(network.extra_entropy(1), klero_cardano::Nonce::Neutral);
    let d = chain.forged.network.decentralization(1).unwrap();
    network.set_decentralization(1, d);
    assert_eq!(Network::detect(chain.dir.path()).unwrap(), network);
    assert_eq!(network.magic(), Some(chain.recipe.magic));
    assert_eq!(network.security_param(), 4);
    assert_eq!(network.epoch_length(), chain.recipe.epoch_length().unwrap());
}
