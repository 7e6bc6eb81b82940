//! Invalid tokens: each is a valid one with one flaw.

use blst::min_pk;
use curve25519_dalek::EdwardsPoint;
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::scalar::Scalar;
use klero_token::{Aggregate, Bls, Chain, Limits, Place};
use sha2::{Digest, Sha512};

use crate::encoding::{CAVEATS, OPAQUE, Part, Parts, ROOT, Refusal};
use crate::equations::{
    ANYBODY, Twin, add_signatures, aggregate_secret, bls_secret, chain_message, coefficients_at,
    infinity, multiple, scalar, state, stated, statement_message,
};
use crate::format::{Asked, Bounds, Hex, Vector};
use crate::make::{BEFORE, Maker, ROOTS, THIRD_PARTY, asked, narrowed, roots, unvouched, wrong};

/// Limits that no vector reaches.
pub const NO_LIMITS: Limits = Limits {
    signatures: u32::MAX,
    pairings: u32::MAX,
    caveats: u32::MAX,
    bytes: usize::MAX,
};

/// All invalid tokens of a scheme, made of the valid ones.
pub fn all<S: Twin>(valid: &[Vector]) -> Vec<Vector> {
    let of = |name: &str| Of {
        valid: valid.iter().find(|vector| vector.name == name).unwrap(),
    };
    let mut all = encodings::<S>(&of("caveats"), &of("statement"));
    all.extend(limits(&of("exactly at its limits"), S::NAME));
    all.extend(root_keys::<S>(
        &of("caveats"),
        &of("one root key under two numbers"),
    ));
    all.extend(blocks::<S>(&of("caveats")));
    all.extend(challenges::<S>(&of("caveats"), &of("sealed")));
    all.extend(statements::<S>(&of("statement")));
    all.extend(match S::NAME {
        "chain" => chain(&of("caveats"), &of("sealed")),
        "aggregate" => aggregate(&of("caveats"), &of("one block")),
        _ => bls(&of("caveats")),
    });
    all
}

/// What a flaw is put into.
struct Of<'a> {
    valid: &'a Vector,
}

impl Of<'_> {
    fn invalid(&self, name: &str, (reason, place): Refusal) -> Vector {
        let Vector {
            token,
            challenge,
            roots,
            limits,
            ..
        } = self.valid.clone();
        Vector {
            name: name.into(),
            of: Some(self.valid.name.clone()),
            reason: Some(reason.into()),
            place: place.map(|place| place.to_string()),
            token,
            challenge,
            roots,
            limits,
            ..Vector::default()
        }
    }

    fn bytes(&self, name: &str, reason: &'static str, flaw: impl FnOnce(&mut Vec<u8>)) -> Vector {
        let mut vector = self.invalid(name, (reason, None));
        flaw(&mut vector.token.0);
        vector
    }

    fn parts<S: Twin>(
        &self,
        name: &str,
        refusal: Refusal,
        flaw: impl FnOnce(&mut Parts),
    ) -> Vector {
        let mut parts = Parts::read_within::<S>(&self.valid.token.0, &NO_LIMITS).unwrap();
        flaw(&mut parts);
        self.token(name, refusal, &parts)
    }

    fn token(&self, name: &str, refusal: Refusal, parts: &Parts) -> Vector {
        Vector {
            token: parts.bytes().into(),
            ..self.invalid(name, refusal)
        }
    }

    fn asked(&self, name: &str, refusal: Refusal, flaw: impl FnOnce(&mut Asked)) -> Vector {
        let mut asked = asked();
        flaw(&mut asked);
        Vector {
            challenge: Some(asked),
            ..self.invalid(name, refusal)
        }
    }
}

