//! The file `vectors/headers.json`: its types, and how it is written.

use std::{env, fs};

use klero_reference::BigUint;
use klero_reference::leader::Ratio;
use serde::Serialize;
use serde_json::{Value, json};

use super::context::{Context, Turn, bits, leading, lowest};
use super::header::Draft;
use super::names::Name;

/// Set this variable to write the file instead of comparing it.
const WRITE: &str = "KLERO_WRITE_VECTORS";

/// The stake of an epoch.
#[derive(Clone)]
pub struct Stake {
    pub name: String,
    pub total: u64,
    pub pools: Vec<PoolStake>,
}

/// The stake of a pool.
#[derive(Clone)]
pub struct PoolStake {
    pub pool: [u8; 28],
    pub stake: u64,
    /// The hash of its VRF key.
    pub vrf: Option<[u8; 32]>,
}

/// A header with the verdict that it must get.
#[derive(Clone)]
pub struct HeaderTest {
    pub comment: String,
    pub tag: u8,
    pub header: Vec<u8>,
    /// What it was made of, if it can be decoded.
    pub draft: Option<Draft>,
    /// The number of the issuer's last certificate; none if he has made no block.
    pub last_number: Option<u64>,
    /// The name of the stake that decides.
    pub stake: String,
    /// The hash of the VRF key with which the pool made a block of the epoch before.
    pub vrf_seen: Option<[u8; 32]>,
    /// The rule that it breaks; none if it is valid.
    pub broken: Option<&'static str>,
}

/// A leader value that leads or does not.
pub struct Threshold {
    pub comment: String,
    pub sigma: Ratio,
    pub value: Vec<u8>,
    pub leads: bool,
    /// The place of the rule that rounds, if the opposite is true when it rounds up.
    pub rounding: Option<&'static str>,
}

/// Whose turn a slot is, counted from the first of the epoch.
pub struct SlotTurn {
    pub slot: u64,
    pub turn: Turn,
}

/// Tests that have something in common.
pub enum Group {
    Headers {
        comment: String,
        context: Box<Context>,
        tests: Vec<HeaderTest>,
    },
    Thresholds {
        f: Ratio,
        tests: Vec<Threshold>,
    },
    Turns {
        d: Ratio,
        f: Ratio,
        delegates: usize,
        tests: Vec<SlotTurn>,
    },
}

/// All of the file.
pub struct Vectors {
    pub stakes: Vec<Stake>,
    pub groups: Vec<Group>,
}

impl Vectors {
    /// The groups of headers.
    pub fn headers(&self) -> impl Iterator<Item = (&Context, &[HeaderTest])> {
        self.groups.iter().filter_map(|group| match group {
            Group::Headers { context, tests, .. } => Some((&**context, &tests[..])),
            _ => None,
        })
    }

    /// The stake with this name.
    pub fn stake(&self, name: &str) -> &Stake {
        let mut stakes = self.stakes.iter();
        stakes
            .find(|stake| stake.name == name)
            .expect("it is in the file")
    }
}

/// A context, in the order of its members.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HeadersHead<'a> {
    r#type: &'a str,
    comment: &'a str,
    era: &'a str,
    tag: u8,
    epoch: u64,
    first_slot: u64,
    epoch_length: u64,
    nonce: String,
    f: String,
    d: String,
    slots_per_kes_period: u64,
    max_kes_evolutions: u64,
    delegates: Vec<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HeaderLine<'a> {
    tc_id: usize,
    comment: &'a str,
    tag: u8,
    header: String,
    last_number: Option<u64>,
    stake: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    vrf_seen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leader_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_leading: Option<String>,
    result: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThresholdLine<'a> {
    tc_id: usize,
    comment: &'a str,
    stake: String,
    total: String,
    value: String,
    leads: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounding: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TurnLine<'a> {
    tc_id: usize,
    slot: u64,
    turn: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    delegate: Option<usize>,
}

fn ratio((a, b): Ratio) -> String {
    format!("{a}/{b}")
}

/// The value as bytes of the length that it has in this era.
pub fn value_bytes(value: &BigUint, bits: u32) -> Vec<u8> {
    let digits = value.to_bytes_be();
    let mut bytes = vec![0; bits as usize / 8 - digits.len()];
    bytes.extend_from_slice(&digits);
    bytes
}

fn headers_head<'a>(comment: &'a str, context: &'a Context) -> HeadersHead<'a> {
    let delegates = context.delegates.iter().map(|(genesis_key, maker)| {
        json!({
            "delegate": hex::encode(maker.pool()),
            "genesisKey": hex::encode(genesis_key),
            "vrf": hex::encode(maker.vrf_hash()),
        })
    });
    HeadersHead {
        r#type: "headers",
        comment,
        era: context.era.name,
        tag: context.era.tag,
        epoch: context.epoch,
        first_slot: context.first_slot(),
        epoch_length: context.epoch_length,
        nonce: hex::encode(context.nonce),
        f: ratio(context.f()),
        d: ratio(lowest(context.d)),
        slots_per_kes_period: context.slots_per_kes_period,
        max_kes_evolutions: context.max_kes_evolutions,
        delegates: delegates.collect(),
    }
}

