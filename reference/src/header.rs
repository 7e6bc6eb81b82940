//! The rules of Cardano's headers, from Shelley to Conway: the ones that a header of `vectors/headers.json`
//! breaks.
//!
//! The steps are those of `docs/header-vectors.md`. Bytes that are no header of the era of their tag break
//! `bad-header`, and there is nothing else to judge. For a header:
//!
//! 1. `era`: its tag is the one of the group, and its slot is in the epoch of the group.
//! 2. `vrf-proof`, `vrf-output`: each VRF proof holds for the key, the slot and the nonce of the epoch, and
//!    gives the output beside it.
//! 3. `reserved-slot`, `wrong-delegate`: a slot of the overlay has a genesis delegate, who made the header
//!    with its VRF key.
//! 4. `unknown-pool`, `other-vrf-key`, `two-vrf-keys`, `leader-value`: in any other slot, a pool in the stake
//!    of the epoch made it with its VRF key, and leads with its value by the [rule](crate::leader).
//! 5. `kes-before-start`, `kes-after-end`: the KES period of the slot is one of the certificate's.
//! 6. `opcert-signature`: the cold key signed the certificate.
//! 7. `kes-signature`: the hot key signed the body, at the evolution of the period.
//! 8. `opcert-number-too-small`, `opcert-number-too-large`: the number of the certificate may follow the last.
//!
//! Nothing but the JSON of the file is read. Each rule is judged apart from the others, so a header can break
//! several. [`broken`] can leave one out: then it is a wrong judge, which shows that the headers that break this
//! rule break no other.

use blake2::digest::consts::{U28, U32};
use blake2::{Blake2b, Digest};
use ed25519_dalek::{Signature, VerifyingKey};
use num_bigint::BigUint;
use serde_json::Value;

use crate::ecvrf::{Invalid, verify};
use crate::leader::{Ratio, Rule};
use crate::suite::Suite;

/// The rule for bytes that are no header.
const BAD_HEADER: &str = "bad-header";

/// True if a header breaks a rule.
type Breaks = fn(&Header<'_>) -> bool;

/// The rules for a header, by their names in the file.
const RULES: [(&str, Breaks); 15] = [
    ("era", |header| header.is_of_another_era()),
    ("vrf-proof", |header| {
        header.proven.iter().any(Result::is_err)
    }),
    ("vrf-output", |header| header.has_another_output()),
    ("reserved-slot", |header| header.turn() == Turn::Reserved),
    ("wrong-delegate", |header| header.is_of_another_delegate()),
    ("unknown-pool", |header| {
        header.is_drawn() && header.pool().is_none()
    }),
    ("other-vrf-key", |header| header.has_another_vrf_key()),
    ("two-vrf-keys", |header| header.has_a_second_vrf_key()),
    ("leader-value", |header| {
        header.leads(&header.leader_value()) == Some(false)
    }),
    ("kes-before-start", |header| header.period() < header.start),
    ("kes-after-end", |header| header.is_after_the_certificate()),
    ("opcert-signature", |header| !header.is_certified()),
    ("kes-signature", |header| header.is_signed_by_another()),
    ("opcert-number-too-small", |header| {
        header.number < header.last_number()
    }),
    ("opcert-number-too-large", |header| {
        header.tag >= 6 && header.number.saturating_sub(header.last_number()) > 1
    }),
];

/// The rules that a header breaks, or bytes that are none; `without` the one of this name.
pub fn broken(header: Option<&Header<'_>>, without: Option<&str>) -> Vec<&'static str> {
    let is_judged = |rule: &str| without != Some(rule);
    let Some(header) = header else {
        return Vec::from_iter(is_judged(BAD_HEADER).then_some(BAD_HEADER));
    };
    let broken = RULES
        .iter()
        .filter(|(rule, is_broken)| is_judged(rule) && is_broken(header));
    broken.map(|(rule, _)| *rule).collect()
}

/// The test of a header, with all that it is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The group: the epoch and its network.
    pub group: &'a Value,
    /// The stake that decides.
    pub stake: &'a Value,
    /// The test itself.
    pub test: &'a Value,
}

/// The tests of headers in a file, in its order.
pub fn cases(file: &Value) -> impl Iterator<Item = Case<'_>> {
    let groups = array(&file["testGroups"]).iter();
    let groups = groups.filter(|group| group["type"] == "headers");
    groups.flat_map(move |group| {
        let tests = array(&group["tests"]).iter();
        tests.map(move |test| Case {
            group,
            stake: &file["stakes"][text(&test["stake"])],
            test,
        })
    })
}

