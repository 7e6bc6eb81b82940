//! What the Rust library says of tokens, caveats and paths, on this machine's fastest backend. The
//! tests compare the package's answers with it.
//!
//! Reads a JSON array of questions, and prints an array of answers, each a text. A question has a
//! `caveat`, a `path`, a `key` or a `request`; or a `token`, which is inspected; if there are
//! `roots` it is verified, and if there is an `access` also it is checked.

use std::error::Error;
use std::io;

use klero_token::{
    Access, Block, Caveat, Challenge, Limits, PublicKey, RelyingParty, Request, RevocationId,
    Revoked, RootKeys, Token, normal_path,
};
use serde_json::{Value, json};

type Answer = Result<String, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let questions: Vec<Value> = serde_json::from_reader(io::stdin())?;
    let answers = questions
        .iter()
        .map(|question| answer(question).unwrap_or_else(|error| error.to_string()));
    println!("{}", json!(answers.collect::<Vec<_>>()));
    Ok(())
}

fn answer(question: &Value) -> Answer {
    let text = |name| question.get(name).and_then(Value::as_str);
    if let Some(caveat) = text("caveat") {
        return Ok(caveat.parse::<Caveat>()?.to_string());
    }
    if let Some(path) = text("path") {
        return Ok(normal_path(path)?);
    }
    if let Some(key) = text("key") {
        return Ok(key.parse::<PublicKey>()?.to_string());
    }
    if let Some(request) = text("request") {
        return Ok(Request::from_text(request)?.to_text());
    }
    let limits = limits(question.get("limits"));
    let token = Token::from_text(text("token").unwrap_or_default(), &limits)?;
    let Some(roots) = question.get("roots") else {
        return Ok(content(&token, token.unverified_blocks()));
    };
    let mut roots = root_keys(roots)?;
    if let Some(party) = question.get("relyingParty") {
        roots.set_relying_party(relying_party(party)?);
    }
    verified(question, token, &roots)
}

/// The answer on a token that is to be verified.
fn verified(question: &Value, token: Token, roots: &RootKeys) -> Answer {
    let nonce;
    let challenge = match question.get("challenge") {
        Some(challenge) => {
            nonce = hex::decode(challenge["nonce"].as_str().ok_or("nonce")?)?;
            Some(Challenge {
                nonce: &nonce,
                audience: challenge["audience"].as_str().ok_or("audience")?,
                time: challenge["time"].as_u64().ok_or("time")?,
            })
        }
        None => None,
    };
    let token = token.verify(roots, challenge.as_ref())?;
    let Some(access) = question.get("access") else {
        return Ok(content(&token, token.blocks()));
    };
    let told = |name| access.get(name).and_then(Value::as_str);
    let fields = access.get("fields").and_then(Value::as_array);
    let fields: Vec<_> = fields
        .into_iter()
        .flatten()
        .filter_map(|pair| Some((pair[0].as_str()?, pair[1].as_str()?)))
        .collect();
    let ids = access.get("revoked").and_then(Value::as_array);
    let revoked = ids.into_iter().flatten();
    let revoked = revoked.map(|id| id.as_str().unwrap_or_default().parse::<RevocationId>());
    let revoked = revoked.collect::<Result<Vec<_>, _>>()?;
    let access = Access {
        now: access["now"].as_u64().ok_or("now")?,
        audience: told("audience"),
        path: told("path"),
        method: told("method"),
        fields: &fields,
        revoked: Revoked::ids(&revoked),
    };
    // How many opaque blocks the application accepts.
    let accepted = question["accepted"].as_u64().unwrap_or(0);
    let mut seen = 0;
    let rights = token.check_with(&access, |_| {
        seen += 1;
        seen <= accepted
    })?;
    Ok(format!("granted: {}", hex::encode(&*rights)))
}

fn relying_party(party: &Value) -> Result<RelyingParty, Box<dyn Error>> {
    let origins = party["origins"].as_array().ok_or("origins")?.iter();
    let origins: Option<Vec<_>> = origins
        .map(|origin| Some(origin.as_str()?.into()))
        .collect();
    Ok(RelyingParty {
        id: party["id"].as_str().ok_or("id")?.into(),
        origins: origins.ok_or("origin")?,
        user_verification: party["userVerification"].as_bool().ok_or("verified")?,
    })
}

fn limits(given: Option<&Value>) -> Limits {
    let limit = |name| {
        let limit = given.and_then(|limits| limits.get(name)?.as_u64());
        limit.and_then(|limit| u32::try_from(limit).ok())
    };
    let default = Limits::default();
    Limits {
        signatures: limit("signatures").unwrap_or(default.signatures),
        caveats: limit("caveats").unwrap_or(default.caveats),
        bytes: limit("bytes").map_or(default.bytes, |bytes| bytes as usize),
    }
}

fn root_keys(roots: &Value) -> Result<RootKeys, Box<dyn Error>> {
    let mut keys = RootKeys::new();
    for pair in roots.as_array().ok_or("roots")? {
        let id = u32::try_from(pair[0].as_u64().ok_or("id")?)?;
        keys.insert(id, pair[1].as_str().ok_or("key")?.parse()?);
    }
    Ok(keys)
}

fn content(token: &Token, blocks: &[Block]) -> String {
    let blocks = blocks
        .iter()
        .zip(token.revocation_ids())
        .map(|(block, id)| {
            let kind = format!("{:?}", block.kind()).to_lowercase();
            let third_party = block.third_party().map(|(_, key)| hex::encode(key));
            let (payload, caveats) = (hex::encode(block.payload()), hex::encode(block.caveats()));
            json!([kind, payload, caveats, third_party, hex::encode(id.0)])
        });
    json!([
        token.scheme().name(),
        token.root_id(),
        token.is_sealed(),
        token.is_held(),
        blocks.collect::<Vec<_>>(),
    ])
    .to_string()
}
