//! The decision whether a token allows a request: all of its caveats, in every block, must hold.
//!
//! Anything that the verifier does not understand could narrow the token. So each of these refuses the
//! request: a line that is not a known caveat, a caveat on a value that the request does not state, and an
//! opaque block whose bytes the caller does not accept.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;
use core::slice::from_ref;

use thiserror::Error;

use crate::block::Block;
use crate::caveat::{Caveat, canonical, integer, print_time};
use crate::path::{is_within, normal};
use crate::revocation::Revoked;
use crate::scheme::Kind;
use crate::verify::Verified;

/// A request, and the blocks that the service has revoked. A part of the request that is not stated is
/// `None`, and a caveat on that part refuses the request. The revoked blocks must always be stated.
///
/// ```
/// use klero_token::{Access, Caveat, Revoked, RootKeys, Scheme, SecretKey, Token};
/// let root = SecretKey::generate(Scheme::Aggregate)?;
/// let token = Token::mint(&root, 0, b"account 17", &[Caveat::Before(1_800_000_000)])?;
/// let token = token.narrow(&["path /files".parse()?, "method GET HEAD".parse()?])?;
/// let token = token.verify(&RootKeys::from(*root.public_key()), None)?;
///
/// let access = Access {
///     path: Some("/files/a"),
///     method: Some("GET"),
///     ..Access::at(1_799_999_999, Revoked::none())
/// };
/// assert_eq!(&*token.check(&access).unwrap(), b"account 17");
/// assert!(token.check(&Access { now: 1_800_000_000, ..access }).is_err());
/// assert!(token.check(&Access { path: Some("/"), ..access }).is_err());
/// assert!(token.check(&Access { method: None, ..access }).is_err());
/// # Ok::<(), klero_token::Error>(())
/// ```
/// The revoked blocks cannot be left out:
/// ```compile_fail
/// let access = klero_token::Access::at(1_800_000_000);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The time in seconds since 1970. The library reads no clock.
    pub now: u64,
    /// The name of the service. A token that is sealed to a challenge for another audience is refused. If
    /// this field is `None`, every sealed token is refused.
    pub audience: Option<&'a str>,
    /// The path of the request as it arrived, without the query. See [`normal_path`](crate::normal_path).
    pub path: Option<&'a str>,
    /// The method of the request.
    pub method: Option<&'a str>,
    /// The application's own fields. Fields with the same name must all meet every caveat on that name.
    pub fields: &'a [(&'a str, &'a str)],
    /// The blocks that are revoked. A token that contains a revoked block is refused.
    pub revoked: Revoked<'a>,
}

impl<'a> Access<'a> {
    /// A request that states only the time and the revoked blocks.
    #[must_use]
    pub fn at(now: u64, revoked: Revoked<'a>) -> Self {
        Self {
            now,
            audience: None,
            path: None,
            method: None,
            fields: &[],
            revoked,
        }
    }
}

/// The rights that the issuer signed in the first block. A check returns them only if it allows the request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rights<'a>(&'a [u8]);

impl Deref for Rights<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0
    }
}

impl fmt::Debug for Rights<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rights({} bytes)", self.0.len())
    }
}

/// The caveat that refused a request, its place, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {caveat}: {reason}", self.place())]
pub struct Refused {
    /// The number of the block, or `None` for the seal, which is checked like a caveat `audience`.
    pub block: Option<usize>,
    /// The text of the caveat, escaped, and cut after 200 bytes. If a whole block is refused, this is the
    /// block's length (for an opaque block) or the block's id (for a revoked block).
    pub caveat: String,
    /// The parsed caveat. `None` if the line is not a known caveat, or if the whole block is refused.
    pub parsed: Option<Box<Caveat>>,
    /// The reason for this refusal.
    pub reason: Reason,
    /// A description of the request's values that the caveat is about, for the author of the request. Each
    /// value is escaped, and cut after 200 bytes. If a value and the value in the caveat may look alike, the
    /// description shows the first character in which they differ. `None` if `parsed` is `None`. The
    /// `Display` text of the refusal, which a service may show to clients, does not contain these values.
    pub stated: Option<String>,
}

impl Refused {
    /// A refusal that one caveat line caused.
    fn by_line(
        block: Option<usize>,
        line: &[u8],
        parsed: Option<Caveat>,
        reason: Reason,
        access: &Access<'_>,
    ) -> Self {
        Self {
            block,
            caveat: shown(line),
            stated: parsed.as_ref().map(|by| stated(by, reason, access)),
            parsed: parsed.map(Box::new),
            reason,
        }
    }

    /// A refusal of a whole block.
    fn block(block: usize, caveat: String, reason: Reason) -> Self {
        Self {
            block: Some(block),
            caveat,
            parsed: None,
            reason,
            stated: None,
        }
    }

    /// The block in words: `block 2`, or `seal`.
    #[must_use]
    pub fn place(&self) -> String {
        self.block
            .map_or_else(|| "seal".into(), |block| format!("block {block}"))
    }
}

