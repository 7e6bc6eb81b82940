//! The vectors of tokens in `vectors/tokens`, except `bls.json`, which the package `klero-studies` checks.
//! The library and the second implementation give the verdicts and the reasons that the vectors state, and
//! the second implementation makes the files again, byte for byte.
//!
//! Every invalid vector has one flaw, so the order of checks does not matter. It was made from a valid vector
//! of the same file. If the second implementation (the twin) leaves out the check that finds the flaw, it
//! accepts the token, unless it cannot continue without that check.

#[path = "../twin/caveats.rs"]
mod caveats;
#[path = "../twin/encoding.rs"]
mod encoding;
#[path = "../twin/equations/mod.rs"]
mod equations;
mod files;
mod flaws;
mod format;
mod maker;
mod passkeys;
#[path = "../support/mod.rs"]
mod support;
mod valid;
#[path = "../twin/verdict.rs"]
mod verdict;

use std::collections::BTreeMap;

use crate::caveats::Question;
use crate::equations::{Aggregate, Chain, PARTY, es256_public};
use encoding::{Parts, WITHOUT};
use equations::Twin;
use format::{Check, File, Hex, Link, Stated, Texts, Vector};
use klero_token::{
    Caveat, Error, KeyKind, Limits, PublicKey, Reason, RelyingParty, Request, RootKeys, SecretKey,
    Signature, Token, Verified, normal_path,
};
use verdict::verdict;

/// The reason for a refusal, and the place of the fault.
type Refusal = (String, Option<String>);

/// Pairs: a part of the library's message, and the reason as vectors state it. The first match counts.
const WORDS: [(&str, &str); 34] = [
    ("not a token", "magic"),
    (" at byte 2, expected ", "version"),
    (" at byte 3, expected ", "scheme"),
    (" at byte 4, expected ", "form"),
    ("the bytes end at ", "truncated"),
    (" more bytes follow the end ", "trailing"),
    (" bytes, the limit is ", "too long"),
    (" signatures or more, ", "too many signatures"),
    (" caveats or more, ", "too many caveats"),
    ("the token announces no blocks", "no blocks"),
    (": kind ", "kind"),
    ("the key is not the root key", "wrong root"),
    ("the key ", "key"),
    ("the signature is not a canonical point", "point"),
    ("the signature's scalar", "scalar"),
    ("the signature does not hold", "signature"),
    ("no root key has the number", "unknown root"),
    ("the secret key at the end", "possession"),
    ("the token is sealed", "sealed"),
    ("the token is not sealed", "not sealed"),
    ("the token's last key is held by a device", "held"),
    ("the nonce of the challenge is empty", "empty nonce"),
    ("s of the signature", "high s"),
    ("the verifier has no relying party", "no relying party"),
    ("of more than 1024 bytes", "assertion too long"),
    ("the client data is not in the form", "client data"),
    ("the type of the client data", "type"),
    ("the client data has another challenge", "challenge"),
    ("the client data has an origin", "origin"),
    ("the page is in a frame", "cross origin"),
    (
        "the authenticator data is not in the form",
        "authenticator data",
    ),
    ("the authenticator data is for another", "relying party"),
    ("no user was present", "user presence"),
    ("the user was not verified", "user verification"),
];

/// Translates the library's error to a reason and a place, as the vectors state them.
fn words(error: &Error) -> Refusal {
    let text = error.to_string();
    let place = match error {
        Error::Signature { place, .. } | Error::Passkey { place, .. } => Some(place.to_string()),
        Error::Malformed(_) => text.split_once(": kind ").map(|(place, _)| place.into()),
        _ => None,
    };
    let known = WORDS.iter().find(|(words, _)| text.contains(words));
    let (_, reason) = known.unwrap_or_else(|| panic!("no vector has this error: {error}"));
    (String::from(*reason), place)
}

