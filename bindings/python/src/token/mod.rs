//! Attenuable tokens, of the scheme that a key or the token itself names.

mod arguments;
mod challenge;
mod content;
mod key;
mod relying_party;

use std::cell::RefCell;
use std::convert::Infallible;

use klero_token::{
    Access, Error, Limits, Request, RevocationId, Revoked, Statement, Token, Unverified, Verified,
};
use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use zeroize::Zeroizing;

use self::arguments::{Caveats, Encoded, Fields, RevokedBlocks};
use self::key::Roots;
use crate::arguments::Bytes;
use crate::errors::{InvalidToken, Refused};

pub use self::challenge::TokenChallenge;
pub use self::content::{TokenBlock, TokenContent};
pub use self::key::{TokenPublicKey, TokenSecretKey};
pub use self::relying_party::TokenRelyingParty;

/// The argument `relying_party`.
type Party<'py> = Option<Bound<'py, TokenRelyingParty>>;

/// A new token of one block, signed by the issuer's key, as text: rights, whose meaning is up to
/// the application, and caveats. `root_id` is the number by which verifiers find that key. Whoever
/// has the text can use the token: treat it as a password.
///
/// Raises ValueError if a caveat is not one, and InvalidToken if the token would have more than 65536
/// bytes or 256 caveats.
#[pyfunction]
#[pyo3(
    signature = (key, rights, *, caveats=Caveats::default(), root_id=0),
    text_signature = "(key, rights, *, caveats=(), root_id=0)"
)]
pub fn mint_token(
    key: Bound<'_, TokenSecretKey>,
    rights: Bytes<'_>,
    caveats: Caveats,
    root_id: u32,
) -> PyResult<TokenText> {
    let key = key.get().of_issuer()?;
    text(Token::mint(key, root_id, rights.as_slice(), &caveats.0))
}

/// The token with one more block, of caveats, which narrow it. No key is needed. With `roots` the
/// token is verified first, as by `verify`.
///
/// Raises ValueError if a caveat is not one, and InvalidToken if the token is invalid, sealed or
/// held by a device, or if there would be more than 65536 bytes, 256 caveats or 64 signatures.
///
/// >>> from klero import token
/// >>> issuer = token.TokenSecretKey.generate()
/// >>> wide = token.mint(issuer, b"account 17")
/// >>> narrow = token.narrow(wide, ["method GET HEAD", "path /files"])
/// >>> known = {"roots": issuer.public_key, "challenge": None, "revoked": ()}
/// >>> token.check(narrow, now=0, method="GET", path="/files/17", **known)
/// b'account 17'
#[pyfunction]
#[pyo3(signature = (token, caveats, *, roots=None, relying_party=None))]
pub fn narrow_token(
    token: Encoded,
    caveats: Caveats,
    roots: Option<Roots>,
    relying_party: Party<'_>,
) -> PyResult<TokenText> {
    text(held(&token, roots, relying_party)?.narrow(&caveats.0))
}

/// The token with one more block, of bytes that only the application understands: `check` refuses
/// it unless `accept` does not. No key is needed. With `roots` the token is verified first, as by
/// `verify`.
///
/// Raises InvalidToken if the token is invalid, sealed or held by a device, or if there would be
/// more than 65536 bytes or 64 signatures.
#[pyfunction]
#[pyo3(signature = (token, payload, *, roots=None, relying_party=None))]
pub fn append_token(
    token: Encoded,
    payload: Bytes<'_>,
    roots: Option<Roots>,
    relying_party: Party<'_>,
) -> PyResult<TokenText> {
    text(held(&token, roots, relying_party)?.append(payload.as_slice()))
}

/// The request by which a holder asks a third party for a statement about the token: 92 characters
/// that reveal nothing about it. With `roots` the token is verified first, as by `verify`.
///
/// Raises InvalidToken if the token is invalid, sealed or held by a device.
///
/// >>> from klero import token
/// >>> registry = token.TokenSecretKey.generate("ed25519")
/// >>> issuer = token.TokenSecretKey.generate()
/// >>> caveat = f"vouched {registry.public_key} account 17 is of age"
/// >>> minted = token.mint(issuer, b"account 17", caveats=[caveat])
/// >>> request = token.request(minted)
/// >>> statement = token.statement(request, registry, b"account 17 is of age")
/// >>> vouched = token.append_statement(minted, statement)
/// >>> token.check(vouched, roots=issuer.public_key, challenge=None, revoked=(), now=0)
/// b'account 17'
#[pyfunction]
#[pyo3(signature = (token, *, roots=None, relying_party=None))]
pub fn request_statement(
    token: Encoded,
    roots: Option<Roots>,
    relying_party: Party<'_>,
) -> PyResult<String> {
    let request = held(&token, roots, relying_party)?
        .request()
        .map_err(invalid)?;
    Ok(request.to_text())
}