/// Judges the header of a test.
///
/// # Panics
/// If it breaks another rule than the test says, or if its leader value, or the last one that leads, is
/// another.
pub fn agrees(case: Case<'_>) {
    let test = case.test;
    let header = Header::decode(case);
    let broken = broken(header.as_ref(), None);
    let stated = test.get("broken").and_then(Value::as_str);
    assert_eq!(broken, Vec::from_iter(stated), "{}", test["comment"]);
    assert_eq!(test["result"] == "valid", stated.is_none());

    let of = |member| test.get(member).map(text);
    let drawn = header.filter(Header::is_drawn);
    let value = drawn
        .as_ref()
        .map(|header| hex::encode(header.leader_value()));
    assert_eq!(of("leaderValue"), value.as_deref(), "{}", test["comment"]);
    if let Some(leads) = drawn.and_then(|header| header.leads(&header.leader_value())) {
        // Equal lengths: the order of the texts is that of the values. If none leads, there is no last one.
        let is_in_order = of("leaderValue") <= of("lastLeading");
        assert_eq!(leads, is_in_order, "{}", test["comment"]);
    }
}

/// The turn of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The pools draw.
    Lottery,
    /// No block is made.
    Reserved,
    /// A genesis delegate's, by its place in the order of the genesis keys.
    Delegate(u64),
}

/// The turn of a slot, counted from the first of its epoch.
pub fn turn(slot: u64, d: Ratio, f: Ratio, delegates: u64) -> Turn {
    // Slot k of the overlay is floor(k/d), so this many are before a slot.
    let before = |slot: u64| (slot * d.0).div_ceil(d.1);
    let (k, n) = (before(slot), f.1 / f.0);
    if before(slot + 1) == k {
        Turn::Lottery
    } else if k % n == 0 {
        Turn::Delegate(k / n % delegates)
    } else {
        Turn::Reserved
    }
}

/// A header, decoded.
#[derive(Debug)]
pub struct Header<'a> {
    case: Case<'a>,
    tag: u64,
    slot: u64,
    issuer_key: [u8; 32],
    vrf_key: [u8; 32],
    /// The outputs in the header, and those of the proofs beside them.
    outputs: Vec<Vec<u8>>,
    proven: Vec<Result<[u8; 64], Invalid>>,
    hot_key: [u8; 32],
    number: u64,
    start: u64,
    certified: Vec<u8>,
    /// The bytes that are signed, and the signature.
    body: Vec<u8>,
    signature: Vec<u8>,
}

