//! The paths of tokens that hold a secret: a key's seed, or the end of a bearer's token.
//!
//! The library draws random bytes for each link, and they differ from run to run. That disturbs no
//! trace: what is computed from them is either secret itself, or written without a look at it.
//!
//! Statements are verified in variable time when they are appended. All that they are verified
//! with is public, and the same in all runs: the tokens of all bearers have the same links, and
//! only their ends differ. Whoever appends to a token does not verify it, so that the end need
//! not belong to the links.

use std::hint::black_box;

use klero_token::{
    Caveat, Challenge, Error, KeyKind, Limits, RootKeys, Scheme, SecretKey, Statement, Token,
};

use super::path::{SecretPath, Seed};

/// A scheme whose signing is checked, and what all runs have in common and nobody hides.
struct Common {
    scheme: Scheme,
    /// The bits that the last byte of an end may have, so that it is one of this scheme.
    last: u8,
    /// The branches on whether an end is one of this scheme, when something is added.
    verdicts: u64,
    /// A token up to its end.
    links: Vec<u8>,
    /// By a third party, for this token.
    statement: Statement,
    caveats: Vec<Caveat>,
}

/// Ways to a secret that no part takes.
pub const NOT_CHECKED: [&str; 2] = [
    "verifying a bearer's token of the scheme aggregate",
    "reading a secret key in Bech32",
];

const CHALLENGE: Challenge<'static> = Challenge {
    nonce: &[9; 16],
    audience: "shop",
    time: 1_800_000_000,
};

/// The verdicts on base64: whether all characters are of it, and whether the last one is as short
/// as it can be.
const BASE64: Option<u64> = Some(2);

const END: usize = size_of::<Seed>();

/// All paths.
pub fn paths() -> Vec<SecretPath> {
    let chain = Common::new(Scheme::Chain, 0xff, 0);
    // The end is a scalar, and the verdict whether it is below L.
    let aggregate = Common::new(Scheme::Aggregate, 0x0f, 1);
    [
        chain.paths(),
        aggregate.paths(),
        chain.paths_for_the_trace(),
        chain.paths_of_third_parties(),
    ]
    .concat()
}

impl Common {
    /// Kept for as long as the program runs.
    fn new(scheme: Scheme, last: u8, verdicts: u64) -> &'static Self {
        let make = || -> Result<_, Error> {
            let root = SecretKey::from_seed(scheme, &[1; 32]);
            let token = Token::mint(&root, 0, b"may read", &[])?.append(b"whatever")?;
            let third_party = SecretKey::from_bytes(KeyKind::Ed25519, &[2; 32])?;
            let mut links = token.encode()?.to_vec();
            links.truncate(links.len() - END);
            Ok(Self {
                scheme,
                last,
                verdicts,
                links,
                statement: token.request()?.sign(&third_party, b"of age")?,
                caveats: vec!["method GET".parse().expect("a caveat")],
            })
        };
        Box::leak(Box::new(make().expect("a token")))
    }

    fn paths(&'static self) -> Vec<SecretPath> {
        let (scheme, of) = (self.scheme, self.scheme.name());
        let added = Some(self.verdicts);
        vec![
            SecretPath::new("token keys", of, Some(0), move |seed| {
                black_box(SecretKey::from_seed(scheme, seed));
            }),
            SecretPath::new("text of token keys: write", of, Some(0), move |seed| {
                black_box(SecretKey::from_seed(scheme, seed).to_text());
            }),
            SecretPath::new("text of token keys: read", of, BASE64, move |seed| {
                let text = SecretKey::from_seed(scheme, seed).to_text();
                black_box(text.parse::<SecretKey>().expect("a key"));
            }),
            SecretPath::new("token: mint", of, Some(0), move |seed| {
                let root = SecretKey::from_seed(scheme, seed);
                black_box(Token::mint(&root, 0, b"may read", &[]).expect("a token"));
            }),
            SecretPath::new("token: narrow", of, added, |seed| {
                add(self.bearer(seed).narrow(&self.caveats));
            }),
            SecretPath::new("token: append", of, added, |seed| {
                add(self.bearer(seed).append(b"whatever"));
            }),
            SecretPath::new("token: append a statement", of, added, |seed| {
                add(self.bearer(seed).append_statement(&self.statement));
            }),
            SecretPath::new("token: seal", of, added, |seed| {
                add(self.bearer(seed).seal(&CHALLENGE));
            }),
            SecretPath::new("token: decode", of, Some(0), |seed| {
                black_box(self.bearer(seed));
            }),
            SecretPath::new("text of tokens: write", of, Some(0), |seed| {
                black_box(self.bearer(seed).to_text().expect("a text"));
            }),
            SecretPath::new("text of tokens: read", of, BASE64, |seed| {
                let text = self.bearer(seed).to_text().expect("a text");
                let token = Token::from_text(&text, &Limits::default());
                black_box(token.expect("a token"));
            }),
        ]
    }

    /// The paths that valgrind cannot judge and the trace can: the verdict on a token is branched on
    /// wherever it is handed on, and of a PEM file every character is compared with those that are ASCII.
    fn paths_for_the_trace(&'static self) -> Vec<SecretPath> {
        let (scheme, of) = (self.scheme, self.scheme.name());
        vec![
            // The end is verified with everything else valid, since verification ends at the first
            // fault.
            SecretPath::new("token: verify", of, None, move |end| {
                let root = SecretKey::from_seed(scheme, &[1; 32]);
                let roots = RootKeys::from(*root.public_key());
                let verdict = self.bearer(end).verify(&roots, None);
                assert_eq!(verdict.err(), Some(Error::Possession));
            }),
            SecretPath::new("PEM of token keys: write", of, None, move |seed| {
                black_box(SecretKey::from_seed(scheme, seed).to_pem());
            }),
            SecretPath::new("PEM of token keys: read", of, None, move |seed| {
                let key = SecretKey::from_seed(scheme, seed);
                let pem = key.to_pem().expect("an Ed25519 key");
                black_box(SecretKey::from_pem(scheme, &pem).expect("a key"));
            }),
        ]
    }

    fn paths_of_third_parties(&'static self) -> Vec<SecretPath> {
        let of = KeyKind::Ed25519.name();
        let key = |seed: &Seed| SecretKey::from_bytes(KeyKind::Ed25519, seed).expect("a seed");
        vec![
            SecretPath::new("token keys", of, Some(0), move |seed| {
                black_box(key(seed));
            }),
            SecretPath::new("token: sign a statement", of, Some(0), move |seed| {
                let request = self.bearer(&[3; 32]).request().expect("a bearer's");
                black_box(request.sign(&key(seed), b"of age").expect("a statement"));
            }),
        ]
    }

    /// The token of a bearer with this secret.
    fn bearer(&self, end: &Seed) -> Token {
        let mut bytes = [&self.links[..], end].concat();
        if let Some(last) = bytes.last_mut() {
            *last &= self.last;
        }
        Token::decode(&bytes, &Limits::default()).expect("a token")
    }
}

/// A token to which something was added.
fn add(added: Result<Token, Error>) {
    black_box(added.expect("a token").encode().expect("an encoding"));
}
