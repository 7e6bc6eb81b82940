//! The attacks of the other modules, and those that klero-token's tests try, on the sound scheme
//! with pairings: each is refused, for the expected reason.

use blst::min_pk::{AggregatePublicKey, AggregateSignature, PublicKey, SecretKey, Signature};
use klero_studies::bls::kind::{CAVEATS, OPAQUE, ROOT, SEAL, STATEMENT};
use klero_studies::bls::{
    DOMAIN, Limits, Link, Token, add, infinity, negated, public_key, rights, secret_key,
};

use crate::subgroup::R;

const ROOT_SEED: [u8; 32] = [1; 32];
const MY_SEED: [u8; 32] = [2; 32];

const CHALLENGE: &[u8] = b"the answer to a challenge of the verifier";

fn root() -> [u8; 48] {
    public_key(&ROOT_SEED)
}

/// A token that the root key signed; the holders' keys are fresh.
fn honest(payloads: &[&str]) -> Token {
    issued(&ROOT_SEED, payloads)
}

fn issued(seed: &[u8; 32], payloads: &[&str]) -> Token {
    let mut token = Token::new(0);
    for (i, payload) in payloads.iter().enumerate() {
        match i {
            0 => token.add(ROOT, seed, &rights(payload.as_bytes())),
            _ => token.add(OPAQUE, &[99 + i as u8; 32], payload.as_bytes()),
        }
    }
    token
}

fn sealed(mut token: Token) -> Token {
    token.close(&[98; 32], CHALLENGE);
    token
}

fn block(key: [u8; 48], payload: &[u8]) -> Link {
    Link {
        kind: OPAQUE,
        key,
        payload: payload.to_vec(),
    }
}

/// The verdict on the bytes of a token.
fn verdict(root: &[u8], token: &Token, challenge: Option<&[u8]>) -> Result<(), &'static str> {
    let token = Token::decode(&token.encode(), &Limits::default());
    let verdict = token.and_then(|token| token.verify(root, challenge));
    verdict.map_err(|refused| refused.reason)
}

#[track_caller]
fn refused(token: &Token, challenge: Option<&[u8]>, reason: &'static str) {
    assert_eq!(verdict(&root(), token, challenge), Err(reason));
}

#[track_caller]
fn accepted(token: &Token) {
    assert_eq!(verdict(&root(), token, None), Ok(()));
}

mod framing {
    use super::*;

    /// Bytes moved from one block to its neighbour.
    #[test]
    fn moved_boundary() {
        for (first, second) in [("rea", "donly"), ("reado", "nly"), ("", "readonly")] {
            let mut token = honest(&["read", "only", "this"]);
            token.blocks[0].payload = rights(first.as_bytes());
            token.blocks[1].payload = second.into();
            refused(&token, None, "signature");
        }
    }

    /// A block within the payload of its neighbour, before or behind it.
    #[test]
    fn merged_blocks() {
        let token = honest(&["read", "only", "this"]);
        let [a, b, _] = &token.blocks[..] else {
            unreachable!()
        };
        let length = (b.payload.len() as u32).to_le_bytes();
        let into_first = [&a.payload, &[b.kind][..], &b.key, &length, &b.payload].concat();
        let into_second = [&a.payload[..], &a.key, &length, &b.payload].concat();
        for payload in [into_first, into_second] {
            let mut merged = token.clone();
            merged.blocks[0].payload = payload.clone();
            merged.blocks.remove(1);
            refused(&merged, None, "signature");

            let mut merged = token.clone();
            merged.blocks[1].payload = payload;
            merged.blocks.remove(0);
            (merged.blocks[0].kind, merged.blocks[0].payload) = (ROOT, rights(b"only"));
            refused(&merged, None, "wrong root");
        }
    }

    /// Every block relabelled as a kind that may not stand there.
    #[test]
    fn kinds_swapped() {
        for block in [0, 1] {
            for kind in [ROOT, CAVEATS, STATEMENT, OPAQUE, SEAL, 5, 0xff] {
                if (block == 0) != (kind == ROOT) || kind >= SEAL {
                    let mut token = honest(&["read", "less"]);
                    token.blocks[block].kind = kind;
                    refused(&token, None, "kind");
                }
            }
        }
    }

