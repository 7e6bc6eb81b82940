//! A second judge of headers, of the file alone: on the readable model of VRF and leader rule, with
//! Ed25519 and BLAKE2b of other crates. It is slow, and knows no batch.

use std::collections::BTreeSet;

use ed25519_dalek::{Signature, VerifyingKey};
use klero_reference::leader::{Ratio, Rule};
use klero_reference::{BigUint, Suite, verify};
use serde_json::Value;

use super::header::{hash_224, hash_256, leader_value};

/// The fields of a header that are judged.
struct Fields<'a> {
    slot: u64,
    issuer_key: [u8; 32],
    vrf_key: &'a [u8],
    /// Outputs and proofs.
    certs: Vec<(&'a [u8], &'a [u8])>,
    hot_key: [u8; 32],
    number: u64,
    start: u64,
    certified: &'a [u8],
    /// What is signed, and the signature.
    body: &'a [u8],
    signature: &'a [u8],
}

/// What is left of a text of CBOR.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn head(&mut self, major: u8) -> Option<u64> {
        let first = self.take(1)?[0];
        let digits = match first & 31 {
            short @ 0..24 => return (first >> 5 == major).then_some(short.into()),
            long @ 24..28 => self.take(1 << (long - 24))?,
            _ => return None,
        };
        let number = digits
            .iter()
            .fold(0, |number, digit| number << 8 | u64::from(*digit));
        (first >> 5 == major).then_some(number)
    }

    fn uint(&mut self) -> Option<u64> {
        self.head(0)
    }

    fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        (self.head(2)? == length).then_some(())?;
        self.take(length)
    }

    fn array(&mut self, length: u64) -> Option<()> {
        (self.head(4)? == length).then_some(())
    }

    fn key(&mut self) -> Option<[u8; 32]> {
        self.bytes(32)?.try_into().ok()
    }
}

/// A header of TPraos or Praos that follows a block.
fn decode(is_tpraos: bool, header: &[u8]) -> Option<Fields<'_>> {
    let mut from = Reader(header);
    from.array(2)?;
    let start_of_body = from.0;
    from.array(if is_tpraos { 15 } else { 10 })?;
    from.uint()?;
    let slot = from.uint()?;
    from.key()?;
    let (issuer_key, vrf_key) = (from.key()?, from.bytes(32)?);
    let mut certs = Vec::new();
    for _ in 0..if is_tpraos { 2 } else { 1 } {
        from.array(2)?;
        certs.push((from.bytes(64)?, from.bytes(80)?));
    }
    from.uint()?;
    from.key()?;
    if !is_tpraos {
        from.array(4)?;
    }
    let (hot_key, number, start) = (from.key()?, from.uint()?, from.uint()?);
    let certified = from.bytes(64)?;
    if !is_tpraos {
        from.array(2)?;
    }
    from.uint()?;
    from.uint()?;
    let body = &start_of_body[..start_of_body.len() - from.0.len()];
    let signature = from.bytes(448)?;
    from.0.is_empty().then_some(Fields {
        slot,
        issuer_key,
        vrf_key,
        certs,
        hot_key,
        number,
        start,
        certified,
        body,
        signature,
    })
}

/// The context, and what it says of a header.
struct Judge<'a> {
    group: &'a Value,
    stake: &'a Value,
    test: &'a Value,
}

/// Judges every `step`-th header of a file, beginning with number `from`, and returns how many those are. Panics if
/// one breaks another rule than the file says.
pub fn agrees(file: &Value, from: usize, step: usize) -> usize {
    let groups = file["testGroups"].as_array().unwrap().iter();
    let groups = groups.filter(|group| group["type"] == "headers");
    let tests = groups.flat_map(|group| {
        let tests = group["tests"].as_array().unwrap();
        tests.iter().map(move |test| (group, test))
    });
    let chosen = tests.skip(from).step_by(step);
    let judge = |(group, test): (&Value, &Value)| {
        let found: Vec<_> = judge(file, group, test).into_iter().collect();
        let stated = test.get("broken").and_then(Value::as_str);
        assert_eq!(found, Vec::from_iter(stated), "{}", test["comment"]);
        assert_eq!(test["result"] == "valid", stated.is_none());
    };
    chosen.map(judge).count()
}

/// The rules that a header breaks.
fn judge<'a>(file: &'a Value, group: &'a Value, test: &'a Value) -> BTreeSet<&'static str> {
    let judge = Judge {
        group,
        stake: &file["stakes"][text(&test["stake"])],
        test,
    };
    let tag = number(&test["tag"]);
    let header = hex::decode(text(&test["header"])).unwrap();
    let Some(fields) = decode(tag < 6, &header) else {
        return BTreeSet::from(["bad-header"]);
    };
    let mut broken = BTreeSet::new();
    broken.extend((group["tag"] != tag).then_some("era"));
    broken.extend(judge.proofs(&fields, tag < 6));
    broken.extend(judge.right(&fields, tag as u8));
    broken.extend(judge.signatures(&fields));
    let last = test["lastNumber"].as_u64();
    let too_large = tag >= 6 && fields.number > last.unwrap_or(0) + 1;
    broken.extend(too_large.then_some("opcert-number-too-large"));
    let too_small = fields.number < last.unwrap_or(0);
    broken.extend(too_small.then_some("opcert-number-too-small"));
    broken
}

