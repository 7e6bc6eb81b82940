//! A second implementation of caveats, close to the grammar on paper.

use base64ct::{Base64UrlUnpadded, Encoding};
use klero_token::{Access, Revoked};

use crate::encoding::{OPAQUE, Part, Parts, STATEMENT, STATEMENT_ES256, STATEMENT_PASSKEY};

/// The block (none is the seal), the line (of an opaque block its length, of a revoked one its id) and
/// the reason, in the words of `vectors/`.
pub type Refused = (Option<usize>, String, &'static str);

/// What is asked about a token.
pub struct Question<'a> {
    pub access: &'a Access<'a>,
    /// Whether opaque blocks are accepted.
    pub opaque: bool,
    /// The audience of the challenge that the token is sealed to.
    pub seal: Option<&'a str>,
    /// The ids of the token's blocks.
    pub ids: &'a [&'a [u8]],
    pub revoked: &'a [&'a [u8]],
}

/// The rights, if no block is revoked, the seal is for the audience, and every caveat holds.
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

/// Whether a line is a caveat.
pub fn is_caveat(line: &str) -> bool {
    holds(line.as_bytes(), &Access::at(0, Revoked::none()), &[]) != Err("unknown")
}

fn holds(line: &[u8], access: &Access<'_>, later: &[Part]) -> Result<(), &'static str> {
    let line = std::str::from_utf8(line).or(Err("unknown"))?;
    let (word, rest) = line.split_once(' ').ok_or("unknown")?;
    let known = |known: bool| known.then_some(()).ok_or("unknown");
    let met = match word {
        "before" => access.now < time(rest).ok_or("unknown")?,
        "after" => access.now >= time(rest).ok_or("unknown")?,
        "audience" => {
            known(is_text(rest) && !rest.starts_with("= "))?;
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
                by == key && stated == said.as_bytes()
            };
            let statements = later.iter().filter(|block| block.kind == kind);
            statements.into_iter().any(vouches)
        }
        name => {
            let value = rest.strip_prefix("= ").ok_or("unknown")?;
            known(is_field(name) && is_text(value))?;
            let of_name = access.fields.iter().filter(|(field, _)| *field == name);
            let values: Vec<_> = of_name.map(|(_, told)| *told).collect();
            if values.is_empty() {
                return Err("missing");
            }
            values.iter().all(|told| *told == value)
        }
    };
    met.then_some(()).ok_or("unmet")
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

/// The kind of its statements, and the key.
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

/// Seconds since 1970, counted by the years.
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

/// The path with its percent-encoded characters decoded, if it can be read in one way only.
pub fn normal_path(path: &str) -> Option<String> {
    let forbidden = |c: char| c.is_control() || "\\?#".contains(c);
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
    // What some servers see: without spaces around, and without what stands behind a semicolon.
    let seen = |segment: &str| {
        segment
            .split(';')
            .next()
            .unwrap()
            .trim_matches(' ')
            .to_owned()
    };
    let clear = |segment: &str| !["", ".", ".."].contains(&seen(segment).as_str());
    let normal = segments.is_empty() || segments.split('/').all(clear);
    (normal && !path.contains(forbidden)).then_some(path)
}