    /// A block of one kind is not accepted as of another.
    #[test]
    fn kind_against_kind() {
        for signed in [CAVEATS, OPAQUE] {
            for read in [CAVEATS, OPAQUE] {
                let mut token = honest(&["read"]);
                token.add(signed, &MY_SEED, b"less");
                token.blocks[1].kind = read;
                match signed == read {
                    true => accepted(&token),
                    false => refused(&token, None, "signature"),
                }
            }
        }
        for kind in [CAVEATS, STATEMENT, OPAQUE] {
            let mut token = Token::new(0);
            token.add(kind, &ROOT_SEED, &rights(b"read"));
            token.blocks[0].kind = ROOT;
            refused(&token, None, "signature");
        }
    }

    /// A seal is not accepted as a block, nor a block as a seal, even if its payload is an answer.
    #[test]
    fn seal_against_block() {
        let token = sealed(honest(&["read"]));
        for kind in [CAVEATS, OPAQUE] {
            let mut bearer = token.clone();
            bearer.blocks.push(Link {
                kind,
                ..block(token.seal.unwrap(), CHALLENGE)
            });
            bearer.seal = None;
            refused(&bearer, None, "signature");
        }
        let mut token = honest(&["read"]);
        token.add(OPAQUE, &[100; 32], CHALLENGE);
        token.seal = token.blocks.pop().map(|last| last.key);
        refused(&token, Some(CHALLENGE), "signature");
    }
}

mod key_substitution {
    use super::*;

    /// A token of one issuer, shown to who trusts another, with and without the other's key in
    /// front.
    #[test]
    fn another_issuer() {
        let other = public_key(&[7; 32]);
        let mut token = honest(&["pay the bearer", "today"]);
        assert_eq!(verdict(&other, &token, None), Err("wrong root"));
        token.blocks[0].key = other;
        assert_eq!(verdict(&other, &token, None), Err("signature"));
        refused(&token, None, "wrong root");
    }

    /// S + d·H under P + d·g, with H of either key.
    #[test]
    fn related_key() {
        let mut d = [0; 32];
        d[31] = 42;
        let d = SecretKey::from_bytes(&d).unwrap();
        let key = PublicKey::uncompress(&root()).unwrap();
        let other = AggregatePublicKey::aggregate(&[&key, &d.sk_to_pk()], false).unwrap();
        let other = other.to_public_key().compress();
        let token = honest(&["your tenant's files"]);
        let mut moved = token.clone();
        moved.blocks[0].key = other;
        for state in [token.state(), moved.state()] {
            let own = d.sign(&state, DOMAIN, &[]).compress();
            moved.sum = add(&token.sum, &own);
            assert_eq!(verdict(&other, &moved, None), Err("signature"));
        }
    }
}

mod laundering {
    use super::*;

    /// A first block that the root did not sign, and behind it blocks and a seal that are right.
    #[test]
    fn appended_to_garbage() {
        let mut token = honest(&["another"]);
        token.blocks[0].payload = rights(b"everything");
        refused(&token, None, "signature");
        token.add(OPAQUE, &MY_SEED, b"");
        refused(&token, None, "signature");
        refused(&sealed(token), Some(CHALLENGE), "signature");
    }

    /// A valid token of mine, with the root's key put in front afterwards.
    #[test]
    fn key_put_in_front() {
        let mut token = issued(&MY_SEED, &["everything", "less"]);
        refused(&token, None, "wrong root");
        token.blocks[0].key = root();
        refused(&token, None, "signature");
    }
}

mod phantom_blocks {
    use super::*;

    /// The point at infinity as a key, alone and twice, first and later, and as the seal's.
    #[test]
    fn at_infinity() {
        let mut more = honest(&["read"]);
        for _ in 0..2 {
            more.blocks.push(block(infinity(), b"added by nobody"));
            refused(&more, None, "key");
        }
        let mut instead = honest(&["read"]);
        instead.blocks[0].key = infinity();
        refused(&instead, None, "wrong root");
        let mut sealed = honest(&["read"]);
        sealed.seal = Some(infinity());
        refused(&sealed, Some(CHALLENGE), "key");
    }

    /// P and -P: their messages differ, by the keys and by what came before. With the root's own,
    /// from nothing.
    #[test]
    fn opposite_keys() {
        let victim = public_key(&[9; 32]);
        let mut token = honest(&["read"]);
        for key in [victim, negated(victim)] {
            token.blocks.push(block(key, b"added by nobody"));
        }
        refused(&token, None, "signature");
        token.blocks.truncate(1);
        token
            .blocks
            .push(block(negated(root()), b"added by nobody"));
        token.sum = infinity();
        refused(&token, None, "point");
    }
}

mod reordering {
    use super::*;

