//! The right to lead: audits of chains with their own stake and with other stake.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use klero_audit::{Audit, Checked, Outcome};
use klero_cardano::{Era, Network};
use klero_damage::Repair;
use klero_forge::{Mutant, Recipe};
use klero_leader::{ActiveSlots, Distribution, PoolId, TotalSource, VrfKeyHash};
use tempfile::TempDir;

use crate::db::Made;
use crate::run::{Ran, fails, run};

/// A pool, its stake and its VRF key.
type Pool = (PoolId, u64, Option<VrfKeyHash>);

/// The stake of a chain's pools for every epoch, altered by `change`, with `more` lovelace added to the
/// total.
fn stake(
    chain: &Made,
    change: impl Fn(usize, Pool) -> Option<Pool>,
    more: u64,
) -> BTreeMap<u64, Distribution> {
    let forged = &chain.forged;
    let mut builder = Distribution::builder();
    for (index, (id, pool)) in forged.stake.pools().enumerate() {
        if let Some((id, stake, vrf)) = change(index, (*id, pool.stake.pool(), pool.vrf)) {
            builder.pool(id, stake, vrf).unwrap();
        }
    }
    builder.total(forged.stake.total() + more);
    let changed = builder.build().unwrap();
    let epochs = forged.stake_by_epoch().into_keys();
    epochs.map(|epoch| (epoch, changed.clone())).collect()
}

/// The stake of every epoch, without VRF keys.
fn without_keys(chain: &Made) -> BTreeMap<u64, Distribution> {
    stake(chain, |_, (id, stake, _)| Some((id, stake, None)), 0)
}

/// Audits a chain with the stake of every epoch. Everything must be valid.
fn valid(chain: &Made) -> Ran {
    let audit = chain.audit().stake(chain.forged.stake_by_epoch());
    run(audit, Outcome::AllValid)
}

#[test]
fn every_maker_of_a_forged_chain_may_lead() {
    let chain = Made::of(&Recipe::sample());
    let ran = valid(&chain);
    let totals = ran.totals();
    assert_eq!(totals.leaders.valid, totals.blocks - totals.byron_blocks);
    assert_eq!((totals.leaders.invalid, totals.leaders.not_judged), (0, 0));
    let epochs = chain.forged.epochs.iter();
    let overlay: u64 = epochs.map(|epoch| epoch.overlay_blocks).sum();
    assert!(overlay > 0);
    assert_eq!(ran.leads.len() as u64, totals.leaders.valid - overlay);
    for (number, epoch) in &ran.report.epochs {
        let leads = ran.leads.iter().filter(|lead| lead.epoch == *number);
        let mut margins: Vec<f64> = leads.map(|lead| lead.margin).collect();
        margins.sort_by(|a, b| b.total_cmp(a));
        margins.truncate(5);
        let narrowest: Vec<f64> = epoch.narrowest.iter().map(|lead| lead.margin).collect();
        assert_eq!(narrowest, margins);
        assert!(narrowest.iter().all(|margin| *margin <= 1.0));
    }
    // Without stake, there are no verdicts on leaders. The same holds for an epoch whose stake is missing.
    let ran = run(chain.audit(), Outcome::AllValid);
    assert_eq!(ran.totals().leaders, Default::default());
    let mut stake = chain.forged.stake_by_epoch();
    let (last, _) = stake.pop_last().unwrap();
    let ran = run(chain.audit().stake(stake), Outcome::AllValid);
    let epoch = &ran.report.epochs[&last];
    assert_eq!(epoch.counts.leaders.not_judged, epoch.counts.blocks);
    assert_eq!(ran.report.totals.leaders.not_judged, epoch.counts.blocks);
}

#[test]
fn stake_of_others_is_found_out() {
    let chain = Made::of(&Recipe::sample());
    let leads = valid(&chain).leads;
    let ids: Vec<_> = chain.forged.stake.pools().map(|(id, _)| *id).collect();
    let led_by = |pool: &PoolId| leads.iter().filter(|lead| lead.pool == *pool).count() as u64;
    let with = |stake| fails(chain.audit().stake(stake));
    // One pool is missing from the stake.
    let ran = with(stake(&chain, |index, pool| (index != 0).then_some(pool), 0));
    let unknown = led_by(&ids[0]);
    assert_eq!(
        ran.report.found,
        BTreeMap::from([("unknown-pool", unknown)])
    );
    assert_eq!(ran.totals().leaders.invalid, unknown);
    // The stake of another network leads to one finding in each chunk.
    let other = |index: usize, (_, stake, vrf)| Some((PoolId::new([index as u8; 28]), stake, vrf));
    let ran = with(stake(&chain, other, 0));
    let all: u64 = ids.iter().map(led_by).sum();
    assert_eq!(ran.report.found["unknown-pool"], all);
    assert!(ran.found.len() < ran.totals().blocks as usize / 10);
    // A pool has registered another VRF key.
    let key = VrfKeyHash::new([7; 32]);
    let other = |index: usize, (id, stake, vrf)| {
        Some((id, stake, if index == 1 { Some(key) } else { vrf }))
    };
    let ran = with(stake(&chain, other, 0));
    let other_key = BTreeMap::from([("other-vrf-key", led_by(&ids[1]))]);
    assert_eq!(ran.report.found, other_key);
    // With a larger total stake, the thresholds are lower, so some leader values are too large.
    let ran = with(stake(&chain, |_, pool| Some(pool), 1));
    let found = &ran.report.found;
    let some = 1..ran.totals().leaders.valid;
    assert!(some.contains(&found["no-leader"]), "{found:?}");
    assert_eq!(found.len(), 1);
    let text = ran.found[0].to_string();
    assert!(text.starts_with("no-leader: epoch "), "{text}");
    assert!(text.contains(" times its threshold: p = "), "{text}");
}

