//! Slots of genesis delegates, where nothing says how many of the slots are theirs.

use klero_audit::{Audit, Checked, Outcome};
use klero_cardano::{Era, Network};
use klero_forge::{Recipe, forge};
use tempfile::TempDir;

use crate::run::run;

#[test]
fn blocks_of_delegates_are_not_judged() {
    let dir = TempDir::new().unwrap();
    let recipe = Recipe::of_eras(&[(Era::Shelley, 2)]);
    let forged = forge(&recipe, dir.path(), |_, _| {}).unwrap();
    // Their share is not in the genesis file.
    let genesis = dir.path().join("shelley-genesis.json");
    let starts = forged.network.era_starts().clone();
    let network = Network::read_shelley_genesis("custom", &genesis, starts).unwrap();
    let audit = Audit::new(dir.path()).unwrap().network(network);
    let ran = run(audit.stake(forged.stake_by_epoch()), Outcome::AllValid);
    let overlay = forged.epochs.iter().map(|epoch| epoch.overlay_blocks);
    let not_judged = overlay.sum();
    assert!(not_judged > 0);
    let expected = Checked {
        valid: ran.totals().blocks - not_judged,
        invalid: 0,
        not_judged,
    };
    assert_eq!(ran.totals().leaders, expected);
}