    /// Any two blocks, the first too.
    #[test]
    fn two_blocks() {
        for (a, b) in [(1, 2), (1, 3), (2, 3)] {
            let mut token = honest(&["0", "1", "2", "3"]);
            token.blocks.swap(a, b);
            refused(&token, None, "signature");
        }
        let mut token = honest(&["0", "1"]);
        token.blocks.swap(0, 1);
        refused(&token, None, "kind");
        (token.blocks[0].kind, token.blocks[1].kind) = (ROOT, OPAQUE);
        token.blocks[0].payload = rights(b"1");
        refused(&token, None, "wrong root");
    }

    /// A block once more.
    #[test]
    fn repeated() {
        let mut token = honest(&["0", "1"]);
        token.blocks.push(token.blocks[1].clone());
        refused(&token, None, "signature");
    }
}

mod replay {
    use super::*;

    /// A seal is valid for one challenge, that of the verifier.
    #[test]
    fn another_challenge() {
        let token = sealed(honest(&["read", "less"]));
        assert_eq!(verdict(&root(), &token, Some(CHALLENGE)), Ok(()));
        for other in [&b"another"[..], b"", &CHALLENGE[1..]] {
            refused(&token, Some(other), "signature");
        }
    }

    /// A sealed token is no bearer token, and a bearer token is no answer.
    #[test]
    fn sealed_as_bearer() {
        let mut token = sealed(honest(&["read", "less"]));
        refused(&token, None, "sealed");
        token.seal = None;
        refused(&token, None, "signature");
        let mut bearer = honest(&["read", "less"]);
        refused(&bearer, Some(CHALLENGE), "not sealed");
        bearer.seal = Some(bearer.blocks[1].key);
        refused(&bearer, Some(CHALLENGE), "signature");
    }
}

mod rewriting {
    use super::*;

    /// Any payload, first, middle or last.
    #[test]
    fn one_payload() {
        for i in 0..3 {
            for payload in [&b"everything"[..], b"", b"littl", b"little\0"] {
                let mut token = honest(&["little", "less", "nothing"]);
                token.blocks[i].payload = match i {
                    0 => rights(payload),
                    _ => payload.to_vec(),
                };
                refused(&token, None, "signature");
            }
        }
    }

    /// All blocks but the first are mine, and I sign them again.
    #[test]
    fn own_blocks_signed_again() {
        let mut token = honest(&["little"]);
        token.blocks[0].payload = rights(b"everything");
        for payload in [b"less", b"nada"] {
            token.add(OPAQUE, &MY_SEED, payload);
            refused(&token, None, "signature");
        }
        refused(&sealed(token), Some(CHALLENGE), "signature");
    }
}

mod rogue_key {
    use super::*;

    /// No other block has the message of the root's block, and each message contains its key.
    #[test]
    fn cancels_nothing() {
        let mine = secret_key(&MY_SEED);
        let mut rogue = AggregatePublicKey::from_public_key(&mine.sk_to_pk());
        let key = PublicKey::uncompress(&root()).unwrap();
        rogue.sub_aggregate(&AggregatePublicKey::from_public_key(&key));
        let mut token = honest(&["everything", "everything"]);
        token.blocks[1].key = rogue.to_public_key().compress();

        let both = token.state();
        let mut first = token.clone();
        first.blocks.truncate(1);
        let [first, both] =
            [first.state(), both].map(|state| mine.sign(&state, DOMAIN, &[]).compress());
        for sum in [first, both, add(&first, &both)] {
            token.sum = sum;
            refused(&token, None, "signature");
        }
    }
}

mod second_look {
    use super::*;

    /// x·H(h) needs nothing but the key, so whoever has the key of a block takes it off again:
    /// holders' keys must be fresh, and forgotten.
    #[test]
    fn block_with_a_key_of_choice_taken_off() {
        let strip = |mut token: Token, seed: &[u8; 32]| {
            let last = token.blocks.pop().unwrap();
            let own = token.sign(last.kind, seed, &last.payload);
            token.sum = add(&token.sum, &negated(own));
            token
        };
        let mut token = honest(&["everything"]);
        token.add(OPAQUE, &MY_SEED, b"less");
        accepted(&token);
        accepted(&strip(token, &MY_SEED));
        let token = honest(&["everything", "less"]);
        refused(&strip(token, &MY_SEED), None, "signature");
    }

