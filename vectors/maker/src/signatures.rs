//! Headers around the operational certificate and the KES signature.

use ed25519_dalek::{Signer, SigningKey};
use klero_reference::BigUint;
use klero_reference::curve::L;

use crate::context::Maker;
use crate::group::Making;
use crate::header::{Certificate, Draft, Header, certify, hash_256, sign};
use crate::small_order;

/// Bytes of the pair of keys below the root, at the end of a signature.
const ROOT: usize = 384;

/// The whole set.
pub fn make(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let most = to.context.max_kes_evolutions;
    periods(to, maker, base, &[0, 31, 32, most - 1], &[most, 63, 64]);
    before(to, maker, base);
    leaf(to, base);
    kes(to, base);
    altered(to, base);
    cold_key(to, maker, base);
    certificate(to, maker, base);
    small_order::make(to, maker, base);
    numbers(to, maker, base);
}

/// A header for each of the failures that are told apart by name.
pub fn few(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let most = to.context.max_kes_evolutions;
    periods(to, maker, base, &[most - 1], &[most]);
    before(to, maker, base);
    leaf(to, base);
    cold_key(to, maker, base);
    numbers(to, maker, base);
}

/// One header for each age of the certificate, in periods since its start: those of `valid`, and those of
/// `after`, when it has ended.
pub fn periods(to: &mut Making<'_>, maker: &Maker, base: &Draft, valid: &[u64], after: &[u64]) {
    let period = to.context.period(base.slot);
    let with = |start, evolution| started(maker, base, start, evolution);
    for age in valid {
        let comment = format!("evolution {age} of the hot key");
        to.valid(comment, &with(period - age, *age));
    }
    for age in after {
        let comment = format!("slot that is {age} periods after the start of the certificate");
        // A key has 64 evolutions.
        to.broken("kes-after-end", comment, &with(period - age, *age.min(&63)));
    }
}

/// Certificates that start after the slot.
fn before(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let next = to.context.period(base.slot) + 1;
    for (start, which) in [(next, "the next period"), (u64::MAX, "period 2^64 - 1")] {
        let comment = format!("certificate that starts in {which}");
        to.broken("kes-before-start", comment, &started(maker, base, start, 0));
    }
}

/// The header with a certificate that starts in this period, signed at this evolution.
fn started(maker: &Maker, base: &Draft, start: u64, evolution: u64) -> Header {
    let draft = base.with(|draft| {
        draft.certificate = certify(&maker.cold, maker.hot, base.certificate.number, start);
        draft.evolution = evolution;
    });
    draft.sign()
}

fn leaf(to: &mut Making<'_>, base: &Draft) {
    let mut header = base.sign();
    let key = SigningKey::from_bytes(&hash_256(&[b"another leaf"]));
    header.signature[..64].copy_from_slice(&key.sign(&header.body).to_bytes());
    let comment = "another Ed25519 key signed at the leaf";
    to.broken("kes-signature", comment, &header);
}

/// Signatures by other keys, or of another message.
fn kes(to: &mut Making<'_>, base: &Draft) {
    let mut bad = |comment: &str, header: &Header| {
        to.broken("kes-signature", comment, header);
    };
    let honest = base.sign();
    for evolution in [base.evolution - 1, base.evolution + 1] {
        let draft = base.with(|draft| draft.evolution = evolution);
        let right = base.evolution;
        let comment = format!("signed at evolution {evolution} instead of {right}");
        bad(&comment, &draft.sign());
    }
    let other = base.with(|draft| draft.hot = hash_256(&[b"another hot key"]));
    let comment = "signed with a hot key that is not the one of the certificate";
    bad(comment, &other.sign());
    let mut scalar = honest.clone();
    add_order(&mut scalar.signature[32..64]);
    bad("s + L in the signature at the leaf", &scalar);
    let signature = sign(base.hot, base.evolution, &hash_256(&[&honest.body]));
    let hashed = Header {
        signature,
        ..honest
    };
    bad("the hash of the header's body was signed", &hashed);
}

