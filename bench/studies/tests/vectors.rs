//! The tokens of `vectors/tokens/bls.json`: each gets its verdict, with the reason, and the valid
//! ones are made again, byte for byte. What caveats mean is the same in every scheme, and is tested
//! with those of klero-token.

use std::collections::BTreeMap;
use std::fs;

use klero_studies::bls::{Limits, Refused, Token, kind, public_key};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    scheme: String,
    keys: Vec<Key>,
    roots: BTreeMap<u32, String>,
    limits: Bounds,
    tokens: Vec<Vector>,
}

#[derive(Deserialize)]
struct Key {
    seed: String,
    public: String,
}

#[derive(Clone, Copy, Deserialize)]
struct Bounds {
    signatures: u32,
    pairings: u32,
    caveats: u32,
    bytes: usize,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    valid: bool,
    reason: Option<String>,
    place: Option<String>,
    token: String,
    challenge: Option<Challenge>,
    roots: Option<BTreeMap<u32, String>>,
    limits: Option<Bounds>,
    #[serde(default)]
    links: Vec<Link>,
}

#[derive(Deserialize)]
struct Challenge {
    nonce: String,
    audience: String,
    time: u64,
}

#[derive(Deserialize)]
struct Link {
    kind: u8,
    payload: String,
    seed: String,
    link: String,
    state: String,
}

fn bytes(digits: &str) -> Vec<u8> {
    hex::decode(digits).unwrap()
}

fn seed(digits: &str) -> [u8; 32] {
    bytes(digits).try_into().unwrap()
}

impl Challenge {
    /// The payload of the seal.
    fn encode(&self) -> Vec<u8> {
        let (nonce, audience) = (bytes(&self.nonce), self.audience.as_bytes());
        let [of_nonce, of_audience] =
            [&nonce[..], audience].map(|part| (part.len() as u64).to_le_bytes());
        let time = self.time.to_le_bytes();
        [&of_nonce, &nonce[..], &of_audience, audience, &time].concat()
    }
}

fn verdict(file: &File, vector: &Vector) -> Result<Token, Refused> {
    let refuse = |reason| {
        let place = None;
        Err(Refused { reason, place })
    };
    let most = vector.limits.unwrap_or(file.limits);
    let limits = Limits {
        signatures: most.signatures,
        pairings: most.pairings,
        caveats: most.caveats,
        bytes: most.bytes,
    };
    let token = Token::decode(&bytes(&vector.token), &limits)?;
    let roots = vector.roots.as_ref().unwrap_or(&file.roots);
    let Some(root) = roots.get(&token.root_id) else {
        return refuse("unknown root");
    };
    let challenge = vector.challenge.as_ref();
    if challenge.is_some_and(|challenge| challenge.nonce.is_empty()) {
        return refuse("empty nonce");
    }
    let challenge = challenge.map(Challenge::encode);
    token.verify(&bytes(root), challenge.as_deref())?;
    Ok(token)
}

/// The token, from the seeds of its links.
fn made(root_id: u32, links: &[Link]) -> Token {
    let mut token = Token::new(root_id);
    for link in links {
        let (seed, payload) = (seed(&link.seed), bytes(&link.payload));
        assert_eq!(public_key(&seed), bytes(&link.link)[..]);
        match link.kind {
            kind::SEAL => token.close(&seed, &payload),
            kind => {
                token.add(kind, &seed, &payload);
                assert_eq!(token.state(), bytes(&link.state)[..]);
            }
        }
    }
    token
}

#[test]
fn verdicts_are_those_of_the_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/tokens/bls.json");
    let file: File = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(file.scheme, "bls");
    for key in &file.keys {
        assert_eq!(public_key(&seed(&key.seed)), bytes(&key.public)[..]);
    }
    for vector in &file.tokens {
        let name = &vector.name;
        match verdict(&file, vector) {
            Ok(token) => {
                assert!(vector.valid, "{name}");
                assert_eq!(token.encode(), bytes(&vector.token), "{name}");
                assert_eq!(made(token.root_id, &vector.links), token, "{name}");
            }
            Err(Refused { reason, place }) => {
                assert_eq!(Some(reason), vector.reason.as_deref(), "{name}");
                assert_eq!(place, vector.place, "{name}");
            }
        }
    }
    let valid = file.tokens.iter().filter(|vector| vector.valid).count();
    assert_eq!((file.tokens.len(), valid), (87, 19));
}