    /// A third party's signature in the sum can be subtracted by who heard it. As a part of the
    /// holder's payload it cannot.
    #[test]
    fn statement_taken_off() {
        let party = [7; 32];
        let before = honest(&["everything"]);
        let own = before.sign(OPAQUE, &party, b"only for children");
        let mut token = before.clone();
        token.add(OPAQUE, &party, b"only for children");
        accepted(&token);
        token.blocks.pop();
        token.sum = add(&token.sum, &negated(own));
        accepted(&token);
        assert_eq!(token, before);

        token.add(OPAQUE, &[100; 32], b"what the third party signed");
        token.blocks.pop();
        let own = token.sign(OPAQUE, &party, b"what the third party signed");
        token.sum = add(&token.sum, &negated(own));
        refused(&token, None, "signature");
    }

    /// x·H of equal payloads is equal: without random bytes in the first block, two tokens of the
    /// same rights are one, and who has one of them revoked revokes the other.
    #[test]
    fn revoked_with_another() {
        let mint = |payload: &[u8]| {
            let mut token = Token::new(0);
            token.add(ROOT, &ROOT_SEED, payload);
            token
        };
        let [mine, yours] = [mint(&rights(b"read")), mint(&rights(b"read"))];
        assert_eq!(mine.state(), yours.state());
        let mut other = rights(b"read");
        other[0] ^= 1;
        assert_ne!(mint(&other).state(), yours.state());
    }

    /// The number of the root key is hashed: where one key stands under two numbers, no token of one
    /// is a token of the other.
    #[test]
    fn root_number_changed() {
        let mut token = honest(&["read"]);
        token.root_id = 1;
        refused(&token, None, "signature");
    }

    /// Each block takes a pairing, so fewer are allowed.
    #[test]
    fn the_limit_on_pairings_is_lower() {
        let most = Limits::default().pairings as usize;
        let mut token = honest(&["read"]);
        while token.blocks.len() < most {
            token.blocks.push(block(public_key(&MY_SEED), b""));
        }
        let decode = |token: &Token| Token::decode(&token.encode(), &Limits::default());
        assert!(decode(&token).is_ok());
        token.seal = Some(public_key(&MY_SEED));
        assert_eq!(decode(&token).unwrap_err().reason, "too many signatures");
    }
}

mod stripping {
    use super::*;

    /// The last block, or all but the first, and the end left as it is; and under a seal.
    #[test]
    fn blocks_dropped() {
        let token = honest(&["everything", "less", "little", "nothing"]);
        for length in 1..4 {
            let mut token = token.clone();
            token.blocks.truncate(length);
            refused(&token, None, "signature");
        }
        for middle in [1, 2] {
            let mut token = token.clone();
            token.blocks.remove(middle);
            refused(&token, None, "signature");
        }
        let mut token = sealed(token);
        token.blocks.pop();
        refused(&token, Some(CHALLENGE), "signature");
    }

    /// The attacker's own key is the last: with it a token can be extended, not shortened.
    #[test]
    fn own_block_replaced() {
        let mut token = honest(&["everything", "less"]);
        token.add(OPAQUE, &MY_SEED, b"mine");
        token.blocks.remove(1);
        refused(&token, None, "signature");
        token.blocks.pop();
        refused(&token, None, "signature");
    }

    /// Payload and key are repeated; the signatures are not, for each is of its place.
    #[test]
    fn appended_twice() {
        let append = |token: &Token| {
            let mut token = token.clone();
            token.add(OPAQUE, &[7; 32], b"read only");
            token
        };
        let minus = |a: &Token, b: &Token| add(&a.sum, &negated(b.sum));
        let strip = |mut token: Token, signature: [u8; 96]| {
            token.blocks.pop();
            token.sum = add(&token.sum, &negated(signature));
            refused(&token, None, "signature");
        };
        let once = append(&honest(&["everything"]));
        strip(once.clone(), minus(&append(&once), &once));
        let (mine, yours) = (honest(&["my files"]), honest(&["your files"]));
        strip(append(&yours), minus(&append(&mine), &mine));
    }
}

mod points {
    use super::*;

    fn multiple_of_order<P: Clone>(point: &P, sum: fn(&mut P, &P)) -> P {
        let mut product = None::<P>;
        for bit in (0..256).map(|bit| R[bit / 8] >> (7 - bit % 8) & 1) {
            if let Some(product) = &mut product {
                let copy = product.clone();
                sum(product, &copy);
            }
            if bit == 1 {
                match &mut product {
                    Some(product) => sum(product, point),
                    None => product = Some(point.clone()),
                }
            }
        }
        product.unwrap()
    }

