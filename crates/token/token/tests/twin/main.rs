//! The library and a second, simple implementation (the twin) give the same verdicts on single tokens and on
//! groups of tokens. Each of the two implementations verifies tokens that the other made.

mod encoding;
mod equations;
#[path = "../support/mod.rs"]
mod support;
mod verdict;

use crate::equations::{Aggregate, Chain};
use encoding::{CAVEATS, OPAQUE, Parts, ROOT, STATEMENT, rights};
use equations::Twin;
use klero_token::{Caveat, Challenge, KeyKind, Limits, Request, SecretKey, Token};
use proptest::prelude::*;
use proptest::sample::Index;
use support::{CHALLENGE, decode, on_all, roots, three_roots};
use verdict::verdict;

/// The way in which a token is made, damaged and verified.
#[derive(Clone, Debug)]
struct Recipe {
    root: u8,
    root_id: u32,
    /// The kind and the payload of each block. The kind of the first block is ignored.
    blocks: Vec<(u8, Vec<u8>)>,
    sealed: bool,
    /// True if the twin makes the token, false if the library does.
    by_twin: bool,
    damage: Option<Damage>,
    /// True if the verifier sets the right challenge for a sealed token, and none for an unsealed token.
    right: bool,
}

impl Recipe {
    fn challenge(&self) -> Option<Challenge<'static>> {
        let other = Challenge {
            time: 1,
            ..CHALLENGE
        };
        match (self.sealed, self.right) {
            (true, true) | (false, false) => Some(CHALLENGE),
            (true, false) => Some(other),
            (false, true) => None,
        }
    }
}

#[derive(Clone, Debug)]
enum Damage {
    Byte(Index, u8),
    Cut(Index),
    Swap(Index, Index),
    Kind(Index, u8),
    Payload(Index, Vec<u8>),
    /// The block (or the end), the position in its keys and signatures, and the bytes to write there.
    Field(Index, Index, [u8; 32]),
    Form,
    Other(Vec<u8>),
}

fn field() -> impl Strategy<Value = [u8; 32]> {
    // Encodings that are easily mishandled: L, p, the point of order 2, identities of groups, 2^256 - 1.
    let mut order = [0; 32];
    order[..16].copy_from_slice(&0x14de_f9de_a2f7_9cd6_5812_631a_5cf5_d3ed_u128.to_le_bytes());
    order[31] = 0x10;
    let mut prime = [0xff; 32];
    (prime[0], prime[31]) = (0xed, 0x7f);
    let mut two = prime;
    two[0] = 0xec;
    let mut one = [0; 32];
    one[0] = 1;
    let mut infinity = [0; 32];
    infinity[0] = 0xc0;
    prop_oneof![
        prop::sample::select(vec![order, prime, two, one, infinity, [0; 32], [0xff; 32]]),
        any::<[u8; 32]>(),
    ]
}

fn damage() -> impl Strategy<Value = Damage> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        (any::<Index>(), 1..=u8::MAX).prop_map(|(at, mask)| Damage::Byte(at, mask)),
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Damage::Swap(a, b)),
        (any::<Index>(), 0..6u8).prop_map(|(block, kind)| Damage::Kind(block, kind)),
        (any::<Index>(), bytes()).prop_map(|(block, payload)| Damage::Payload(block, payload)),
        (any::<Index>(), any::<Index>(), field()).prop_map(|(b, at, f)| Damage::Field(b, at, f)),
        Just(Damage::Form),
        bytes().prop_map(Damage::Other),
    ]
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let block = (1..4u8, prop::collection::vec(any::<u8>(), 0..40));
    let right = prop_oneof![4 => Just(true), 1 => Just(false)];
    let root_id = prop_oneof![6 => Just(None), 1 => (0..4u32).prop_map(Some)];
    let recipe = (
        0..3u8,
        root_id,
        prop::collection::vec(block, 1..5),
        any::<(bool, bool)>(),
        prop::option::of(damage()),
        right,
    );
    recipe.prop_map(
        |(root, root_id, blocks, (sealed, by_twin), damage, right)| Recipe {
            root,
            root_id: root_id.unwrap_or(root.into()),
            blocks,
            sealed,
            by_twin,
            damage,
            right,
        },
    )
}

