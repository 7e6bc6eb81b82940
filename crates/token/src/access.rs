//! Whether a token allows a request: all of its caveats, in every block, must hold.
//!
//! What a verifier does not understand could be a narrowing. So a line that is no caveat refuses,
//! a caveat on something that the request does not say refuses, and a block of bytes that mean
//! nothing here refuses, unless the caller says what they mean.

use alloc::string::{String, ToString};
use core::fmt;
use core::ops::Deref;

use thiserror::Error;

use crate::body::Block;
use crate::caveat::{Caveat, integer};
use crate::kind::Kind;
use crate::path::{PathFault, is_within, normal_path};
use crate::revocation::Revoked;
use crate::token::Verified;

/// A request, and the blocks that the service has revoked. What is not told of the request is
/// `None`, and a caveat on it refuses. What is revoked must be told.
///
/// ```
/// use klero_token::{Access, Caveat, Revoked, Scheme, SecretKey, Token};
/// let root = SecretKey::generate(Scheme::Aggregate)?;
/// let token = Token::mint(&root, 0, b"account 17", &[Caveat::Before(1_800_000_000)])?;
/// let token = token.narrow(&["path /files".parse()?, "method GET HEAD".parse()?])?;
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
/// No request leaves out what is revoked:
/// ```compile_fail
/// let access = klero_token::Access::at(1_800_000_000);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The time in seconds since 1970. The library reads no clock.
    pub now: u64,
    /// The name of the service. A token that is sealed to a challenge for another audience is
    /// refused, and so is any sealed token if this is not told.
    pub audience: Option<&'a str>,
    /// The path of the request as it arrived, without the query: see
    /// [`normal_path`].
    pub path: Option<&'a str>,
    /// The method of the request.
    pub method: Option<&'a str>,
    /// Fields of the application's choice. Of two with one name, both must have the value.
    pub fields: &'a [(&'a str, &'a str)],
    /// The blocks that are revoked. A token that has one of them is refused.
    pub revoked: Revoked<'a>,
}

impl<'a> Access<'a> {
    /// A request at this time, of which nothing else is known.
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

/// What the issuer signed in the first block, of a token whose caveats all hold for a request.
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

/// The caveat that refused a request, where it stands, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {caveat}: {reason}", self.place())]
pub struct Refused {
    /// The number of the block. There is none if it is the seal, which counts as the caveat `audience`
    /// of its challenge.
    pub block: Option<usize>,
    /// The text of the caveat, escaped, and cut after 200 bytes; of an opaque block its length, and
    /// of a revoked one its id.
    pub caveat: String,
    /// The caveat. There is none if the line is not one that this library knows, or if the whole
    /// block is refused.
    pub parsed: Option<Caveat>,
    /// Why it refused.
    pub reason: Reason,
}

impl Refused {
    /// The block in words: `block 2`, or `seal`.
    #[must_use]
    pub fn place(&self) -> String {
        self.block
            .map_or_else(|| "seal".into(), |block| alloc::format!("block {block}"))
    }
}

/// The reason why a caveat refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Reason {
    /// The condition does not hold.
    #[error("it does not hold")]
    Unmet,
    /// The request does not say what the caveat is about.
    #[error("the request does not say")]
    Missing,
    /// The path of the request has no normal form.
    #[error("the request: {0}")]
    Path(PathFault),
    /// The request states something that is not an integer in canonical decimal.
    #[error("the request's value is not an integer")]
    NotAnInteger,
    /// The line is no caveat that this library knows.
    #[error("not a known caveat")]
    Unknown,
    /// A block of bytes whose meaning only the application can know, and did not accept.
    #[error("not accepted")]
    Opaque,
    /// The block is revoked.
    #[error("the block is revoked")]
    Revoked,
}