impl<'a> Header<'a> {
    /// The header of a test; none if its bytes are no header of the era of their tag.
    pub fn decode(case: Case<'a>) -> Option<Self> {
        let bytes = hex::decode(text(&case.test["header"])).unwrap();
        let tag = number(&case.test["tag"]);
        let is_praos = tag >= 6;
        let mut from = Reader(&bytes);
        from.array(2)?;
        let begin = from.0;
        from.array(if is_praos { 10 } else { 15 })?;
        from.uint()?;
        let slot = from.uint()?;
        from.key()?;
        let (issuer_key, vrf_key) = (from.key()?, from.key()?);
        let mut certs = Vec::new();
        for _ in 0..if is_praos { 1 } else { 2 } {
            from.array(2)?;
            certs.push((from.bytes(64)?, from.bytes(80)?));
        }
        from.uint()?;
        from.key()?;
        if is_praos {
            from.array(4)?;
        }
        let (hot_key, number, start) = (from.key()?, from.uint()?, from.uint()?);
        let certified = from.bytes(64)?;
        if is_praos {
            from.array(2)?;
        }
        from.uint()?;
        from.uint()?;
        let body = &begin[..begin.len() - from.0.len()];
        let signature = from.bytes(448)?;
        let proofs = certs.iter().zip(inputs(case, slot, is_praos));
        let praos = Suite::named("praos").unwrap();
        from.0.is_empty().then(|| Self {
            case,
            tag,
            slot,
            issuer_key,
            vrf_key,
            proven: proofs
                .map(|((_, proof), alpha)| verify(praos, &vrf_key, &alpha, proof, None))
                .collect(),
            outputs: certs.iter().map(|(output, _)| output.to_vec()).collect(),
            hot_key,
            number,
            start,
            certified: certified.to_vec(),
            body: body.to_vec(),
            signature: signature.to_vec(),
        })
    }

    /// Step 1: the slot is in the epoch, and the tag is of its era.
    fn is_of_another_era(&self) -> bool {
        self.case.group["tag"] != self.tag || self.slot_of_epoch().is_none()
    }

    /// The slot, counted from the first of the epoch, if it is in the epoch.
    fn slot_of_epoch(&self) -> Option<u64> {
        let slot = self.slot.checked_sub(number(&self.case.group["firstSlot"]));
        slot.filter(|slot| *slot < number(&self.case.group["epochLength"]))
    }

    /// Step 2: a proof that holds has the output in the header.
    fn has_another_output(&self) -> bool {
        let mut pairs = self.proven.iter().zip(&self.outputs);
        pairs.any(|(proven, output)| proven.is_ok_and(|proven| proven[..] != output[..]))
    }

    /// Step 3: the turn of the slot.
    fn turn(&self) -> Turn {
        let Case { group, .. } = self.case;
        let delegates = array(&group["delegates"]).len() as u64;
        self.slot_of_epoch().map_or(Turn::Lottery, |slot| {
            turn(slot, ratio(&group["d"]), ratio(&group["f"]), delegates)
        })
    }

    fn is_of_another_delegate(&self) -> bool {
        let Turn::Delegate(which) = self.turn() else {
            return false;
        };
        let delegate = &self.case.group["delegates"][which as usize];
        delegate["delegate"] != self.issuer() || delegate["vrf"] != self.vrf_hash()
    }

    /// Step 4: the pools draw for the slot.
    fn is_drawn(&self) -> bool {
        self.turn() == Turn::Lottery
    }

