//! The WebAssembly behind `klero/token` in the npm package. Only its wrapper, `lib/token.ts`, calls
//! it.
//!
//! It asks for room for a request ([`request`]), writes the request there, calls an operation
//! and reads the response: see [`klero_js_message`]. Secret keys stay here: the wrapper holds
//! their numbers. A negative number is an error, of the kind that [`failure`] gives it.
//!
//! No operation panics, whatever the request.

use klero_js_message::{Writer, respond, room};
use klero_token::{Access, Kind, Limits, Reason, Request, Revoked, Statement, Token, normal_path};

use arguments::{Asked, Text, caveats, limits};
use failure::{invalid, made, malformed, no_text};
use keys::{of_issuer, of_third_party};

mod arguments;
pub mod devices;
mod failure;
pub mod keys;
#[cfg(target_arch = "wasm32")]
mod random;

/// What an operation may need beside its request, if that is short: verifying 64 signatures takes
/// 0.4 MB.
const WORKING_MEMORY: usize = 1 << 20;

/// What an operation may need for each byte of its request: caveats of a few bytes take 17, and a token
/// of as many blocks as 2^20 bytes can have takes 22.
const WORKING_FACTOR: usize = 32;

/// The address of `len` bytes for a request; 0 if there is no memory for it. Wipes the last
/// response in either case.
// SAFETY of every export: no other symbol of the program has its name.
#[unsafe(no_mangle)]
pub extern "C" fn request(len: usize) -> *mut u8 {
    let working = len.saturating_mul(WORKING_FACTOR);
    room(len, working.saturating_add(WORKING_MEMORY))
}

/// With the number of an issuer's key, the number of a root key, and limits, rights and caveats: a
/// new token.
#[unsafe(no_mangle)]
pub extern "C" fn mint(key: usize, root_id: u32) -> i32 {
    respond(|request, response| {
        let (limits, rights) = (limits(request)?, request.bytes()?);
        let caveats = caveats(request)?;
        let token = of_issuer(key, |key| {
            Token::mint_within(&limits, key, root_id, rights, &caveats)
        })?;
        made(token, response)
    })
}

/// From a token that is [`Asked`] for and caveats: the token with one more block.
#[unsafe(no_mangle)]
pub extern "C" fn narrow() -> i32 {
    respond(|request, response| {
        let asked = Asked::read(request)?;
        let caveats = caveats(request)?;
        made(asked.held()?.narrow(&caveats), response)
    })
}

/// From a token that is [`Asked`] for and bytes: the token with one more block.
#[unsafe(no_mangle)]
pub extern "C" fn append() -> i32 {
    respond(|request, response| {
        let asked = Asked::read(request)?;
        made(asked.held()?.append(request.bytes()?), response)
    })
}

/// From a token that is [`Asked`] for: the request for a statement about it.
#[unsafe(no_mangle)]
pub extern "C" fn request_statement() -> i32 {
    respond(|request, response| {
        let asked = Asked::read(request)?.held()?.request().map_err(invalid)?;
        response.push(asked.to_text().as_bytes());
        Ok(0)
    })
}

/// With the number of a third party's key, from a request and bytes: the statement.
#[unsafe(no_mangle)]
pub extern "C" fn make_statement(key: usize) -> i32 {
    respond(|request, response| {
        let text = Text::read(request)?;
        let asked = text.within(&Limits::default()).and_then(Request::from_text);
        let asked = asked.map_err(|error| malformed("request", &error))?;
        let payload = request.bytes()?;
        let statement = of_third_party(key, |key| asked.sign(key, payload))?;
        let text = statement.and_then(|statement| statement.to_text());
        response.push(text.map_err(invalid)?.as_bytes());
        Ok(0)
    })
}

/// From a token that is [`Asked`] for and a statement: the token with one more block.
#[unsafe(no_mangle)]
pub extern "C" fn append_statement() -> i32 {
    respond(|request, response| {
        let asked = Asked::read(request)?;
        let text = Text::read(request)?;
        let statement = text.within(&asked.limits);
        let statement = statement.and_then(|text| Statement::from_text(text, &asked.limits));
        let statement = statement.map_err(|error| malformed("statement", &error))?;
        made(asked.held()?.append_statement(&statement), response)
    })
}

/// From a token that is [`Asked`] for, with a challenge: the token sealed to it.
#[unsafe(no_mangle)]
pub extern "C" fn seal() -> i32 {
    respond(|request, response| {
        let asked = Asked::read(request)?;
        let challenge = arguments::challenge(&mut asked.challenge()?)?;
        made(asked.held()?.seal(&challenge), response)
    })
}

