//! Invalid tokens whose holder has a P-256 key, or with a statement by a P-256 key. Each has one flaw.

use ed25519_dalek::{Signer, SigningKey};
use klero_token::Place;

use super::{
    BY_ES256, BY_PASSKEY, HOLDER, STATED_ES256, STATED_PASSKEY, THIRD_PARTY, held, said, seal,
    seal_message, seal_with, statement, unvouched,
};
use crate::encoding::{
    CAVEATS_ES256, CAVEATS_PASSKEY, Part, Parts, Refusal, STATEMENT_ES256, STATEMENT_PASSKEY,
};
use crate::equations::{
    Chain, HONEST, Said, Twin, chain_message, counted, es256_public, es256_sign, passkey_challenge,
    state, with_larger_s,
};
use crate::flaws::of::Of;
use crate::format::Vector;
use crate::maker::asked;

const SEAL: Option<Place> = Some(Place::Seal);
const STATED: Option<Place> = Some(Place::ThirdParty(1));

pub fn all(valid: &[Vector]) -> Vec<Vector> {
    let of = |name: &str| Of {
        valid: valid.iter().find(|vector| vector.name == name).unwrap(),
    };
    let mut all = of_es256(&of(BY_ES256));
    all.extend(of_passkeys(&of(BY_PASSKEY)));
    all.extend(of_assertions(&of(BY_PASSKEY)));
    all.extend(of_statements(&of(STATED_ES256), &of(STATED_PASSKEY)));
    all
}

fn of_es256(of: &Of<'_>) -> Vec<Vector> {
    let parts = |name, refusal, flaw: &dyn Fn(&mut Parts)| of.parts::<Chain>(name, refusal, flaw);
    let key = ("key", Some(Place::Block(1)));
    let with_key = |name, change: fn(&mut [u8])| {
        parts(name, key, &|token| {
            let mut next = es256_public(&HOLDER);
            change(&mut next);
            let before = state(Chain::ID, 0, &token.blocks[..1]);
            let payload = &token.blocks[1].payload;
            let message = chain_message(CAVEATS_ES256, &before, &next, payload);
            let signature = SigningKey::from_bytes(&[0x11; 32]).sign(&message);
            token.blocks[1].link = [&next[..], &signature.to_bytes()].concat();
        })
    };
    let order = hex::decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
    let order = order.unwrap();
    let held = Vector {
        challenge: None,
        ..parts("held by an ES256 key", ("held", None), &|token| {
            (token.held, token.sealed) = (true, false);
            token.end.clear();
        })
    };
    vec![
        held,
        of.asked("another time", ("signature", SEAL), |asked| asked.time += 1),
        parts("the larger s", ("high s", SEAL), &|token| {
            token.end = with_larger_s(&token.end);
        }),
        parts("s = 0", ("scalar", SEAL), &|token| token.end[32..].fill(0)),
        parts("s = n", ("scalar", SEAL), &|token| {
            token.end[32..].copy_from_slice(&order);
        }),
        parts("r = 0", ("scalar", SEAL), &|token| token.end[..32].fill(0)),
        parts("r + 1", ("signature", SEAL), &|token| token.end[31] ^= 1),
        parts("a signature in DER", ("trailing", None), &|token| {
            let der = p256::ecdsa::Signature::from_slice(&token.end)
                .unwrap()
                .to_der();
            token.end = der.as_bytes().to_vec();
        }),
        parts("by another key", ("signature", SEAL), &|token| {
            token.end = es256_sign(&THIRD_PARTY, b"whatever");
        }),
        parts("a bearer's form", ("form", None), &|token| {
            token.sealed = false;
            token.end = vec![9; 32];
        }),
        parts(
            "a block behind",
            ("kind", Some(Place::Block(2))),
            &|token| {
                token.blocks.push(Part {
                    kind: 1,
                    link: vec![0; 96],
                    payload: Vec::new(),
                });
            },
        ),
        parts(
            "kind of another key",
            ("signature", Some(Place::Block(1))),
            &|token| {
                token.blocks[1].kind = CAVEATS_PASSKEY;
                let [_, data, json] = HONEST.sign(&HOLDER, &[0; 32]);
                token.end.extend(counted([&data, &json]));
            },
        ),
        with_key("key of the compact form", |key| key[0] = 5),
        with_key("key of the hybrid form", |key| key[0] = 6),
        with_key("key beyond the prime", |key| key[1..].fill(0xff)),
    ]
}