/// The root keys, limits and relying party of a verifier.
struct Verifier<'a> {
    relying_party: Option<RelyingParty>,
    roots: &'a BTreeMap<u32, Hex>,
    limits: Limits,
}

impl<'a> Verifier<'a> {
    fn of(file: &'a File, vector: &'a Vector) -> Self {
        let party = vector.relying_party.as_ref();
        Self {
            relying_party: party.map(|party| RelyingParty {
                id: party.id.clone(),
                origins: party.origins.clone(),
                user_verification: party.user_verification,
            }),
            roots: vector.roots.as_ref().unwrap_or(&file.roots),
            limits: vector.limits.unwrap_or(file.limits).limits(),
        }
    }

    fn library<S: Twin>(&self, vector: &Vector) -> Result<Verified, Refusal> {
        let key = |bytes: &Hex| PublicKey::from_bytes(S::SCHEME, &bytes.0).unwrap();
        let mut roots: RootKeys = self
            .roots
            .iter()
            .map(|(id, root)| (*id, key(root)))
            .collect();
        if let Some(party) = &self.relying_party {
            roots.set_relying_party(party.clone());
        }
        let challenge = vector.challenge.as_ref().map(|asked| asked.challenge());
        // The library decodes tokens of all schemes, but a file's verifiers accept only the file's scheme.
        if vector.token.0.get(3).is_some_and(|scheme| *scheme != S::ID) {
            return Err(("scheme".into(), None));
        }
        Token::decode(&vector.token.0, &self.limits)
            .and_then(|token| token.verify(&roots, challenge.as_ref()))
            .map_err(|error| words(&error))
    }

    fn twin<S: Twin>(&self, vector: &Vector) -> Result<Parts, Refusal> {
        let roots = self.roots.iter().map(|(id, root)| (*id, root.0.clone()));
        let asked = vector.challenge.as_ref().map(|asked| asked.parts());
        PARTY.set(self.relying_party.clone());
        verdict::<S>(&vector.token.0, &self.limits, &roots.collect(), asked)
            .map_err(|(reason, place)| (reason.into(), place.map(|place| place.to_string())))
    }
}

fn check_file<S: Twin>(name: &str, made: &File, tokens: usize, invalid: usize) {
    format::compare(name, made);
    let file: File = format::read(name);
    assert_eq!(file.scheme, S::NAME);
    assert_eq!(file.limits.limits(), Limits::default());
    for key in &file.keys {
        let made = SecretKey::from_bytes(S::SCHEME, &key.seed.0).unwrap();
        assert_eq!(made.public_key().as_bytes()[..], key.public.0);
        assert_eq!(made.public_key().to_string(), key.text);
    }
    for vector in &file.tokens {
        let name = &vector.name;
        let verifier = Verifier::of(&file, vector);
        let (library, twin) = (verifier.library::<S>(vector), verifier.twin::<S>(vector));
        if vector.valid {
            let library = library.unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
            let twin = twin.unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
            check_valid(vector, &library, &twin);
        } else {
            let expected = (vector.reason.clone().unwrap(), vector.place.clone());
            assert_eq!(library.unwrap_err(), expected, "the library: {name}");
            assert_eq!(twin.unwrap_err(), expected, "the twin: {name}");
            check_flaw::<S>(&file, vector);
        }
    }
    assert_eq!(file.tokens.len(), tokens);
    assert_eq!(
        file.tokens.iter().filter(|vector| !vector.valid).count(),
        invalid
    );
}