/// From a token that is [`Asked`] for: what it says, verified.
#[unsafe(no_mangle)]
pub extern "C" fn verify() -> i32 {
    respond(|request, response| {
        let token = Asked::read(request)?.verified()?;
        content(&token, token.blocks(), response);
        Ok(0)
    })
}

/// From a token that is [`Asked`] for: what it says, not verified.
#[unsafe(no_mangle)]
pub extern "C" fn inspect() -> i32 {
    respond(|request, response| {
        let token = Asked::read(request)?.decoded()?;
        content(&token, token.unverified_blocks(), response);
        Ok(0)
    })
}

/// The scheme, the number of the root key, and the form; then six fields for each block.
fn content(token: &Token, blocks: &[klero_token::Block], response: &mut Writer) {
    response.push(token.scheme().name().as_bytes());
    response.push(token.root_id().to_string().as_bytes());
    response.push(match (token.is_sealed(), token.is_held()) {
        (true, _) => b"sealed",
        (_, true) => b"held",
        _ => b"bearer",
    });
    for (block, id) in blocks.iter().zip(token.revocation_ids()) {
        response.push(block.kind().name().as_bytes());
        response.push(block.payload());
        response.push(block.caveats());
        match block.third_party() {
            Some((kind, key)) => {
                response.push(key);
                response.push(kind.name().as_bytes());
            }
            None => {
                response.push_absent();
                response.push_absent();
            }
        }
        response.push(&id.0);
    }
}

/// From a token that is [`Asked`] for, and what is told of the request (time, audience, path,
/// method, and any number of names and values): what its caller must answer, and the verdicts. The
/// first field has the revocation ids of all blocks. Then stand the verdicts that the token gets if
/// none of them is revoked and no opaque block is accepted, if the first one is, and so on, up to the
/// first verdict that says nothing of opaque blocks. JavaScript then asks its caller about one after
/// the other: meanwhile no operation runs, so that the caller may start another.
///
/// A refusal has four fields: block (absent for the seal), caveat, reason, and the bytes of the opaque
/// block. If the last verdict is none, then its field has the rights, and the number is 1.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> i32 {
    respond(|request, response| {
        let asked = Asked::read(request)?;
        let now = request.integer()?;
        let [audience, path, method] = [
            request.optional_text()?,
            request.optional_text()?,
            request.optional_text()?,
        ];
        let mut fields = Vec::new();
        while !request.is_empty() {
            fields.push((request.text()?, request.text()?));
        }
        let access = Access {
            now,
            audience,
            path,
            method,
            fields: &fields,
            // The wrapper asks its caller before it looks at a verdict.
            revoked: Revoked::none(),
        };
        let token = asked.verified()?;
        let ids: Vec<_> = token.revocation_ids().iter().flat_map(|id| id.0).collect();
        response.push(&ids);
        // The last verdict, and how many opaque blocks stand before it: each of them alone is asked about.
        let mut seen = 0;
        let verdict = token.check_with(&access, |_| {
            seen += 1;
            true
        });
        let blocks = token.blocks().iter().enumerate();
        let opaque = blocks.filter(|(_, block)| block.kind() == Kind::Opaque);
        for (number, block) in opaque.take(seen) {
            let payload = block.payload();
            let shown = format!("{} bytes", payload.len());
            refusal(Some(number), &shown, Reason::Opaque, response);
            response.push(payload);
        }
        match verdict {
            Ok(rights) => {
                response.push(&rights);
                Ok(1)
            }
            Err(refused) => {
                refusal(refused.block, &refused.caveat, refused.reason, response);
                response.push_absent();
                Ok(0)
            }
        }
    })
}

/// The first three fields of a refusal.
fn refusal(block: Option<usize>, caveat: &str, reason: Reason, response: &mut Writer) {
    match block {
        Some(block) => response.push(block.to_string().as_bytes()),
        None => response.push_absent(),
    }
    response.push(caveat.as_bytes());
    response.push(reason.to_string().as_bytes());
}

/// From a path: its normal form.
#[unsafe(no_mangle)]
pub extern "C" fn normalize_path() -> i32 {
    respond(|request, response| {
        let path = normal_path(request.text()?).map_err(no_text)?;
        response.push(path.as_bytes());
        Ok(0)
    })
}
