//! Attenuable tokens, of the scheme that a key or the token itself names.

mod arguments;
mod key;

use std::cell::RefCell;

use klero_token::{
    Access, Block, Caveat, Challenge, Error, KeyKind, Limits, RelyingParty, Request, RevocationId,
    Revoked, Statement, Token, Verified,
};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use zeroize::Zeroizing;

use self::arguments::{
    Challenged, RevokedBlocks, caveats, challenge, encoded, fields, optional_challenge,
    relying_party,
};
use self::key::Roots;
use crate::arguments::{Bytes, read_all};
use crate::errors::{InvalidToken, Refused};

pub use self::key::{TokenPublicKey, TokenSecretKey};

/// A new token of one block, signed by the issuer's key, as text: rights, whose meaning is up to
/// the application, and caveats. `root_id` is the number by which verifiers find that key. Whoever
/// has the text can use the token: treat it as a password.
///
/// Raises ValueError if a caveat is not one, and InvalidToken if the token would have more than 65536
/// bytes or 256 caveats.
#[pyfunction]
#[pyo3(
    signature = (key, rights, *, caveats=Vec::new(), root_id=0),
    text_signature = "(key, rights, *, caveats=(), root_id=0)"
)]
pub fn mint_token<'py>(
    py: Python<'py>,
    key: Bound<'_, TokenSecretKey>,
    rights: Bytes<'_>,
    #[pyo3(from_py_with = caveats)] caveats: Vec<Caveat>,
    root_id: u32,
) -> PyResult<Bound<'py, PyString>> {
    let key = key.get().of_issuer()?;
    text(py, Token::mint(key, root_id, rights.as_slice(), &caveats))
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
pub fn narrow_token<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = encoded)] token: Zeroizing<String>,
    #[pyo3(from_py_with = caveats)] caveats: Vec<Caveat>,
    roots: Option<Roots>,
    #[pyo3(from_py_with = relying_party)] relying_party: Option<RelyingParty>,
) -> PyResult<Bound<'py, PyString>> {
    text(py, held(&token, roots, relying_party)?.narrow(&caveats))
}

/// The token with one more block, of bytes that only the application understands: `check` refuses
/// it unless `accept` does not. No key is needed. With `roots` the token is verified first, as by
/// `verify`.
///
/// Raises InvalidToken if the token is invalid, sealed or held by a device, or if there would be
/// more than 65536 bytes or 64 signatures.
#[pyfunction]
#[pyo3(signature = (token, payload, *, roots=None, relying_party=None))]
pub fn append_token<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = encoded)] token: Zeroizing<String>,
    payload: Bytes<'_>,
    roots: Option<Roots>,
    #[pyo3(from_py_with = relying_party)] relying_party: Option<RelyingParty>,
) -> PyResult<Bound<'py, PyString>> {
    text(
        py,
        held(&token, roots, relying_party)?.append(payload.as_slice()),
    )
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
    #[pyo3(from_py_with = encoded)] token: Zeroizing<String>,
    roots: Option<Roots>,
    #[pyo3(from_py_with = relying_party)] relying_party: Option<RelyingParty>,
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
    #[pyo3(from_py_with = encoded)] request: Zeroizing<String>,
    key: Bound<'_, TokenSecretKey>,
    payload: Bytes<'_>,
) -> PyResult<String> {
    let key = key.get().of_third_party()?;
    let request = Request::from_text(&request).map_err(|error| malformed("request", &error))?;
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
pub fn append_statement<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = encoded)] token: Zeroizing<String>,
    #[pyo3(from_py_with = encoded)] statement: Zeroizing<String>,
    roots: Option<Roots>,
    #[pyo3(from_py_with = relying_party)] relying_party: Option<RelyingParty>,
) -> PyResult<Bound<'py, PyString>> {
    let statement = Statement::from_text(&statement, &Limits::default());
    let statement = statement.map_err(|error| malformed("statement", &error))?;
    text(
        py,
        held(&token, roots, relying_party)?.append_statement(&statement),
    )
}

/// The token sealed to a verifier's challenge: nothing can be added to it, and it is valid for no
/// other challenge. With `roots` the token is verified first, as by `verify`.
///
/// Raises InvalidToken if the token is invalid, sealed or held by a device, or if there would be
/// more than 65536 bytes or 64 signatures.
#[pyfunction]
#[pyo3(signature = (token, challenge, *, roots=None, relying_party=None))]
pub fn seal_token<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = encoded)] token: Zeroizing<String>,
    #[pyo3(from_py_with = challenge)] challenge: Challenged<'_>,
    roots: Option<Roots>,
    #[pyo3(from_py_with = relying_party)] relying_party: Option<RelyingParty>,
) -> PyResult<Bound<'py, PyString>> {
    text(
        py,
        held(&token, roots, relying_party)?.seal(&view(&challenge)),
    )
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
    #[pyo3(from_py_with = encoded)] token: Zeroizing<String>,
    roots: Roots,
    #[pyo3(from_py_with = optional_challenge)] challenge: Option<Challenged<'py>>,
    revoked: RevokedBlocks<'py>,
    now: u64,
    audience: Option<&str>,
    path: Option<&str>,
    method: Option<&str>,
    #[pyo3(from_py_with = fields)] fields: Option<Vec<(String, String)>>,
    accept: Option<Bound<'py, PyAny>>,
    #[pyo3(from_py_with = relying_party)] relying_party: Option<RelyingParty>,
) -> PyResult<Bound<'py, PyBytes>> {
    let fields = fields.unwrap_or_default();
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
/// `roots`, `challenge` and `relying_party` are those of `check`. Raises InvalidToken if the token is
/// invalid; its attribute `reason` says why.
///
/// >>> from klero import token
/// >>> issuer = token.TokenSecretKey.generate()
/// >>> minted = token.mint(issuer, b"account 17", caveats=["method GET"])
/// >>> content = token.verify(minted, roots=issuer.public_key, challenge=None)
/// >>> content.blocks[0].payload, content.blocks[0].caveats
/// (b'account 17', b'method GET')
#[pyfunction]
#[pyo3(signature = (token, *, roots, challenge, relying_party=None))]
pub fn verify_token<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = encoded)] token: Zeroizing<String>,
    roots: Roots,
    #[pyo3(from_py_with = optional_challenge)] challenge: Option<Challenged<'_>>,
    #[pyo3(from_py_with = relying_party)] relying_party: Option<RelyingParty>,
) -> PyResult<Bound<'py, PyAny>> {
    let token = verified(&token, roots, relying_party, challenge.as_ref())?;
    content(py, &token, token.blocks())
}