/// Compares the vector of a valid token with results of the library: revocation ids, rights, statements, and
/// decisions on requests. Also compares the twin's decisions.
fn check_valid(vector: &Vector, token: &Verified, twin: &Parts) {
    let links: Vec<&Link> = vector
        .links
        .iter()
        .filter(|link| link.id.is_some())
        .collect();
    let ids = token.revocation_ids();
    assert_eq!(ids.len(), links.len(), "{}", vector.name);
    for (id, link) in ids.iter().zip(&links) {
        assert_eq!(link.id, Some(id.0.into()));
    }
    assert_eq!(vector.rights, Some(token.blocks()[0].payload().into()));
    for (link, block) in links.iter().zip(token.blocks()) {
        let Some(made) = &link.statement else {
            continue;
        };
        check_statement(made);
        assert_eq!(block.payload(), made.stated.0);
    }
    for check in &vector.checks {
        let ids: Vec<_> = ids.iter().map(|id| &id.0[..]).collect();
        check_access(vector, check, token, twin, &ids);
    }
}

/// Checks that the library makes the recorded statement.
fn check_statement(made: &Stated) {
    let request = Request::decode(&made.request.0).unwrap();
    if made.statement.0[4] != 3 {
        return check_p256_statement(&request, made);
    }
    let key = SecretKey::from_bytes(KeyKind::Ed25519, &made.seed.0).unwrap();
    let to_sign = request.to_sign(key.public_key(), &made.stated.0);
    assert_eq!(to_sign, made.signs.0);
    let statement = request
        .sign(&key, &made.stated.0)
        .unwrap()
        .encode()
        .unwrap();
    assert_eq!(statement, made.statement.0);
}

/// Checks that the library assembles the recorded statement from a device's signature.
fn check_p256_statement(request: &Request, made: &Stated) {
    let (stated, public) = (
        &made.stated.0,
        es256_public(made.seed.0[..].try_into().unwrap()),
    );
    let key = |kind| PublicKey::from_bytes(kind, &public).unwrap();
    let statement = match &made.passkey {
        None => {
            let signature = &made.statement.0[9 + 33..][..64];
            request.assemble(&key(KeyKind::Es256), stated, Signature::Bytes(signature))
        }
        Some(made) => {
            let key = key(KeyKind::Passkey);
            assert_eq!(request.to_sign(&key, stated), made.challenge.0);
            let signature = p256::ecdsa::Signature::from_slice(&made.signature.0)
                .unwrap()
                .to_der();
            let assertion = Signature::Assertion {
                authenticator_data: &made.authenticator_data.0,
                client_data_json: &made.client_data.0,
                signature: signature.as_bytes(),
            };
            request.assemble(&key, stated, assertion)
        }
    };
    assert_eq!(statement.unwrap().encode().unwrap(), made.statement.0);
    assert_eq!(request.to_sign(&key(KeyKind::Es256), stated), made.signs.0);
}

fn check_access(vector: &Vector, check: &Check, token: &Verified, twin: &Parts, ids: &[&[u8]]) {
    let expected = match check.granted {
        true => Ok(token.blocks()[0].payload().to_vec()),
        false => {
            let caveat = check.caveat.clone().unwrap();
            Err((check.block, caveat, check.reason.as_deref().unwrap()))
        }
    };
    let library = check.access.with(|access| {
        let verdict = token.check_with(access, |_| check.opaque_accepted);
        verdict.map(|rights| rights.to_vec()).map_err(|refused| {
            let reason = match refused.reason {
                Reason::Unmet => "unmet",
                Reason::Missing => "missing",
                Reason::Path(_) => "path",
                Reason::Unknown => "unknown",
                Reason::Opaque => "opaque",
                Reason::Revoked => "revoked",
                Reason::NotAnInteger => "integer",
                other => panic!("no vector has this reason: {other}"),
            };
            (refused.block, refused.caveat, reason)
        })
    });
    assert_eq!(library, expected, "the library: {check:?}");
    let revoked: Vec<_> = check.access.revoked.iter().map(|id| &id.0[..]).collect();
    let twin = check.access.with(|access| {
        let question = Question {
            access,
            opaque: check.opaque_accepted,
            seal: vector.challenge.as_ref().map(|asked| &*asked.audience),
            ids,
            revoked: &revoked,
        };
        caveats::check(twin, &question)
    });
    assert_eq!(twin, expected, "the twin: {check:?}");
}