/// Makers without the right to lead: in TPraos and Praos, in slots of the lottery and of the overlay.
#[test]
fn makers_who_may_not_lead_are_found_by_stake_alone() {
    let [no_leader, other_key, unknown, delegate, reserved] = Mutant::OF_STAKE;
    // The overlay has all slots from block 400 on, 40 percent from 600 on, and none from 810 on. Praos begins
    // with block 1,797.
    let mutants = BTreeMap::from([
        (450, delegate),
        (460, reserved),
        (642, delegate),
        (668, reserved),
        (700, no_leader),
        (721, other_key),
        (740, unknown),
        (1000, no_leader),
        (1101, other_key),
        (1200, unknown),
        (2000, no_leader),
        (2100, other_key),
        (2201, unknown),
    ]);
    let chain = Made::of(&Recipe {
        mutants: mutants.clone(),
        ..Recipe::sample()
    });
    assert_eq!(chain.forged.mutants.len(), mutants.len());
    let ran = fails(chain.audit().stake(chain.forged.stake_by_epoch()));
    let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
    for mutant in mutants.values() {
        *expected.entry(mutant.finding()).or_default() += 1;
    }
    assert_eq!(ran.report.found, expected, "{:?}", ran.found);
    for finding in &ran.found {
        let (name, text) = (finding.fault.name(), finding.to_string());
        let mut slots = chain.forged.mutants.iter();
        let is_its = |(slot, mutant): (&u64, &Mutant)| {
            mutant.finding() == name && text.contains(&format!("slot {slot}, "))
        };
        assert!(finding.count > 1 || slots.any(is_its), "{text}");
    }
    let totals = ran.totals();
    assert_eq!(totals.leaders.invalid, mutants.len() as u64);
    assert_eq!(totals.valid, totals.proofs);

    // If the stake has no VRF keys, another key is noticed only because the pool used its own key as well.
    let ran = fails(chain.audit().stake(without_keys(&chain)));
    let of_keys = expected.remove("other-vrf-key").unwrap();
    expected.insert("two-vrf-keys", of_keys);
    assert_eq!(ran.report.found, expected, "{:?}", ran.found);

    // Without stake, the mutants are valid, and there is no finding.
    assert!(run(chain.audit(), Outcome::AllValid).found.is_empty());
}

/// Two mutants without an honest block between them.
#[test]
fn makers_who_may_not_lead_one_after_another() {
    let [no_leader, _, unknown, ..] = Mutant::OF_STAKE;
    let chain = Made::of(&Recipe {
        f: ActiveSlots::new(1, 20).unwrap(),
        mutants: BTreeMap::from([(3, unknown), (4, no_leader)]),
        ..Recipe::of_eras(&[(Era::Conway, 1)])
    });
    let ran = fails(chain.audit().stake(chain.forged.stake_by_epoch()));
    let expected = BTreeMap::from([("no-leader", 1), ("unknown-pool", 1)]);
    assert_eq!(ran.report.found, expected, "{:?}", ran.found);
}

/// Without VRF keys in the stake, each pool must use only one key in an epoch, but any key will do.
#[test]
fn turns_and_keys_without_a_registry() {
    let chain = Made::of(&Recipe::sample());
    let ran = run(chain.audit().stake(without_keys(&chain)), Outcome::AllValid);
    assert!(ran.totals().leaders.valid > 0);

    // With another d, the overlay has other slots, so delegates made blocks outside it, or pools within it.
    let tpraos = |network: &Network, epoch: u64| {
        let starts = network.era_starts();
        epoch >= starts.shelley
            && starts
                .of(Era::Babbage)
                .is_none_or(|babbage| epoch < babbage)
    };
    for (d, kinds) in [
        ("0", vec!["unknown-pool"]),
        ("1", vec!["reserved-slot", "wrong-delegate"]),
        ("0.7", vec!["reserved-slot"]),
    ] {
        let mut network = chain.forged.network.clone();
        for epoch in chain.forged.epochs.iter().map(|epoch| epoch.epoch) {
            if tpraos(&network, epoch) {
                network.set_decentralization(epoch, d.parse().unwrap());
            }
        }
        let audit = chain.audit().network(network);
        let found = fails(audit.stake(chain.forged.stake_by_epoch()))
            .report
            .found;
        for kind in kinds {
            assert!(found.contains_key(kind), "{d}: {found:?}");
        }
    }
}

