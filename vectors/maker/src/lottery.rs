//! Headers around the VRF proofs and the right to lead.

use klero_reference::BigUint;

use crate::context::{Maker, Purpose, Turn, alpha, bits, leading};
use crate::group::{Making, PoolStake, THIRD, TOTAL, leads, least};
use crate::header::{Draft, hash_256};
use crate::signatures::add_order;

/// The share of the first pool.
const SIGMA: (u64, u64) = (THIRD, TOTAL);

/// The whole set.
pub fn make(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    proofs(to, base);
    inputs(to, maker);
    outputs(to, base);
    makers(to, maker, base);
    edges(to, maker, base);
    values(to);
}

fn what(base: &Draft, at: usize) -> &'static str {
    match (base.certs.len(), at) {
        (2, 0) => "nonce proof",
        (2, _) => "leader proof",
        _ => "proof",
    }
}

/// Proofs that are no proofs of anything.
fn proofs(to: &mut Making<'_>, base: &Draft) {
    for at in 0..base.certs.len() {
        let mut bad = |comment: &str, change: &dyn Fn(&mut Vec<u8>)| {
            let draft = base.with(|draft| change(&mut draft.certs[at].proof));
            let comment = format!("{} {comment}", what(base, at));
            to.broken("vrf-proof", comment, &draft.sign());
        };
        bad("with an altered bit in Gamma", &|proof| proof[0] ^= 1);
        bad("with an altered bit in c", &|proof| proof[32] ^= 1);
        bad("with an altered bit in s", &|proof| proof[48] ^= 1);
        bad("with s + L", &|proof| add_order(&mut proof[48..]));
    }
}

/// Proofs for other inputs, whose leader values lead.
fn inputs(to: &mut Making<'_>, maker: &Maker) {
    let context = to.context.clone();
    let purpose = context.leader_purpose();
    let mut bad = |comment: &str, of: &dyn Fn(u64) -> [u8; 32]| {
        let slot = context.win_with(3_000, maker, SIGMA, of);
        let mut draft = context.draft(maker, slot);
        *draft.certs.last_mut().unwrap() = maker.prove(&of(slot));
        let comment = format!("{} {comment}", what(&draft, 1));
        to.broken("vrf-proof", comment, &draft.sign());
    };
    bad("of the slot before", &|slot| context.alpha(slot - 1));
    let other = hash_256(&[b"the nonce of the epoch before"]);
    bad("by the nonce of the epoch before", &|slot| {
        alpha(purpose, slot, &other)
    });
    if purpose == Purpose::Praos {
        let of = |slot| alpha(Purpose::Leader, slot, &context.nonce);
        bad("of the input of TPraos", &of);
        return;
    }
    let of = |slot| alpha(Purpose::Praos, slot, &context.nonce);
    bad("of the input of Praos", &of);
    let of = |slot| alpha(Purpose::Nonce, slot, &context.nonce);
    bad("of the input for the nonce", &of);
    let slot = context.win(3_500, maker, SIGMA);
    let mut draft = context.draft(maker, slot);
    draft.certs[0] = draft.certs[1].clone();
    let comment = "nonce proof of the input for the leader";
    to.broken("vrf-proof", comment, &draft.sign());
}

/// Outputs that are not those of the proofs; they lead.
fn outputs(to: &mut Making<'_>, base: &Draft) {
    for at in 0..base.certs.len() {
        // In TPraos the value hardly changes, in Praos it is another one.
        let mut outputs = (1..=u16::MAX).map(|change| {
            let [high, low] = change.to_be_bytes();
            base.with(|draft| {
                draft.certs[at].output[62] ^= high;
                draft.certs[at].output[63] ^= low;
            })
        });
        let draft = outputs.find(|draft| leads(draft, SIGMA, to.context.f));
        let draft = draft.expect("many values lead");
        let comment = format!("another output beside the {}", what(base, at));
        to.broken("vrf-output", comment, &draft.sign());
    }
}