/// Checks that the vector has only one flaw: only one item differs from `of`, and no other check fails.
fn check_flaw<S: Twin>(file: &File, flawed: &Vector) {
    let named = |vector: &&Vector| Some(&vector.name) == flawed.of.as_ref();
    let valid = file.tokens.iter().find(named).unwrap();
    assert!(valid.valid, "{}", flawed.name);
    let changed = [
        valid.token != flawed.token,
        valid.challenge != flawed.challenge,
        valid.roots != flawed.roots,
        valid.limits != flawed.limits,
        valid.relying_party != flawed.relying_party,
    ];
    let changes = changed.into_iter().filter(|changed| *changed).count();
    let reason = flawed.reason.as_deref().unwrap();
    // Vectors with one of these two reasons change both the token and the challenge: an empty nonce needs a
    // different seal, and a held token has no challenge.
    let expected = if ["empty nonce", "held"].contains(&reason) {
        2
    } else {
        1
    };
    assert_eq!(changes, expected, "{}", flawed.name);

    let Some(check) = SKIPPED.into_iter().find(|check| *check == reason) else {
        return;
    };
    if NO_WAY_ON.contains(&&*flawed.name) {
        return;
    }
    WITHOUT.set(check);
    let verdict = Verifier::of(file, flawed).twin::<S>(flawed);
    WITHOUT.set("");
    assert!(
        verdict.is_ok(),
        "without the check: {}: {verdict:?}",
        flawed.name
    );
}

/// The checks that the twin can leave out and still continue. It needs all other checks: for example, it
/// cannot read beyond the end of the bytes, and cannot verify a signature without a key.
const SKIPPED: [&str; 27] = [
    "magic",
    "version",
    "scheme",
    "form",
    "trailing",
    "too long",
    "too many signatures",
    "too many caveats",
    "key",
    "point",
    "scalar",
    "signature",
    "wrong root",
    "possession",
    "not sealed",
    "empty nonce",
    "high s",
    "assertion too long",
    "client data",
    "type",
    "challenge",
    "origin",
    "cross origin",
    "authenticator data",
    "relying party",
    "user presence",
    "user verification",
];

/// Tokens with which the twin cannot continue, even if it leaves out the check that finds the flaw. For
/// example, bytes that should encode a point do not, or no bytes are left.
const NO_WAY_ON: [&str; 15] = [
    "2^32 - 1 blocks",
    "Y of the second block is the negative encoding",
    "key of the compact form",
    "key of the hybrid form",
    "key beyond the prime",
    "ES256 statement, key of the compact form",
    "s = 0",
    "s = n",
    "r = 0",
    "ES256 statement, s = 0",
    "a bearer's form",
    "a signature in DER",
    "kind of another key",
    "passkey: 36 bytes",
    "passkey: no JSON",
];

#[test]
fn chain() {
    check_file::<Chain>("chain", &files::tokens::<Chain>(), 101, 67);
}

#[test]
fn aggregate() {
    check_file::<Aggregate>("aggregate", &files::tokens::<Aggregate>(), 99, 65);
}

#[test]
fn passkeys() {
    check_file::<Chain>("passkeys", &passkeys::file(), 69, 58);
}

/// The library and the file agree on the lines that are caveats, and on the normal forms of paths.
#[test]
fn texts() {
    format::compare("caveats", &files::texts());
    let file: Texts = format::read("caveats");
    for line in &file.lines {
        let parsed = line.line.parse::<Caveat>();
        assert_eq!(parsed.is_ok(), line.caveat, "{:?}", line.line);
    }
    for path in &file.paths {
        assert_eq!(normal_path(&path.path).ok(), path.normal, "{:?}", path.path);
    }
    assert_eq!(file.lines.iter().filter(|line| line.caveat).count(), 30);
    assert_eq!(
        file.paths
            .iter()
            .filter(|path| path.normal.is_some())
            .count(),
        14
    );
}