/// The reason why a caveat or a whole block refused a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The condition does not hold.
    Unmet,
    /// The request does not state the value that the caveat is about.
    Missing,
    /// The path of the request has no normal form. The text explains why.
    Path(&'static str),
    /// The request states a value that is not an integer in canonical decimal.
    NotAnInteger,
    /// The line is not a caveat that this library knows.
    Unknown,
    /// The block is opaque: only the application knows the meaning of its bytes, and did not accept them.
    Opaque,
    /// The block is revoked.
    Revoked,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unmet => "it does not hold",
            Self::Missing => "the request does not say",
            Self::Path(what) => return write!(f, "the request: {what}"),
            Self::NotAnInteger => "the request's value is not an integer",
            Self::Unknown => "not a known caveat",
            Self::Opaque => "not accepted",
            Self::Revoked => "the block is revoked",
        })
    }
}

impl Verified {
    /// Checks a request, and returns the rights of the first block. No block may be revoked, the seal (if
    /// there is one) must be for `access.audience`, and every caveat of every block must hold. An opaque
    /// block refuses every request.
    ///
    /// # Errors
    /// A refusal by the first condition that fails. The conditions are checked in the order given above.
    pub fn check(&self, access: &Access<'_>) -> Result<Rights<'_>, Refused> {
        self.check_with(access, |_| false)
    }

    /// Checks a request as [`check`](Self::check) does, but lets a function decide whether an opaque block
    /// allows the request.
    ///
    /// # Errors
    /// The first reason to refuse.
    pub fn check_with(
        &self,
        access: &Access<'_>,
        mut accept: impl FnMut(&[u8]) -> bool,
    ) -> Result<Rights<'_>, Refused> {
        self.check_revoked(access)?;
        self.check_seal(access)?;
        let blocks = self.blocks();
        let mut path = None;
        for (i, block) in blocks.iter().enumerate() {
            if block.kind() == Kind::Opaque && !accept(block.payload()) {
                let length = format!("{} bytes", block.payload().len());
                return Err(Refused::block(i, length, Reason::Opaque));
            }
            for line in block.caveat_lines() {
                let parsed = parse(line);
                let caveat = parsed.as_ref().ok_or(Reason::Unknown);
                caveat
                    .and_then(|caveat| check_caveat(caveat, access, &mut path, &blocks[i + 1..]))
                    .map_err(|reason| Refused::by_line(Some(i), line, parsed, reason, access))?;
            }
        }
        Ok(Rights(blocks.first().map_or(&[], Block::payload)))
    }

    fn check_revoked(&self, access: &Access<'_>) -> Result<(), Refused> {
        match access.revoked.first_of(|| self.revocation_ids()) {
            None => Ok(()),
            Some((block, id)) => Err(Refused::block(block, id.to_string(), Reason::Revoked)),
        }
    }

    /// Checks the audience of a seal in the same way as a caveat `audience`.
    fn check_seal(&self, access: &Access<'_>) -> Result<(), Refused> {
        let Some(audience) = &self.answers else {
            return Ok(());
        };
        let caveat = Caveat::Audience(audience.as_ref().into());
        check_caveat(&caveat, access, &mut None, &[]).map_err(|reason| {
            let line = caveat.to_string();
            Refused::by_line(None, line.as_bytes(), Some(caveat), reason, access)
        })
    }
}

/// The beginning of a line, escaped so that it is safe to print.
fn shown(line: &[u8]) -> String {
    const MOST: usize = 200;
    let text = String::from_utf8_lossy(&line[..line.len().min(MOST)]);
    let mut shown: String = text.escape_debug().collect();
    if line.len() > MOST {
        shown.push('…');
    }
    shown
}

