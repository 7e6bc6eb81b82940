//! A network from its Shelley genesis file.

use core::fmt::Display;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use klero_leader::ActiveSlots;
use pallas_crypto::hash::Hash;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::chain::era::Era;
use crate::chain::hash::blake2b_256;
use crate::chain::kes::KesPeriods;
use crate::chain::network::error::NetworkError;
use crate::chain::network::facts::{EraStarts, Network};
use crate::chain::network::public::built_ins;
use crate::chain::overlay::Delegate;
use crate::chain::text::{decimal, share};
use crate::limits::{GENESIS_FILE, NETWORK_NUMBER};

/// The part of a Shelley genesis file that is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Genesis {
    /// The coefficient as JSON text: 0.05 has no exact binary form, and 1/3 is written as an object.
    active_slots_coeff: Box<RawValue>,
    security_param: u64,
    epoch_length: u64,
    network_magic: Option<u32>,
    gen_delegs: Option<BTreeMap<String, Delegation>>,
    #[serde(rename = "slotsPerKESPeriod")]
    slots_per_kes_period: Option<u64>,
    #[serde(rename = "maxKESEvolutions")]
    max_kes_evolutions: Option<u64>,
    /// No check of a chain uses this field or `slot_length`, so a value that cannot be read is ignored.
    system_start: Option<Value>,
    slot_length: Option<Value>,
}

#[derive(Deserialize)]
struct Delegation {
    delegate: String,
    vrf: Option<String>,
}

/// A ratio. The ledger writes numbers in this form if they have no short decimal form.
#[derive(Deserialize)]
struct Fraction {
    numerator: u128,
    denominator: u128,
}

/// Parses the delegates. The result maps the hash of each genesis key to its delegate.
fn delegations(
    named: &BTreeMap<String, Delegation>,
) -> Result<BTreeMap<Hash<28>, Delegate>, String> {
    let key_hash = |text: &str| -> Result<Hash<28>, String> {
        text.parse()
            .map_err(|_| format!("delegate {text:?} is not 56 hexadecimal digits"))
    };
    let vrf_hash = |text: &String| -> Result<Hash<32>, String> {
        text.parse()
            .map_err(|_| format!("VRF key {text:?} of a delegate is not 64 hexadecimal digits"))
    };
    let read = named.iter().map(|(key, Delegation { delegate, vrf })| {
        let issuer = key_hash(delegate)?;
        let vrf = vrf.as_ref().map(vrf_hash).transpose()?;
        Ok((key_hash(key)?, Delegate { issuer, vrf }))
    });
    read.collect()
}

impl Network {
    /// Reads f from the JSON of a genesis file, as the ledger does (`FromJSON` of `BoundedRatio`). The JSON
    /// is a decimal number, or an object with numerator and denominator.
    ///
    /// # Errors
    /// A message that says what is wrong and what was expected, if `json` is not a valid f.
    pub fn read_active_slots(json: &str) -> Result<ActiveSlots, String> {
        let ratio = match json.starts_with('{') {
            true => serde_json::from_str(json)
                .ok()
                .and_then(|of: Fraction| share(of.numerator, of.denominator)),
            // The `{` is checked above because serde would also read a list as a `Fraction`.
            false => decimal(json),
        };
        match ratio {
            Some((numerator @ 1.., denominator)) => {
                ActiveSlots::new(numerator, denominator).map_err(|error| error.to_string())
            }
            _ => {
                let start: String = json.chars().take(80).collect();
                Err(format!(
                    "active slots coefficient {start:?}: expected a decimal number above 0, at most 1, of no \
                     more than 19 digits when shortened, or an object with numerator and denominator"
                ))
            }
        }
    }

    /// Reads a network from its Shelley genesis file, which must be a regular file of at most 64 MiB.
    /// `starts` has the first epochs of the network's eras.
    ///
    /// # Errors
    /// [`NetworkError::Read`] if the file cannot be read, and [`NetworkError::Content`] for all other errors.
    pub fn read_shelley_genesis(
        name: &str,
        path: &Path,
        starts: EraStarts,
    ) -> Result<Network, NetworkError> {
        let bytes = klero_support::read(path, GENESIS_FILE)?;
        Network::from_shelley_genesis(name, &bytes, starts)
            .map_err(|error| NetworkError::Content(format!("{}: {error}", path.display())))
    }