/// Flaws in the data that a passkey and a browser write, in the challenge, and in the relying party.
fn of_passkeys(of: &Of<'_>) -> Vec<Vector> {
    let said = |name, reason, change: fn(&mut Said)| {
        let token = seal(held(CAVEATS_PASSKEY), &asked(), &said(change)).parts;
        of.token(name, (reason, SEAL), &token)
    };
    let data = "authenticator data";
    vec![
        said("a new passkey", "type", |said| {
            said.of_type = "webauthn.create"
        }),
        said("another page", "origin", |said| {
            said.origin = "https://evil.example"
        }),
        said("without encryption", "origin", |said| {
            said.origin = "http://shop.example"
        }),
        said("another port", "origin", |said| {
            said.origin = "https://shop.example:8443"
        }),
        said("in a frame", "cross origin", |said| {
            said.rest = ",\"crossOrigin\":true}"
        }),
        said("in a frame, with its page", "cross origin", |said| {
            said.rest = ",\"crossOrigin\":true,\"topOrigin\":\"https://evil.example\"}";
        }),
        said("a page of a frame without one", "cross origin", |said| {
            said.rest = ",\"crossOrigin\":false,\"topOrigin\":\"https://shop.example\"}";
        }),
        said("another relying party", "relying party", |said| {
            said.id = "evil.example"
        }),
        said("nobody present", "user presence", |said| said.flags = 0x1c),
        said("not verified", "user verification", |said| {
            said.flags = 0x19
        }),
        said("flag of attested data", data, |said| said.flags = 0x5d),
        said("reserved flag 1", data, |said| said.flags = 0x1f),
        said("reserved flag 5", data, |said| said.flags = 0x3d),
        said("backed up, and not eligible", data, |said| {
            said.flags = 0x15
        }),
        said("extensions without a flag", data, |said| {
            said.extensions = &[0xa0]
        }),
        said("flag without extensions", data, |said| said.flags = 0x9d),
        said("extensions that are no map", data, |said| {
            (said.flags, said.extensions) = (0x9d, &[0x80]);
        }),
        said("1025 bytes", "assertion too long", |said| {
            (said.flags, said.extensions) = (0x9d, &[0xa0; 1025 - 37]);
        }),
        of.asked("another challenge", ("challenge", SEAL), |asked| {
            asked.nonce.0[0] ^= 1
        }),
        Vector {
            relying_party: None,
            ..of.invalid("no relying party", ("no relying party", SEAL))
        },
    ]
}

