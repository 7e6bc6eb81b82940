//! Parsing of ratios from 0 to 1 in genesis files and options, and the error for text of a wrong form.

/// The error for text that does not have the expected form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} {text:?}: expected {expected}")]
pub struct BadText {
    what: &'static str,
    /// The first 80 characters of the text.
    text: String,
    expected: &'static str,
}

impl BadText {
    pub(crate) fn new(what: &'static str, text: &str, expected: &'static str) -> Self {
        let text = text.chars().take(80).collect();
        Self {
            what,
            text,
            expected,
        }
    }
}

/// Parses a decimal number from 0 to 1 as a ratio in lowest terms.
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

/// Reduces a ratio from 0 to 1 to lowest terms. Returns `None` if the ratio is not from 0 to 1, or if its
/// numerator or denominator is longer than 64 bits even in lowest terms.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_texts() {
        for (text, numerator, denominator) in [
            ("0", 0, 1),
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
            assert_eq!(decimal(text), Some((numerator, denominator)), "{text}");
        }
        for bad in [
            "",
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
            assert_eq!(decimal(bad), None, "{bad}");
        }
    }
}
