//! The format of times.

/// Three significant digits, or all digits before the point.
pub(crate) fn micros(time: f64) -> String {
    let decimals = match time.abs() {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        x if x >= 0.0995 => 2,
        _ => 3,
    };
    format!("{time:.decimals$}")
}