/// What a third party states about the token of this request, and no other. It meets a caveat
/// `vouched KEY TEXT` if the payload is exactly TEXT, or TEXT followed by a line `before TIME` that has
/// not passed. So sign no text that somebody else wrote. The key is one of "ed25519".
///
/// Raises InvalidToken if the request is none or the statement would have more than 65536 bytes,
/// and ValueError if the key is an issuer's.
#[pyfunction]
pub fn make_statement(
    request: Encoded,
    key: Bound<'_, TokenSecretKey>,
    payload: Bytes<'_>,
) -> PyResult<String> {
    let key = key.get().of_third_party()?;
    let request =
        Request::from_text(request.as_str()).map_err(|error| malformed("request", &error))?;
    let statement = request.sign(key, payload.as_slice());
    statement
        .and_then(|statement| statement.to_text())
        .map_err(invalid)
}

/// The token with a third party's statement as its next block. Nothing may have been added to it
/// since the request. With `roots` the token is verified first, as by `verify`.
///
/// Raises InvalidToken if the statement is not valid for this token, if the token is invalid, sealed
/// or held by a device, or if there would be more than 65536 bytes or 64 signatures.
#[pyfunction]
#[pyo3(signature = (token, statement, *, roots=None, relying_party=None))]
pub fn append_statement(
    token: Encoded,
    statement: Encoded,
    roots: Option<Roots>,
    relying_party: Party<'_>,
) -> PyResult<TokenText> {
    let statement = Statement::from_text(statement.as_str(), &Limits::default());
    let statement = statement.map_err(|error| malformed("statement", &error))?;
    text(held(&token, roots, relying_party)?.append_statement(&statement))
}

/// The token sealed to a verifier's challenge: nothing can be added to it, and it is valid for no
/// other challenge. With `roots` the token is verified first, as by `verify`.
///
/// Raises InvalidToken if the token is invalid, sealed or held by a device, or if there would be
/// more than 65536 bytes or 64 signatures.
#[pyfunction]
#[pyo3(signature = (token, challenge, *, roots=None, relying_party=None))]
pub fn seal_token(
    token: Encoded,
    challenge: Bound<'_, TokenChallenge>,
    roots: Option<Roots>,
    relying_party: Party<'_>,
) -> PyResult<TokenText> {
    text(held(&token, roots, relying_party)?.seal(&challenge.get().view()))
}

/// Whether a token allows a request: verifies it, and returns the rights of the first block if no
/// block is revoked and all caveats of all blocks hold.
///
/// `roots` are the issuers' public keys: one, or a dictionary of them by number. With a `challenge`
/// only a token sealed to it is valid, and `audience` must be that of the challenge; with None only a
/// token that is not sealed. `revoked` are the ids of revoked blocks, 32 bytes each, or a function that
/// says whether an id is one; `()` if nothing is revoked. `relying_party` says for whom passkeys are
/// accepted; without it, a token that a passkey holds or has a statement in is invalid.
///
/// `now` is the time in seconds since 1970. `audience` is the name of the service, `path` the path
/// of the request as it arrived, without the query, and `method` its method. `fields` is a
/// dictionary of texts, or pairs of them: of two with one name, both must have the value. A caveat
/// on what is not given refuses. So does a block of bytes, unless `accept`, which is called with
/// them, returns True.
///
/// Raises InvalidToken if the token is invalid, and Refused if a caveat does not hold or a block is
/// revoked; its attributes `block`, `caveat` and `reason` say which and why.
///
/// >>> from klero import token
/// >>> issuer = token.TokenSecretKey.generate()
/// >>> minted = token.mint(issuer, b"account 17", caveats=["before 2027-01-15T08:00:00Z"])
/// >>> known = {"roots": issuer.public_key, "challenge": None, "revoked": ()}
/// >>> token.check(minted, now=1_799_999_999, **known)
/// b'account 17'
/// >>> token.check(minted, now=1_800_000_000, **known)
/// Traceback (most recent call last):
///     ...
/// klero.token.Refused: block 0: before 2027-01-15T08:00:00Z: it does not hold
#[pyfunction]
#[pyo3(signature = (
    token, *, roots, challenge, revoked, now, audience=None, path=None, method=None, fields=None,
    accept=None, relying_party=None
))]
#[allow(clippy::too_many_arguments)] // They are keywords in Python.
pub fn check_token<'py>(
    py: Python<'py>,
    token: Encoded,
    roots: Roots,
    challenge: Option<Bound<'py, TokenChallenge>>,
    revoked: RevokedBlocks<'py>,
    now: u64,
    audience: Option<&str>,
    path: Option<&str>,
    method: Option<&str>,
    fields: Option<Fields>,
    accept: Option<Bound<'py, PyAny>>,
    relying_party: Party<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let fields = fields.unwrap_or_default().0;
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let failed = RefCell::new(None);
    // Nothing but True and False is an answer: a coroutine, for one, counts as true.
    let ask = |function: &Bound<'py, PyAny>, bytes: &[u8]| {
        let answer = function.call1((PyBytes::new(py, bytes),));
        let answer = answer.and_then(|answer| answer.extract());
        answer.map_err(|error| failed.replace(Some(error))).ok()
    };
    let by = |id: &RevocationId| match &revoked {
        RevokedBlocks::Ids(_) => false,
        RevokedBlocks::By(function) => ask(function, &id.0).unwrap_or(true),
    };
    let access = Access {
        now,
        audience,
        path,
        method,
        fields: &fields,
        revoked: match &revoked {
            RevokedBlocks::Ids(ids) => Revoked::ids(ids),
            RevokedBlocks::By(_) => Revoked::by(&by),
        },
    };
    let token = verified(&token, roots, relying_party, challenge.as_ref())?;
    let rights = token.check_with(&access, |payload| {
        let answer = accept.as_ref().and_then(|accept| ask(accept, payload));
        answer.unwrap_or(false)
    });
    match (failed.take(), rights) {
        (Some(error), _) => Err(error),
        (None, Ok(rights)) => Ok(PyBytes::new(py, &rights)),
        (None, Err(refused)) => Err(Refused::new_err((
            refused.block,
            refused.caveat,
            refused.reason.to_string(),
        ))),
    }
}