/// Headers of other makers, or with other VRF keys.
fn makers(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let context = to.context.clone();
    let stranger = context.maker("a pool that is not registered");
    let slot = context.win(0, &stranger, SIGMA);
    let header = context.draft(&stranger, slot).sign();
    to.broken("unknown-pool", "pool without an entry", &header);
    if let Some((_, delegate)) = context.delegates.first() {
        let slot = context.win(0, delegate, SIGMA);
        let header = context.draft(delegate, slot).sign();
        let comment = "genesis delegate in a slot of the lottery";
        to.broken("unknown-pool", comment, &header);
    }
    let other = maker.with_vrf_of(&stranger);
    let slot = context.win(0, &other, SIGMA);
    let header = context.draft(&other, slot).sign();
    let comment = "VRF key that is not the registered one";
    to.broken("other-vrf-key", comment, &header);

    let name = "one pool without its VRF key";
    if !to.stakes.has(name) {
        let pool = PoolStake {
            vrf: None,
            ..PoolStake::of(maker, THIRD)
        };
        to.stakes.add(name, TOTAL, vec![pool]);
    }
    let comment = "the VRF key of the pool's last block, and stake without VRF keys";
    let test = to.valid(comment, &base.sign());
    (test.stake, test.vrf_seen) = (name.into(), Some(maker.vrf_hash()));
    let comment = "another VRF key than that of the pool's last block, and stake without VRF keys";
    let test = to.broken("two-vrf-keys", comment, &header);
    (test.stake, test.vrf_seen) = (name.into(), Some(maker.vrf_hash()));
}

/// The least stake with which a header leads.
pub fn edges(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let header = base.sign();
    let place = format!("{}, epoch {}", to.context.era.name, to.context.epoch);
    let f = to.context.f;
    let least = least(TOTAL, |stake| leads(base, (stake, TOTAL), f));
    // Enough that the share becomes smaller than with one lovelace less.
    let further = 1_000.max(2 * TOTAL / least);
    let more = format!("total {further} lovelace more");
    let mut with = |name: &str, (stake, total)| {
        let pools = vec![PoolStake::of(maker, stake)];
        to.stakes.add(&format!("{place}: {name}"), total, pools)
    };
    let names = [
        with("least", (least, TOTAL)),
        with("one lovelace less", (least - 1, TOTAL)),
        with(&more, (least, TOTAL + further)),
        with("all", (TOTAL, TOTAL)),
        with("none", (0, TOTAL)),
    ];
    let [least, less, more, all, none] = names;
    to.valid("the least stake with which the header leads", &header)
        .stake = least;
    let comment = "one lovelace less than the least stake with which the header leads";
    to.broken("leader-value", comment, &header).stake = less;
    let comment = format!("the least stake, but of a total that is {further} lovelace more");
    to.broken("leader-value", comment, &header).stake = more;
    to.valid("pool with all stake", &header).stake = all;
    to.broken("leader-value", "pool without stake", &header)
        .stake = none;
}

/// Leader values that are too large.
fn values(to: &mut Making<'_>) {
    let context = to.context.clone();
    let tag = context.era.tag;
    let of = |sigma| leading(tag, sigma, context.f);
    let [small, third, most] = [(64_123_456_789_012, TOTAL), SIGMA, (1, 1)].map(of);
    let end = BigUint::from(1u8) << bits(tag);
    let more = "value with which a pool with more stake leads";
    let same = "the same with the stake of a small pool";
    for (name, least, below, comment) in [
        ("pool 0", &third, &most, more),
        ("pool 2", &small, &third, same),
        ("pool 0", &most, &end, "value with which no pool leads"),
    ] {
        let maker = context.maker(name);
        let slot = context.find(0, |slot| {
            let value = context.draw(&maker, &context.alpha(slot));
            context.turn(slot) == Turn::Lottery && value >= *least && value < *below
        });
        let header = context.draft(&maker, slot).sign();
        to.broken("leader-value", comment, &header);
    }
}
