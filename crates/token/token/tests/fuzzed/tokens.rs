//! Makes a group of tokens, requests and statements from arbitrary bytes. Nothing may panic, and exactly the
//! honest tokens and statements must verify, alone and together.
//!
//! The bytes choose honest tokens and a few changes of each of them. So a small change of the bytes is only a
//! small change of the tokens.

#[path = "../../../../../fuzz/changed.rs"]
mod changed;

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use klero_token::{
    Access, Caveat, Challenge, KeyKind, Limits, Request, Revoked, RootKeys, Scheme, SecretKey,
    Statement, Token,
};

use changed::changed;

const CHALLENGE: Challenge<'_> = Challenge {
    nonce: &[7; 16],
    audience: "shop",
    time: 1_800_000_000,
};

const LIMITS: Limits = Limits {
    signatures: 8,
    caveats: u32::MAX,
    bytes: 4096,
};

/// The honest encodings: two bearer tokens, two sealed tokens, and a request and a statement for the first
/// token.
struct Honest {
    tokens: Vec<Vec<u8>>,
    parts: [Vec<u8>; 2],
}

/// The honest encodings of each scheme, in the order of `Scheme::ALL`.
static HONEST: LazyLock<[Honest; 2]> = LazyLock::new(|| Scheme::ALL.map(honest));

fn roots() -> RootKeys {
    let mut roots = RootKeys::new();
    for scheme in Scheme::ALL {
        for id in 0..2 {
            let key = SecretKey::from_seed(scheme, &[id as u8; 32]);
            roots.insert(id, *key.public_key());
        }
    }
    roots
}

fn honest(scheme: Scheme) -> Honest {
    let third_party = SecretKey::from_bytes(KeyKind::Ed25519, &[9; 32]).unwrap();
    let caveats: [Caveat; 1] = ["method GET".parse().unwrap()];
    let made = |id: u8| {
        let root = SecretKey::from_seed(scheme, &[id; 32]);
        let token = Token::mint(&root, id.into(), b"may read", &[Caveat::Before(7)]).unwrap();
        let statement = token
            .request()
            .unwrap()
            .sign(&third_party, b"of age")
            .unwrap();
        let token = token.append_statement(&statement).unwrap();
        token.narrow(&caveats).unwrap().append(b"").unwrap()
    };
    let bearer = [0, 1].map(made);
    let sealed = bearer.iter().map(|token| token.seal(&CHALLENGE).unwrap());
    let tokens = bearer.iter().cloned().chain(sealed);
    let request = bearer[0].request().unwrap();
    let statement = request.sign(&third_party, b"a statement").unwrap();
    Honest {
        tokens: tokens
            .map(|token| token.encode().unwrap().to_vec())
            .collect(),
        parts: [request.encode(), statement.encode().unwrap()],
    }
}

/// Makes tokens from the bytes and checks their verdicts.
pub fn tokens(bytes: &[u8]) -> Result<()> {
    let mut input = Unstructured::new(bytes);
    match input.choose_index(8)? {
        0..=3 => group(&mut input, &HONEST[0], 6),
        _ => group(&mut input, &HONEST[1], 6),
    }
}

fn group(input: &mut Unstructured, honest: &Honest, most: usize) -> Result<()> {
    let mut tokens = Vec::new();
    let mut expected = Vec::new();
    while tokens.len() < most && !input.is_empty() {
        let bytes = changed(input, &honest.tokens)?;
        let challenge = match input.int_in_range(0..=7)? {
            0..=3 => None,
            4..=6 => Some(CHALLENGE),
            _ => Some(Challenge {
                nonce: &[],
                ..CHALLENGE
            }),
        };
        let Ok(token) = Token::decode(&bytes, &LIMITS) else {
            continue;
        };
        assert_eq!(
            token.revocation_ids().len(),
            token.unverified_blocks().len()
        );
        assert!(!format!("{token:?}").is_empty());
        let verdict = token.clone().verify(&roots(), challenge.as_ref());
        // Adding to an invalid token never makes it valid.
        if let Ok(more) = token.narrow(&[Caveat::After(0)]) {
            let more = more.verify(&roots(), None);
            assert!(more.is_err() || honest.tokens.contains(&bytes));
        }
        match &verdict {
            Ok(verified) => {
                assert!(honest.tokens.contains(&bytes), "{bytes:02x?}");
                assert_eq!(*verified.encode().unwrap(), bytes);
                let text = verified.to_text().unwrap();
                // This access has no method, and `check` accepts no opaque block. So it is refused.
                assert!(verified.check(&Access::at(0, Revoked::none())).is_err());
                let access = Access {
                    audience: challenge.map(|challenge| challenge.audience),
                    method: Some("GET"),
                    ..Access::at(0, Revoked::none())
                };
                assert_eq!(
                    &*verified.check_with(&access, |_| true).unwrap(),
                    b"may read"
                );
                let again = Token::from_text(&text, &LIMITS).unwrap();
                assert_eq!(again.revocation_ids(), verified.revocation_ids());
            }
            Err(_) => {
                let right = token.is_sealed() == challenge.is_some()
                    && challenge.is_none_or(|challenge| challenge == CHALLENGE);
                assert!(!right || !honest.tokens.contains(&bytes));
            }
        }
        tokens.push((token, challenge));
        expected.push(verdict.err());
    }
    let many = Token::verify_many(tokens, &roots());
    let many: Vec<_> = many.into_iter().map(|verdict| verdict.err()).collect();
    assert_eq!(many, expected);
    parts(input, honest)
}

/// Checks a request and a statement made from the bytes.
fn parts(input: &mut Unstructured, honest: &Honest) -> Result<()> {
    let bytes = changed(input, &honest.parts[..1])?;
    if let Ok(request) = Request::decode(&bytes) {
        assert_eq!(request.encode(), bytes);
    }
    let bytes = changed(input, &honest.parts[1..])?;
    if let Ok(statement) = Statement::decode(&bytes, &LIMITS) {
        assert_eq!(statement.encode().unwrap(), bytes);
        let token = Token::decode(&honest.tokens[0], &LIMITS).unwrap();
        let extended = token.append_statement(&statement);
        assert_eq!(extended.is_ok(), bytes == honest.parts[1]);
    }
    Ok(())
}
