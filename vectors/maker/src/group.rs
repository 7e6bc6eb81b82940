//! A group of headers while it is made.

use klero_reference::BigUint;
use klero_reference::leader::{Ratio, Rule};
use serde_json::{Value, json};

use crate::context::{Context, Maker, Turn, bits, leading, value_bytes};
use crate::format::{Group, Object};
use crate::header::{Draft, Header, hash_224};

/// The total stake. The four pools have half of it, some lovelace more.
pub const TOTAL: u64 = 22_857_142_857_142_857;
/// The stake of the first pool: a third, less a fraction of a lovelace.
pub const THIRD: u64 = TOTAL / 3;

/// The stake of an epoch.
pub struct Stake {
    pub name: String,
    pub total: u64,
    pub pools: Vec<PoolStake>,
}

/// The stake of a pool.
pub struct PoolStake {
    pub pool: [u8; 28],
    pub stake: u64,
    /// The hash of its VRF key.
    pub vrf: Option<[u8; 32]>,
}

impl PoolStake {
    /// The stake of a maker, with its VRF key.
    pub fn of(maker: &Maker, stake: u64) -> Self {
        Self {
            pool: maker.pool(),
            stake,
            vrf: Some(maker.vrf_hash()),
        }
    }

    /// Its JSON.
    fn value(&self) -> Value {
        let stake = self.stake.to_string();
        let mut value = json!({"pool": hex::encode(self.pool), "stake": stake});
        if let Some(vrf) = self.vrf {
            value["vrf"] = hex::encode(vrf).into();
        }
        value
    }
}

impl Stake {
    fn object(&self) -> Object {
        let pools: Vec<_> = self.pools.iter().map(PoolStake::value).collect();
        Object::default()
            .with("total", self.total.to_string())
            .with("pools", pools)
    }
}

/// The stakes of the file.
pub struct Stakes(Vec<Stake>);

impl Stakes {
    /// The stake of the four pools of a family.
    pub fn new(family: &str) -> Self {
        let pools = [
            ("pool 0", THIRD),
            ("pool 1", TOTAL / 5),
            ("pool 2", 64_123_456_789_012),
            ("pool 3", 0),
        ];
        let pools = pools.map(|(name, stake)| PoolStake::of(&Maker::named(family, name), stake));
        let mut stakes = Self(Vec::new());
        stakes.add("four pools", TOTAL, pools.into());
        stakes
    }

    /// Adds stake, and returns its name.
    pub fn add(&mut self, name: &str, total: u64, pools: Vec<PoolStake>) -> String {
        assert!(!self.has(name), "{name} is there");
        self.0.push(Stake {
            name: name.to_owned(),
            total,
            pools,
        });
        name.to_owned()
    }

    /// Their JSON, by their names.
    pub fn objects(&self) -> Vec<(String, Object)> {
        let stakes = self.0.iter();
        stakes
            .map(|stake| (stake.name.clone(), stake.object()))
            .collect()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|stake| stake.name == name)
    }

    /// The share of a pool in the stake of this name.
    fn share(&self, name: &str, pool: [u8; 28]) -> Option<Ratio> {
        let stake = self.0.iter().find(|stake| stake.name == name)?;
        let of = stake.pools.iter().find(|of| of.pool == pool)?;
        Some((of.stake, stake.total))
    }
}

/// A header with the verdict that it must get.
pub struct HeaderTest {
    pub comment: String,
    pub tag: u8,
    pub header: Vec<u8>,
    /// Its fields, if it can be decoded.
    pub draft: Option<Draft>,
    /// The number of the issuer's last certificate; none if he has made no block.
    pub last_number: Option<u64>,
    /// The name of the stake that decides.
    pub stake: String,
    /// The hash of the VRF key with which the pool made an earlier block of the epoch.
    pub vrf_seen: Option<[u8; 32]>,
    /// The rule that it breaks; none if it is valid.
    pub broken: Option<&'static str>,
}

/// A group of headers.
pub struct Making<'a> {
    pub comment: &'static str,
    pub context: Context,
    pub stakes: &'a mut Stakes,
    pub tests: Vec<HeaderTest>,
}

impl<'a> Making<'a> {
    pub fn new(comment: &'static str, context: Context, stakes: &'a mut Stakes) -> Self {
        Self {
            comment,
            context,
            stakes,
            tests: Vec::new(),
        }
    }

    /// Adds a header that is valid, unless the caller changes what it is judged by.
    pub fn valid(&mut self, comment: impl Into<String>, header: &Header) -> &mut HeaderTest {
        self.push(comment.into(), header.bytes(), Some(&header.draft), None)
    }

    /// Adds a header that breaks a rule, and no other.
    pub fn broken(
        &mut self,
        rule: &'static str,
        comment: impl Into<String>,
        header: &Header,
    ) -> &mut HeaderTest {
        let draft = Some(&header.draft);
        self.push(comment.into(), header.bytes(), draft, Some(rule))
    }

    /// Adds bytes that are no header.
    pub fn bytes(&mut self, comment: &str, bytes: Vec<u8>) -> &mut HeaderTest {
        self.push(comment.into(), bytes, None, Some("bad-header"))
    }

    fn push(
        &mut self,
        comment: String,
        header: Vec<u8>,
        draft: Option<&Draft>,
        broken: Option<&'static str>,
    ) -> &mut HeaderTest {
        self.tests.push(HeaderTest {
            comment,
            tag: self.context.era.tag,
            header,
            draft: draft.cloned(),
            last_number: Some(3),
            stake: "four pools".into(),
            vrf_seen: None,
            broken,
        });
        self.tests.last_mut().expect("it was added")
    }

    pub fn finish(self) -> Group {
        let tests = self.tests.iter().map(|test| self.object(test));
        Group {
            head: self.context.head(self.comment),
            tests: tests.collect(),
        }
    }

    fn object(&self, test: &HeaderTest) -> Object {
        let drawn = test.draft.as_ref();
        let drawn = drawn.filter(|draft| self.context.turn(draft.slot) == Turn::Lottery);
        let last_leading = drawn.and_then(|draft| {
            let issuer = hash_224(&draft.issuer_key);
            let sigma = self.stakes.share(&test.stake, issuer)?;
            let count = leading(draft.tag, sigma, self.context.f);
            let last = (count > BigUint::ZERO).then(|| count - 1u8)?;
            Some(hex::encode(value_bytes(&last, bits(draft.tag))))
        });
        let value = drawn.map(|draft| hex::encode(draft.leader_value()));
        let result = if test.broken.is_none() {
            "valid"
        } else {
            "invalid"
        };
        Object::default()
            .with("comment", &*test.comment)
            .with("tag", test.tag)
            .with("header", hex::encode(&test.header))
            .with("lastNumber", test.last_number)
            .with("stake", &*test.stake)
            .with_any("vrfSeen", test.vrf_seen.map(hex::encode))
            .with_any("leaderValue", value)
            .with_any("lastLeading", last_leading)
            .with("result", result)
            .with_any("broken", test.broken)
    }
}

/// Compares the leader value of a header with the threshold of this share of the stake.
pub fn leads(draft: &Draft, sigma: Ratio, f: Ratio) -> bool {
    let value = BigUint::from_bytes_be(&draft.leader_value());
    Rule::EXACT.leads(&value, bits(draft.tag), sigma, f)
}

/// The least number, up to `most`, that fulfils a condition. All larger ones fulfil it too.
pub fn least(most: u64, is_true: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = low + (high - low) / 2;
        match is_true(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}
