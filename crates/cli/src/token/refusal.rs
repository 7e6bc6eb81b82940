//! Why a token refuses a request: the caveat, and what the request says instead.
//!
//! The library names only the caveat, because a service shows its text to clients, who need not know
//! all that it compares. Here the request is the user's own.

use std::slice::from_ref;

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
    let (place, caveat) = (refused.place(), &refused.caveat);
    harmless(format_args!("{place}: `{caveat}` does not hold: {why}"))
}

/// What the request states instead of what a caveat wants.
fn instead(caveat: &Caveat, access: &Access<'_>) -> String {
    let stated = |wanted: &[String], values: &[&str]| {
        let each = wanted.iter().flat_map(|wanted| {
            let difference = |value: &&str| difference(wanted, value);
            values.iter().filter_map(difference)
        });
        let (_, closest) = each.max_by_key(|(at, _)| *at).unwrap_or_default();
        let values = values.join(" and ");
        format!("the request's {} is {values}{closest}", subject(caveat))
    };
    let of_field = |name: &String| -> Vec<&str> {
        let values = access.fields.iter().filter(|(field, _)| field == name);
        values.map(|(_, value)| *value).collect()
    };
    match caveat {
        Caveat::Before(_) | Caveat::After(_) => {
            let now = i64::try_from(access.now).ok();
            let time = now.and_then(|now| Timestamp::from_second(now).ok());
            let time = time.map_or_else(|| access.now.to_string(), |time| time.to_string());
            format!("the time is {time}")
        }
        Caveat::Audience(name) => stated(from_ref(name), access.audience.as_slice()),
        Caveat::Path(prefix) => stated(from_ref(prefix), access.path.as_slice()),
        Caveat::Method(names) => stated(names, access.method.as_slice()),
        Caveat::Field { name, value } => stated(from_ref(value), &of_field(name)),
        Caveat::OneOf { name, values } => stated(values, &of_field(name)),
        Caveat::AtMost { name, .. } | Caveat::AtLeast { name, .. } => stated(&[], &of_field(name)),
        Caveat::Vouched { .. } => {
            "no later block has this statement by this key, or it has expired".into()
        }
        Caveat::Depth(_) => "more blocks follow".into(),
        // A form of a later version of the library.
        _ => "the request does not meet it".into(),
    }
}

/// The first character in which two texts differ, and what to say of it: if it is not of ASCII in one
/// of them, they may look alike.
fn difference(wanted: &str, stated: &str) -> Option<(usize, String)> {
    let same = wanted.chars().zip(stated.chars());
    let at = same.take_while(|(wanted, stated)| wanted == stated).count();
    let there = [wanted, stated].map(|text| text.chars().nth(at));
    if there.iter().flatten().all(char::is_ascii) {
        return None;
    }
    let [wanted, stated] = there.map(|c| match c {
        Some(c) => format!("U+{:04X}", u32::from(c)),
        None => "the end".into(),
    });
    let said = format!(
        " (character {} is {stated}, and {wanted} in the caveat)",
        at + 1
    );
    Some((at, said))
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
