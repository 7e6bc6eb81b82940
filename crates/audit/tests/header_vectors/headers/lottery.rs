//! Headers around the VRF proofs and the right to lead.

use klero_reference::BigUint;

use super::context::{Context, Maker, Purpose, Turn, alpha, bits, leading};
use super::format::PoolStake;
use super::group::{Making, THIRD, TOTAL, leads, of};
use super::header::{Draft, hash_256};
use super::signatures::add_order;

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
            let mut draft = base.clone();
            change(&mut draft.certs[at].proof);
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
            let mut draft = base.clone();
            let [high, low] = change.to_be_bytes();
            draft.certs[at].output[62] ^= high;
            draft.certs[at].output[63] ^= low;
            draft
        });
        let draft = outputs
            .find(|draft| leads(draft, SIGMA, to.context.f()))
            .unwrap();
        let comment = format!("another output beside the {}", what(base, at));
        to.broken("vrf-output", comment, &draft.sign());
    }
}

/// Who makes a header, and with which VRF key.
fn makers(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let context = to.context.clone();
    let stranger = context.maker("a pool that is not registered");
    let slot = context.win(0, &stranger, SIGMA);
    let header = context.draft(&stranger, slot).sign();
    to.broken("unknown-pool", "pool without an entry", &header);
    if let Some((_, delegate)) = context.delegates.first() {
        let slot = context.win(0, delegate, SIGMA);
        let header = context.draft(delegate, slot).sign();
        to.broken(
            "unknown-pool",
            "genesis delegate in a slot of the lottery",
            &header,
        );
    }
    let other = Maker {
        vrf: stranger.vrf.clone(),
        vrf_key: stranger.vrf_key,
        ..maker.clone()
    };
    let slot = context.win(0, &other, SIGMA);
    let header = context.draft(&other, slot).sign();
    to.broken(
        "other-vrf-key",
        "VRF key that is not the registered one",
        &header,
    );

    let name = "one pool without its VRF key";
    if to.stakes.0.iter().all(|stake| stake.name != name) {
        let pool = PoolStake {
            vrf: None,
            ..of(maker, THIRD)
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
    let least = to.least_stake(base, TOTAL);
    // Enough that the share becomes smaller than with one lovelace less.
    let further = 1_000.max(2 * TOTAL / least);
    let mut with = |name: &str, sigma| to.stakes.add_one(&format!("{place}: {name}"), maker, sigma);
    let names = [
        with("least", (least, TOTAL)),
        with("one lovelace less", (least - 1, TOTAL)),
        with(
            &format!("total {further} lovelace more"),
            (least, TOTAL + further),
        ),
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
    let f = context.f();
    let of = |context: &Context, sigma| leading(context.era.tag, sigma, f);
    let most = of(&context, (1, 1));
    let small = context.maker("pool 2");
    let lost = |maker: &Maker, least: &BigUint, below: &BigUint| {
        context.find(0, |slot| {
            let value = context.draw(maker, &context.alpha(slot));
            context.turn(slot) == Turn::Lottery && value >= *least && value < *below
        })
    };
    let third = of(&context, SIGMA);
    let first = context.maker("pool 0");
    let slot = lost(&first, &third, &most);
    let header = context.draft(&first, slot).sign();
    to.broken(
        "leader-value",
        "value with which a pool with more stake leads",
        &header,
    );
    let slot = lost(&small, &of(&context, (64_123_456_789_012, TOTAL)), &third);
    let header = context.draft(&small, slot).sign();
    to.broken(
        "leader-value",
        "the same with the stake of a small pool",
        &header,
    );
    let slot = lost(
        &first,
        &most,
        &(BigUint::from(1u8) << bits(context.era.tag)),
    );
    let header = context.draft(&first, slot).sign();
    to.broken("leader-value", "value with which no pool leads", &header);
}
