//! What `vectors/headers.json` contains. The verdict on each test is stated where the test is made, from
//! the way in which it is made.

use klero_reference::leader::Ratio;

use super::context::{
    ALLEGRA, ALONZO, BABBAGE, CONWAY, Context, Era, MARY, Maker, SHELLEY, lowest,
};
use super::format::{Group, Vectors};
use super::group::{Making, Stakes, THIRD, TOTAL, leads, least};
use super::header::{Draft, hash_224, hash_256};
use super::{lottery, overlay, signatures, thresholds};

/// All of the file.
pub fn make() -> Vectors {
    let mut stakes = Stakes::new("");
    let s = &mut stakes;
    let with_d = |epoch, d| Context {
        d,
        ..public(SHELLEY, epoch)
    };
    let mut groups = vec![
        rules(
            "Shelley, no overlay",
            public(SHELLEY, 40),
            s,
            signatures::few,
        ),
        overlay(
            "Shelley, three fifths of the slots in the overlay",
            with_d(41, (3, 5)),
            s,
        ),
        overlay_of_all("Shelley, all slots in the overlay", with_d(42, (1, 1)), s),
        honest(public(ALLEGRA, 50), s),
        honest(public(MARY, 60), s),
        honest(public(ALONZO, 70), s),
        rules("Babbage", public(BABBAGE, 100), s, signatures::make),
        conway(public(CONWAY, 150), s),
        other_network(s),
        every_slot(s),
    ];
    groups.extend(coefficients(s));
    groups.extend(thresholds::groups());
    for d in [(3, 5), (1, 1), (12, 25), (1, 100), (99, 100), (1, 3)] {
        groups.push(overlay::turns(d, (1, 20), 7));
    }
    groups.push(overlay::turns((3, 5), (3, 10), 4));
    Vectors {
        stakes: stakes.0,
        groups,
    }
}

/// Headers for every rule, of makers of this family in an epoch like those of the public networks. In
/// TPraos of two more epochs, with this share of the slots in the overlay, and with all.
pub fn of_epoch(era: Era, epoch: u64, d: Ratio, family: &str) -> Vectors {
    let mut stakes = Stakes::new(family);
    let s = &mut stakes;
    let context = public_of(era, epoch, family);
    let mut groups = vec![rules("no overlay", context, s, signatures::make)];
    if era.tag < 6 {
        let with = |epoch, d| Context {
            d,
            ..public_of(era, epoch, family)
        };
        groups.push(overlay("an overlay", with(epoch + 1, d), s));
        groups.push(overlay_of_all(
            "an overlay of all slots",
            with(epoch + 2, (1, 1)),
            s,
        ));
    }
    Vectors {
        stakes: stakes.0,
        groups,
    }
}

/// An epoch of a network with the parameters of the public ones.
fn public(era: Era, epoch: u64) -> Context {
    public_of(era, epoch, "")
}

fn public_of(era: Era, epoch: u64, family: &str) -> Context {
    let delegates = match era.tag < 6 {
        true => 7,
        false => 0,
    };
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
        f: (5, 2),
        d: (0, 1),
        slots_per_kes_period: 129_600,
        max_kes_evolutions: 62,
        delegates,
        family: family.to_owned(),
    }
}

/// An epoch with an overlay: f in thousandths.
pub fn with_turns(d: Ratio, f: Ratio, delegates: usize) -> Context {
    let mut context = Context {
        f: (1_000 * f.0 / f.1, 3),
        d,
        ..public(SHELLEY, 41)
    };
    context.delegates.truncate(delegates);
    context
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
        to.valid(
            format!("honest header of {name}"),
            &context.draft(&maker, slot).sign(),
        );
    }
}

/// Every rule except those of the overlay.
fn rules(
    comment: &'static str,
    context: Context,
    stakes: &mut Stakes,
    signatures: impl FnOnce(&mut Making<'_>, &Maker, &Draft),
) -> Group {
    let mut to = Making::new(comment, context, stakes);
    let (pool, base) = first(&to);
    makers(&mut to);
    decoding(&mut to, &base);
    signatures(&mut to, &pool, &base);
    lottery::make(&mut to, &pool, &base);
    to.finish()
}

/// Honest headers, and the edges of what leads.
fn conway(context: Context, stakes: &mut Stakes) -> Group {
    let mut to = Making::new("Conway", context, stakes);
    let (pool, base) = first(&to);
    makers(&mut to);
    lottery::edges(&mut to, &pool, &base);
    to.finish()
}

fn honest(context: Context, stakes: &mut Stakes) -> Group {
    let mut to = Making::new(context.era.name, context, stakes);
    let (_, base) = first(&to);
    to.valid("honest header of pool 0", &base.sign());
    to.finish()
}

fn overlay(comment: &'static str, context: Context, stakes: &mut Stakes) -> Group {
    let mut to = Making::new(comment, context, stakes);
    overlay::make(&mut to);
    to.finish()
}

fn overlay_of_all(comment: &'static str, context: Context, stakes: &mut Stakes) -> Group {
    let mut to = Making::new(comment, context, stakes);
    overlay::all(&mut to);
    to.finish()
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
        f: (5, 1),
        slots_per_kes_period: 100,
        max_kes_evolutions: 5,
        ..public(CONWAY, 30)
    };
    let mut to = Making::new("Conway, a small network", context, stakes);
    let (pool, base) = first(&to);
    to.valid("honest header of pool 0", &base.sign());
    signatures::periods(&mut to, &pool, &base, &[4], &[5]);
    to.finish()
}

/// f = 1: every pool leads in every slot.
fn every_slot(stakes: &mut Stakes) -> Group {
    let context = Context {
        f: (1, 0),
        ..public(CONWAY, 151)
    };
    let mut to = Making::new("Conway, f = 1: every value leads", context, stakes);
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
    to.finish()
}

/// The least f with which a header leads, and the largest with which it does not, in steps of 10^-18.
fn coefficients(stakes: &mut Stakes) -> [Group; 2] {
    let context = public(CONWAY, 152);
    let header = first(&Making::new("", context.clone(), stakes)).1.sign();
    let steps = 10u64.pow(18);
    let with = |n: u64| lowest((n, steps));
    let edge = least(steps - 1, |n| leads(&header.draft, (THIRD, TOTAL), with(n)));
    let of = |n: u64| Context {
        f: (n, 18),
        ..context.clone()
    };
    let comment = "Conway, the least f with which a header leads, in steps of 10^-18";
    let mut to = Making::new(comment, of(edge), stakes);
    to.valid("header of pool 0", &header);
    let valid = to.finish();
    let comment = "Conway, an f that is 10^-18 less";
    let mut to = Making::new(comment, of(edge - 1), stakes);
    to.broken("leader-value", "the same header of pool 0", &header);
    [valid, to.finish()]
}