    /// The issuer in the stake.
    fn pool(&self) -> Option<&'a Value> {
        let mut pools = array(&self.case.stake["pools"]).iter();
        pools.find(|pool| pool["pool"] == self.issuer())
    }

    fn drawn_pool(&self) -> Option<&'a Value> {
        self.pool().filter(|_| self.is_drawn())
    }

    fn has_another_vrf_key(&self) -> bool {
        let registered = self.drawn_pool().and_then(|pool| pool.get("vrf"));
        registered.is_some_and(|registered| *registered != self.vrf_hash())
    }

    /// It tells only where the stake has no VRF key of the pool.
    fn has_a_second_vrf_key(&self) -> bool {
        let pool = self.drawn_pool().filter(|pool| pool.get("vrf").is_none());
        let seen = pool.and(self.case.test.get("vrfSeen"));
        seen.is_some_and(|seen| *seen != self.vrf_hash())
    }

    /// The leader value: the output of the last proof in TPraos, its hash in Praos.
    fn leader_value(&self) -> Vec<u8> {
        let output = self.outputs.last().expect("a header has an output");
        match self.tag {
            6.. => hash_256(&[b"L", output]).to_vec(),
            _ => output.clone(),
        }
    }

    /// Compares a leader value, big-endian, with the threshold of the issuer. None if the slot is not in the
    /// lottery, or the issuer not in the stake.
    pub fn leads(&self, value: &[u8]) -> Option<bool> {
        let pool = self.drawn_pool()?;
        let sigma = (amount(&pool["stake"]), amount(&self.case.stake["total"]));
        let (value, bits) = (BigUint::from_bytes_be(value), 8 * value.len() as u32);
        Some(Rule::EXACT.leads(&value, bits, sigma, ratio(&self.case.group["f"])))
    }

    /// Step 5: the KES period of the slot.
    fn period(&self) -> u64 {
        self.slot / number(&self.case.group["slotsPerKesPeriod"])
    }

    fn is_after_the_certificate(&self) -> bool {
        let age = self.period().checked_sub(self.start);
        age.is_some_and(|age| age >= number(&self.case.group["maxKesEvolutions"]))
    }

    /// Step 6: the cold key signed the certificate.
    fn is_certified(&self) -> bool {
        let (number, start) = (self.number.to_be_bytes(), self.start.to_be_bytes());
        let message = [&self.hot_key[..], &number, &start].concat();
        is_signed(&self.issuer_key, &message, &self.certified)
    }

    /// Step 7, whether the certificate still holds or not. A key has 64 evolutions; outside of them, there is
    /// none to judge.
    fn is_signed_by_another(&self) -> bool {
        let age = self.period().checked_sub(self.start);
        let age = age.filter(|age| *age < 64);
        age.is_some_and(|age| !is_kes(self.hot_key, age, &self.body, &self.signature))
    }

    /// Step 8: the number of the issuer's last certificate, or 0.
    fn last_number(&self) -> u64 {
        self.case.test["lastNumber"].as_u64().unwrap_or(0)
    }

    /// The name of the pool or delegate.
    fn issuer(&self) -> String {
        hex::encode(Blake2b::<U28>::digest(self.issuer_key))
    }

    fn vrf_hash(&self) -> String {
        hex::encode(hash_256(&[&self.vrf_key]))
    }
}

/// The inputs of the proofs: in TPraos those for the nonce and for the leader.
fn inputs(case: Case<'_>, slot: u64, is_praos: bool) -> Vec<[u8; 32]> {
    let nonce = hex::decode(text(&case.group["nonce"])).unwrap();
    let seed = hash_256(&[&slot.to_be_bytes(), &nonce]);
    if is_praos {
        return vec![seed];
    }
    let masks = [0u64, 1].map(|purpose| hash_256(&[&purpose.to_be_bytes()]));
    masks
        .map(|mask| std::array::from_fn(|i| seed[i] ^ mask[i]))
        .into()
}

/// Sum6KES: six pairs of keys, from the root at the end of the signature down to the leaf.
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

/// Ed25519 by the rules of libsodium: no key or R of small order. (A key in another encoding than its own, which
/// libsodium refuses, has no known signature.)
fn is_signed(key: &[u8; 32], message: &[u8], signature: &[u8]) -> bool {
    let signature = Signature::from_slice(signature).unwrap();
    VerifyingKey::from_bytes(key).is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
}

/// BLAKE2b-256.
fn hash_256(parts: &[&[u8]]) -> [u8; 32] {
    let hash = parts
        .iter()
        .fold(Blake2b::<U32>::new(), |hash, part| hash.chain_update(part));
    hash.finalize().into()
}

/// The rest of a text of CBOR.
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

fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap()
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

/// A ratio, such as `1/20`.
pub fn ratio(value: &Value) -> Ratio {
    let (a, b) = text(value).split_once('/').unwrap();
    (a.parse().unwrap(), b.parse().unwrap())
}
