use klero_cardano::Network;
use klero_leader::{PoolId, Stake, VrfKeyHash};

use super::*;
use crate::report::Origin;

/// The lead of a pool in an epoch, with this VRF key.
fn lead(epoch: u64, key: u8) -> Lead {
    Lead {
        epoch,
        slot: 86_400 * epoch,
        pool: PoolId::new([1; 28]),
        vrf: VrfKeyHash::new([key; 32]),
        stake: Stake::new(1, 2).unwrap(),
        margin: 0.5,
    }
}

#[test]
fn a_pool_may_have_another_vrf_key_in_another_epoch_alone() {
    let report = Report::new(Network::preview(), Check::ALL.into(), Origin::Genesis);
    let mut tally = Tally::new(report, Counters::since_first_block());
    for (epoch, key, is_valid) in [
        (7, 1, true),
        (7, 1, true),
        (7, 2, false),
        // The first key is still the pool's key.
        (7, 1, true),
        (8, 2, true),
        (8, 1, false),
        (9, 1, true),
    ] {
        let verdict = tally.lead(lead(epoch, key));
        assert_eq!(verdict.is_ok(), is_valid, "key {key} in epoch {epoch}");
    }
    let [first, second] = [1, 2].map(|key| VrfKeyHash::new([key; 32]));
    let pool = PoolId::new([1; 28]);
    let two = Fault::TwoVrfKeys {
        pool,
        first,
        second,
    };
    assert!(two.to_string().contains(" used two VRF keys in one epoch"));
    assert_eq!(tally.lead(lead(9, 2)), Err(two));
    // A block with another key does not add a lead.
    assert_eq!(tally.leads().len(), 5);
}
