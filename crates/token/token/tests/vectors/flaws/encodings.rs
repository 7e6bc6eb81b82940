//! Tokens that are refused when they are decoded: wrong encodings, and tokens beyond the limits.

use klero_token::Place;

use super::of::Of;
use crate::encoding::{CAVEATS, ROOT};
use crate::equations::Twin;
use crate::format::{Bounds, Vector};

pub fn encodings<S: Twin>(of: &Of<'_>, with_statement: &Of<'_>) -> Vec<Vector> {
    let first_length = 13 + 1 + S::link_length(ROOT);
    let kind = |name, block, kind| {
        let refusal = ("kind", Some(Place::Block(block)));
        of.parts::<S>(name, refusal, |token| token.blocks[block].kind = kind)
    };
    let truncated = ("truncated", None);
    vec![
        of.bytes("no bytes", "truncated", Vec::clear),
        of.bytes("header alone", "truncated", |bytes| bytes.truncate(5)),
        of.bytes("cut within the first payload", "truncated", |bytes| {
            bytes.truncate(first_length + 8);
        }),
        of.bytes("last byte missing", "truncated", |bytes| {
            bytes.truncate(bytes.len() - 1);
        }),
        of.bytes("one byte more", "trailing", |bytes| bytes.push(0)),
        of.bytes("not a token", "magic", |bytes| bytes[0] = b'k'),
        of.bytes("version 2", "version", |bytes| bytes[2] = 2),
        of.bytes("version 4", "version", |bytes| bytes[2] = 4),
        of.bytes("scheme 0", "scheme", |bytes| bytes[3] = 0),
        of.bytes("another scheme", "scheme", |bytes| bytes[3] = S::ID % 3 + 1),
        of.bytes("form of a request", "form", |bytes| bytes[4] = 2),
        of.bytes("form of a statement", "form", |bytes| bytes[4] = 3),
        of.bytes("form 5", "form", |bytes| bytes[4] = 5),
        of.bytes("no blocks", "no blocks", |bytes| bytes[9] = 0),
        of.bytes("2^32 - 1 blocks", "too many signatures", |bytes| {
            bytes[9..13].fill(0xff)
        }),
        of.bytes("a payload of 2^32 - 1 bytes", "truncated", |bytes| {
            bytes[first_length..][..4].fill(0xff);
        }),
        of.parts::<S>("rights longer than their block", truncated, |token| {
            token.blocks[0].payload[17] = 1;
        }),
        of.parts::<S>("first block of 19 bytes", truncated, |token| {
            token.blocks[0].payload.truncate(19);
        }),
        with_statement.parts::<S>("statement of 95 bytes", truncated, |token| {
            token.blocks[2].payload.truncate(95);
        }),
        kind("first block of caveats", 0, CAVEATS),
        kind("second block of the first's kind", 1, ROOT),
        kind("block of the kind of a seal", 2, 4),
        kind("block of kind 5", 2, 5),
    ]
}

pub fn limits(of: &Of<'_>) -> Vec<Vector> {
    let limited = |name, reason, lower: fn(&mut Bounds)| {
        let mut vector = of.invalid(name, (reason, None));
        lower(vector.limits.as_mut().unwrap());
        vector
    };
    vec![
        limited("a signature too many", "too many signatures", |most| {
            most.signatures -= 1
        }),
        limited("a caveat too many", "too many caveats", |most| {
            most.caveats -= 1
        }),
        limited("a byte too many", "too long", |most| most.bytes -= 1),
    ]
}