fn encodings<S: Twin>(of: &Of<'_>, with_statement: &Of<'_>) -> Vec<Vector> {
    let first_length = 13 + 1 + S::link_length(ROOT);
    let kind = |name, block, kind| {
        let refusal = ("kind", Some(Place::Block(block)));
        of.parts::<S>(name, refusal, |token| token.blocks[block].kind = kind)
    };
    let truncated = ("truncated", None);
    vec![
        of.bytes("no bytes", "truncated", Vec::clear),
        of.bytes("header alone", "truncated", |bytes| bytes.truncate(5)),
        of.bytes("cut within the first payload", "truncated", |bytes| {
            bytes.truncate(first_length + 8);
        }),
        of.bytes("last byte missing", "truncated", |bytes| {
            bytes.truncate(bytes.len() - 1);
        }),
        of.bytes("one byte more", "trailing", |bytes| bytes.push(0)),
        of.bytes("not a token", "magic", |bytes| bytes[0] = b'k'),
        of.bytes("version 1", "version", |bytes| bytes[2] = 1),
        of.bytes("version 3", "version", |bytes| bytes[2] = 3),
        of.bytes("scheme 0", "scheme", |bytes| bytes[3] = 0),
        of.bytes("another scheme", "scheme", |bytes| bytes[3] = S::ID % 3 + 1),
        of.bytes("form of a request", "form", |bytes| bytes[4] = 2),
        of.bytes("form of a statement", "form", |bytes| bytes[4] = 3),
        of.bytes("form 5", "form", |bytes| bytes[4] = 5),
        of.bytes("no blocks", "no blocks", |bytes| bytes[9] = 0),
        of.bytes("2^32 - 1 blocks", "too many signatures", |bytes| {
            bytes[9..13].fill(0xff)
        }),
        of.bytes("a payload of 2^32 - 1 bytes", "truncated", |bytes| {
            bytes[first_length..][..4].fill(0xff);
        }),
        of.parts::<S>("rights longer than their block", truncated, |token| {
            token.blocks[0].payload[17] = 1;
        }),
        of.parts::<S>("first block of 19 bytes", truncated, |token| {
            token.blocks[0].payload.truncate(19);
        }),
        with_statement.parts::<S>("statement of 95 bytes", truncated, |token| {
            token.blocks[2].payload.truncate(95);
        }),
        kind("first block of caveats", 0, CAVEATS),
        kind("second block of the first's kind", 1, ROOT),
        kind("block of the kind of a seal", 2, 4),
        kind("block of kind 5", 2, 5),
    ]
}

fn limits(of: &Of<'_>, scheme: &str) -> Vec<Vector> {
    let limited = |name, reason, lower: fn(&mut Bounds)| {
        let mut vector = of.invalid(name, (reason, None));
        lower(vector.limits.as_mut().unwrap());
        vector
    };
    let mut all = vec![
        limited("a signature too many", "too many signatures", |most| {
            most.signatures -= 1
        }),
        limited("a caveat too many", "too many caveats", |most| {
            most.caveats -= 1
        }),
        limited("a byte too many", "too long", |most| most.bytes -= 1),
    ];
    if scheme == "bls" {
        let reason = "too many signatures";
        all.push(limited("a pairing too many", reason, |most| {
            most.pairings -= 1
        }));
    }
    all
}

fn root_keys<S: Twin>(of: &Of<'_>, under_two: &Of<'_>) -> Vec<Vector> {
    let wrong_root = match S::NAME {
        "chain" => wrong::<S>(Place::Block(0)),
        _ => ("wrong root", None),
    };
    vec![
        Vector {
            roots: Some(roots::<S>([(0, ROOTS[1].1)])),
            ..of.invalid("another root key", wrong_root)
        },
        Vector {
            roots: Some(roots::<S>([(1, ROOTS[0].1)])),
            ..of.invalid("no root key of this number", ("unknown root", None))
        },
        under_two.parts::<S>(
            "number of the root key changed",
            wrong::<S>(Place::Block(0)),
            |token| {
                token.root_id = 7;
            },
        ),
    ]
}

