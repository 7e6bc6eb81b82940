//! Chains compared with epoch nonces that are known from elsewhere.

use std::ops::ControlFlow;
use std::path::Path;

use klero_audit::{Audit, Outcome, Progress, Report};
use klero_cardano::{Era, Fault, Finding, Network, Nonce};
use klero_forge::{Recipe, forge};

fn audit(dir: &Path, network: Network) -> (Report, Vec<Finding>) {
    let mut found = Vec::new();
    let audit = Audit::new(dir).unwrap().network(network);
    let report = audit.state(&dir.join("state")).unwrap().run(|progress| {
        if let Progress::Findings(findings) = progress {
            found.extend_from_slice(findings);
        }
        ControlFlow::Continue(())
    });
    (report.unwrap(), found)
}

#[test]
fn known_nonces_anchor_a_chain_or_refute_it() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        eras: vec![(Era::Babbage, 3), (Era::Conway, 3)],
        extra_entropy: Default::default(),
        ..Recipe::sample()
    };
    let forged = forge(&recipe, dir.path(), |_, _| {}).unwrap();
    let nonce = |epoch: usize| forged.epochs[epoch].nonce.unwrap();

    let mut known = forged.network.clone();
    known.set_known_nonce(4, nonce(4));
    let (report, found) = audit(dir.path(), known.clone());
    assert!(found.is_empty() && report.outcome() == Outcome::AllValid);
    // All but the last block of epoch 2.
    let end = known.first_slot(3);
    let tied = report.tied.unwrap();
    assert!((end - 40..end - 1).contains(&tied), "{tied}");
    assert!(report.is_anchored());
    // The next audit with the same state knows it, too: of the last epoch alone it could not.
    let (again, _) = audit(dir.path(), known.clone());
    assert_eq!(again.epochs.keys().collect::<Vec<_>>(), [&5]);
    assert_eq!(again.tied, Some(tied));
    std::fs::remove_file(dir.path().join("state")).unwrap();

    known.set_known_nonce(3, Nonce::Neutral);
    let (report, found) = audit(dir.path(), known.clone());
    assert_eq!(report.outcome(), Outcome::SomeInvalid);
    assert_eq!(report.found, [("epoch-nonce", 1)].into());
    let other = Fault::EpochNonce {
        expected: Nonce::Neutral,
        found: nonce(3),
    };
    assert_eq!((&found[0].fault, found[0].at.epoch), (&other, Some(3)));
    assert_eq!(found.len(), 1);
    // The state stays before it.
    let after = report.state.unwrap().after.unwrap();
    assert!(after.slot < known.first_slot(3));
}