/// Signatures and headers that were changed after signing.
fn altered(to: &mut Making<'_>, base: &Draft) {
    let mut bad = |comment: &str, header: &Header| {
        to.broken("kes-signature", comment, header);
    };
    let honest = base.sign();
    // Evolution 10 is 001010 in binary: the left keys of the first and last pair are on the path.
    let places = [
        (64, "left key of the deepest pair"),
        (96, "right key of the deepest pair"),
        (ROOT, "left key of the root's pair"),
        (ROOT + 32, "right key of the root's pair"),
    ];
    for (place, what) in places {
        let mut altered = honest.clone();
        altered.signature[place] ^= 1;
        bad(&format!("altered bit in the {what}"), &altered);
    }
    let body_hash = hash_256(&[b"another body"]);
    let drafts = [
        ("body hash", base.with(|draft| draft.body_hash = body_hash)),
        ("block number", base.with(|draft| draft.number += 1)),
    ];
    for (what, draft) in drafts {
        let altered = Header {
            signature: honest.signature.clone(),
            ..draft.sign()
        };
        bad(&format!("another {what} than the signed one"), &altered);
    }
}

fn cold_key(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let cold = SigningKey::from_bytes(&hash_256(&[b"another cold key"]));
    let Certificate { number, start, .. } = base.certificate;
    let certificate = certify(&cold, maker.hot, number, start);
    let header = base.with(|draft| draft.certificate = certificate).sign();
    let comment = "certificate by another cold key";
    to.broken("opcert-signature", comment, &header);
}

fn certificate(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let honest = &base.certificate;
    let mut bad = |comment: &str, signature: [u8; 64]| {
        let draft = base.with(|draft| draft.certificate.signature = signature);
        to.broken("opcert-signature", comment, &draft.sign());
    };
    let of = |hot, number, start| certify(&maker.cold, hot, number, start).signature;
    let (hot, number, start) = (maker.hot, honest.number, honest.start);
    bad("certificate of another number", of(hot, number + 1, start));
    bad("certificate of another start", of(hot, number, start - 1));
    let other = of(hash_256(&[b"another hot key"]), number, start);
    bad("certificate of another hot key", other);
    let (little_number, little_start) = (number.to_le_bytes(), start.to_le_bytes());
    let little = [&honest.hot_key[..], &little_number, &little_start].concat();
    let little = maker.cold.sign(&little).to_bytes();
    bad("number and start were signed in little-endian", little);
    let mut signature = honest.signature;
    add_order(&mut signature[32..]);
    bad("s + L in the signature of the certificate", signature);
}

/// The number of the certificate after the last one.
pub fn numbers(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let with = |number: u64| {
        let certificate = certify(&maker.cold, maker.hot, number, base.certificate.start);
        base.with(|draft| draft.certificate = certificate).sign()
    };
    let is_tpraos = base.is_tpraos();
    to.valid("the next number", &with(4));
    let comment = "the number before the last one";
    to.broken("opcert-number-too-small", comment, &with(2));
    for number in [0, 1] {
        let comment = format!("number {number}, and no certificate before");
        to.valid(comment, &with(number)).last_number = None;
    }
    let skipped = [(5, Some(3)), (u64::MAX, Some(3)), (2, None)];
    for (number, last) in skipped {
        let comment = match last {
            Some(last) => format!("number {number} after {last}"),
            None => format!("number {number}, and no certificate before"),
        };
        let test = match is_tpraos {
            true => to.valid(comment, &with(number)),
            false => to.broken("opcert-number-too-large", comment, &with(number)),
        };
        test.last_number = last;
    }
}

/// s + L, little-endian, in place of s.
pub fn add_order(scalar: &mut [u8]) {
    let sum = BigUint::from_bytes_le(scalar) + &*L;
    let digits = sum.to_bytes_le();
    scalar.fill(0);
    scalar[..digits.len()].copy_from_slice(&digits);
}
