//! Tokens that a device or a passkey holds, and statements by such: what is to be signed, and what is
//! made of the signature.

use klero_js_message::{Failed, Reader, respond};
use klero_token::{Limits, PublicKey, Request, Sealing, Signature};

use crate::arguments::{self, Asked, Text, caveats};
use crate::failure::{invalid, made, malformed};
use crate::keys::party;

/// From a token that is [`Asked`] for, a key and caveats: the token, held by the key.
#[unsafe(no_mangle)]
pub extern "C" fn entrust() -> i32 {
    respond(|request, response| {
        let asked = Asked::read(request)?;
        let key = party(request)?;
        let caveats = caveats(request)?;
        made(asked.held()?.entrust(&key, &caveats), response)
    })
}

/// The seal of a token that is [`Asked`] for, with a challenge.
fn sealing(request: &mut Reader<'_>) -> Result<Sealing, Failed> {
    let asked = Asked::read(request)?;
    let challenge = arguments::challenge(&mut asked.challenge()?)?;
    asked.decoded()?.sealing(&challenge).map_err(invalid)
}

/// From a token that is [`Asked`] for, with a challenge: what its holder signs.
#[unsafe(no_mangle)]
pub extern "C" fn seal_to_sign() -> i32 {
    respond(|request, response| {
        response.push(&sealing(request)?.to_sign());
        Ok(0)
    })
}

/// From the same, and a [`signature`]: the sealed token.
#[unsafe(no_mangle)]
pub extern "C" fn assemble_seal() -> i32 {
    respond(|request, response| {
        let sealing = sealing(request)?;
        made(sealing.assemble(signature(request)?), response)
    })
}

/// A request, a key and a payload.
fn stated<'a>(request: &mut Reader<'a>) -> Result<(Request, PublicKey, &'a [u8]), Failed> {
    let text = Text::read(request)?;
    let asked = text.within(&Limits::default()).and_then(Request::from_text);
    let asked = asked.map_err(|error| malformed("request", &error))?;
    Ok((asked, party(request)?, request.bytes()?))
}

/// From a request, a key and a payload: what the third party with this key signs.
#[unsafe(no_mangle)]
pub extern "C" fn statement_to_sign() -> i32 {
    respond(|request, response| {
        let (asked, key, payload) = stated(request)?;
        response.push(&asked.to_sign(&key, payload));
        Ok(0)
    })
}

/// From the same, and a [`signature`]: the statement.
#[unsafe(no_mangle)]
pub extern "C" fn assemble_statement() -> i32 {
    respond(|request, response| {
        let (asked, key, payload) = stated(request)?;
        let statement = asked.assemble(&key, payload, signature(request)?);
        let text = statement.and_then(|statement| statement.to_text());
        response.push(text.map_err(invalid)?.as_bytes());
        Ok(0)
    })
}

/// What a device returned: a signature in one field, or the three members of an assertion.
fn signature<'a>(request: &mut Reader<'a>) -> Result<Signature<'a>, String> {
    let signature = request.bytes()?;
    if request.is_empty() {
        return Ok(Signature::Bytes(signature));
    }
    Ok(Signature::Assertion {
        signature,
        authenticator_data: request.bytes()?,
        client_data_json: request.bytes()?,
    })
}
