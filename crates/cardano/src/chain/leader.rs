//! The bound on leader values that holds for every stake.
//!
//! A pool with relative stake σ leads when its value p is below 1-(1-f)^σ. The stake is not in
//! the headers, but that bound is never above f, so p < f is necessary for every pool. The
//! value is a fraction with 64 or 32 bytes after the point and f is a ratio of two integers, so
//! the comparison is exact.

use core::fmt;
use core::str::FromStr;

use serde::Deserialize;

use crate::chain::claim::ClaimKind;
use crate::chain::hash::blake2b_256;

/// The active slots coefficient f: the share of slots in which a block is made, 0 < f <= 1.
///
/// ```
/// use klero_cardano::ActiveSlots;
/// let f: ActiveSlots = "0.05".parse()?;
/// assert_eq!((f.numerator(), f.denominator()), (1, 20));
/// assert_eq!(f, "5e-2".parse()?);
/// # Ok::<(), klero_cardano::chain::NotAFraction>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActiveSlots {
    numerator: u64,
    denominator: u64,
}

/// Text that is not a number above 0 and up to 1 whose numerator and denominator are below 2^64.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "active slots coefficient {0:?}: expected a decimal number above 0, at most 1, of no more than 19 digits when shortened, or an object with numerator and denominator"
)]
pub struct NotAFraction(String);

/// A ratio, as the ledger writes one without a short decimal form.
#[derive(Deserialize)]
struct Fraction {
    numerator: u128,
    denominator: u128,
}

impl ActiveSlots {
    /// Reads the JSON of a genesis file, as the ledger does (`FromJSON` of `BoundedRatio`): a decimal
    /// number, or an object with numerator and denominator.
    pub(crate) fn of_json(json: &str) -> Result<ActiveSlots, NotAFraction> {
        // A list would be read as an object, too.
        if !json.starts_with('{') {
            return json.parse();
        }
        serde_json::from_str(json)
            .ok()
            .and_then(|of: Fraction| ActiveSlots::of(share(of.numerator, of.denominator)?))
            .ok_or_else(|| NotAFraction::of(json))
    }

    /// A ratio from 0 to 1 in lowest terms, if it is not 0.
    fn of((numerator, denominator): (u64, u64)) -> Option<ActiveSlots> {
        (numerator > 0).then_some(ActiveSlots {
            numerator,
            denominator,
        })
    }

    /// Numerator in lowest terms.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// Denominator in lowest terms.
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// True if the leader value of `output` is below f. For [`ClaimKind::Eta`], whose output
    /// decides no leadership, the answer means nothing.
    #[must_use]
    pub fn admits(self, kind: ClaimKind, output: &[u8; 64]) -> bool {
        match kind {
            ClaimKind::Praos => self.is_above(&*blake2b_256(&[b"L", output])),
            ClaimKind::Eta | ClaimKind::Leader => self.is_above(output),
        }
    }

    /// Whether f is above the fraction 0.value (big-endian, base 256).
    fn is_above(self, value: &[u8]) -> bool {
        // value·denominator = carry·256^n + rest, with rest < 256^n, and the question is
        // whether that is below numerator·256^n: exactly when carry < numerator. The carry
        // stays below the denominator, so 128 bits hold every step.
        let carry = value.iter().rev().fold(0u128, |carry, &byte| {
            (u128::from(byte) * u128::from(self.denominator) + carry) >> 8
        });
        carry < u128::from(self.numerator)
    }
}

impl FromStr for ActiveSlots {
    type Err = NotAFraction;

    fn from_str(text: &str) -> Result<ActiveSlots, NotAFraction> {
        decimal(text)
            .and_then(ActiveSlots::of)
            .ok_or_else(|| NotAFraction::of(text))
    }
}

impl NotAFraction {
    fn of(text: &str) -> NotAFraction {
        NotAFraction(text.chars().take(80).collect())
    }
}

/// A decimal number from 0 to 1, as a ratio in lowest terms.
pub(crate) fn decimal(text: &str) -> Option<(u64, u64)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let numerator: u128 = digits.parse().ok()?;
    let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let power = 10u128.checked_pow(scale.unsigned_abs())?;
    match scale >= 0 {
        true => share(numerator, power),
        false => share(numerator.checked_mul(power)?, 1),
    }
}

