//! The tests of `vectors/headers.json`. The verdict on each is stated where the test is made, from the way in
//! which it is made.

use klero_reference::leader::Ratio;

use crate::context::{Context, Maker};
use crate::era::{ALLEGRA, ALONZO, BABBAGE, CONWAY, Era, MARY, SHELLEY};
use crate::format::{Group, file};
use crate::group::{Making, Stakes, THIRD, TOTAL, leads, least};
use crate::header::{Draft, hash_224, hash_256};
use crate::{lottery, overlay, signatures, thresholds};

/// The text of `vectors/headers.json`.
pub fn headers() -> String {
    let mut stakes = Stakes::new("");
    let s = &mut stakes;
    let with_d = |epoch, d| Context {
        d,
        ..public(SHELLEY, epoch)
    };
    let fifths = "Shelley, three fifths of the slots in the overlay";
    let all = "Shelley, all slots in the overlay";
    let few = signatures::few;
    let mut groups = vec![
        rules("Shelley, no overlay", public(SHELLEY, 40), s, few),
        group(fifths, with_d(41, (3, 5)), s, overlay::make),
        group(all, with_d(42, (1, 1)), s, overlay::all),
        group("Allegra", public(ALLEGRA, 50), s, honest),
        group("Mary", public(MARY, 60), s, honest),
        group("Alonzo", public(ALONZO, 70), s, honest),
        rules("Babbage", public(BABBAGE, 100), s, signatures::make),
        group("Conway", public(CONWAY, 150), s, edges),
        other_network(s),
        every_slot(s),
    ];
    groups.extend(coefficients(s));
    groups.extend(thresholds::groups());
    for d in [(3, 5), (1, 1), (12, 25), (1, 100), (99, 100), (1, 3)] {
        groups.push(overlay::turns(d, (1, 20), 7));
    }
    groups.push(overlay::turns((3, 5), (3, 10), 4));
    file(&stakes.objects(), &groups)
}

/// A text like that of `vectors/headers.json`: headers for every rule, of makers of this family in an epoch
/// like those of the public networks. In TPraos of two more epochs, with this share of the slots in the
/// overlay, and with all.
pub fn of_epoch(era: Era, epoch: u64, d: Ratio, family: &str) -> String {
    let mut stakes = Stakes::new(family);
    let s = &mut stakes;
    let with = |epoch, d| Context {
        d,
        ..public_of(era, epoch, family)
    };
    let mut groups = vec![rules(
        "no overlay",
        with(epoch, (0, 1)),
        s,
        signatures::make,
    )];
    if era.tag < 6 {
        groups.push(group("an overlay", with(epoch + 1, d), s, overlay::make));
        let all = "an overlay of all slots";
        groups.push(group(all, with(epoch + 2, (1, 1)), s, overlay::all));
    }
    file(&stakes.objects(), &groups)
}

/// An epoch of a network with the parameters of the public ones.
fn public(era: Era, epoch: u64) -> Context {
    public_of(era, epoch, "")
}

fn public_of(era: Era, epoch: u64, family: &str) -> Context {
    let delegates = if era.tag < 6 { 7 } else { 0 };
    let delegates = (0..delegates).map(|number| {
        let maker = Maker::named(family, &format!("genesis delegate {number}"));
        (hash_224(format!("genesis key {number}").as_bytes()), maker)
    });
    let mut delegates: Vec<_> = delegates.collect();
    delegates.sort_by_key(|(key, _)| *key);
    Context {
        era,
        epoch,
        epoch_length: 432_000,
        nonce: hash_256(&[b"nonce of epoch ", &epoch.to_be_bytes()]),
        f: (1, 20),
        d: (0, 1),
        slots_per_kes_period: 129_600,
        max_kes_evolutions: 62,
        delegates,
        family: family.to_owned(),
    }
}

