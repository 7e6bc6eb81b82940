//! The format of times and rates.

use indicatif::HumanCount;

/// Three significant digits, or all digits before the point, in groups of three.
pub(crate) fn micros(time: f64) -> String {
    let decimals = match time.abs() {
        x if x >= 999.5 && time > 0.0 => return HumanCount(x.round() as u64).to_string(),
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        x if x >= 0.0995 => 2,
        _ => 3,
    };
    format!("{time:.decimals$}")
}

/// How many of these are done in a second, with three digits: the others differ from run to run.
pub fn per_second(micros: f64) -> String {
    let rate = (1e6 / micros) as u64;
    let unit = 10_u64.pow(rate.checked_ilog10().unwrap_or_default().saturating_sub(2));
    HumanCount((rate + unit / 2) / unit * unit).to_string()
}