/// The content of a token, **not verified**: for diagnostics, and to learn the ids to revoke. Raises
/// InvalidToken if the text is no token.
#[pyfunction]
pub fn inspect_token<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = encoded)] token: Zeroizing<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let token = decoded(&token)?;
    content(py, &token, token.unverified_blocks())
}

/// The nonce of a `klero.token.Challenge` that is made of this. Raises ValueError if it is empty.
#[pyfunction]
pub fn check_challenge<'py>(
    nonce: Bytes<'py>,
    audience: String,
    time: u64,
) -> PyResult<Bytes<'py>> {
    let challenge = (nonce, audience, time);
    let encoded = view(&challenge).encode();
    encoded.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(challenge.0)
}

/// The origins of a `klero.token.RelyingParty` that is made of this. Raises ValueError if there are none.
#[pyfunction]
#[pyo3(signature = (id, origins, *, user_verification))]
pub fn check_relying_party<'py>(
    id: &str,
    origins: &Bound<'py, PyAny>,
    user_verification: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    let _ = (id, user_verification);
    if origins.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(
            "expected a list of origins, got str: one origin is [\"https://example.org\"]",
        ));
    }
    let origins = read_all(origins, "origin", |origin| {
        let origin = origin.cast::<PyString>()?;
        origin.to_cow()?;
        Ok(origin.clone())
    })?;
    if origins.is_empty() {
        return Err(PyValueError::new_err(
            "no origins: nothing that a passkey signs would be accepted",
        ));
    }
    PyTuple::new(origins[0].py(), origins)
}

fn decoded(token: &str) -> PyResult<Token> {
    Token::from_text(token, &Limits::default()).map_err(invalid)
}

fn verified(
    token: &str,
    Roots(mut roots): Roots,
    relying_party: Option<RelyingParty>,
    challenge: Option<&Challenged<'_>>,
) -> PyResult<Verified> {
    if let Some(party) = relying_party {
        roots.set_relying_party(party);
    }
    let token = decoded(token)?;
    let challenge = challenge.map(view);
    token.verify(&roots, challenge.as_ref()).map_err(invalid)
}

fn view<'a>((nonce, audience, time): &'a Challenged<'_>) -> Challenge<'a> {
    Challenge {
        nonce: nonce.as_slice(),
        audience,
        time: *time,
    }
}

/// A token to add to, verified if its holder knows root keys.
fn held(token: &str, roots: Option<Roots>, relying_party: Option<RelyingParty>) -> PyResult<Token> {
    match (roots, &relying_party) {
        (Some(roots), _) => verified(token, roots, relying_party, None).map(Verified::into_token),
        (None, None) => decoded(token),
        (None, Some(_)) => Err(PyTypeError::new_err(
            "relying_party without roots: nothing would be verified",
        )),
    }
}

/// A `klero.token.TokenContent`.
fn content<'py>(py: Python<'py>, token: &Token, blocks: &[Block]) -> PyResult<Bound<'py, PyAny>> {
    let module = py.import("klero.token")?;
    let class = module.getattr("TokenBlock")?;
    let blocks = blocks
        .iter()
        .zip(token.revocation_ids())
        .map(|(block, id)| {
            let (by, key) = block.third_party().unzip();
            class.call1((
                block.kind().name(),
                PyBytes::new(py, block.payload()),
                PyBytes::new(py, block.caveats()),
                key.map(|key| PyBytes::new(py, key)),
                by.map(KeyKind::name),
                PyBytes::new(py, &id.0),
            ))
        });
    let blocks = PyTuple::new(py, blocks.collect::<PyResult<Vec<_>>>()?)?;
    let (scheme, root_id) = (token.scheme().name(), token.root_id());
    let about = (scheme, root_id, token.is_sealed(), token.is_held(), blocks);
    module.getattr("TokenContent")?.call1(about)
}

/// The text of a token that was made. Python has the only copy that is not wiped.
fn text<'py>(py: Python<'py>, token: Result<Token, Error>) -> PyResult<Bound<'py, PyString>> {
    let text = token.and_then(|token| token.to_text());
    let text = text.map_err(|error| match error {
        Error::NoRandomness(_) => PyOSError::new_err(error.to_string()),
        _ => invalid(error),
    })?;
    Ok(PyString::new(py, &text))
}

fn invalid(error: Error) -> PyErr {
    InvalidToken::new_err(error.to_string())
}

/// What should be a request or a statement is none.
fn malformed(what: &str, error: &Error) -> PyErr {
    InvalidToken::new_err(format!("{what}: {error}"))
}