/// Describes the values of a request that a failed caveat is about. At most eight of them are shown, and
/// compared with at most eight values in the caveat, so that long lists do not make a refusal slow.
fn stated(caveat: &Caveat, reason: Reason, access: &Access<'_>) -> String {
    const MOST: usize = 8;
    let field = |name: &String| {
        let fields = access.fields.iter().filter(|(field, _)| field == name);
        let values = fields.take(MOST).map(|(_, value)| *value);
        let values = values.collect::<Vec<_>>();
        (format!("field {name}"), values)
    };
    let member = |name: &str, value: Option<_>| (name.into(), Vec::from_iter(value));
    let ((what, values), wanted) = match caveat {
        Caveat::Before(_) | Caveat::After(_) => {
            return format!("the time is {}", print_time(access.now));
        }
        Caveat::Vouched { .. } => {
            return "no later block has this statement by this key, or it has expired".into();
        }
        Caveat::Depth(_) => return "more blocks follow".into(),
        Caveat::Audience(name) => (member("audience", access.audience), from_ref(name)),
        Caveat::Path(prefix) => (member("path", access.path), from_ref(prefix)),
        Caveat::Method(names) => (member("method", access.method), &names[..]),
        Caveat::Field { name, value } => (field(name), from_ref(value)),
        Caveat::OneOf { name, values } => (field(name), &values[..]),
        Caveat::AtMost { name, .. } | Caveat::AtLeast { name, .. } => (field(name), &[][..]),
    };
    let behind = match reason {
        Reason::Missing => return format!("the request states no {what}"),
        Reason::Path(fault) => return format!("in the request, {fault}"),
        Reason::NotAnInteger => ", which is not an integer".into(),
        _ => {
            let each = wanted.iter().take(MOST);
            let each = each.flat_map(|wanted| values.iter().map(move |value| (wanted, value)));
            let differences = each.filter_map(|(wanted, value)| difference(wanted, value));
            let closest = differences.max_by_key(|(at, _)| *at);
            closest.map_or_else(String::new, |(at, characters)| {
                let [wanted, stated] = characters.map(|c| match c {
                    Some(c) => format!("U+{:04X}", u32::from(c)),
                    None => "the end".into(),
                });
                let place = at + 1;
                format!(" (character {place} is {stated}, and {wanted} in the caveat)")
            })
        }
    };
    let values: Vec<_> = values.iter().map(|value| shown(value.as_bytes())).collect();
    format!("the request's {what} is {}{behind}", values.join(" and "))
}

/// Returns the index of the first character in which two texts differ, and the two characters there. Returns
/// `None` if neither of the two is outside ASCII, because then the texts do not look alike.
fn difference(wanted: &str, stated: &str) -> Option<(usize, [Option<char>; 2])> {
    let same = wanted.chars().zip(stated.chars());
    let at = same.take_while(|(wanted, stated)| wanted == stated).count();
    let there = [wanted, stated].map(|text| text.chars().nth(at));
    let is_ascii = there.iter().flatten().all(char::is_ascii);
    (!is_ascii).then_some((at, there))
}

/// The normal form of the request's path, or the path's fault. `None` until a caveat on the path is checked.
type NormalPath = Option<Result<String, &'static str>>;

fn parse(line: &[u8]) -> Option<Caveat> {
    canonical(core::str::from_utf8(line).ok()?).ok()
}

fn check_caveat(
    caveat: &Caveat,
    access: &Access<'_>,
    path: &mut NormalPath,
    later: &[Block],
) -> Result<(), Reason> {
    let holds = match caveat {
        Caveat::Before(time) => access.now < *time,
        Caveat::After(time) => access.now >= *time,
        Caveat::Audience(name) => access.audience.ok_or(Reason::Missing)? == name,
        Caveat::Path(prefix) => {
            let arrived = access.path.ok_or(Reason::Missing)?;
            let path = path.get_or_insert_with(|| normal(arrived));
            is_within(path.as_ref().map_err(|what| Reason::Path(what))?, prefix)
        }
        Caveat::Method(names) => {
            let method = access.method.ok_or(Reason::Missing)?;
            names.iter().any(|name| name == method)
        }
        Caveat::Field { name, value } => on_field(access, name, |told| Ok(told == value))?,
        Caveat::OneOf { name, values } => on_field(access, name, |told| {
            Ok(values.iter().any(|value| value == told))
        })?,
        Caveat::AtMost { name, most } => on_field(access, name, |told| Ok(number(told)? <= *most))?,
        Caveat::AtLeast { name, least } => {
            on_field(access, name, |told| Ok(number(told)? >= *least))?
        }
        Caveat::Vouched { key, text } => {
            let by_key = |block: &Block| block.third_party() == Some((key.kind(), key.as_bytes()));
            let says = |block: &Block| says(block.payload(), text, access.now);
            later.iter().any(|block| by_key(block) && says(block))
        }
        Caveat::Depth(most) => later.len() as u64 <= *most,
    };
    holds.then_some(()).ok_or(Reason::Unmet)
}

/// True if all fields with this name meet the condition. An error if the request has no such field.
fn on_field(
    access: &Access<'_>,
    name: &str,
    holds: impl Fn(&str) -> Result<bool, Reason>,
) -> Result<bool, Reason> {
    let mut all = Err(Reason::Missing);
    for (_, told) in access.fields.iter().filter(|(field, _)| *field == name) {
        all = Ok(holds(told)?);
        if all == Ok(false) {
            break;
        }
    }
    all
}

fn number(told: &str) -> Result<u64, Reason> {
    integer(told).ok_or(Reason::NotAnInteger)
}

/// True if a statement has exactly this text and has not expired. Only a line `before TIME` may follow the
/// text, because any other line could be a condition that this library does not know.
fn says(payload: &[u8], text: &str, now: u64) -> bool {
    match payload.strip_prefix(text.as_bytes()) {
        Some([]) => true,
        Some([b'\n', line @ ..]) => {
            matches!(parse(line), Some(Caveat::Before(time)) if now < time)
        }
        _ => false,
    }
}