    /// T, and P + T, as a block's key and as a seal's.
    #[test]
    fn keys_outside_the_group() {
        let token = honest(&["read", "less"]);
        let torsion = crate::subgroup::torsion();
        let other = PublicKey::uncompress(&token.blocks[1].key).unwrap();
        let mut sum = AggregatePublicKey::from_public_key(&other);
        sum.add_public_key(&torsion, false).unwrap();
        for key in [torsion, sum.to_public_key()] {
            let mut token = token.clone();
            token.blocks[1].key = key.compress();
            refused(&token, None, "key");
            token.blocks.pop();
            token.seal = Some(key.compress());
            refused(&token, Some(CHALLENGE), "key");
        }
    }

    /// S + T satisfies the equation where the subgroup is not checked.
    #[test]
    fn signatures_outside_the_group() {
        let point = (1..=u8::MAX).find_map(|x| {
            let mut bytes = [0; 96];
            (bytes[0], bytes[95]) = (0x80, x);
            Signature::uncompress(&bytes).ok()
        });
        let point = AggregateSignature::from_signature(&point.unwrap());
        let torsion = multiple_of_order(&point, |sum, point| sum.add_aggregate(point));
        let mut token = honest(&["read", "less"]);
        let mut sum = torsion;
        sum.add_aggregate(&AggregateSignature::from_signature(
            &Signature::uncompress(&token.sum).unwrap(),
        ));
        let sum = sum.to_signature().compress();
        assert_ne!(sum, token.sum);
        for sum in [sum, torsion.to_signature().compress()] {
            token.sum = sum;
            refused(&token, None, "point");
        }
    }

    /// What is no encoding of a point of the group: no compression bit, x beyond p, infinity with
    /// more in it, not on the curve.
    #[test]
    fn encodings() {
        let at = |fill: u8, bytes: &[(usize, u8)]| {
            let mut key = [fill; 48];
            for (at, byte) in bytes {
                key[*at] = *byte;
            }
            key
        };
        let mut uncompressed = public_key(&[3; 32]);
        uncompressed[0] &= 0x7f;
        let off_curve = (1..).find_map(|x| {
            let bytes = at(0, &[(0, 0x80), (47, x)]);
            PublicKey::uncompress(&bytes).is_err().then_some(bytes)
        });
        for key in [
            uncompressed,
            off_curve.unwrap(),
            at(0xff, &[]),
            at(0, &[]),
            at(0, &[(0, 0xc0), (47, 1)]),
            at(0, &[(0, 0xe0)]),
        ] {
            let mut token = honest(&["read", "less"]);
            token.blocks[1].key = key;
            refused(&token, None, "key");
        }
        let mut uncompressed = honest(&["read"]).sum;
        uncompressed[0] &= 0x7f;
        let (mut more, mut sign) = (infinity::<96>(), infinity::<96>());
        (more[95], sign[0]) = (1, 0xe0);
        for sum in [uncompressed, infinity(), more, sign, [0; 96], [0xff; 96]] {
            let mut token = honest(&["read", "less"]);
            token.sum = sum;
            refused(&token, None, "point");
            token.seal = Some(public_key(&MY_SEED));
            refused(&token, Some(CHALLENGE), "point");
        }
    }
}

mod universal_forgery {
    use super::*;

    /// S of no signature, of the attacker's own, and of the message alone; and constant bytes.
    #[test]
    fn signatures_of_nobody() {
        let mut token = Token::new(0);
        token.blocks.push(Link {
            kind: ROOT,
            ..block(root(), &rights(b"everything"))
        });
        token.sum = infinity();
        refused(&token, None, "point");
        let mut one = [0; 32];
        one[31] = 1;
        let one = SecretKey::from_bytes(&one).unwrap();
        for secret in [secret_key(&MY_SEED), one] {
            token.sum = secret.sign(&token.state(), DOMAIN, &[]).compress();
            refused(&token, None, "signature");
        }
        for byte in [0, 1, 0x7f, 0xff] {
            token.sum = [byte; 96];
            refused(&token, None, "point");
        }
    }
}

mod zero_blocks {
    use super::*;

    /// No blocks, with any end, and sealed by anyone.
    #[test]
    fn no_blocks() {
        refused(&Token::new(0), None, "no blocks");
        refused(&sealed(Token::new(0)), Some(CHALLENGE), "no blocks");
        assert!(Token::new(0).verify(&root(), None).is_err());
    }
}