fn blocks<S: Twin>(of: &Of<'_>) -> Vec<Vector> {
    let at = |block| wrong::<S>(Place::Block(block));
    let change = |name, refusal, flaw: fn(&mut Parts)| of.parts::<S>(name, refusal, flaw);
    // Whoever takes the last block off lacks the secret before it.
    let no_secret = match S::NAME {
        "chain" => ("possession", None),
        _ => at(2),
    };
    vec![
        change("random bytes changed", at(0), |token| {
            token.blocks[0].payload[0] ^= 1
        }),
        change("rights changed", at(0), |token| {
            token.blocks[0].payload[20] ^= 1
        }),
        change("caveat of the issuer changed", at(0), |token| {
            *token.blocks[0].payload.last_mut().unwrap() ^= 1;
        }),
        change("caveat becomes a right", at(0), |token| {
            token.blocks[0].payload[16] += 1
        }),
        change("second block changed", at(1), |token| {
            token.blocks[1].payload[0] ^= 1
        }),
        change("last block changed", at(2), |token| {
            token.blocks[2].payload[0] ^= 1
        }),
        change("caveats turned into bytes", at(1), |token| {
            token.blocks[1].kind = OPAQUE
        }),
        change("blocks swapped", at(1), |token| {
            token.blocks.swap(1, 2);
            if token.scheme == 1 {
                // Of the key in what is the last block now.
                token.end = vec![0x12; 32];
            }
        }),
        change("payloads swapped", at(1), |token| {
            let [_, one, two] = &mut token.blocks[..] else {
                unreachable!()
            };
            std::mem::swap(&mut one.payload, &mut two.payload);
        }),
        change("second block removed", at(1), |token| {
            drop(token.blocks.remove(1))
        }),
        change("last block repeated", at(3), |token| {
            let last = token.blocks[2].clone();
            token.blocks.push(last);
        }),
        change("last block removed", no_secret, |token| {
            drop(token.blocks.pop())
        }),
    ]
}

fn challenges<S: Twin>(bearer: &Of<'_>, sealed: &Of<'_>) -> Vec<Vector> {
    let wrong = wrong::<S>(Place::Seal);
    let nothing = Asked {
        nonce: Hex::default(),
        ..asked()
    };
    vec![
        Vector {
            challenge: None,
            ..sealed.invalid("no challenge set", ("sealed", None))
        },
        bearer.asked("not sealed", ("not sealed", None), |_| {}),
        sealed.asked("another nonce", wrong, |asked| asked.nonce.0[0] ^= 1),
        sealed.asked("another audience", wrong, |asked| asked.audience.push('s')),
        sealed.asked("another time", wrong, |asked| asked.time += 1),
        sealed.asked("a byte of the nonce in the audience", wrong, |asked| {
            let byte = asked.nonce.0.pop().unwrap();
            asked.audience.insert(0, byte.into());
        }),
        Vector {
            challenge: Some(nothing.clone()),
            token: narrowed::<S>().seal(&nothing).parts.bytes().into(),
            ..sealed.invalid("empty nonce", ("empty nonce", None))
        },
        sealed.parts::<S>("seal of another token", wrong, |token| {
            token.end = unvouched::<S>().seal(&asked()).parts.end;
        }),
        sealed.parts::<S>(
            "block changed under the seal",
            self::wrong::<S>(Place::Block(2)),
            |token| {
                token.blocks[2].payload[0] ^= 1;
            },
        ),
    ]
}

