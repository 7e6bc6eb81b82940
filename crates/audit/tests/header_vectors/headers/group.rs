//! A group of headers while it is made.

use klero_reference::BigUint;
use klero_reference::leader::{Ratio, Rule};

use super::context::{Context, Maker, bits};
use super::format::{Group, HeaderTest, PoolStake, Stake};
use super::header::{Draft, Header};

/// The total stake. The four pools have half of it, some lovelace more.
pub const TOTAL: u64 = 22_857_142_857_142_857;
/// The stake of the first pool: a third, less a fraction of a lovelace.
pub const THIRD: u64 = TOTAL / 3;

/// The stakes of the file.
pub struct Stakes(pub Vec<Stake>);

impl Stakes {
    /// The stake of the four pools of a family.
    pub fn new(family: &str) -> Self {
        let pools = [
            ("pool 0", THIRD),
            ("pool 1", TOTAL / 5),
            ("pool 2", 64_123_456_789_012),
            ("pool 3", 0),
        ];
        let pools = pools.map(|(name, stake)| of(&Maker::named(family, name), stake));
        Self(vec![Stake {
            name: "four pools".into(),
            total: TOTAL,
            pools: pools.into(),
        }])
    }

    /// Adds stake, and returns its name.
    pub fn add(&mut self, name: &str, total: u64, pools: Vec<PoolStake>) -> String {
        let name = name.to_owned();
        assert!(
            self.0.iter().all(|stake| stake.name != name),
            "{name} is there"
        );
        self.0.push(Stake {
            name: name.clone(),
            total,
            pools,
        });
        name
    }

    /// Adds the stake of one maker, and returns its name.
    pub fn add_one(&mut self, name: &str, maker: &Maker, (stake, total): Ratio) -> String {
        self.add(name, total, vec![of(maker, stake)])
    }
}

/// The stake of a maker, with its VRF key.
pub fn of(maker: &Maker, stake: u64) -> PoolStake {
    PoolStake {
        pool: maker.pool(),
        stake,
        vrf: Some(maker.vrf_hash()),
    }
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
        self.push(
            comment.into(),
            header.bytes(),
            Some(&header.draft),
            Some(rule),
        )
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

    /// The least stake of the total with which a header leads.
    pub fn least_stake(&self, draft: &Draft, total: u64) -> u64 {
        let f = self.context.f();
        least(total, |stake| leads(draft, (stake, total), f))
    }

    pub fn finish(self) -> Group {
        Group::Headers {
            comment: self.comment.into(),
            context: Box::new(self.context),
            tests: self.tests,
        }
    }
}

/// Whether a header leads with this share of the stake.
pub fn leads(draft: &Draft, sigma: Ratio, f: Ratio) -> bool {
    let value = BigUint::from_bytes_be(&draft.leader_value());
    Rule::EXACT.leads(&value, bits(draft.tag), sigma, f)
}

/// The least number up to `most`, with which it is true, from which on it is.
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
