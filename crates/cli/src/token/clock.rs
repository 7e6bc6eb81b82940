//! The time of the clock, and the parsers of times and durations.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::{Span, SpanRelativeTo, Timestamp};
use klero_token::Caveat;

use crate::ui::error::Error;

/// The time of the clock, in seconds since 1970.
pub fn now() -> Result<u64, Error> {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => Ok(since.as_secs()),
        Err(_) => Err(Error::new("the clock of this machine is before 1970")),
    }
}

/// Parses a time such as 2026-11-23T06:15:00Z. Returns it in seconds since 1970.
pub fn time(text: &str) -> Result<u64, String> {
    let time: Option<Timestamp> = text.parse().ok();
    time.and_then(|time| u64::try_from(time.as_second()).ok())
        .ok_or_else(|| "expected a time since 1970 such as 2026-11-23T06:15:00Z".to_owned())
}

/// Parses the expiry of a token: a time, or a duration from now on. Returns it as a caveat `before`.
pub fn expires(text: &str) -> Result<Caveat, String> {
    let Ok(now) = now() else {
        return Err("the clock of this machine is before 1970".into());
    };
    let expiry = time(text).ok().or_else(|| now.checked_add(seconds(text)?));
    let expiry = expiry.ok_or(
        "expected a duration such as 90s, 15m, 2h, 7d or 4w, or a time such as \
         2026-11-23T06:15:00Z",
    )?;
    if expiry <= now {
        return Err("expected a time that has not passed".into());
    }
    let caveat = Caveat::Before(expiry);
    // The text of a caveat with a time after the year 9999 cannot be parsed.
    match caveat.to_string().parse::<Caveat>() {
        Ok(_) => Ok(caveat),
        Err(_) => Err("expected a time before the year 10000".into()),
    }
}

/// Parses a duration such as 90s. Returns it in seconds.
pub fn duration(text: &str) -> Result<u64, String> {
    seconds(text).ok_or_else(|| "expected a duration such as 90s, 15m or 2h".to_owned())
}

/// The whole seconds of a duration. Days have 24 hours. Months and years are refused: their lengths differ.
fn seconds(text: &str) -> Option<u64> {
    let span: Span = text.parse().ok()?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    u64::try_from(duration.as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, expected) in [
            ("0s", 0),
            ("90s", 90),
            ("15m", 900),
            ("2h", 7200),
            ("7d", 604_800),
            ("4w", 2_419_200),
            ("1h30m", 5400),
            ("1d 12h", 129_600),
            ("1.5h", 5400),
            ("2 hours", 7200),
            ("PT2H", 7200),
        ] {
            assert_eq!(duration(text), Ok(expected), "{text}");
        }
        for text in [
            "",
            "2",
            "h",
            "2x",
            "-2h",
            "2h ago",
            "1mo",
            "1y",
            "2h 2h",
            "2h,",
            "∞",
            "9999999999999999999s",
        ] {
            let fault = duration(text).unwrap_err();
            assert_eq!(
                fault, "expected a duration such as 90s, 15m or 2h",
                "{text}"
            );
        }
    }

    #[test]
    fn times_are_those_of_rfc_3339() {
        assert_eq!(time("2027-01-15T08:00:00Z"), Ok(1_800_000_000));
        assert_eq!(time("2027-01-15T09:00:00+01:00"), Ok(1_800_000_000));
        for text in [
            "",
            "2027-01-15",
            "2027-01-15T08:00:00",
            "1800000000",
            "1969-12-31T23:59:59Z",
            "2027-02-30T00:00:00Z",
            "noon",
        ] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