/// A signature with an R of choice, r·G and a point of small order: it holds if the equation is
/// multiplied by the cofactor, and if the point is the identity in any case.
fn signed_with(seed: &[u8; 32], message: &[u8], r: Scalar, small: EdwardsPoint) -> Vec<u8> {
    let expanded: [u8; 64] = Sha512::digest(seed).into();
    let mut secret: [u8; 32] = expanded[..32].try_into().unwrap();
    (secret[0], secret[31]) = (secret[0] & 0xf8, secret[31] & 0x3f | 0x40);
    let secret = Scalar::from_bytes_mod_order(secret);
    let public = EdwardsPoint::mul_base(&secret);
    let commitment = EdwardsPoint::mul_base(&r) + small;
    let encoded = commitment.compress().to_bytes();
    let hashed = [&encoded, public.compress().as_bytes(), message].concat();
    let k = Scalar::from_bytes_mod_order_wide(&Sha512::digest(hashed).into());
    let s = r + k * secret;
    let rest = EdwardsPoint::mul_base(&s) - k * public - commitment;
    assert!(rest.is_small_order());
    [encoded, s.to_bytes()].concat()
}

/// By a key of small order, which has no secret, for any message.
fn signed_by_nobody() -> Vec<u8> {
    let s = Scalar::from(5u8);
    [
        EdwardsPoint::mul_base(&s).compress().to_bytes(),
        s.to_bytes(),
    ]
    .concat()
}

/// The identity, and its other encoding with y = p + 1.
fn identities() -> [[u8; 32]; 2] {
    let (mut one, mut beyond) = ([0; 32], [0xff; 32]);
    one[0] = 1;
    (beyond[0], beyond[31]) = (0xee, 0x7f);
    [one, beyond]
}

/// s + L.
fn add_order(s: &mut [u8]) {
    let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    let mut carry = 0;
    for (byte, more) in s.iter_mut().zip(hex::decode(order).unwrap()) {
        carry += u16::from(*byte) + u16::from(more);
        *byte = carry as u8;
        carry >>= 8;
    }
}

fn statements<S: Twin>(of: &Of<'_>) -> Vec<Vector> {
    let before = unvouched::<S>();
    let here = before.state();
    let key = {
        let seed = ed25519_dalek::SigningKey::from_bytes(&THIRD_PARTY);
        seed.verifying_key().to_bytes()
    };
    let text = b"of age";
    let honest = |scheme, state| stated(scheme, state, &THIRD_PARTY, text);
    let first = state(S::ID, 0, &before.parts.blocks[..1]);
    let message = statement_message(S::ID, &here, &key, text);
    let with_r = |r, small| {
        let signature = signed_with(&THIRD_PARTY, &message, r, small);
        [&key[..], &signature, text].concat()
    };
    let [identity, beyond] = identities().map(|key| [&key[..], &signed_by_nobody(), text].concat());
    let mut changed = honest(S::ID, &here);
    *changed.last_mut().unwrap() ^= 1;
    let mut plus_order = honest(S::ID, &here);
    add_order(&mut plus_order[64..96]);
    [
        ("statement changed", "signature", changed),
        (
            "statement for the token before",
            "signature",
            honest(S::ID, &first),
        ),
        (
            "statement for another scheme",
            "signature",
            honest(S::ID % 3 + 1, &here),
        ),
        ("third party's s + L", "scalar", plus_order),
        (
            "third party's R of small order",
            "signature",
            with_r(Scalar::ZERO, EIGHT_TORSION[0]),
        ),
        (
            "third party's R plus a point of order 8",
            "signature",
            with_r(Scalar::ONE, EIGHT_TORSION[1]),
        ),
        ("third party's key of small order", "key", identity),
        ("third party's key not canonical", "key", beyond),
    ]
    .map(|(name, reason, statement)| {
        let token = before.clone().statement(&statement).parts;
        of.token(name, (reason, Some(Place::ThirdParty(2))), &token)
    })
    .into()
}

