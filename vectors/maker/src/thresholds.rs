//! The leader rule alone: values at the edges of what leads, and values that show each rounding.

use klero_reference::BigUint;
use klero_reference::leader::{Place, Ratio, Rule, difference};

use crate::context::{text, value_bytes};
use crate::format::{Group, Object};
use crate::group::{THIRD, TOTAL};
use crate::names;

/// Active slots coefficients: that of the public networks, and others.
const COEFFICIENTS: [Ratio; 6] = [
    (1, 20),
    (1, 2),
    (1, 39),
    (1, 1_000_000_000_000),
    (999_999, 1_000_000),
    (1, 1),
];

/// Shares of the stake whose values are tried from end to end: none, a third, all.
const WHOLE: [Ratio; 3] = [(0, TOTAL), (THIRD, TOTAL), (TOTAL, TOTAL)];

/// Shares whose edges are tried in Praos: the least, that of a small pool, and the extremes of 64 bits.
const EDGES: [Ratio; 4] = [
    (1, TOTAL),
    (64_123_456_789_012, TOTAL),
    (1, u64::MAX),
    (u64::MAX - 1, u64::MAX),
];

/// A group for each coefficient.
pub fn groups() -> Vec<Group> {
    COEFFICIENTS.map(group).into()
}

fn group(f: Ratio) -> Group {
    let mut tests = Vec::new();
    for bits in [256, 512] {
        for sigma in WHOLE {
            ends(&mut tests, f, sigma, bits);
            edges(&mut tests, f, sigma, bits);
        }
        for place in Place::ALL {
            rounding(&mut tests, f, place, bits);
        }
    }
    for sigma in EDGES {
        edges(&mut tests, f, sigma, 256);
    }
    Group {
        head: Object::default()
            .with("type", "thresholds")
            .with("f", text(f)),
        tests,
    }
}

/// The first value and the last one.
fn ends(tests: &mut Vec<Object>, f: Ratio, sigma: Ratio, bits: u32) {
    let count = Rule::EXACT.count(bits, sigma, f);
    let largest = (BigUint::from(1u8) << bits) - 1u8;
    for (comment, value) in [("0", BigUint::ZERO), ("the largest value", largest)] {
        tests.push(test(comment, sigma, &value, bits, value < count));
    }
}

/// The last value that leads and the first that does not, unless all lead or none does.
fn edges(tests: &mut Vec<Object>, f: Ratio, sigma: Ratio, bits: u32) {
    let count = Rule::EXACT.count(bits, sigma, f);
    if count == BigUint::ZERO || count == BigUint::from(1u8) << bits {
        return;
    }
    let last = &count - 1u8;
    for (comment, value, leads) in [
        ("the last value that leads", last, true),
        ("the first value that does not lead", count, false),
    ] {
        tests.push(test(comment, sigma, &value, bits, leads));
    }
}

/// A value that gets the opposite verdict if the rule rounds up in a place, where there is a share of
/// the stake with such a value.
fn rounding(tests: &mut Vec<Object>, f: Ratio, place: Place, bits: u32) {
    // Those on the way to c may leave it as it is, for this f.
    let of_c = [Place::Coefficient, Place::LogProduct, Place::LogQuotient];
    let log = |rule: Rule| rule.log(f);
    if f.0 == f.1 || of_c.contains(&place) && log(Rule::EXACT) == log(Rule::exchanged(place)) {
        return;
    }
    // All stake shows the last digits of c, which a share of it may hide.
    let some = (1..40).map(|n| (n * 123_456_789_012_345, TOTAL));
    let mut shares = some.chain([(TOTAL, TOTAL)]);
    let found = shares.find_map(|sigma| difference(place, f, sigma, bits));
    let Some(found) = found else {
        return;
    };
    let name = names::rounding(place);
    let leads = if found.leads {
        "leads"
    } else {
        "does not lead"
    };
    let comment = format!("{leads}, but the opposite if {name} rounds up");
    let test = test(&comment, found.sigma, &found.value, bits, found.leads);
    tests.push(test.with("rounding", name));
}

/// A leader value of some bits that leads or does not.
fn test(comment: &str, sigma: Ratio, value: &BigUint, bits: u32, leads: bool) -> Object {
    Object::default()
        .with("comment", comment)
        .with("stake", sigma.0.to_string())
        .with("total", sigma.1.to_string())
        .with("value", hex::encode(value_bytes(value, bits)))
        .with("leads", leads)
}