impl Judge<'_> {
    fn proofs(&self, fields: &Fields<'_>, is_tpraos: bool) -> Vec<&'static str> {
        let praos = Suite::named("praos").unwrap();
        let nonce = hex::decode(text(&self.group["nonce"])).unwrap();
        let seed = hash_256(&[&fields.slot.to_be_bytes(), &nonce]);
        let mut broken = Vec::new();
        for (at, (output, proof)) in (0u64..).zip(&fields.certs) {
            let mut alpha = seed;
            if is_tpraos {
                let constant = hash_256(&[&at.to_be_bytes()]);
                alpha = std::array::from_fn(|i| seed[i] ^ constant[i]);
            }
            match verify(praos, fields.vrf_key, &alpha, proof, None) {
                Err(_) => broken.push("vrf-proof"),
                Ok(right) if right != *output => broken.push("vrf-output"),
                Ok(_) => {}
            }
        }
        broken
    }

    /// Why the maker may not make a header in this slot.
    fn right(&self, fields: &Fields<'_>, tag: u8) -> Option<&'static str> {
        let (f, d) = (ratio(&self.group["f"]), ratio(&self.group["d"]));
        let delegates = self.group["delegates"].as_array().unwrap();
        let vrf = hex::encode(hash_256(&[fields.vrf_key]));
        let issuer = hex::encode(hash_224(&fields.issuer_key));
        let slot = fields.slot - number(&self.group["firstSlot"]);
        if let Some(position) = position(slot, d) {
            let spacing = f.1 / f.0;
            if position % spacing != 0 {
                return Some("reserved-slot");
            }
            let delegate = &delegates[(position / spacing) as usize % delegates.len()];
            let is_right = delegate["delegate"] == issuer && delegate["vrf"] == vrf;
            return (!is_right).then_some("wrong-delegate");
        }
        let mut pools = self.stake["pools"].as_array().unwrap().iter();
        let Some(pool) = pools.find(|pool| pool["pool"] == issuer) else {
            return Some("unknown-pool");
        };
        if pool.get("vrf").is_some_and(|registered| *registered != vrf) {
            return Some("other-vrf-key");
        }
        if self.test.get("vrfSeen").is_some_and(|seen| *seen != vrf) {
            return Some("two-vrf-keys");
        }
        let output = fields.certs.last()?.0.try_into().unwrap();
        let value = leader_value(tag, output);
        let sigma = (amount(&pool["stake"]), amount(&self.stake["total"]));
        let bits = 8 * value.len() as u32;
        let leads = Rule::EXACT.leads(&BigUint::from_bytes_be(&value), bits, sigma, f);
        assert_eq!(self.test["leaderValue"], hex::encode(&value));
        let last = self
            .test
            .get("lastLeading")
            .map_or(String::new(), |last| text(last).into());
        // Equal lengths: the order of the texts is that of the values.
        assert_eq!(leads, hex::encode(&value) <= last);
        (!leads).then_some("leader-value")
    }

    fn signatures(&self, fields: &Fields<'_>) -> Vec<&'static str> {
        let mut broken = Vec::new();
        let message = [
            &fields.hot_key[..],
            &fields.number.to_be_bytes(),
            &fields.start.to_be_bytes(),
        ];
        if !is_signed(&fields.issuer_key, &message.concat(), fields.certified) {
            broken.push("opcert-signature");
        }
        let period = fields.slot / number(&self.group["slotsPerKesPeriod"]);
        match period.checked_sub(fields.start) {
            None => broken.push("kes-before-start"),
            Some(age) if age >= number(&self.group["maxKesEvolutions"]) => {
                broken.push("kes-after-end");
            }
            Some(age) if !is_kes(fields.hot_key, age, fields.body, fields.signature) => {
                broken.push("kes-signature");
            }
            Some(_) => {}
        }
        broken
    }
}

/// The position of an overlay slot, counted from the first slot of the epoch.
fn position(slot: u64, (a, b): Ratio) -> Option<u64> {
    let before = |slot: u64| (slot * a).div_ceil(b);
    (before(slot) < before(slot + 1)).then(|| before(slot))
}

/// Sum6: six pairs of keys, from the root at the end of the signature down to the leaf.
fn is_kes(root: [u8; 32], evolution: u64, message: &[u8], signature: &[u8]) -> bool {
    let (leaf, pairs) = signature.split_at(64);
    let (mut key, mut left) = (root, evolution);
    for (pair, half) in pairs.chunks(64).rev().zip([32, 16, 8, 4, 2, 1]) {
        if hash_256(&[pair]) != key {
            return false;
        }
        let side = usize::from(left >= half);
        left -= half * side as u64;
        key = pair[32 * side..][..32].try_into().unwrap();
    }
    is_signed(&key, message, leaf)
}

fn is_signed(key: &[u8; 32], message: &[u8], signature: &[u8]) -> bool {
    let signature = Signature::from_slice(signature).unwrap();
    VerifyingKey::from_bytes(key).is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// A number of lovelace.
pub fn amount(value: &Value) -> u64 {
    text(value).parse().unwrap()
}

/// A ratio.
pub fn ratio(value: &Value) -> Ratio {
    let (a, b) = text(value).split_once('/').unwrap();
    (a.parse().unwrap(), b.parse().unwrap())
}