fn chain(of: &Of<'_>, sealed: &Of<'_>) -> Vec<Vector> {
    let at = |reason, block| (reason, Some(Place::Block(block)));
    let made = narrowed::<Chain>();
    let message = |block: usize, next: &[u8]| {
        let blocks = &made.parts.blocks;
        let before = state(1, 0, &blocks[..block]);
        chain_message(blocks[block].kind, &before, next, &blocks[block].payload)
    };
    // The last block, signed with a key or with an R of choice. Nothing is signed after it.
    let signed = |name, seed: &[u8; 32], r, small| {
        of.parts::<Chain>(name, at("signature", 2), |token| {
            let link = &mut token.blocks[2].link;
            let signature = signed_with(seed, &message(2, &link[..32]), r, small);
            link.splice(32.., signature);
        })
    };
    // The second block names a key that nobody has, with which the third is signed.
    let with_key = |name, key: [u8; 32]| {
        of.parts::<Chain>(name, at("key", 1), |token| {
            let message = message(1, &key);
            let signature = signed_with(&[0x11; 32], &message, Scalar::ONE, EIGHT_TORSION[0]);
            token.blocks[1].link = [&key[..], &signature].concat();
            token.blocks[2].link.splice(32.., signed_by_nobody());
        })
    };
    let [identity, beyond] = identities();
    let (last, root) = ([0x12; 32], ROOTS[0].1);
    vec![
        of.parts::<Chain>("s + L", at("scalar", 2), |token| {
            add_order(&mut token.blocks[2].link[64..]);
        }),
        signed("R of small order", &last, Scalar::ZERO, EIGHT_TORSION[0]),
        signed(
            "R plus a point of order 8",
            &last,
            Scalar::ONE,
            EIGHT_TORSION[1],
        ),
        signed(
            "last block signed by the root key",
            &root,
            Scalar::ONE,
            EIGHT_TORSION[0],
        ),
        with_key("next key of small order", identity),
        with_key("next key not canonical", beyond),
        of.parts::<Chain>("next key replaced", at("signature", 2), |token| {
            let mine = ed25519_dalek::SigningKey::from_bytes(&ANYBODY);
            token.blocks[2].link[..32].copy_from_slice(mine.verifying_key().as_bytes());
            token.end = ANYBODY.to_vec();
        }),
        of.parts::<Chain>("secret of another key", ("possession", None), |token| {
            token.end = ANYBODY.to_vec();
        }),
        Vector {
            challenge: None,
            ..sealed.parts::<Chain>("held by a device", ("held", None), |token| {
                (token.sealed, token.held) = (false, true);
                token.end.clear();
            })
        },
    ]
}

/// The token of two blocks whose second has this link, and this signature in the sum.
fn second<S: Twin>(link: Vec<u8>, end: impl FnOnce(&[u8], &[u8; 64]) -> Vec<u8>) -> Parts {
    let mut token = Maker::<S>::mint(0, "account 17", BEFORE).parts;
    token.blocks.push(Part {
        kind: CAVEATS,
        link,
        payload: b"path /files\nmethod GET HEAD".to_vec(),
    });
    let after = state(S::ID, 0, &token.blocks);
    token.end = end(&token.end, &after);
    token
}

