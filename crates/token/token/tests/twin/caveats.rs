//! A second implementation of caveats, which follows the written grammar closely.

use base64ct::{Base64UrlUnpadded, Encoding};
use klero_token::{Access, Revoked};

use crate::encoding::{OPAQUE, Part, Parts, STATEMENT, STATEMENT_ES256, STATEMENT_PASSKEY};

/// The block that is refused (`None` for the seal), the line of its caveat, and the reason in the words of
/// `vectors/`. In place of the line, the length of an opaque block or the id of a revoked block.
pub type Refused = (Option<usize>, String, &'static str);

/// A request, and the facts that a verifier knows about the token.
pub struct Question<'a> {
    pub access: &'a Access<'a>,
    /// True if opaque blocks are accepted.
    pub opaque: bool,
    /// The audience of the challenge to which the token is sealed.
    pub seal: Option<&'a str>,
    /// The ids of the token's blocks.
    pub ids: &'a [&'a [u8]],
    pub revoked: &'a [&'a [u8]],
}

/// Returns the rights if no block is revoked, the seal is for the audience, opaque blocks are accepted (if
/// any), and every caveat holds.
pub fn check(token: &Parts, asked: &Question<'_>) -> Result<Vec<u8>, Refused> {
    for (i, id) in asked.ids.iter().enumerate() {
        if asked.revoked.contains(id) {
            return Err((Some(i), hex::encode(id), "revoked"));
        }
    }
    if let Some(seal) = asked.seal {
        let refused = |reason| (None, format!("audience {seal}"), reason);
        match asked.access.audience {
            None => return Err(refused("missing")),
            Some(other) if other != seal => return Err(refused("unmet")),
            Some(_) => {}
        }
    }
    for (i, block) in token.blocks.iter().enumerate() {
        if block.kind == OPAQUE && !asked.opaque {
            let shown = format!("{} bytes", block.payload.len());
            return Err((Some(i), shown, "opaque"));
        }
        for line in block.lines() {
            let shown = || String::from_utf8_lossy(line).into_owned();
            holds(line, asked.access, &token.blocks[i + 1..])
                .map_err(|reason| (Some(i), shown(), reason))?;
        }
    }
    Ok(token.blocks[0].root().unwrap().0.to_vec())
}

/// True if a line is a caveat.
pub fn is_caveat(line: &str) -> bool {
    holds(line.as_bytes(), &Access::at(0, Revoked::none()), &[]) != Err("unknown")
}

fn holds(line: &[u8], access: &Access<'_>, later: &[Part]) -> Result<(), &'static str> {
    let line = std::str::from_utf8(line).or(Err("unknown"))?;
    let (word, rest) = line.split_once(' ').ok_or("unknown")?;
    let known = |known: bool| known.then_some(()).ok_or("unknown");
    if RESERVED.contains(&word) {
        // A line such as `path = x` could be mistaken for a caveat on a field, so it is unknown.
        known(
            !["= ", "in ", "at most ", "at least "]
                .iter()
                .any(|form| rest.starts_with(form)),
        )?;
    }
    let met = match word {
        "before" => access.now < time(rest).ok_or("unknown")?,
        "after" => access.now >= time(rest).ok_or("unknown")?,
        "audience" => {
            known(is_text(rest))?;
            access.audience.ok_or("missing")? == rest
        }
        "path" => {
            known(is_text(rest) && normal_path(rest).as_deref() == Some(rest))?;
            let path = normal_path(access.path.ok_or("missing")?).ok_or("path")?;
            segments(&path).starts_with(&segments(rest))
        }
        "method" => {
            known(rest.split(' ').all(is_method))?;
            let method = access.method.ok_or("missing")?;
            rest.split(' ').any(|name| name == method)
        }
        "vouched" => {
            let (key, said) = rest.split_once(' ').ok_or("unknown")?;
            let (kind, key) = third_party(key).ok_or("unknown")?;
            known(is_text(said))?;
            let vouches = |block: &Part| {
                let (by, _, _, stated) = block.statement().unwrap();
                by == key && states(stated, said, access.now)
            };
            let statements = later.iter().filter(|block| block.kind == kind);
            statements.into_iter().any(vouches)
        }
        "depth" => later.len() as u64 <= integer(rest).ok_or("unknown")?,
        name => return field_holds(name, rest, access),
    };
    met.then_some(()).ok_or("unmet")
}

const RESERVED: [&str; 7] = [
    "before", "after", "audience", "path", "method", "vouched", "depth",
];

/// Ok if the request states the field, and each of the stated values, in their order, meets the caveat.
fn field_holds(name: &str, rest: &str, access: &Access<'_>) -> Result<(), &'static str> {
    let (number, values): (Option<u64>, Vec<&str>);
    let form = ["= ", "in ", "at most ", "at least "]
        .into_iter()
        .find(|form| rest.starts_with(form));
    let form = form.filter(|_| is_field(name)).ok_or("unknown")?;
    let behind = &rest[form.len()..];
    match form {
        "= " => (number, values) = (None, vec![behind]),
        "in " => (number, values) = (None, behind.split(' ').collect()),
        _ => (number, values) = (Some(integer(behind).ok_or("unknown")?), vec![]),
    }
    if !values.iter().all(|value| is_text(value)) {
        return Err("unknown");
    }
    let mut verdict = Err("missing");
    for (_, told) in access.fields.iter().filter(|(field, _)| *field == name) {
        let holds = match (form, number) {
            ("at most ", Some(most)) => integer(told).ok_or("integer")? <= most,
            ("at least ", Some(least)) => integer(told).ok_or("integer")? >= least,
            _ => values.contains(told),
        };
        if !holds {
            return Err("unmet");
        }
        verdict = Ok(());
    }
    verdict
}

/// Parses an integer below 2^64 in decimal, without leading zeros.
fn integer(digits: &str) -> Option<u64> {
    let plain = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    let short = digits == "0" || !digits.starts_with('0');
    let digit = |c: char| u64::from(c.to_digit(10).unwrap());
    let add = |value: u64, c| value.checked_mul(10)?.checked_add(digit(c));
    if plain && short {
        digits.chars().try_fold(0, add)
    } else {
        None
    }
}

/// True if a statement is the text, or if it is the text, a line feed, and an expiry in the future.
fn states(stated: &[u8], said: &str, now: u64) -> bool {
    let Ok(stated) = std::str::from_utf8(stated) else {
        return false;
    };
    match stated.split_once('\n') {
        None => stated == said,
        Some((text, line)) => {
            let expiry = line.strip_prefix("before ").and_then(time);
            text == said && expiry.is_some_and(|expiry| now < expiry)
        }
    }
}

fn is_text(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !text.contains(char::is_control)
}

fn is_method(name: &str) -> bool {
    let of_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(of_token)
}

fn is_field(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_' | '.' | '-'))
}

/// The third party's key in this text: the kind of the blocks with its statements, and its bytes.
fn third_party(text: &str) -> Option<(u8, Vec<u8>)> {
    for (kind, name) in [(STATEMENT_ES256, "es256:"), (STATEMENT_PASSKEY, "passkey:")] {
        if let Some(encoded) = text.strip_prefix(name) {
            let key = Base64UrlUnpadded::decode_vec(encoded).ok()?;
            let compressed = key.len() == 33 && matches!(key[0], 2 | 3);
            let point = p256::ecdsa::VerifyingKey::from_sec1_bytes(&key);
            return (compressed && point.is_ok()).then_some((kind, key));
        }
    }
    let encoded = text.strip_prefix("ed25519:")?;
    let key: [u8; 32] = Base64UrlUnpadded::decode_vec(encoded)
        .ok()?
        .try_into()
        .ok()?;
    let point = ed25519_dalek::VerifyingKey::from_bytes(&key).ok()?;
    let canonical = point.to_edwards().compress().to_bytes() == key;
    (canonical && !point.is_weak()).then_some((STATEMENT, key.to_vec()))
}

/// Converts a time to seconds since 1970, counted year by year.
fn time(text: &str) -> Option<u64> {
    let shape = text
        .bytes()
        .map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    if !shape.eq(*b"0000-00-00T00:00:00Z") {
        return None;
    }
    let number = |at: usize, digits: usize| text[at..at + digits].parse::<u64>().unwrap();
    let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2));
    let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2));
    let by = |divisor: u64, year: u64| year.is_multiple_of(divisor);
    let leap = |year| by(4, year) && (!by(100, year) || by(400, year));
    let february = if leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let in_month = *months.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if year < 1970 || day == 0 || day > in_month || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let years: u64 = (1970..year).map(|year| 365 + u64::from(leap(year))).sum();
    let days = years + months[..month as usize - 1].iter().sum::<u64>() + day - 1;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/')
        .filter(|segment| !segment.is_empty())
        .collect()
}

