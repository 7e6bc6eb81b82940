//! Tokens whose holder has a P-256 key, and tokens with statements by P-256 keys.

use ed25519_dalek::{Signer, SigningKey};

use crate::encoding::{
    CAVEATS_ES256, CAVEATS_PASSKEY, Part, SEAL_ES256, SEAL_PASSKEY, STATEMENT_ES256,
    STATEMENT_PASSKEY,
};
use crate::equations::{
    Chain, HONEST, Said, Twin, chain_message, counted, es256_public, es256_sign, passkey_challenge,
    state, statement_message,
};
use crate::files;
use crate::format::{Asked, Asserted, File, Link, Party, Stated, Vector};
use crate::maker::{Maker, asked};
use crate::valid::{full, granted, refused};
use crate::verdict::answer;

// Secret keys of P-256, as numbers of 32 bytes in big-endian order.
const HOLDER: [u8; 32] = [5; 32];
const THIRD_PARTY: [u8; 32] = [6; 32];

mod flaws;

pub fn file() -> File {
    let mut tokens = valid();
    tokens.extend(flaws::all(&tokens));
    files::of_tokens::<Chain>(tokens)
}

fn party() -> Party {
    Party {
        id: HONEST.id.into(),
        origins: vec!["https://www.shop.example".into(), HONEST.origin.into()],
        user_verification: true,
    }
}

/// A token whose holder has a P-256 key.
fn held(kind: u8) -> Maker<Chain> {
    let mut token = Maker::<Chain>::mint(0, "account 17", "");
    let (payload, next) = (b"path /files", es256_public(&HOLDER));
    let (before, seed) = (token.state(), token.seed(1));
    let message = chain_message(kind, &before, &next, payload);
    let signature = SigningKey::from_bytes(&seed).sign(&message).to_bytes();
    token.parts.blocks.push(Part {
        kind,
        link: [&next[..], &signature].concat(),
        payload: payload.to_vec(),
    });
    token.parts.end.clear();
    token.parts.held = true;
    let after = token.state();
    token.links.push(Link {
        kind,
        payload: payload.into(),
        seed: Some(seed.into()),
        link: (&token.parts.blocks[1].link).into(),
        signs: Some(message.into()),
        state: after.into(),
        id: Some(id(&after).into()),
        ..Link::default()
    });
    token
}

fn id(state: &[u8; 64]) -> [u8; 32] {
    use sha2::{Digest, Sha512};
    let hash = Sha512::digest([&b"klero-token/id\x03"[..], state].concat());
    hash[..32].try_into().unwrap()
}

/// Seals the token with its holder's key. `said` is the data that a passkey and the browser write.
fn seal(token: Maker<Chain>, asked: &Asked, said: &Said) -> Maker<Chain> {
    let challenge = passkey_challenge(&seal_message(&token, asked));
    seal_with(token, asked, said.sign(&HOLDER, &challenge))
}

fn seal_kind(token: &Maker<Chain>) -> u8 {
    match token.parts.blocks[1].kind {
        CAVEATS_ES256 => SEAL_ES256,
        _ => SEAL_PASSKEY,
    }
}

fn seal_message(token: &Maker<Chain>, asked: &Asked) -> Vec<u8> {
    chain_message(
        seal_kind(token),
        &token.state(),
        &[],
        &answer(asked.parts()),
    )
}

fn seal_with(
    mut token: Maker<Chain>,
    asked: &Asked,
    [signature, data, json]: [Vec<u8>; 3],
) -> Maker<Chain> {
    let (kind, payload) = (seal_kind(&token), answer(asked.parts()));
    let message = seal_message(&token, asked);
    let signature = match kind {
        SEAL_ES256 => es256_sign(&HOLDER, &message),
        _ => signature,
    };
    (token.parts.held, token.parts.sealed) = (false, true);
    token.parts.end = signature.clone();
    let mut passkey = None;
    if kind == SEAL_PASSKEY {
        token.parts.end.extend(counted([&data, &json]));
        passkey = Some(Asserted {
            challenge: passkey_challenge(&message).into(),
            authenticator_data: data.into(),
            client_data: json.into(),
            signature: (&signature).into(),
        });
    }
    let mut blocks = token.parts.blocks.clone();
    blocks.push(Part {
        kind,
        link: signature.clone(),
        payload: payload.clone(),
    });
    token.links.push(Link {
        kind,
        payload: payload.into(),
        seed: Some(HOLDER.into()),
        link: signature.into(),
        signs: Some(message.into()),
        passkey,
        state: state(Chain::ID, 0, &blocks).into(),
        ..Link::default()
    });
    token
}