/// A ratio from 0 to 1 in lowest terms, if 64 bits hold these.
pub(crate) fn share(numerator: u128, denominator: u128) -> Option<(u64, u64)> {
    if denominator == 0 || numerator > denominator {
        return None;
    }
    let common = gcd(numerator, denominator);
    let (numerator, denominator) = (numerator / common, denominator / common);
    Some((numerator.try_into().ok()?, denominator.try_into().ok()?))
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl fmt::Display for ActiveSlots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    fn f(text: &str) -> ActiveSlots {
        text.parse().unwrap()
    }

    #[test]
    fn decimal_texts() {
        for (text, numerator, denominator) in [
            ("0.05", 1, 20),
            ("0.050", 1, 20),
            (".5", 1, 2),
            ("1", 1, 1),
            ("1.0", 1, 1),
            ("1e-1", 1, 10),
            ("0.5e-1", 1, 20),
            ("0.01E+1", 1, 10),
            ("0.1e0", 1, 10),
            ("0.0500000000000000000000000", 1, 20),
        ] {
            assert_eq!(
                (f(text).numerator, f(text).denominator),
                (numerator, denominator),
                "{text}"
            );
        }
        for bad in [
            "",
            "0",
            "0.0",
            "1.1",
            "2",
            "-0.5",
            "+0.5",
            "0,5",
            "0.5.5",
            "e",
            ".",
            "0.5e",
            "1e1",
            "0.00000000000000000001",
            "1e-2147483648",
            "1e-999999999999",
            "NaN",
            "0x1",
        ] {
            assert!(bad.parse::<ActiveSlots>().is_err(), "{bad}");
        }
    }

    #[test]
    fn json_of_genesis_files() {
        let big = r#"{"numerator": 10000000000000000000000000, "denominator": 30000000000000000000000000}"#;
        for (json, numerator, denominator) in [
            ("0.05", 1, 20),
            ("5e-2", 1, 20),
            (r#"{"numerator": 1, "denominator": 3}"#, 1, 3),
            (r#"{"denominator":40,"numerator":2}"#, 1, 20),
            (r#"{"numerator": 7, "denominator": 7}"#, 1, 1),
            (big, 1, 3),
        ] {
            let f = ActiveSlots::of_json(json).unwrap();
            assert_eq!(
                (f.numerator, f.denominator),
                (numerator, denominator),
                "{json}"
            );
        }
        for bad in [
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
            let error = ActiveSlots::of_json(bad).unwrap_err().to_string();
            assert!(
                error.contains("numerator and denominator"),
                "{bad}: {error}"
            );
        }
    }

    /// The smallest 64-byte value that is not below the fraction, and the one under it.
    fn edge(f: ActiveSlots) -> ([u8; 64], [u8; 64]) {
        let one = BigUint::from(1u8) << 512;
        let edge: BigUint = (one * f.numerator + (f.denominator - 1)) / f.denominator;
        let bytes = |n: BigUint| {
            let n = n.to_bytes_be();
            let mut out = [0; 64];
            out[64 - n.len()..].copy_from_slice(&n);
            out
        };
        (bytes(edge.clone() - 1u8), bytes(edge))
    }

    #[test]
    fn the_edge_is_exact() {
        for text in [
            "0.05",
            "0.5",
            "0.1",
            "0.333333333333333333",
            "1e-19",
            "0.9999999999999999999",
        ] {
            let (under, at) = edge(f(text));
            assert!(f(text).admits(ClaimKind::Leader, &under), "{text}");
            assert!(!f(text).admits(ClaimKind::Leader, &at), "{text}");
        }
        // f = 1 admits everything.
        assert!(f("1").admits(ClaimKind::Leader, &[0xff; 64]));
        assert!(f("1").admits(ClaimKind::Praos, &[0xff; 64]));
    }

    #[test]
    fn praos_hashes_the_output_first() {
        // About one output in twenty is admitted, whatever its own first byte.
        let mut output = [0xff; 64];
        let admitted = (0..2000u64)
            .filter(|n| {
                output[..8].copy_from_slice(&n.to_be_bytes());
                f("0.05").admits(ClaimKind::Praos, &output)
            })
            .count();
        assert!((60..140).contains(&admitted), "{admitted}");
    }
}
