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
use std::sync::LazyLock;

use klero_token::{
    Caveat, Challenge, Error, KeyKind, Limits, RootKeys, Scheme, SecretKey, Statement, Token,
};

use crate::secret_path::{SecretPath, Seed};

/// What all runs have in common, and nobody hides.
pub struct Common {
    /// A token up to its end.
    links: Vec<u8>,
    /// By a third party, for this token.
    statement: Statement,
    caveats: Vec<Caveat>,
}

/// A scheme whose signing is checked. It is a type, because a path is a function that holds nothing.
trait Checked: 'static {
    const SCHEME: Scheme;

    /// The bits that the last byte of an end may have, so that it is one of this scheme.
    const LAST: u8;

    /// The branches on whether an end is one of this scheme, when something is added.
    const VERDICTS: u64;

    fn common() -> &'static Common;
}

struct Chain;

impl Checked for Chain {
    const SCHEME: Scheme = Scheme::Chain;
    const LAST: u8 = 0xff;
    const VERDICTS: u64 = 0;

    fn common() -> &'static Common {
        static COMMON: LazyLock<Common> = LazyLock::new(|| make(Scheme::Chain));
        &COMMON
    }
}

struct Aggregate;

impl Checked for Aggregate {
    const SCHEME: Scheme = Scheme::Aggregate;
    /// The end is a scalar.
    const LAST: u8 = 0x0f;
    /// Whether it is below L.
    const VERDICTS: u64 = 1;

    fn common() -> &'static Common {
        static COMMON: LazyLock<Common> = LazyLock::new(|| make(Scheme::Aggregate));
        &COMMON
    }
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
const BASE64: u64 = 2;

const END: usize = size_of::<Seed>();

fn make(scheme: Scheme) -> Common {
    let make = || -> Result<_, Error> {
        let root = SecretKey::from_seed(scheme, &[1; 32]);
        let token = Token::mint(&root, 0, b"may read", &[])?.append(b"whatever")?;
        let third_party = SecretKey::from_bytes(KeyKind::Ed25519, &[2; 32])?;
        let mut links = token.encode()?.to_vec();
        links.truncate(links.len() - END);
        Ok(Common {
            links,
            statement: token.request()?.sign(&third_party, b"of age")?,
            caveats: vec!["method GET".parse().expect("a caveat")],
        })
    };
    make().expect("a token")
}

/// All paths.
pub fn paths() -> Vec<SecretPath> {
    [
        of_scheme::<Chain>(),
        of_scheme::<Aggregate>(),
        of_chain_alone(),
        of_third_parties(),
    ]
    .concat()
}

fn path(name: &'static str, of: &'static str, verdicts: u64, run: fn(&Seed)) -> SecretPath {
    let verdicts = Some(verdicts);
    SecretPath {
        name,
        of,
        verdicts,
        run,
    }
}

fn of_scheme<S: Checked>() -> Vec<SecretPath> {
    let name = S::SCHEME.name();
    vec![
        path("token keys", name, 0, |seed| {
            black_box(SecretKey::from_seed(S::SCHEME, seed));
        }),
        path("text of token keys: write", name, 0, |seed| {
            black_box(SecretKey::from_seed(S::SCHEME, seed).to_text());
        }),
        path("text of token keys: read", name, BASE64, |seed| {
            let text = SecretKey::from_seed(S::SCHEME, seed).to_text();
            black_box(text.parse::<SecretKey>().expect("a key"));
        }),
        path("token: mint", name, 0, |seed| {
            black_box(minted::<S>(seed));
        }),
        path("token: narrow", name, S::VERDICTS, |seed| {
            add::<S>(seed, |token| token.narrow(&S::common().caveats));
        }),
        path("token: append", name, S::VERDICTS, |seed| {
            add::<S>(seed, |token| token.append(b"whatever"));
        }),
        path("token: append a statement", name, S::VERDICTS, |seed| {
            add::<S>(seed, |token| token.append_statement(&S::common().statement));
        }),
        path("token: seal", name, S::VERDICTS, |seed| {
            add::<S>(seed, |token| token.seal(&CHALLENGE));
        }),
        path("token: decode", name, 0, |seed| {
            black_box(bearer::<S>(seed));
        }),
        path("text of tokens: write", name, 0, |seed| {
            black_box(bearer::<S>(seed).to_text().expect("a text"));
        }),
        path("text of tokens: read", name, BASE64, |seed| {
            let text = bearer::<S>(seed).to_text().expect("a text");
            let token = Token::from_text(&text, &Limits::default());
            black_box(token.expect("a token"));
        }),
    ]
}

/// What valgrind cannot judge: the verdict on a token is branched on wherever it is handed on, and of a PEM
/// file every character is compared with those that are ASCII. The trace can.
fn of_chain_alone() -> Vec<SecretPath> {
    let path = |name, run| SecretPath {
        name,
        of: Scheme::Chain.name(),
        verdicts: None,
        run,
    };
    vec![
        path("token: verify", verify_all_but_the_end),
        path("PEM of token keys: write", |seed| {
            black_box(SecretKey::from_seed(Scheme::Chain, seed).to_pem());
        }),
        path("PEM of token keys: read", |seed| {
            let key = SecretKey::from_seed(Scheme::Chain, seed);
            let pem = key.to_pem().expect("an Ed25519 key");
            black_box(SecretKey::from_pem(Scheme::Chain, &pem).expect("a key"));
        }),
    ]
}

/// The end is verified with everything else valid, since verification ends at the first fault.
fn verify_all_but_the_end(end: &Seed) {
    let root = SecretKey::from_seed(Scheme::Chain, &[1; 32]);
    let roots = RootKeys::from(*root.public_key());
    let verdict = bearer::<Chain>(end).verify(&roots, None);
    assert_eq!(verdict.err(), Some(Error::Possession));
}

fn of_third_parties() -> Vec<SecretPath> {
    vec![
        path("token keys", KeyKind::Ed25519.name(), 0, |seed| {
            black_box(SecretKey::from_bytes(KeyKind::Ed25519, seed).expect("a seed"));
        }),
        path(
            "token: sign a statement",
            KeyKind::Ed25519.name(),
            0,
            |seed| {
                let key = SecretKey::from_bytes(KeyKind::Ed25519, seed).expect("a seed");
                let request = bearer::<Chain>(&[3; 32]).request().expect("a bearer's");
                black_box(request.sign(&key, b"of age").expect("a statement"));
            },
        ),
    ]
}

/// A token that this root key signs.
fn minted<S: Checked>(root: &Seed) -> Token {
    let root = SecretKey::from_seed(S::SCHEME, root);
    Token::mint(&root, 0, b"may read", &[]).expect("a token")
}

/// The token of a bearer with this secret.
fn bearer<S: Checked>(end: &Seed) -> Token {
    let mut bytes = [&S::common().links[..], end].concat();
    if let Some(last) = bytes.last_mut() {
        *last &= S::LAST;
    }
    Token::decode(&bytes, &Limits::default()).expect("a token")
}

/// Adds to the token of a bearer.
fn add<S: Checked>(end: &Seed, add: impl Fn(&Token) -> Result<Token, Error>) {
    let token = add(&bearer::<S>(end)).expect("a token");
    black_box(token.encode().expect("an encoding"));
}
