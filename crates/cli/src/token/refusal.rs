//! Why a token refuses a request: the caveat, and what the request says instead.
//!
//! The library names only the caveat, because a service shows its text to clients, who need not know
//! all that it compares. Here the request is the user's own.

use jiff::Timestamp;
use klero_token::{Access, Caveat, Reason, Refused};

use crate::terminal::harmless;

/// The refusal as part of a sentence.
pub fn explain(refused: &Refused, access: &Access<'_>) -> String {
    let why = match (&refused.parsed, refused.reason) {
        (Some(caveat), Reason::Unmet) => instead(caveat, access),
        (Some(caveat), Reason::NotAnInteger) => {
            format!("{}, which is not an integer", instead(caveat, access))
        }
        (Some(caveat), Reason::Missing) => format!("the request states no {}", subject(caveat)),
        (Some(_), Reason::Path(fault)) => format!("in the request, {fault}"),
        // There is no caveat, or none that is known.
        _ => return refused.to_string(),
    };
    let Refused { place, caveat, .. } = refused;
    harmless(format_args!("{place}: `{caveat}` does not hold: {why}"))
}

/// What the request states instead of what a caveat wants.
fn instead(caveat: &Caveat, access: &Access<'_>) -> String {
    let stated = |value: Option<&str>| {
        let value = value.unwrap_or_default();
        format!("the request's {} is {value}", subject(caveat))
    };
    match caveat {
        Caveat::Before(_) | Caveat::After(_) => {
            let now = i64::try_from(access.now).ok();
            let time = now.and_then(|now| Timestamp::from_second(now).ok());
            let time = time.map_or_else(|| access.now.to_string(), |time| time.to_string());
            format!("the time is {time}")
        }
        Caveat::Audience(_) => stated(access.audience),
        Caveat::Path(_) => stated(access.path),
        Caveat::Method(_) => stated(access.method),
        Caveat::Field { name, .. }
        | Caveat::OneOf { name, .. }
        | Caveat::AtMost { name, .. }
        | Caveat::AtLeast { name, .. } => {
            let values = access.fields.iter().filter(|(field, _)| field == name);
            let values: Vec<_> = values.map(|(_, value)| *value).collect();
            stated(Some(&values.join(" and ")))
        }
        Caveat::Vouched { .. } => {
            "no later block has this statement by this key, or it has expired".into()
        }
        Caveat::Depth(_) => "more blocks follow".into(),
        // A form of a later version of the library.
        _ => "the request does not meet it".into(),
    }
}

/// What of a request a caveat compares.
fn subject(caveat: &Caveat) -> String {
    match caveat {
        Caveat::Audience(_) => "audience".into(),
        Caveat::Path(_) => "path".into(),
        Caveat::Method(_) => "method".into(),
        Caveat::Field { name, .. }
        | Caveat::OneOf { name, .. }
        | Caveat::AtMost { name, .. }
        | Caveat::AtLeast { name, .. } => format!("field {name}"),
        _ => "value".into(),
    }
}