/// A changed key is forgotten together with its block, because the next block does not link to that block.
#[test]
fn a_changed_key_makes_no_other_block_wrong() {
    let chain = Made::of(&Recipe::sample());
    let honest = chain.honest();
    let mut blocks = honest.blocks.iter();
    let block = blocks.find(|block| block.epoch == 10).unwrap();
    let key = block.lottery.as_ref().unwrap().vrf_key;
    let change = |bytes: &mut [u8]| {
        let at = bytes.windows(32).position(|window| window == key);
        bytes[at.unwrap()] ^= 1;
    };
    let database = &honest.database;
    database
        .change_block(block, Repair::Nothing, change)
        .unwrap();
    let ran = fails(chain.audit().stake(without_keys(&chain)));
    let expected = BTreeMap::from([("crc", 1), ("invalid-kes", 1)]);
    assert_eq!(ran.report.found, expected, "{:?}", ran.found);
}

/// Without d, it is not known which slots belong to genesis delegates.
#[test]
fn blocks_of_delegates_are_not_judged() {
    let Made { dir, forged, .. } = Made::of(&Recipe::of_eras(&[(Era::Shelley, 2)]));
    // The network is read from the genesis file, which does not have d.
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

/// A directory with a chunk of mainnet and the stake at the ends of three epochs. Only one of the three is
/// the stake that decides who may lead in the chunk.
fn mainnet() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/chain/mainnet-222");
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("SKIPPED: no chunk of mainnet at {}", dir.display());
    None
}

/// The stake at the end of an epoch, from a table.
fn stake_at_the_end_of(dir: &Path, epoch: u64) -> Distribution {
    let text = fs::read_to_string(dir.join(format!("spdd.{epoch}.csv"))).unwrap();
    let mut builder = Distribution::builder();
    for line in text.lines().skip(1) {
        let (pool, stake) = line.split_once(',').unwrap();
        builder
            .pool(pool.parse().unwrap(), stake.parse().unwrap(), None)
            .unwrap();
    }
    builder.build().unwrap()
}

/// In epoch e, the node uses the snapshot "set": the stake from the end of epoch e - 2. The first line of
/// each table gives a later epoch, in which the same stake is the snapshot "go".
#[test]
fn mainnet_in_epoch_222() {
    let Some(dir) = mainnet() else { return };
    let place = TempDir::new().unwrap();
    fs::copy(dir.join("00500.chunk"), place.path().join("00500.chunk")).unwrap();
    let ran_with = |stake, d: Option<&str>, outcome| {
        let mut network = Network::mainnet();
        if let Some(d) = d {
            network.set_decentralization(222, d.parse().unwrap());
        }
        // The nonce of epoch 222 is built in.
        let audit = Audit::new(place.path()).unwrap().network(network);
        let stake = BTreeMap::from([(222, stake_at_the_end_of(&dir, stake))]);
        run(audit.stake(stake), outcome)
    };
    let judged = |ran: &Ran| {
        let leaders = ran.totals().leaders;
        (leaders.valid, leaders.invalid, leaders.not_judged)
    };
    let ran = ran_with(220, Some("0.6"), Outcome::AllValid);
    assert_eq!(ran.report.stakes[&222], TotalSource::Sum);
    assert_eq!(ran.leads.len(), 430);
    assert_eq!((ran.totals().blocks, ran.totals().valid), (1078, 2156));
    assert_eq!(judged(&ran), (1078, 0, 0));
    let narrowest = ran.report.epochs[&222].narrowest.iter();
    let margins: Vec<_> = narrowest
        .map(|lead| format!("{:.5}", lead.margin))
        .collect();
    assert_eq!(margins[..2], ["0.99595", "0.99527"]);

    for (stake, failing) in [(219, 15), (221, 35)] {
        let ran = ran_with(stake, Some("0.6"), Outcome::SomeInvalid);
        assert_eq!(judged(&ran), (1078 - failing, failing, 0), "{stake}");
    }
    // Without d, blocks of delegates are not judged.
    let ran = ran_with(220, None, Outcome::AllValid);
    assert_eq!(judged(&ran), (430, 0, 648));
}