    /// Makes a network from the bytes of its Shelley genesis file and the first epochs of its eras. The bytes
    /// must be exactly the bytes of the node's file, because their hash is the first nonce.
    pub fn from_shelley_genesis(
        name: &str,
        bytes: &[u8],
        starts: EraStarts,
    ) -> Result<Network, NetworkError> {
        let genesis: Genesis = serde_json::from_slice(bytes).map_err(|error| in_genesis(&error))?;
        let byron_k = starts.byron_k.unwrap_or(genesis.security_param);
        in_range("securityParam", genesis.security_param, 1)?;
        in_range("epochLength", genesis.epoch_length, 1)?;
        in_range("Byron's k", byron_k, 1)?;
        let kes_periods = match (genesis.slots_per_kes_period, genesis.max_kes_evolutions) {
            (Some(slots), Some(evolutions)) => {
                in_range("slotsPerKESPeriod", slots, 1)?;
                in_range("maxKESEvolutions", evolutions, 1)?;
                Some(KesPeriods { slots, evolutions })
            }
            _ => None,
        };
        let mut before = (Era::Byron, 0);
        for era in Era::ALL {
            let Some(start) = starts.of(era) else {
                continue;
            };
            in_range("an era's first epoch", start, 0)?;
            if start < before.1 {
                let (before, before_start) = before;
                return Err(NetworkError::Content(format!(
                    "{era} is said to begin in epoch {start}, before {before} in epoch {before_start}"
                )));
            }
            before = (era, start);
        }
        let delegations = genesis.gen_delegs.as_ref().map(delegations);
        let delegations = delegations.transpose().map_err(|why| in_genesis(&why))?;
        let f = Network::read_active_slots(genesis.active_slots_coeff.get())
            .map_err(|why| in_genesis(&why))?;
        // The length is rounded to microseconds, as in the ledger.
        let slot_length = genesis.slot_length.as_ref().and_then(Value::as_f64);
        let slot_length = slot_length.filter(|seconds| *seconds > 0.0);
        let micros = slot_length.map(|seconds| (seconds * 1e6).round() as u64);
        let issuers = |all: &BTreeMap<_, Delegate>| all.values().map(|one| one.issuer).collect();
        Ok(Network {
            name: name.to_owned(),
            genesis: blake2b_256(&[bytes]),
            has_crlf: bytes.windows(2).any(|pair| pair == b"\r\n"),
            magic: genesis.network_magic,
            k: genesis.security_param,
            f,
            epoch_length: genesis.epoch_length,
            byron_epoch_length: 10 * byron_k,
            starts,
            extra_entropy: BTreeMap::new(),
            delegates: delegations.as_ref().map(issuers),
            delegations,
            decentralization: BTreeMap::new(),
            kes_periods,
            built_in_nonces: &[],
            named_nonces: BTreeMap::new(),
            system_start: match genesis.system_start {
                Some(Value::String(text)) => Some(text),
                _ => None,
            },
            slot_length: micros.map(Duration::from_micros),
            byron_slot_length: None,
        })
    }

    /// The reasons to doubt that the Shelley genesis file is the exact file of the nodes, if there are any.
    /// One possible reason is that the file has the magic of a built-in network but a different hash. The
    /// other is that it contains CR LF, which some programs write at the ends of lines when they copy text.
    #[must_use]
    pub fn genesis_doubt(&self) -> Option<String> {
        let other = built_ins()
            .find(|known| known.magic == self.magic && known.genesis != self.genesis)
            .map(|known| {
                let Network { name, genesis, .. } = known;
                format!(", but names the magic of {name}, whose file has {genesis}")
            });
        let lines = self
            .has_crlf
            .then_some(": its lines end with CR LF, so it is hardly the file that the nodes have");
        (other.is_some() || lines.is_some()).then(|| {
            format!(
                "the Shelley genesis file has the hash {}{}{}",
                self.genesis,
                other.unwrap_or_default(),
                lines.unwrap_or_default()
            )
        })
    }
}

/// Makes the error for a problem inside a Shelley genesis file.
fn in_genesis(why: &dyn Display) -> NetworkError {
    NetworkError::Content(format!("Shelley genesis: {why}"))
}