/// Verifies a token and returns its content. It compares no caveats: that is what `check` does.
///
/// `roots` are the issuers' public keys: one, or a dictionary of them by number. With a `challenge`
/// only a token sealed to it is valid; with None only one that is not sealed. `relying_party` says for
/// whom passkeys are accepted; without it, a token that a passkey holds or has a statement in is
/// invalid.
///
/// Raises InvalidToken if the token is invalid; its attribute `reason` says why.
///
/// >>> from klero import token
/// >>> issuer = token.TokenSecretKey.generate()
/// >>> minted = token.mint(issuer, b"account 17", caveats=["method GET"])
/// >>> content = token.verify(minted, roots=issuer.public_key, challenge=None)
/// >>> content.blocks[0].payload, content.blocks[0].caveats
/// (b'account 17', b'method GET')
#[pyfunction]
#[pyo3(signature = (token, *, roots, challenge, relying_party=None))]
pub fn verify_token(
    py: Python<'_>,
    token: Encoded,
    roots: Roots,
    challenge: Option<Bound<'_, TokenChallenge>>,
    relying_party: Party<'_>,
) -> PyResult<TokenContent> {
    let token = verified(&token, roots, relying_party, challenge.as_ref())?;
    TokenContent::of(py, &token, token.blocks())
}

/// The content of a token, **not verified**: for diagnostics, and to learn the ids to revoke. Raises
/// InvalidToken if the text is no token.
#[pyfunction]
pub fn inspect_token(py: Python<'_>, token: Encoded) -> PyResult<TokenContent> {
    let token = decoded(&token)?;
    TokenContent::of(py, &token, token.unverified_blocks())
}

fn decoded(token: &Encoded) -> PyResult<Unverified> {
    Token::from_text(token.as_str(), &Limits::default()).map_err(invalid)
}

fn verified(
    token: &Encoded,
    Roots(mut roots): Roots,
    relying_party: Party<'_>,
    challenge: Option<&Bound<'_, TokenChallenge>>,
) -> PyResult<Verified> {
    let challenge = challenge.map(|challenge| challenge.get().view());
    if let Some(party) = relying_party {
        roots.set_relying_party(party.get().get());
    }
    let token = decoded(token)?;
    token.verify(&roots, challenge.as_ref()).map_err(invalid)
}

/// A token to add to, verified if its holder knows root keys.
fn held(token: &Encoded, roots: Option<Roots>, relying_party: Party<'_>) -> PyResult<Unverified> {
    match (roots, &relying_party) {
        (Some(roots), _) => {
            verified(token, roots, relying_party, None).map(Verified::into_unverified)
        }
        (None, None) => decoded(token),
        (None, Some(_)) => Err(PyTypeError::new_err(
            "relying_party without roots: nothing would be verified",
        )),
    }
}

/// A token as text, of which Python has the only copy that is not wiped.
pub struct TokenText(Zeroizing<String>);

impl<'py> IntoPyObject<'py> for TokenText {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyString::new(py, &self.0))
    }
}

/// The text of a token that was made.
fn text<T>(token: Result<Token<T>, Error>) -> PyResult<TokenText> {
    let text = token.and_then(|token| token.to_text());
    text.map(TokenText).map_err(|error| match error {
        Error::NoRandomness(_) => PyOSError::new_err(error.to_string()),
        _ => invalid(error),
    })
}

fn invalid(error: Error) -> PyErr {
    InvalidToken::new_err(error.to_string())
}

/// What should be a request or a statement is none.
fn malformed(what: &str, error: &Error) -> PyErr {
    InvalidToken::new_err(format!("{what}: {error}"))
}