/// A token that requires a statement of this kind by the third party's key.
fn unvouched(kind: u8) -> Maker<Chain> {
    use base64ct::{Base64UrlUnpadded, Encoding};
    let name = if kind == STATEMENT_ES256 {
        "es256"
    } else {
        "passkey"
    };
    let key = Base64UrlUnpadded::encode_string(&es256_public(&THIRD_PARTY));
    Maker::mint(0, "account 17", &format!("vouched {name}:{key} of age"))
}

/// The payload of a statement, and the record of how the statement was made.
fn statement(token: &Maker<Chain>, kind: u8, said: &Said) -> (Vec<u8>, Stated) {
    let (key, text, before) = (es256_public(&THIRD_PARTY), b"of age", token.state());
    let message = statement_message(Chain::ID, &before, &key, text);
    let challenge = passkey_challenge(&message);
    let [signature, data, json] = said.sign(&THIRD_PARTY, &challenge);
    let (payload, passkey) = match kind {
        STATEMENT_ES256 => {
            let signature = es256_sign(&THIRD_PARTY, &message);
            ([&key[..], &signature, text].concat(), None)
        }
        _ => {
            let signed = counted([&data, &json]);
            let asserted = Asserted {
                challenge: challenge.into(),
                authenticator_data: data.into(),
                client_data: json.into(),
                signature: (&signature).into(),
            };
            (
                [&key[..], &signature, &signed, text].concat(),
                Some(asserted),
            )
        }
    };
    let form = if kind == STATEMENT_ES256 { 6 } else { 7 };
    let length = (payload.len() as u32).to_le_bytes();
    let made = Stated {
        seed: THIRD_PARTY.into(),
        request: [&b"KT\x03"[..], &[Chain::ID, 2], &before].concat().into(),
        stated: text.into(),
        signs: message.into(),
        passkey,
        statement: [&b"KT\x03"[..], &[Chain::ID, form], &length, &payload]
            .concat()
            .into(),
    };
    (payload, made)
}

fn stated(token: Maker<Chain>, kind: u8, said: &Said) -> Maker<Chain> {
    let (payload, made) = statement(&token, kind, said);
    let mut token = token.block(kind, &payload);
    token.links.last_mut().unwrap().statement = Some(made);
    token
}

const BY_ES256: &str = "sealed by an ES256 key";
const BY_PASSKEY: &str = "sealed by a passkey";
const STATED_ES256: &str = "statement by an ES256 key";
const STATED_PASSKEY: &str = "statement by a passkey";

fn valid() -> Vec<Vector> {
    let sealed = |name, kind, said: Said| Vector {
        challenge: Some(asked()),
        relying_party: (kind == CAVEATS_PASSKEY).then(party),
        ..seal(held(kind), &asked(), &said).valid(name, [granted(full())])
    };
    let vouched = |name, kind| Vector {
        relying_party: (kind == STATEMENT_PASSKEY).then(party),
        ..stated(unvouched(kind), kind, &HONEST).valid(name, [granted(full())])
    };
    let other = stated(unvouched(STATEMENT_ES256), STATEMENT_PASSKEY, &HONEST);
    let shown = String::from_utf8(other.parts.blocks[0].lines()[0].to_vec()).unwrap();
    let mut all = vec![
        sealed(BY_ES256, CAVEATS_ES256, HONEST),
        sealed(BY_PASSKEY, CAVEATS_PASSKEY, HONEST),
        vouched(STATED_ES256, STATEMENT_ES256),
        vouched(STATED_PASSKEY, STATEMENT_PASSKEY),
        Vector {
            relying_party: Some(party()),
            ..other.valid(
                "statement by a passkey, asked of an ES256 key",
                [refused(full(), 0, &shown, "unmet")],
            )
        },
    ];
    let said = [
        ("no crossOrigin", said(|said| said.rest = "}")),
        (
            "another member",
            said(|said| said.rest = ",\"crossOrigin\":false,\"a\":\"b\"}"),
        ),
        (
            "another page of the verifier",
            said(|said| said.origin = "https://www.shop.example"),
        ),
        (
            "extensions",
            said(|said| (said.flags, said.extensions) = (0x9d, &[0xa1, 0x61, b'x', 0xf5])),
        ),
        (
            "a passkey that is not backed up",
            said(|said| said.flags = 0x05),
        ),
    ];
    all.extend(said.map(|(name, said)| sealed(name, CAVEATS_PASSKEY, said)));
    let mut present = sealed("only present", CAVEATS_PASSKEY, said_present());
    present.relying_party.as_mut().unwrap().user_verification = false;
    all.push(present);
    all
}

fn said(change: impl FnOnce(&mut Said)) -> Said {
    let mut said = HONEST;
    change(&mut said);
    said
}

fn said_present() -> Said {
    said(|said| said.flags = 0x01)
}