impl Vectors {
    fn header_line<'a>(
        &self,
        tc_id: usize,
        context: &Context,
        test: &'a HeaderTest,
    ) -> HeaderLine<'a> {
        let drawn = test
            .draft
            .as_ref()
            .filter(|draft| context.turn(draft.slot) == Turn::Lottery);
        let last_leading = drawn.and_then(|draft| {
            let stake = self.stake(&test.stake);
            let issuer = super::header::hash_224(&draft.issuer_key);
            let pool = stake.pools.iter().find(|pool| pool.pool == issuer)?;
            let count = leading(draft.tag, (pool.stake, stake.total), context.f());
            let last = (count > BigUint::ZERO).then(|| count - 1u8)?;
            Some(hex::encode(value_bytes(&last, bits(draft.tag))))
        });
        HeaderLine {
            tc_id,
            comment: &test.comment,
            tag: test.tag,
            header: hex::encode(&test.header),
            last_number: test.last_number,
            stake: &test.stake,
            vrf_seen: test.vrf_seen.map(hex::encode),
            leader_value: drawn.map(|draft| hex::encode(draft.leader_value())),
            last_leading,
            result: if test.broken.is_none() {
                "valid"
            } else {
                "invalid"
            },
            broken: test.broken,
        }
    }

    /// A group's members but for its tests, and its tests.
    fn group(&self, group: &Group, count: &mut usize) -> (String, Vec<String>) {
        let mut id = || {
            *count += 1;
            *count
        };
        match group {
            Group::Headers {
                comment,
                context,
                tests,
            } => {
                let lines = tests
                    .iter()
                    .map(|test| json(&self.header_line(id(), context, test)));
                (json(&headers_head(comment, context)), lines.collect())
            }
            Group::Thresholds { f, tests } => {
                let lines = tests.iter().map(|test| json(&threshold_line(id(), test)));
                let head = format!(r#"{{"type":"thresholds","f":"{}"}}"#, ratio(*f));
                (head, lines.collect())
            }
            Group::Turns {
                d,
                f,
                delegates,
                tests,
            } => {
                let lines = tests.iter().map(|test| json(&turn_line(id(), test)));
                let (d, f) = (ratio(*d), ratio(*f));
                let head =
                    format!(r#"{{"type":"overlay","d":"{d}","f":"{f}","delegates":{delegates}}}"#);
                (head, lines.collect())
            }
        }
    }

    /// The file, with one line for each name, stake and test, so that differences can be read.
    pub fn file(&self, rules: &[Name], roundings: &[Name]) -> String {
        let mut count = 0;
        let groups: Vec<_> = self
            .groups
            .iter()
            .map(|group| {
                let (head, tests) = self.group(group, &mut count);
                let members = head
                    .strip_prefix('{')
                    .and_then(|head| head.strip_suffix('}'));
                let members = members.expect("an object");
                let tests: Vec<_> = tests.iter().map(|test| format!("    {test}")).collect();
                format!("  {{{members},\n   \"tests\":[\n{}]}}", tests.join(",\n"))
            })
            .collect();
        let names = |names: &[Name]| {
            let lines = names
                .iter()
                .map(|name| format!("  {}:{}", json(&name.name), json(name)));
            lines.collect::<Vec<_>>().join(",\n")
        };
        let stakes: Vec<_> = self.stakes.iter().map(stake_line).collect();
        format!(
            "{{\"schema\":\"headers.schema.json\",\n \"numberOfTests\":{count},\n \"rules\":{{\n{}}},\n \
             \"roundings\":{{\n{}}},\n \"stakes\":{{\n{}}},\n \"testGroups\":[\n{}]}}\n",
            names(rules),
            names(roundings),
            stakes.join(",\n"),
            groups.join(",\n")
        )
    }

    /// The file is what was made, byte for byte.
    pub fn compare(&self, rules: &[Name], roundings: &[Name]) {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/headers.json");
        let made = self.file(rules, roundings);
        if env::var_os(WRITE).is_some() {
            fs::write(path, &made).unwrap();
        }
        assert!(
            fs::read_to_string(path).unwrap() == made,
            "headers.json is not what is made: set {WRITE}, and look at the difference"
        );
    }
}

fn threshold_line(tc_id: usize, test: &Threshold) -> ThresholdLine<'_> {
    ThresholdLine {
        tc_id,
        comment: &test.comment,
        stake: test.sigma.0.to_string(),
        total: test.sigma.1.to_string(),
        value: hex::encode(&test.value),
        leads: test.leads,
        rounding: test.rounding,
    }
}

fn turn_line(tc_id: usize, test: &SlotTurn) -> TurnLine<'_> {
    let (turn, delegate) = match test.turn {
        Turn::Lottery => ("lottery", None),
        Turn::Reserved => ("reserved", None),
        Turn::Delegate(delegate) => ("delegate", Some(delegate)),
    };
    TurnLine {
        tc_id,
        slot: test.slot,
        turn,
        delegate,
    }
}

fn stake_line(stake: &Stake) -> String {
    let pools = stake.pools.iter().map(|of| {
        let (pool, amount) = (hex::encode(of.pool), of.stake);
        let vrf = of.vrf.map_or(String::new(), |vrf| {
            format!(r#","vrf":"{}""#, hex::encode(vrf))
        });
        format!(r#"{{"pool":"{pool}","stake":"{amount}"{vrf}}}"#)
    });
    let pools = pools.collect::<Vec<_>>().join(",");
    let (name, total) = (json(&stake.name), stake.total);
    format!(r#"  {name}:{{"total":"{total}","pools":[{pools}]}}"#)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}
