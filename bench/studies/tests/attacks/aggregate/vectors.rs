//! With all bindings the model is the scheme of klero-token: it accepts the tokens in
//! `vectors/tokens/aggregate.json` that are valid.

use std::collections::BTreeMap;
use std::fs;

use curve25519_dalek::ristretto::CompressedRistretto;
use curve25519_dalek::scalar::Scalar;
use klero_studies::aggregate::{Bindings, Link, Token};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    roots: BTreeMap<u32, String>,
    tokens: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    valid: bool,
    token: String,
    roots: Option<BTreeMap<u32, String>>,
    #[serde(default)]
    links: Vec<Made>,
}

#[derive(Deserialize)]
struct Made {
    kind: u8,
    payload: String,
    link: String,
}

fn bytes(digits: &str) -> Vec<u8> {
    hex::decode(digits).unwrap()
}

fn point(bytes: &[u8]) -> CompressedRistretto {
    CompressedRistretto::from_slice(bytes).unwrap()
}

#[test]
fn valid_tokens_hold() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../vectors/tokens/aggregate.json"
    );
    let file: File = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let valid = file.tokens.iter().filter(|vector| vector.valid);
    assert_eq!(valid.clone().count(), 34);
    for vector in valid {
        let encoding = bytes(&vector.token);
        // After the header of five bytes.
        let root_id = u32::from_le_bytes(*encoding[5..].first_chunk().unwrap());
        let roots = vector.roots.as_ref().unwrap_or(&file.roots);
        let link = |made: &Made| Link {
            kind: made.kind,
            // The root's key stands before the first.
            point: point(bytes(&made.link).last_chunk::<32>().unwrap()),
            payload: bytes(&made.payload),
        };
        let token = Token {
            root: point(&bytes(&roots[&root_id])),
            links: vector.links.iter().map(link).collect(),
            s: Scalar::from_canonical_bytes(*encoding.last_chunk().unwrap()).unwrap(),
        };
        let begin = Bindings::begin(root_id);
        assert!(Bindings::ALL.holds_from(&begin, &token), "{}", vector.name);
    }
}