const THIRD_PARTY: [u8; 32] = [0xcc; 32];
const CAVEAT: &str = "path /files";

/// The token of the recipe, as the twin makes it.
fn made_by_twin<S: Twin>(recipe: &Recipe) -> Vec<u8> {
    let root = [recipe.root; 32];
    let mut token = Parts::nothing::<S>(&S::beginning(&root));
    token.root_id = recipe.root_id;
    for (i, (kind, payload)) in recipe.blocks.iter().enumerate() {
        match (i, *kind) {
            // In `Chain`, the token already contains the root's seed, and `add` needs the seed of the next
            // key. In `Aggregate`, `add` needs the root's seed.
            (0, _) if S::NAME == "chain" => S::add(&mut token, ROOT, &[8; 32], &rights(payload)),
            (0, _) => S::add(&mut token, ROOT, &root, &rights(payload)),
            (_, STATEMENT) => {
                let state = equations::state(S::ID, token.root_id, &token.blocks);
                let statement = equations::stated(S::ID, &state, &THIRD_PARTY, payload);
                S::add_statement(&mut token, &statement);
            }
            (_, CAVEATS) => S::add(&mut token, CAVEATS, &[9; 32], CAVEAT.as_bytes()),
            (_, kind) => S::add(&mut token, kind, &[9; 32], payload),
        }
    }
    if recipe.sealed {
        S::seal_to(&mut token, &CHALLENGE.encode().unwrap());
    }
    token.bytes()
}

/// The token of the recipe, as the library makes it.
fn made_by_library<S: Twin>(recipe: &Recipe) -> Vec<u8> {
    let third_party = SecretKey::from_bytes(KeyKind::Ed25519, &THIRD_PARTY).unwrap();
    let [first, rest @ ..] = &recipe.blocks[..] else {
        unreachable!()
    };
    let root = SecretKey::from_seed(S::SCHEME, &[recipe.root; 32]);
    let caveats: [Caveat; 1] = [CAVEAT.parse().unwrap()];
    let mut token = Token::mint(&root, recipe.root_id, &first.1, &caveats).unwrap();
    for (kind, payload) in rest {
        token = match *kind {
            STATEMENT => {
                let request = token.request().unwrap();
                let statement = request.sign(&third_party, payload).unwrap();
                token.append_statement(&statement).unwrap()
            }
            CAVEATS => token.narrow(&caveats).unwrap(),
            OPAQUE => token.append(payload).unwrap(),
            _ => unreachable!(),
        };
    }
    if recipe.sealed {
        token = token.seal(&CHALLENGE).unwrap();
    }
    token.encode().unwrap().to_vec()
}

fn make<S: Twin>(recipe: &Recipe) -> Vec<u8> {
    let honest = if recipe.by_twin {
        made_by_twin::<S>(recipe)
    } else {
        made_by_library::<S>(recipe)
    };
    // Decoding and encoding again gives the same bytes.
    assert_eq!(Parts::read::<S>(&honest).unwrap().bytes(), honest);
    match &recipe.damage {
        Some(damage) => damaged::<S>(honest, damage),
        None => honest,
    }
}

fn damaged<S: Twin>(mut bytes: Vec<u8>, damage: &Damage) -> Vec<u8> {
    let mut token = Parts::read::<S>(&bytes).unwrap();
    let n = token.blocks.len();
    match damage {
        Damage::Byte(at, mask) => {
            let at = at.index(bytes.len());
            bytes[at] ^= mask;
            return bytes;
        }
        Damage::Cut(at) => {
            bytes.truncate(at.index(bytes.len()));
            return bytes;
        }
        Damage::Other(other) => return other.clone(),
        Damage::Swap(a, b) => token.blocks.swap(a.index(n), b.index(n)),
        Damage::Kind(block, kind) => token.blocks[block.index(n)].kind = *kind,
        Damage::Payload(block, payload) => token.blocks[block.index(n)].payload = payload.clone(),
        Damage::Form => token.sealed = !token.sealed,
        Damage::Field(block, at, field) => {
            let link = match block.index(n + 1) {
                block if block == n => &mut token.end,
                block => &mut token.blocks[block].link,
            };
            // No link here is so short: only a held token has an empty end, and no recipe makes a held token.
            if link.len() < 32 {
                return token.bytes();
            }
            let at = at.index(link.len() / 16 - 1) * 16;
            link[at..at + 32].copy_from_slice(field);
        }
    }
    token.bytes()
}

