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
    Aggregate, Caveat, Chain, Challenge, Error, Keys, Limits, Scheme, SecretKey, Statement,
    ThirdParty, Unverified, Verified,
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

/// A scheme whose signing is checked.
trait Checked: Scheme {
    /// The bits that the last byte of an end may have, so that it is one of this scheme.
    const LAST: u8;

    /// The branches on whether an end is one of this scheme, when something is added.
    const VERDICTS: u64;

    fn common() -> &'static Common;
}

impl Checked for Chain {
    const LAST: u8 = 0xff;
    const VERDICTS: u64 = 0;

    fn common() -> &'static Common {
        static COMMON: LazyLock<Common> = LazyLock::new(make::<Chain>);
        &COMMON
    }
}

impl Checked for Aggregate {
    /// The end is a scalar.
    const LAST: u8 = 0x0f;
    /// Whether it is below L.
    const VERDICTS: u64 = 2;

    fn common() -> &'static Common {
        static COMMON: LazyLock<Common> = LazyLock::new(make::<Aggregate>);
        &COMMON
    }
}

/// Ways to a secret that no part takes.
pub const NOT_CHECKED: [&str; 2] = [
    "verifying the token of a bearer",
    "PEM files of keys for tokens",
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

fn make<S: Scheme>() -> Common {
    let make = || -> Result<_, Error> {
        let root = SecretKey::<S>::from_seed(&[1; 32]);
        let token = Verified::mint(&root, 0, b"may read", &[])?.append(b"whatever")?;
        let third_party = SecretKey::from_seed(&[2; 32]);
        let mut links = token.encode()?.to_vec();
        links.truncate(links.len() - END);
        Ok(Common {
            links,
            statement: token.request()?.sign(&third_party, b"of age"),
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
    vec![
        path("token keys", S::NAME, 0, |seed| {
            black_box(SecretKey::<S>::from_seed(seed));
        }),
        path("text of token keys: write", S::NAME, 0, |seed| {
            black_box(SecretKey::<S>::from_seed(seed).to_text());
        }),
        path("text of token keys: read", S::NAME, BASE64, |seed| {
            let text = SecretKey::<S>::from_seed(seed).to_text();
            black_box(text.parse::<SecretKey<S>>().expect("a key"));
        }),
        path("token: mint", S::NAME, 0, |seed| {
            black_box(minted::<S>(seed));
        }),
        path("token: narrow", S::NAME, S::VERDICTS, |seed| {
            add::<S>(seed, |token| token.narrow(&S::common().caveats));
        }),
        path("token: append", S::NAME, S::VERDICTS, |seed| {
            add::<S>(seed, |token| token.append(b"whatever"));
        }),
        path("token: append a statement", S::NAME, S::VERDICTS, |seed| {
            add::<S>(seed, |token| token.append_statement(&S::common().statement));
        }),
        path("token: seal", S::NAME, S::VERDICTS, |seed| {
            add::<S>(seed, |token| token.seal(&CHALLENGE));
        }),
        path("token: decode", S::NAME, 0, |seed| {
            black_box(bearer::<S>(seed));
        }),
        path("text of tokens: write", S::NAME, 0, |seed| {
            black_box(bearer::<S>(seed).to_text().expect("a text"));
        }),
        path("text of tokens: read", S::NAME, BASE64, |seed| {
            let text = bearer::<S>(seed).to_text().expect("a text");
            let token = Unverified::<S>::from_text(&text, &Limits::default());
            black_box(token.expect("a token"));
        }),
    ]
}

fn of_third_parties() -> Vec<SecretPath> {
    vec![
        path("token keys", ThirdParty::NAME, 0, |seed| {
            black_box(SecretKey::<ThirdParty>::from_seed(seed));
        }),
        path("token: sign a statement", ThirdParty::NAME, 0, |seed| {
            let key = SecretKey::<ThirdParty>::from_seed(seed);
            let request = bearer::<Chain>(&[3; 32]).request().expect("a bearer's");
            black_box(request.sign(&key, b"of age"));
        }),
    ]
}

/// A token that this root key signs.
fn minted<S: Scheme>(root: &Seed) -> Verified<S> {
    let root = SecretKey::from_seed(root);
    Verified::mint(&root, 0, b"may read", &[]).expect("a token")
}

/// The token of a bearer with this secret.
fn bearer<S: Checked>(end: &Seed) -> Unverified<S> {
    let mut bytes = [&S::common().links[..], end].concat();
    if let Some(last) = bytes.last_mut() {
        *last &= S::LAST;
    }
    Unverified::decode(&bytes, &Limits::default()).expect("a token")
}

/// Adds to the token of a bearer.
fn add<S: Checked>(end: &Seed, add: impl Fn(&Unverified<S>) -> Result<Unverified<S>, Error>) {
    let token = add(&bearer(end)).expect("a token");
    black_box(token.encode().expect("an encoding"));
}