fn in_range(name: &'static str, value: u64, least: u64) -> Result<(), NetworkError> {
    if (least..=NETWORK_NUMBER).contains(&value) {
        Ok(())
    } else {
        Err(NetworkError::Content(format!(
            "{name} is {value}, expected {least} to {NETWORK_NUMBER}"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::network::tests::{SMALL, custom};

    /// Bad files, each with a part of its error message.
    const BAD_FILES: [(&str, &str); 13] = [
        ("", "EOF"),
        ("[]", "expected"),
        ("{}", "activeSlotsCoeff"),
        (
            r#"{"activeSlotsCoeff": 0.0, "securityParam": 7, "epochLength": 2}"#,
            "\"0.0\"",
        ),
        (
            r#"{"activeSlotsCoeff": "0.1", "securityParam": 7, "epochLength": 2}"#,
            "0.1",
        ),
        (
            r#"{"activeSlotsCoeff": 0.1, "securityParam": 0, "epochLength": 2}"#,
            "securityParam",
        ),
        (
            r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 0}"#,
            "epochLength",
        ),
        (
            r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 268435457}"#,
            "epochLength",
        ),
        (
            r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 9,
                "slotsPerKESPeriod": 0, "maxKESEvolutions": 62}"#,
            "slotsPerKESPeriod",
        ),
        (
            r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 9,
                "slotsPerKESPeriod": 5, "maxKESEvolutions": 0}"#,
            "maxKESEvolutions",
        ),
        (
            r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 9,
                "genDelegs": {"a": {"delegate": "00"}}}"#,
            "delegate \"00\"",
        ),
        (
            r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 9,
                "genDelegs": {"a": {"delegate": "12b0f443d02861948a0fce9541916b014e8402984c7b83ad70a834ce"}}}"#,
            "delegate \"a\"",
        ),
        (
            r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 9, "genDelegs": {"a":
                {"delegate": "12b0f443d02861948a0fce9541916b014e8402984c7b83ad70a834ce", "vrf": "x"}}}"#,
            "VRF key \"x\" of a delegate",
        ),
    ];

    #[test]
    fn bad_genesis_files() {
        for (json, says) in BAD_FILES {
            let error = custom(json, EraStarts::default()).unwrap_err().to_string();
            assert!(error.contains(says), "{json}: {error}");
        }
        let network = custom(SMALL, EraStarts::default()).unwrap();
        assert_eq!(network.delegates(), None);
    }

    #[test]
    fn coefficients() {
        let big = r#"{"numerator": 10000000000000000000000000, "denominator": 30000000000000000000000000}"#;
        for (json, expected) in [
            ("0.05", "1/20"),
            ("5e-2", "1/20"),
            (r#"{"numerator": 1, "denominator": 3}"#, "1/3"),
            (r#"{"denominator":40,"numerator":2}"#, "1/20"),
            (r#"{"numerator": 7, "denominator": 7}"#, "1/1"),
            (big, "1/3"),
            // More digits than an `f64` can keep.
            (
                "0.123456789012345678",
                "61728394506172839/500000000000000000",
            ),
        ] {
            assert_eq!(
                Network::read_active_slots(json).unwrap().to_string(),
                expected,
                "{json}"
            );
            let file = format!(
                r#"{{"activeSlotsCoeff": {json}, "securityParam": 5, "epochLength": 100000}}"#
            );
            let network = custom(&file, EraStarts::default()).unwrap();
            assert_eq!(network.active_slots().to_string(), expected, "{json}");
        }
        for bad in [
            "0",
            "0.0",
            "1.1",
            "\"0.05\"",
            "\"1/20\"",
            "[1, 20]",
            "null",
            "{}",
            r#"{"numerator": 1}"#,
            r#"{"numerator": 0, "denominator": 3}"#,
            r#"{"numerator": 1, "denominator": 0}"#,
            r#"{"numerator": 4, "denominator": 3}"#,
            r#"{"numerator": -1, "denominator": -3}"#,
            r#"{"numerator": 0.5, "denominator": 3}"#,
            r#"{"numerator": "1", "denominator": "3"}"#,
            r#"{"numerator": 1, "denominator": 18446744073709551616}"#,
            r#"{"numerator": 1, "numerator": 1, "denominator": 3}"#,
        ] {
            let error = Network::read_active_slots(bad).unwrap_err();
            assert!(
                error.contains("numerator and denominator"),
                "{bad}: {error}"
            );
        }
        // A node stops with an error when it computes the logarithm of 1 minus this number.
        let none = r#"{"numerator": 65100916553150251, "denominator": 75290358552892017}"#;
        let error = Network::read_active_slots(none).unwrap_err();
        assert!(error.contains("no logarithm"), "{error}");
    }

    #[test]
    fn bad_starts_of_eras() {
        let starts = EraStarts {
            shelley: 5,
            allegra: Some(4),
            ..EraStarts::default()
        };
        let error = custom(SMALL, starts).unwrap_err().to_string();
        assert_eq!(
            error,
            "Allegra is said to begin in epoch 4, before Shelley in epoch 5"
        );
        let starts = EraStarts {
            shelley: u64::MAX,
            ..EraStarts::default()
        };
        assert!(custom(SMALL, starts).is_err());
    }
}
