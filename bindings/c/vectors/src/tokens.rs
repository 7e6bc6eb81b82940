//! The vectors of tokens as lines.
//!
//! A line has thirteen fields between spaces; `-` stands for what is absent, and `.` for no bytes:
//! root keys (`NUMBER=KEY`, between commas), relying party (`ID;USER_VERIFICATION`, and origins,
//! between semicolons), the token's text, challenge (nonce and audience in hex and the time, between
//! colons), now, then in hex audience, path, method, fields (`NAME:VALUE`, between commas) and ids of
//! revoked blocks; the number that a call returns, and in hex the reason and the rights.
//!
//! Whether a token is valid and allows a request is said by the JSON, and the words of the reason by the
//! crate `klero-token`, whose verdict must be the same.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use base64ct::{Base64UrlUnpadded, Encoding};
use klero_token::{
    Access, Challenge, Limits, PublicKey, RelyingParty, RevocationId, Revoked, RootKeys, Scheme,
    Token, Verified,
};
use serde::Deserialize;

use crate::field;

type Roots = BTreeMap<u32, String>;

#[derive(Deserialize)]
struct File {
    scheme: String,
    roots: Roots,
    tokens: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    valid: bool,
    token: String,
    challenge: Option<Asked>,
    roots: Option<Roots>,
    limits: Option<serde_json::Value>,
    relying_party: Option<Party>,
    #[serde(default)]
    checks: Vec<Check>,
}

#[derive(Deserialize)]
struct Asked {
    nonce: String,
    audience: String,
    time: u64,
}

#[derive(Deserialize)]
struct Party {
    id: String,
    origins: Vec<String>,
    user_verification: bool,
}

#[derive(Deserialize)]
struct Check {
    access: Asking,
    #[serde(default)]
    opaque_accepted: bool,
    granted: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Asking {
    now: u64,
    audience: Option<String>,
    path: Option<String>,
    method: Option<String>,
    fields: Vec<(String, String)>,
    revoked: Vec<String>,
}

/// What `klero.h` calls `KLERO_TOKEN_INVALID` and `KLERO_TOKEN_REFUSED`.
const INVALID: i32 = 101;
const REFUSED: i32 = 102;

/// Writes the lines of a directory.
pub fn write(directory: &Path) -> Result<(), Box<dyn Error>> {
    for name in ["aggregate", "chain", "passkeys"] {
        let text = fs::read_to_string(directory.join(format!("{name}.json")))?;
        let file: File = serde_json::from_str(&text)?;
        let scheme = Scheme::named(&file.scheme).ok_or("unknown scheme")?;
        // A caller in C does not choose limits.
        for vector in file.tokens.iter().filter(|vector| vector.limits.is_none()) {
            let roots = vector.roots.as_ref().unwrap_or(&file.roots);
            write_vector(scheme, roots, vector)
                .map_err(|error| format!("{name}.json: {}: {error}", vector.name))?;
        }
    }
    Ok(())
}

fn write_vector(scheme: Scheme, roots: &Roots, vector: &Vector) -> Result<(), Box<dyn Error>> {
    let mut keys = RootKeys::new();
    let mut texts = Vec::new();
    for (number, key) in roots {
        let key = PublicKey::from_bytes(scheme, &hex::decode(key)?)?;
        keys.insert(*number, key);
        texts.push(format!("{number}={key}"));
    }
    let party = vector.relying_party.as_ref().map(|party| {
        keys.set_relying_party(RelyingParty {
            id: party.id.clone(),
            origins: party.origins.clone(),
            user_verification: party.user_verification,
        });
        let verification = u8::from(party.user_verification);
        format!("{};{verification};{}", party.id, party.origins.join(";"))
    });
    let token = Base64UrlUnpadded::encode_string(&hex::decode(&vector.token)?);
    let challenge = vector.challenge.as_ref().map(|asked| {
        let (nonce, audience) = (field(Some(asked.nonce.clone())), of_text(&asked.audience));
        format!("{nonce}:{audience}:{}", asked.time)
    });
    let begin = format!(
        "{} {} {} {}",
        texts.join(","),
        party.as_deref().unwrap_or("-"),
        field(Some(token.clone())),
        challenge.as_deref().unwrap_or("-"),
    );

    let verified = verify(&token, &keys, vector.challenge.as_ref());
    if verified.is_ok() != vector.valid {
        return Err("the crate has another verdict".into());
    }
    let none = [Check {
        access: Asking::default(),
        opaque_accepted: false,
        granted: false,
    }];
    let checks = match &vector.checks[..] {
        [] => &none,
        checks => checks,
    };
    for check in checks {
        let (status, reason, rights) = match &verified {
            Err(reason) => (INVALID, reason.clone(), Vec::new()),
            Ok(token) => judge(token, &check.access)?,
        };
        // C accepts no opaque blocks.
        let granted = check.granted && !check.opaque_accepted;
        if !vector.checks.is_empty() && granted != (status == 0) {
            return Err("the crate has another verdict on a request".into());
        }
        let access = of_access(&check.access);
        let (reason, rights) = (of_text(&reason), field(Some(hex::encode(rights))));
        println!("{begin} {access} {status} {reason} {rights}");
    }
    Ok(())
}

fn verify(token: &str, keys: &RootKeys, asked: Option<&Asked>) -> Result<Verified, String> {
    let nonce = asked.map(|asked| hex::decode(&asked.nonce)).transpose();
    let nonce = nonce
        .map_err(|error| error.to_string())?
        .unwrap_or_default();
    let challenge = asked.map(|asked| Challenge {
        nonce: &nonce,
        audience: &asked.audience,
        time: asked.time,
    });
    Token::from_text(token, &Limits::default())
        .and_then(|token| token.verify(keys, challenge.as_ref()))
        .map_err(|error| error.to_string())
}

fn judge(token: &Verified, asking: &Asking) -> Result<(i32, String, Vec<u8>), Box<dyn Error>> {
    let fields: Vec<_> = asking.fields.iter().map(|(n, v)| (&**n, &**v)).collect();
    let revoked: Result<Vec<RevocationId>, _> =
        asking.revoked.iter().map(|id| id.parse()).collect();
    let rights = token.check(&Access {
        now: asking.now,
        audience: asking.audience.as_deref(),
        path: asking.path.as_deref(),
        method: asking.method.as_deref(),
        fields: &fields,
        revoked: Revoked::ids(&revoked?),
    });
    Ok(match rights {
        Ok(rights) => (0, String::new(), rights.to_vec()),
        Err(refused) => (REFUSED, refused.to_string(), Vec::new()),
    })
}

fn of_access(asking: &Asking) -> String {
    let texts = [&asking.audience, &asking.path, &asking.method];
    let [audience, path, method] = texts.map(|text| text.as_deref().map_or("-".into(), of_text));
    let pair = |(name, value): &(String, String)| format!("{}:{}", of_text(name), of_text(value));
    let fields: Vec<_> = asking.fields.iter().map(pair).collect();
    let or_none = |list: String| if list.is_empty() { "-".into() } else { list };
    let (fields, revoked) = (or_none(fields.join(",")), or_none(asking.revoked.concat()));
    let now = asking.now;
    format!("{now} {audience} {path} {method} {fields} {revoked}")
}

fn of_text(text: &str) -> String {
    field(Some(hex::encode(text)))
}