/// The path with its percent-encoded characters decoded. `None` if servers could read the path differently.
pub fn normal_path(path: &str) -> Option<String> {
    let forbidden = |c: char| c.is_control() || "\\?#".contains(c) || FOLDED.contains(c);
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let decoded = (digit()? * 16 + digit()?) as u8;
        if b"/.%;".contains(&decoded) || decoded.is_ascii() && forbidden(decoded.into()) {
            return None;
        }
        bytes.push(decoded);
    }
    let path = String::from_utf8(bytes).ok()?;
    let segments = path.strip_prefix('/')?;
    // A segment as some servers see it: without blanks, and without everything after a semicolon.
    let seen = |segment: &str| segment.split(';').next().unwrap().replace(is_blank, "");
    let clear = |segment: &str| !seen(segment).chars().all(|c| DOTS.contains(c));
    let normal = segments.is_empty() || segments.split('/').all(clear);
    (normal && !path.contains(forbidden)).then_some(path)
}

/// Full stops, and characters that Unicode's compatibility mapping turns into full stops.
const DOTS: &str = ".\u{2024}\u{2025}\u{2026}\u{fe19}\u{fe30}\u{fe52}\u{ff0e}";

/// Characters that Unicode's compatibility mapping turns into a delimiter or an escape, and characters that
/// code pages map to a delimiter.
const FOLDED: &str = "¥₩\u{37e}⁄⁇⁈⁉℀℁℅℆∕∖︔︖﹔﹖﹟﹨﹪＃％／；？＼";

/// True for characters of Unicode's categories Z* and Cf, and for those that are ignorable by default.
/// (Control characters are refused in every path.)
fn is_blank(c: char) -> bool {
    let ranges = "20-20 85-85 a0-a0 ad-ad 34f-34f 600-605 61c-61c 6dd-6dd 70f-70f 890-891 8e2-8e2 \
        115f-1160 1680-1680 17b4-17b5 180b-180f 2000-200f 2028-202f 205f-206f 3000-3000 3164-3164 \
        fe00-fe0f feff-feff ffa0-ffa0 fff0-fffb 110bd-110bd 110cd-110cd 13430-1343f 1bca0-1bca3 \
        1d173-1d17a e0000-e0fff";
    ranges.split_ascii_whitespace().any(|range| {
        let (first, last) = range.split_once('-').unwrap();
        let number = |digits| u32::from_str_radix(digits, 16).unwrap();
        (number(first)..=number(last)).contains(&u32::from(c))
    })
}