impl Verified {
    /// Checks a request: returns the rights of the first block if no block is
    /// revoked, the token is sealed for this audience if it is sealed, and every caveat of every
    /// block holds. Opaque blocks refuse.
    ///
    /// # Errors
    /// The first reason to refuse, in this order.
    pub fn check(&self, access: &Access<'_>) -> Result<Rights<'_>, Refused> {
        self.check_with(access, |_| false)
    }

    /// [`check`](Self::check) with a function that says whether an opaque block allows the
    /// request.
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
                return Err(Refused {
                    block: Some(i),
                    caveat: alloc::format!("{} bytes", block.payload().len()),
                    parsed: None,
                    reason: Reason::Opaque,
                });
            }
            for line in block.caveat_lines() {
                let parsed = parse(line);
                let caveat = parsed.as_ref().ok_or(Reason::Unknown);
                caveat
                    .and_then(|caveat| check_caveat(caveat, access, &mut path, &blocks[i + 1..]))
                    .map_err(|reason| Refused {
                        block: Some(i),
                        caveat: shown(line),
                        parsed,
                        reason,
                    })?;
            }
        }
        Ok(Rights(blocks.first().map_or(&[], Block::payload)))
    }

    fn check_revoked(&self, access: &Access<'_>) -> Result<(), Refused> {
        match access.revoked.first_of(|| self.revocation_ids()) {
            None => Ok(()),
            Some((block, id)) => Err(Refused {
                block: Some(block),
                caveat: id.to_string(),
                parsed: None,
                reason: Reason::Revoked,
            }),
        }
    }

    /// The seal is for one audience, as a caveat would be.
    fn check_seal(&self, access: &Access<'_>) -> Result<(), Refused> {
        let Some(audience) = &self.answers else {
            return Ok(());
        };
        let caveat = Caveat::Audience(audience.as_ref().into());
        check_caveat(&caveat, access, &mut None, &[]).map_err(|reason| Refused {
            block: None,
            caveat: shown(caveat.to_string().as_bytes()),
            parsed: Some(caveat),
            reason,
        })
    }
}

/// The beginning of a line, harmless to whoever prints it.
fn shown(line: &[u8]) -> String {
    const MOST: usize = 200;
    let text = String::from_utf8_lossy(&line[..line.len().min(MOST)]);
    let mut shown: String = text.escape_debug().collect();
    if line.len() > MOST {
        shown.push('…');
    }
    shown
}

/// The normal form of the request's path, once it was asked for.
type NormalPath = Option<Result<String, PathFault>>;

fn parse(line: &[u8]) -> Option<Caveat> {
    core::str::from_utf8(line).ok()?.parse().ok()
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
            let path = path.get_or_insert_with(|| normal_path(arrived));
            is_within(path.as_ref().map_err(|fault| Reason::Path(*fault))?, prefix)
        }
        Caveat::Method(names) => {
            let method = access.method.ok_or(Reason::Missing)?;
            names.iter().any(|name| name == method)
        }
        Caveat::Field { name, value } => {
            return check_field(access, name, |told| Ok(told == value));
        }
        Caveat::OneOf { name, values } => {
            return check_field(access, name, |told| {
                Ok(values.iter().any(|value| value == told))
            });
        }
        Caveat::AtMost { name, most } => {
            return check_field(access, name, |told| Ok(number(told)? <= *most));
        }
        Caveat::AtLeast { name, least } => {
            return check_field(access, name, |told| Ok(number(told)? >= *least));
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

/// Whether each value that the request states of a field holds. It states one or more.
fn check_field(
    access: &Access<'_>,
    name: &str,
    holds: impl Fn(&str) -> Result<bool, Reason>,
) -> Result<(), Reason> {
    let mut missing = Err(Reason::Missing);
    for (_, told) in access.fields.iter().filter(|(field, _)| *field == name) {
        missing = holds(told)?.then_some(()).ok_or(Reason::Unmet);
        missing?;
    }
    missing
}

fn number(told: &str) -> Result<u64, Reason> {
    integer(told).ok_or(Reason::NotAnInteger)
}

/// Whether a statement says exactly this, and has not expired. Behind its text may stand a line
/// `before TIME`; any other line could be a condition that this library does not know.
fn says(payload: &[u8], text: &str, now: u64) -> bool {
    match payload.strip_prefix(text.as_bytes()) {
        Some([]) => true,
        Some([b'\n', line @ ..]) => {
            matches!(parse(line), Some(Caveat::Before(time)) if now < time)
        }
        _ => false,
    }
}