/// Returns true if the twin accepts the token.
fn holds<S: Twin>(bytes: &[u8], recipe: &Recipe) -> bool {
    let of_twin = (0..3).map(|id| {
        let key = SecretKey::from_seed(S::SCHEME, &[id as u8; 32]);
        (id, key.public_key().as_bytes().to_vec())
    });
    let asked = recipe.challenge().map(|c| (c.nonce, c.audience, c.time));
    verdict::<S>(bytes, &Limits::default(), &of_twin.collect(), asked).is_ok()
}

fn compare<S: Twin>(recipes: &[Recipe]) {
    let mut tokens = Vec::new();
    let mut expected = Vec::new();
    for recipe in recipes {
        let bytes = make::<S>(recipe);
        let decoded = decode(&bytes);
        let read = Parts::read::<S>(&bytes);
        assert_eq!(decoded.is_ok(), read.is_some(), "{decoded:?}");
        let holds = holds::<S>(&bytes, recipe);
        if recipe.damage.is_none() && recipe.root_id == u32::from(recipe.root) {
            assert_eq!(holds, recipe.right, "{recipe:?}");
        }
        let Ok(token) = decoded else { continue };
        let verdict = token
            .clone()
            .verify(&three_roots(S::SCHEME), recipe.challenge().as_ref());
        assert_eq!(verdict.is_ok(), holds, "{recipe:?}: {verdict:?}");
        if let Ok(token) = &verdict {
            assert_eq!(*token.encode().unwrap(), bytes);
        }
        tokens.push((token, recipe.challenge()));
        expected.push(verdict.err());
    }
    let many = Token::verify_many(tokens, &three_roots(S::SCHEME));
    let many: Vec<_> = many.into_iter().map(Result::err).collect();
    assert_eq!(many, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        if cfg!(debug_assertions) { 12 } else { 200 }
    ))]

    #[test]
    fn chain(recipes in prop::collection::vec(recipe(), 1..24)) {
        compare::<Chain>(&recipes);
    }

    #[test]
    fn aggregate(recipes in prop::collection::vec(recipe(), 1..24)) {
        compare::<Aggregate>(&recipes);
    }
}

/// States, keys and statements are the same in both implementations.
fn statements<S: Twin>() {
    let key = SecretKey::from_bytes(KeyKind::Ed25519, &THIRD_PARTY).unwrap();
    let mut token = equations::token::<S>(&[1; 32], &[b"read"]);
    let verify = |token: &Parts| {
        let token = decode(&token.bytes()).unwrap();
        token.verify(&roots(S::SCHEME), None).unwrap()
    };
    let request = verify(&token).request().unwrap();
    let state = S::bound_to(&token.blocks);
    assert_eq!(request.encode()[5..], state);
    assert_eq!(Request::decode(&request.encode()).unwrap(), request);
    let statement = request.sign(&key, b"of age").unwrap().encode().unwrap();
    let of_twin = equations::stated(S::ID, &state, &THIRD_PARTY, b"of age");
    assert_eq!(statement[9..], of_twin);
    S::add_statement(&mut token, &statement[9..]);
    let blocks = verify(&token);
    let block = &blocks.blocks()[1];
    let by = key.public_key().as_bytes();
    assert_eq!(block.third_party(), Some((KeyKind::Ed25519, by)));
    assert_eq!(block.payload(), b"of age");
}

/// Revocation ids are as docs/tokens/format.md defines them.
fn ids<S: Twin>() {
    use sha2::{Digest, Sha512};
    let token = equations::token::<S>(&[1; 32], &[b"read", b"less"]);
    let decoded = decode(&token.bytes()).unwrap();
    for (i, id) in decoded.revocation_ids().into_iter().enumerate() {
        let state = S::bound_to(&token.blocks[..=i]);
        let hash = Sha512::digest([&b"klero-token/id\x03"[..], &state].concat());
        assert_eq!(id.0, hash[..32]);
    }
}

on_all!(statements, ids);
