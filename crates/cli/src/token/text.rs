//! The text of tokens, requests for statements, and statements: reading it, and the errors in it.

use std::io::BufRead;

use klero_token::{
    AssertionFault, Error as Fault, Limits, Scheme, Token, Unverified, scheme_of_text,
};
use zeroize::Zeroizing;

use super::given::Given;
use super::lines::{Line, Lines};
use crate::error::{Error, say};
use crate::secrets::is_base64url;

/// A token as it was given.
pub struct Arrived {
    /// The scheme, which its header names.
    pub scheme: Scheme,
    /// The length of its encoding in bytes.
    pub length: usize,
    /// The token, not verified, or what is wrong with it.
    pub token: Result<Unverified, String>,
}

impl Arrived {
    fn read(text: &str, limits: &Limits) -> Result<Self, String> {
        Ok(Self {
            scheme: scheme_of_text(text).map_err(|fault| describe(&fault))?,
            length: text.len() * 3 / 4,
            token: Token::from_text(text, limits).map_err(|fault| describe(&fault)),
        })
    }

    /// Warns if other users can see a token that they could use.
    fn warn_of_argument(&self) {
        let can_be_used = |token: &Unverified| !token.is_sealed() && !token.is_held();
        if self.token.as_ref().is_ok_and(can_be_used) {
            say(
                "klero: warning: other users of this machine can see the token on the command \
                 line, and use it; they do not see a file or standard input",
            );
        }
    }
}

/// The number of a line, and what it says or what is wrong with it.
type Next<T> = Result<Option<(usize, Result<T, String>)>, Error>;

/// Lines of base64url. Blank lines are skipped.
pub struct Texts<'a> {
    given: &'a Given,
    lines: Lines<Box<dyn BufRead + 'a>>,
    limits: &'a Limits,
}

impl<'a> Texts<'a> {
    /// Lines no longer than the limits allow.
    pub fn open(given: &'a Given, limits: &'a Limits) -> Result<Self, Error> {
        // Three bytes are encoded in four characters.
        let longest = (limits.bytes / 3 + 1).saturating_mul(4);
        Ok(Self {
            given,
            lines: Lines::new(given.open()?, longest),
            limits,
        })
    }

    /// The number of the next line that is not blank, and its text or what is wrong with it.
    fn next(&mut self) -> Next<Zeroizing<String>> {
        let line = self
            .lines
            .next()
            .map_err(|error| self.given.unreadable(error))?;
        Ok(line.map(|line| (line.number, text(&line, self.limits))))
    }

    /// The number of the next line that is not blank, and its token or what is wrong with it.
    pub fn next_token(&mut self) -> Next<Arrived> {
        let Some((line, text)) = self.next()? else {
            return Ok(None);
        };
        let token = text.and_then(|text| Arrived::read(&text, self.limits));
        if let (Ok(token), true) = (&token, self.given.is_argument()) {
            token.warn_of_argument();
        }
        Ok(Some((line, token)))
    }

    /// What is wrong with an input without a line.
    pub fn nothing(&self) -> String {
        format!("expected a {}, found nothing", self.given.what())
    }
}

fn text(line: &Line<'_>, limits: &Limits) -> Result<Zeroizing<String>, String> {
    let bytes = line.content.map_err(|length| {
        describe(&Fault::TooLong {
            bytes: length / 4 * 3,
            limit: limits.bytes,
        })
    })?;
    if let Some(at) = bytes.iter().position(|byte| !is_base64url(*byte)) {
        return Err(format!(
            "character {} is not of base64url without padding (A-Z a-z 0-9 - _)",
            at + 1
        ));
    }
    // Base64url is ASCII.
    let text = str::from_utf8(bytes).map_err(|error| error.to_string())?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// The only line, of a request or a statement.
pub fn read_one(given: &Given, limits: &Limits) -> Result<Zeroizing<String>, Error> {
    only(given, limits, Texts::next)?.map_err(|fault| given.unreadable(fault))
}

/// The only token.
pub fn read_token(given: &Given, limits: &Limits) -> Result<Arrived, Error> {
    read_presented(given, limits)?.map_err(|fault| given.unreadable(fault))
}

/// The only token, from somebody who may have sent anything: what is no token is no error, but a
/// reason to refuse it.
pub fn read_presented(given: &Given, limits: &Limits) -> Result<Result<Arrived, String>, Error> {
    only(given, limits, Texts::next_token)
}

/// What a function reads as the next line, if there is no other; or what is wrong with it.
fn only<'a, T>(
    given: &'a Given,
    limits: &'a Limits,
    next: impl Fn(&mut Texts<'a>) -> Next<T>,
) -> Result<Result<T, String>, Error> {
    let mut texts = Texts::open(given, limits)?;
    let Some((_, read)) = next(&mut texts)? else {
        return Ok(Err(texts.nothing()));
    };
    let Ok(read) = read else {
        return Ok(read);
    };
    Ok(match texts.next()? {
        None => Ok(read),
        Some((line, _)) => Err(format!(
            "expected one {}, found another on line {line}",
            given.what()
        )),
    })
}

/// A fault, with the option that may help.
pub fn describe(fault: &Fault) -> String {
    match fault {
        Fault::TooLong { .. } => format!("{fault} (--max-bytes)"),
        Fault::TooManySignatures { .. } => format!("{fault} (--max-signatures)"),
        Fault::UnknownRoot(_) => format!("{fault} (--root ID=KEY)"),
        Fault::NoRelyingParty { .. } => format!("{fault} (--rp-id)"),
        Fault::Assertion { fault: why, .. } => match why {
            AssertionFault::RelyingParty => format!("{fault} (--rp-id)"),
            AssertionFault::Origin => format!("{fault} (--origin)"),
            AssertionFault::UserVerification => format!("{fault} (--user-verification)"),
            _ => fault.to_string(),
        },
        fault => fault.to_string(),
    }
}
