//! The preview network, whose nonces are built in, and a chain that looks like a chain of preview.

use std::fs;
use std::path::Path;

use klero_cardano::Era;
use klero_forge::Recipe;

use crate::db::Chain;
use crate::run::{report, verify};

#[test]
fn nonces_that_are_built_in_tie_a_chain() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/chain/preview");
    if !dir.is_dir() || cfg!(debug_assertions) {
        println!(
            "SKIPPED: needs a release build and the chain in {}",
            dir.display()
        );
        return;
    }
    // Only the genesis file identifies the network.
    let ran = report(&dir, "--require-anchor", 0);
    assert_eq!(ran["network"]["name"], "preview");
    assert_eq!(ran["anchor"]["tied_slot"], 345_559);
    assert_eq!(ran["anchor"]["built_in_nonces"]["last"], 1238);
    let text = verify(&dir, "").ends(0).stdout;
    for words in [
        "All valid: 38,944 proofs in 25,932 blocks.",
        "Tied to the network: up to slot 345559. ",
        "The nonces of preview are built in up to epoch 1238. ",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn the_network_that_a_chain_looks_like_is_named() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Alonzo, 1)]));
    fs::remove_file(chain.dir.path().join("protocolMagicId")).unwrap();
    let words = "its first block is of Alonzo at slot 0, but epoch 0 of mainnet is of Byron; it looks \
                 like preview: try --network preview";
    verify(&chain.dir.path().join("immutable"), "--network mainnet").refused(words);
}