/// Flaws in the form of an assertion, and in its signature.
fn of_assertions(of: &Of<'_>) -> Vec<Vector> {
    let honest = || {
        let token = held(CAVEATS_PASSKEY);
        let challenge = passkey_challenge(&seal_message(&token, &asked()));
        (token, HONEST.sign(&HOLDER, &challenge))
    };
    let signed = |name, refusal: Refusal, change: fn(&mut Vec<u8>, &mut Vec<u8>)| {
        let (token, [_, mut data, mut json]) = honest();
        change(&mut data, &mut json);
        let signed = Said::signed(&HOLDER, data, json);
        of.token(name, refusal, &seal_with(token, &asked(), signed).parts)
    };
    let unsigned = |name, refusal: Refusal, change: fn(&mut [Vec<u8>; 3])| {
        let (token, mut signed) = honest();
        change(&mut signed);
        of.token(name, refusal, &seal_with(token, &asked(), signed).parts)
    };
    let bytes = |name, reason, flaw: fn(&mut Vec<u8>)| of.bytes(name, reason, flaw);
    vec![
        signed("36 bytes", ("authenticator data", SEAL), |data, _| {
            data.truncate(36)
        }),
        signed("a space", ("client data", SEAL), |_, json| {
            json.insert(1, b' ')
        }),
        signed("a space at the end", ("client data", SEAL), |_, json| {
            json.push(b' ')
        }),
        signed("no JSON", ("client data", SEAL), |_, json| {
            json.truncate(json.len() - 1)
        }),
        unsigned("counter changed", ("signature", SEAL), |signed| {
            signed[1][36] ^= 1
        }),
        unsigned("member added", ("signature", SEAL), |signed| {
            let at = signed[2].len() - 1;
            signed[2].splice(at..at, *b",\"a\":1");
        }),
        unsigned("the larger s", ("high s", SEAL), |signed| {
            signed[0] = with_larger_s(&signed[0]);
        }),
        unsigned("the challenge signed", ("signature", SEAL), |signed| {
            let token = held(CAVEATS_PASSKEY);
            let challenge = passkey_challenge(&seal_message(&token, &asked()));
            signed[0] = es256_sign(&HOLDER, &challenge);
        }),
        unsigned("the message signed", ("signature", SEAL), |signed| {
            signed[0] = es256_sign(&HOLDER, &seal_message(&held(CAVEATS_PASSKEY), &asked()));
        }),
        bytes("cut within the assertion", "truncated", |bytes| {
            bytes.truncate(bytes.len() - 1)
        }),
        bytes("a byte behind the assertion", "trailing", |bytes| {
            bytes.push(0)
        }),
    ]
    .into_iter()
    .map(|mut vector| {
        vector.name = format!("passkey: {}", vector.name);
        vector
    })
    .collect()
}

fn of_statements(es256: &Of<'_>, passkey: &Of<'_>) -> Vec<Vector> {
    let with = |of: &Of<'_>, name, reason, kind, change: fn(&mut Said), flaw: fn(&mut Vec<u8>)| {
        let before = unvouched(kind);
        let (mut payload, _) = statement(&before, kind, &said(change));
        flaw(&mut payload);
        of.token(name, (reason, STATED), &before.block(kind, &payload).parts)
    };
    let of_es256 = |name, reason, flaw| with(es256, name, reason, STATEMENT_ES256, |_| {}, flaw);
    let of_passkey =
        |name, reason, change| with(passkey, name, reason, STATEMENT_PASSKEY, change, |_| {});
    let larger = |payload: &mut Vec<u8>| {
        let larger = with_larger_s(&payload[33..97]);
        payload[33..97].copy_from_slice(&larger);
    };
    let changed = |payload: &mut Vec<u8>| *payload.last_mut().unwrap() ^= 1;
    vec![
        of_es256("ES256 statement changed", "signature", changed),
        of_es256("ES256 statement with the larger s", "high s", larger),
        of_es256("ES256 statement, s = 0", "scalar", |payload| {
            payload[65..97].fill(0)
        }),
        of_es256(
            "ES256 statement, key of the compact form",
            "key",
            |payload| payload[0] = 5,
        ),
        with(
            passkey,
            "passkey's statement changed",
            "challenge",
            STATEMENT_PASSKEY,
            |_| {},
            changed,
        ),
        with(
            passkey,
            "passkey's statement with the larger s",
            "high s",
            STATEMENT_PASSKEY,
            |_| {},
            larger,
        ),
        of_passkey("passkey's statement on another page", "origin", |said| {
            said.origin = "https://evil.example";
        }),
        of_passkey(
            "passkey's statement for another relying party",
            "relying party",
            |said| {
                said.id = "evil.example";
            },
        ),
        of_passkey(
            "passkey's statement without a user",
            "user presence",
            |said| said.flags = 0x1c,
        ),
        of_passkey("passkey's statement in a frame", "cross origin", |said| {
            said.rest = ",\"crossOrigin\":true}";
        }),
        Vector {
            relying_party: None,
            ..passkey.invalid(
                "passkey's statement, no relying party",
                ("no relying party", STATED),
            )
        },
        passkey.parts::<Chain>("passkey's statement cut", ("truncated", None), |token| {
            token.blocks[1].payload.truncate(200);
        }),
    ]
}