fn aggregate(of: &Of<'_>, of_one: &Of<'_>) -> Vec<Vector> {
    let everywhere = |reason| (reason, Some(Place::Aggregate));
    let at_second = |reason| (reason, Some(Place::Block(1)));
    let (x, k) = (aggregate_secret(&[0x11; 32]), Scalar::from(5u8));
    let (key, commitment) = (multiple(x), multiple(k));
    // S with the second signature k + c·x, times its weight or another.
    let with = |key: [u8; 32], commitment: [u8; 32], x: Scalar, k: Scalar, weighted: bool| {
        second::<Aggregate>([key, commitment].concat(), |sum, after| {
            let (c, z) = coefficients_at(CAVEATS, after);
            let weight = if weighted { z } else { Scalar::ONE };
            (scalar(sum) + weight * (k + c * x)).to_bytes().to_vec()
        })
    };
    let zero = Scalar::ZERO;
    let negative = {
        // p - s: the same point, by an encoding that does not count.
        let mut borrow = 0;
        let prime: [u8; 32] = std::array::from_fn(|i| match i {
            0 => 0xed,
            31 => 0x7f,
            _ => 0xff,
        });
        std::array::from_fn(|i| {
            let left = i16::from(prime[i]) - i16::from(key[i]) - borrow;
            borrow = i16::from(left < 0);
            left as u8
        })
    };
    let weak_key = with([0; 32], commitment, zero, k, true);
    let weak_commitment = with(key, [0; 32], x, zero, true);
    vec![
        of.parts::<Aggregate>("S + L", everywhere("scalar"), |token| {
            add_order(&mut token.end)
        }),
        of.parts::<Aggregate>("S + 1", everywhere("signature"), |token| {
            token.end = (scalar(&token.end) + Scalar::ONE).to_bytes().to_vec();
        }),
        of.token(
            "P of the second block is the identity",
            at_second("key"),
            &weak_key,
        ),
        of.token(
            "R of the second block is the identity",
            at_second("point"),
            &weak_commitment,
        ),
        of.token(
            "P of the second block is the negative encoding",
            at_second("key"),
            &with(negative, commitment, x, k, true),
        ),
        of.token(
            "the second signature with weight 1",
            everywhere("signature"),
            &with(key, commitment, x, k, false),
        ),
        of_one.parts::<Aggregate>(
            "the first signature weighted",
            everywhere("signature"),
            |token| {
                let (_, z) = coefficients_at(CAVEATS, &state(2, 0, &token.blocks));
                token.end = (z * scalar(&token.end)).to_bytes().to_vec();
            },
        ),
    ]
}

fn bls(of: &Of<'_>) -> Vec<Vector> {
    let everywhere = |reason| (reason, Some(Place::Aggregate));
    let at_second = |reason| (reason, Some(Place::Block(1)));
    let secret = bls_secret(&[0x11; 32]);
    let key = secret.sk_to_pk().compress();
    let signed = |message: &[u8], tag: &str| secret.sign(message, tag.as_bytes(), &[]).compress();
    let with_end =
        |name, end: Vec<u8>| of.parts::<Bls>(name, everywhere("point"), |token| token.end = end);
    let ours = "KLERO-TOKEN-V2-BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_";
    let outside = |length: usize| {
        let encodings = (1..).map(|x| {
            let mut bytes = vec![0; length];
            (bytes[0], bytes[length - 1]) = (0x80, x);
            bytes
        });
        let on_curve = |bytes: &Vec<u8>| match length {
            48 => min_pk::PublicKey::uncompress(bytes).is_ok(),
            _ => min_pk::Signature::uncompress(bytes).is_ok(),
        };
        encodings.into_iter().find(on_curve).unwrap()
    };
    let unsigned = |link: Vec<u8>| second::<Bls>(link, |sum, _| sum.to_vec());
    let other_tag = second::<Bls>(key.to_vec(), |sum, after| {
        let tag = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_";
        add_signatures(sum, &signed(after, tag))
    });
    let before = Maker::<Bls>::mint(0, "account 17", BEFORE).state();
    let other_message = second::<Bls>(key.to_vec(), |sum, _| {
        add_signatures(sum, &signed(&before, ours))
    });
    vec![
        of.parts::<Bls>("twice S", everywhere("signature"), |token| {
            token.end = add_signatures(&token.end, &token.end);
        }),
        with_end("S is infinity", infinity::<96>().to_vec()),
        with_end("S outside the group", outside(96)),
        of.parts::<Bls>("S not compressed", everywhere("point"), |token| {
            token.end[0] &= 0x7f
        }),
        of.token(
            "second key is infinity",
            at_second("key"),
            &unsigned(infinity::<48>().to_vec()),
        ),
        of.token(
            "second key outside the group",
            at_second("key"),
            &unsigned(outside(48)),
        ),
        of.token(
            "second key unsigned",
            everywhere("signature"),
            &unsigned(key.to_vec()),
        ),
        of.token(
            "hashed with another tag",
            everywhere("signature"),
            &other_tag,
        ),
        of.token(
            "signs the state before",
            everywhere("signature"),
            &other_message,
        ),
    ]
}