/// The headers that are made in a context.
fn group(
    comment: &'static str,
    context: Context,
    stakes: &mut Stakes,
    make: impl FnOnce(&mut Making<'_>),
) -> Group {
    let mut to = Making::new(comment, context, stakes);
    make(&mut to);
    to.finish()
}

/// Headers for every rule except those of the overlay.
fn rules(
    comment: &'static str,
    context: Context,
    stakes: &mut Stakes,
    signatures: impl FnOnce(&mut Making<'_>, &Maker, &Draft),
) -> Group {
    group(comment, context, stakes, |to| {
        let (pool, base) = first(to);
        makers(to);
        decoding(to, &base);
        signatures(to, &pool, &base);
        lottery::make(to, &pool, &base);
    })
}

/// Honest headers, and the edges of what leads.
fn edges(to: &mut Making<'_>) {
    let (pool, base) = first(to);
    makers(to);
    lottery::edges(to, &pool, &base);
}

fn honest(to: &mut Making<'_>) {
    let (_, base) = first(to);
    to.valid("honest header of pool 0", &base.sign());
}

/// The first pool, and its first header in an epoch.
fn first(to: &Making<'_>) -> (Maker, Draft) {
    let pool = to.context.maker("pool 0");
    let slot = to.context.win(0, &pool, (THIRD, TOTAL));
    let draft = to.context.draft(&pool, slot);
    (pool, draft)
}

/// Honest headers of two pools.
fn makers(to: &mut Making<'_>) {
    let context = to.context.clone();
    for (name, sigma) in [("pool 0", (THIRD, TOTAL)), ("pool 1", (TOTAL / 5, TOTAL))] {
        let maker = context.maker(name);
        let slot = context.win(0, &maker, sigma);
        let header = context.draft(&maker, slot).sign();
        to.valid(format!("honest header of {name}"), &header);
    }
}

/// Bytes that are no header of the era, and a header of another era.
fn decoding(to: &mut Making<'_>, base: &Draft) {
    let honest = base.sign();
    let bytes = honest.bytes();
    to.bytes("no bytes", Vec::new());
    to.bytes("without its last byte", bytes[..bytes.len() - 1].to_vec());
    to.bytes("with a byte behind it", [&bytes[..], &[0]].concat());
    let mut short = honest.clone();
    short.signature.pop();
    to.bytes("KES signature of 447 bytes", short.bytes());
    let mut draft = base.clone();
    draft.certs[0].proof.pop();
    to.bytes("VRF proof of 79 bytes", draft.sign().bytes());
    let tag = base.tag;
    let other = if base.is_tpraos() { BABBAGE } else { ALONZO };
    let test = to.bytes(&format!("with the tag of {}", other.name), bytes);
    test.tag = other.tag;
    let other = Era::ALL
        .into_iter()
        .find(|other| other.tag != tag && (other.tag < 6) == (tag < 6))
        .expect("both protocols have several eras");
    let comment = format!("with the tag of {}", other.name);
    to.broken("era", comment, &honest).tag = other.tag;
}

/// A network whose parameters are all others.
fn other_network(stakes: &mut Stakes) -> Group {
    let context = Context {
        epoch_length: 1_000,
        f: (1, 2),
        slots_per_kes_period: 100,
        max_kes_evolutions: 5,
        ..public(CONWAY, 30)
    };
    group("Conway, a small network", context, stakes, |to| {
        let (pool, base) = first(to);
        honest(to);
        signatures::periods(to, &pool, &base, &[4], &[5]);
    })
}

/// f = 1: every pool leads in every slot.
fn every_slot(stakes: &mut Stakes) -> Group {
    let context = Context {
        f: (1, 1),
        ..public(CONWAY, 151)
    };
    let comment = "Conway, f = 1: every value leads";
    group(comment, context, stakes, |to| {
        let context = to.context.clone();
        let slot = context.first_slot();
        let of = |name: &str, slot| context.draft(&context.maker(name), slot).sign();
        to.valid("pool 0", &of("pool 0", slot));
        to.valid("pool 3, which has no stake", &of("pool 3", slot));
        let next = (context.period(slot) + 1) * context.slots_per_kes_period;
        to.valid("the last slot of a KES period", &of("pool 0", next - 1));
        to.valid("the first slot of a KES period", &of("pool 0", next));
        let header = of("a pool that is not registered", slot);
        to.broken("unknown-pool", "pool without an entry", &header);
    })
}

/// The least f with which a header leads, and the largest with which it does not, in steps of 10^-18.
fn coefficients(stakes: &mut Stakes) -> [Group; 2] {
    let context = public(CONWAY, 152);
    let header = first(&Making::new("", context.clone(), stakes)).1.sign();
    let steps = 10u64.pow(18);
    let is_enough = |n| leads(&header.draft, (THIRD, TOTAL), lowest((n, steps)));
    let edge = least(steps - 1, is_enough);
    let of = |n| Context {
        f: lowest((n, steps)),
        ..context.clone()
    };
    let comment = "Conway, the least f with which a header leads, in steps of 10^-18";
    let valid = group(comment, of(edge), stakes, |to| {
        to.valid("header of pool 0", &header);
    });
    let comment = "Conway, an f that is 10^-18 less";
    let invalid = group(comment, of(edge - 1), stakes, |to| {
        to.broken("leader-value", "the same header of pool 0", &header);
    });
    [valid, invalid]
}

/// In lowest terms.
fn lowest((a, b): Ratio) -> Ratio {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    (a / x, b / x)
}
