//! Headers in slots that are taken out of the lottery, and the turns of slots.

use klero_reference::leader::Ratio;

use crate::context::{Maker, Turn, leading, text, turn};
use crate::format::{Group, Object};
use crate::group::{Making, THIRD, TOTAL};

/// Headers of an epoch with an overlay.
pub fn make(to: &mut Making<'_>) {
    let context = to.context.clone();
    let pool = context.maker("pool 0");
    // A slot that the pool would win, if it were in the lottery: so no other rule is broken.
    let most = leading(context.era.tag, (THIRD, TOTAL), context.f);
    let wins = |maker: &Maker, slot| context.draw(maker, &context.alpha(slot)) < most;
    let is_turn = |slot, of: usize| context.turn(slot) == Turn::Delegate(of);
    for of in [0, 1, 6] {
        let delegate = &context.delegates[of].1;
        let slot = context.find(0, |slot| is_turn(slot, of) && !wins(delegate, slot));
        let comment =
            format!("genesis delegate {of} in its slot, with a value that would not lead");
        to.valid(comment, &context.draft(delegate, slot).sign());
    }
    let delegate = &context.delegates[3].1;
    let slot = context.find(2_000, |slot| is_turn(slot, 3));
    let comment = "genesis delegate 3, with no certificate before";
    to.valid(comment, &context.draft(delegate, slot).sign())
        .last_number = None;

    let rule = "wrong-delegate";
    let next = &context.delegates[4].1;
    let comment = "genesis delegate 4 in the slot of delegate 3";
    to.broken(rule, comment, &context.draft(next, slot).sign());
    let other = delegate.with_vrf_of(&context.maker("another VRF key"));
    let comment = "genesis delegate 3 in its slot, with another VRF key";
    to.broken(rule, comment, &context.draft(&other, slot).sign());
    let other = context.maker("another cold key").with_vrf_of(delegate);
    let slot = context.find(0, |slot| is_turn(slot, 3) && wins(delegate, slot));
    let comment = "another issuer in the slot of genesis delegate 3, with the delegate's VRF key";
    to.broken(rule, comment, &context.draft(&other, slot).sign());
    let is_any = |slot| matches!(context.turn(slot), Turn::Delegate(_));
    let slot = context.find(0, |slot| is_any(slot) && wins(&pool, slot));
    let comment = "pool in the slot of a genesis delegate";
    to.broken(rule, comment, &context.draft(&pool, slot).sign());

    let reserved = |slot| context.turn(slot) == Turn::Reserved;
    let slot = context.find(0, |slot| reserved(slot) && wins(&pool, slot));
    let comment = "pool in a reserved slot, with a value that would lead";
    to.broken("reserved-slot", comment, &context.draft(&pool, slot).sign());
    let slot = context.find(0, reserved);
    let header = context.draft(delegate, slot).sign();
    to.broken(
        "reserved-slot",
        "genesis delegate in a reserved slot",
        &header,
    );
    let slot = context.win(0, &pool, (THIRD, TOTAL));
    let comment = "pool in a slot of the lottery";
    to.valid(comment, &context.draft(&pool, slot).sign());
}

/// Headers of an epoch whose slots are all in the overlay.
pub fn all(to: &mut Making<'_>) {
    let context = to.context.clone();
    let (first, pool) = (&context.delegates[0].1, context.maker("pool 0"));
    let header = context.draft(first, context.first_slot()).sign();
    to.valid("genesis delegate 0 in the first slot", &header);
    let most = leading(context.era.tag, (THIRD, TOTAL), context.f);
    let slot = context.find(0, |slot| {
        let wins = context.draw(&pool, &context.alpha(slot)) < most;
        wins && context.turn(slot) == Turn::Reserved
    });
    let comment = "pool with a value that would lead";
    to.broken("reserved-slot", comment, &context.draft(&pool, slot).sign());
}

/// The turns of the first slots, of slots of delegates until their order begins again, with the slots
/// beside them, and of the last slot of an epoch.
pub fn turns(d: Ratio, f: Ratio, delegates: usize) -> Group {
    let all = delegates as u64;
    let mut slots: Vec<u64> = (0..5).chain([431_999]).collect();
    for active in [1, 2, all - 1, all, all + 1, 100] {
        let slot = active * (f.1 / f.0) * d.1 / d.0;
        slots.extend([slot - 1, slot, slot + 1]);
    }
    slots.sort_unstable();
    slots.dedup();
    let tests = slots.into_iter().map(|slot| {
        let (turn, delegate) = match turn(slot, d, f, delegates) {
            Turn::Lottery => ("lottery", None),
            Turn::Reserved => ("reserved", None),
            Turn::Delegate(delegate) => ("delegate", Some(delegate)),
        };
        let test = Object::default().with("slot", slot).with("turn", turn);
        test.with_any("delegate", delegate)
    });
    let head = Object::default().with("type", "overlay").with("d", text(d));
    Group {
        head: head.with("f", text(f)).with("delegates", delegates),
        tests: tests.collect(),
    }
}
