//! The tables of the study of tokens: signing, verifying and size, for its four schemes,
//! the three of `klero-token`, Biscuit, and plain Ed25519.
//!
//! The study's tables are shown corrected: in "Verifying" its columns for two and three
//! blocks of VRF 1 and VRF 2 are exchanged, and its challenge signing makes two
//! signatures where one is a block's and one the answer's.

use std::hint::black_box;

use biscuit_auth::builder::BlockBuilder;
use biscuit_auth::{Biscuit, KeyPair};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use klero_measure::{Cell, Curve, Directory, Figure, Lines, Row, Run, Section, Table};
use klero_token::hazmat::seed;
use klero_token::{Aggregate, Bls, Chain, Limits, RootKeys, Scheme, SecretKey};
use klero_token::{Unverified, Verified};

/// What every block says.
const PAYLOAD: &[u8] = b"if the time is before noon";

/// The blocks of the tokens that are signed and verified.
const SIGNED: [usize; 3] = [1, 2, 3];
const VERIFIED: [usize; 6] = [1, 2, 3, 5, 10, 20];

/// So many tokens are verified together.
const TOGETHER: usize = 64;

const SIGNING: &str = "token-signing";
const VERIFYING: &str = "token-verifying";
const MANY: &str = "token-many";

type Work = Box<dyn FnMut() -> bool>;

/// A scheme, and how the study and the attacks found it.
struct Contender {
    name: &'static str,
    forgeable: &'static str,
    /// The study's microseconds for 1, 2 and 3 blocks, corrected.
    signing: [Option<f64>; 3],
    verifying: [Option<f64>; 3],
    /// Makes block number n of a token; n from 1 on.
    sign: fn(usize) -> Work,
    /// Verifies a token of n blocks from its bytes.
    verify: fn(usize) -> Work,
    /// The bytes of n blocks, without payloads and framing.
    size: Option<fn(usize) -> usize>,
}

const NO_FIGURES: [Option<f64>; 3] = [None; 3];

const fn figures(figures: [f64; 3]) -> [Option<f64>; 3] {
    [Some(figures[0]), Some(figures[1]), Some(figures[2])]
}

const CONTENDERS: [Contender; 9] = [
    Contender {
        name: "VRF 1",
        forgeable: "by anyone",
        signing: figures([281.0, 737.0, 888.0]),
        verifying: figures([334.0, 568.0, 846.0]),
        sign: vrf1::sign,
        verify: vrf1::verify,
        size: Some(vrf1::size),
    },
    Contender {
        name: "VRF 2",
        forgeable: "by anyone",
        signing: figures([333.0, 715.0, 818.0]),
        verifying: figures([264.0, 345.0, 434.0]),
        sign: vrf2::sign,
        verify: vrf2::verify,
        size: Some(vrf2::size),
    },
    Contender {
        name: "pairing",
        forgeable: "by anyone",
        signing: [Some(2932.0), Some(3234.0), None],
        verifying: figures([15170.0, 22570.0, 30657.0]),
        sign: pairing::sign,
        verify: pairing::verify,
        size: Some(pairing::size),
    },
    Contender {
        name: "challenge",
        forgeable: "by any root, by replay",
        signing: figures([325.0, 402.0, 405.0]),
        verifying: figures([308.0, 472.0, 624.0]),
        sign: challenge_sign,
        verify: challenge_verify,
        size: Some(challenge_size),
    },
    sound::<Chain>("chain"),
    sound::<Aggregate>("aggregate"),
    sound::<Bls>("bls"),
    Contender {
        name: "biscuit-auth",
        forgeable: "no",
        signing: NO_FIGURES,
        verifying: NO_FIGURES,
        sign: biscuit_sign,
        verify: biscuit_verify,
        size: None,
    },
    Contender {
        name: "ed25519-dalek",
        forgeable: "no, but no chain",
        signing: NO_FIGURES,
        verifying: NO_FIGURES,
        sign: dalek_sign,
        verify: dalek_verify,
        size: None,
    },
];

/// The schemes of `klero-token`.
const fn sound<S: Scheme>(name: &'static str) -> Contender {
    Contender {
        name,
        forgeable: "no",
        signing: NO_FIGURES,
        verifying: NO_FIGURES,
        sign: sound_sign::<S>,
        verify: sound_verify::<S>,
        size: Some(sound_size::<S>),
    }
}

/// A token of n blocks, and the root key.
fn token<S: Scheme>(n: usize) -> (Verified<S>, RootKeys<S>) {
    let root = SecretKey::generate().expect("randomness");
    let mut token = Verified::mint(&root, 0, PAYLOAD).expect("a token");
    for _ in 1..n {
        token = token.append(PAYLOAD).expect("a block");
    }
    (token, RootKeys::from(*root.public_key()))
}

fn sound_sign<S: Scheme>(n: usize) -> Work {
    if n == 1 {
        let root = SecretKey::<S>::generate().expect("randomness");
        return Box::new(move || {
            let token = Verified::mint(&root, 0, PAYLOAD).and_then(|token| token.encode());
            black_box(token).is_ok()
        });
    }
    let (before, _) = token::<S>(n - 1);
    Box::new(move || {
        let token = before.append(PAYLOAD).and_then(|token| token.encode());
        black_box(token).is_ok()
    })
}

fn sound_verify<S: Scheme>(n: usize) -> Work {
    let (token, roots) = token::<S>(n);
    let bytes = token.encode().expect("a token");
    Box::new(move || {
        let token = Unverified::<S>::decode(&bytes, &Limits::default());
        token.and_then(|token| token.verify(&roots, None)).is_ok()
    })
}

/// Many tokens of three blocks, of one root.
fn sound_many<S: Scheme>() -> Work {
    let root = SecretKey::<S>::generate().expect("randomness");
    let tokens: Vec<_> = (0..TOGETHER)
        .map(|_| {
            let token = Verified::mint(&root, 0, PAYLOAD);
            let token = token.and_then(|token| token.append(PAYLOAD)?.append(PAYLOAD));
            token.and_then(|token| token.encode()).expect("a token")
        })
        .collect();
    let roots = RootKeys::from(*root.public_key());
    Box::new(move || {
        let decode = |bytes| Unverified::<S>::decode(bytes, &Limits::default());
        let decoded: Result<Vec<_>, _> = tokens.iter().map(|bytes| decode(bytes)).collect();
        decoded.is_ok_and(|tokens| {
            let tokens = tokens.into_iter().map(|token| (token, None)).collect();
            Unverified::verify_many(tokens, &roots)
                .iter()
                .all(Result::is_ok)
        })
    })
}

fn sound_size<S: Scheme>(n: usize) -> usize {
    let bytes = token::<S>(n).0.encode().expect("a token");
    // Header, root key id and number of blocks; kinds and lengths.
    bytes.len() - 13 - n * (5 + PAYLOAD.len())
}

/// What is the same in three of the study's schemes.
macro_rules! of_the_study {
    ($scheme:ident, $keys:expr) => {
        mod $scheme {
            use super::*;
            use seed::$scheme::{KeyPair, Token};

            fn key(n: usize) -> KeyPair {
                $keys(n as u8)
            }

            fn token(n: usize) -> Token {
                (1..n).fold(Token::new(&key(0), PAYLOAD), |token, i| {
                    token.append(&key(i), PAYLOAD)
                })
            }

            pub fn sign(n: usize) -> Work {
                let own = key(n - 1);
                if n == 1 {
                    return Box::new(move || {
                        !black_box(Token::new(&own, PAYLOAD).encode()).is_empty()
                    });
                }
                let before = token(n - 1);
                Box::new(move || !black_box(before.append(&own, PAYLOAD).encode()).is_empty())
            }

            pub fn verify(n: usize) -> Work {
                let (bytes, root) = (token(n).encode(), key(0).public());
                Box::new(move || Token::decode(&bytes).is_ok_and(|token| token.verify(&root)))
            }

            pub fn size(n: usize) -> usize {
                token(n).encode().len() - 4 - n * (4 + PAYLOAD.len())
            }
        }
    };
}

of_the_study!(vrf1, |n| KeyPair::from_seed(&[n; 32]));
of_the_study!(vrf2, |n| KeyPair::from_seed(&[n; 32]));
of_the_study!(pairing, |n| KeyPair::from_seed(&[n; 32]));

fn challenge_token(n: usize) -> seed::challenge::Token {
    let root = seed::challenge::KeyPair::from_seed(b"root");
    let first = seed::challenge::Token::new(&root, PAYLOAD).expect("randomness");
    (1..n).fold(first, |token, _| token.append(PAYLOAD).expect("randomness"))
}

fn challenge_sign(n: usize) -> Work {
    if n == 1 {
        let root = seed::challenge::KeyPair::from_seed(b"root");
        return Box::new(move || {
            let token = seed::challenge::Token::new(&root, PAYLOAD);
            black_box(token.map(|token| token.encode())).is_ok()
        });
    }
    let before = challenge_token(n - 1);
    Box::new(move || black_box(before.append(PAYLOAD).map(|token| token.encode())).is_ok())
}

/// The form that is shown to a verifier: n blocks and the answer.
fn challenge_verify(n: usize) -> Work {
    let answered = challenge_token(n).answer(b"a nonce, and the time");
    let bytes = answered.expect("randomness").encode();
    Box::new(move || {
        seed::challenge::ChallengeToken::decode(&bytes).is_ok_and(|token| token.verify())
    })
}

fn challenge_size(n: usize) -> usize {
    challenge_token(n).encode().len() - 4 - n * (4 + PAYLOAD.len())
}

fn biscuit_block() -> BlockBuilder {
    BlockBuilder::new()
        .check("check if time($time), $time < 2030-01-01T00:00:00Z")
        .expect("a check")
}

fn biscuit(root: &KeyPair) -> Option<Biscuit> {
    let builder = Biscuit::builder().fact("user(\"1234\")").ok()?;
    builder.build(root).ok()
}

fn biscuit_of(root: &KeyPair, n: usize) -> Biscuit {
    (1..n).fold(biscuit(root).expect("a token"), |token, _| {
        token.append(biscuit_block()).expect("a block")
    })
}

/// With the parsing of its datalog, which it does not do without.
fn biscuit_sign(n: usize) -> Work {
    let root = KeyPair::new();
    if n == 1 {
        return Box::new(move || biscuit(&root).is_some_and(|token| token.to_vec().is_ok()));
    }
    let before = biscuit_of(&root, n - 1);
    Box::new(move || {
        let token = before.append(biscuit_block());
        token.is_ok_and(|token| token.to_vec().is_ok())
    })
}

fn biscuit_verify(n: usize) -> Work {
    let root = KeyPair::new();
    let bytes = biscuit_of(&root, n).to_vec().expect("a token");
    let public = root.public();
    Box::new(move || Biscuit::from(&bytes, public).is_ok())
}

fn dalek_sign(_: usize) -> Work {
    let key = SigningKey::from_bytes(&[7; 32]);
    Box::new(move || black_box(key.sign(PAYLOAD)).to_bytes() != [0; 64])
}

/// n signatures, strictly.
fn dalek_verify(n: usize) -> Work {
    let signed: Vec<_> = (0..n as u8)
        .map(|i| {
            let key = SigningKey::from_bytes(&[i; 32]);
            (key.verifying_key().to_bytes(), key.sign(PAYLOAD))
        })
        .collect();
    Box::new(move || {
        signed.iter().all(|(key, signature)| {
            VerifyingKey::from_bytes(key)
                .is_ok_and(|key| key.verify_strict(PAYLOAD, signature).is_ok())
        })
    })
}

fn blocks(n: usize) -> String {
    format!("{n} block{}", if n == 1 { "" } else { "s" })
}

/// Every row: a sample of short work is the mean of some calls.
pub fn rows() -> Vec<Row<'static>> {
    const CALLS: usize = 8;
    let mut rows = Vec::new();
    let mut add = |experiment, n, work: fn(&Contender) -> fn(usize) -> Work| {
        let mut row = Row::new(experiment, blocks(n), CALLS).at(n as f64);
        for contender in &CONTENDERS {
            let mut work = work(contender)(n);
            row.add(contender.name, move || (0..CALLS).all(|_| work()));
        }
        rows.push(row);
    };
    for n in SIGNED {
        add(SIGNING, n, |contender| contender.sign);
    }
    for n in VERIFIED {
        add(VERIFYING, n, |contender| contender.verify);
    }
    let name = format!("{TOGETHER} tokens of 3 blocks together");
    let mut many = Row::new(MANY, name, TOGETHER).at(3.0);
    many.add("chain", sound_many::<Chain>());
    many.add("aggregate", sound_many::<Aggregate>());
    let mut biscuits = biscuit_verify(3);
    many.add("biscuit-auth, one by one", move || {
        (0..TOGETHER).all(|_| biscuits())
    });
    rows.push(many);
    rows
}

/// A table of times, with the study's beside them.
fn times(
    run: &Run,
    experiment: &str,
    title: &str,
    numbers: &[usize],
    published: fn(&Contender) -> [Option<f64>; 3],
) -> Table {
    let columns = numbers.iter().map(|n| blocks(*n));
    let study = SIGNED.map(|n| format!("study: {n}"));
    let ratios = ["3 blocks, × biscuit-auth", "forgeable"].map(str::to_owned);
    let head = ["scheme".to_owned()].into_iter().chain(columns);
    let mut table = Table::new(title, head.chain(study).chain(ratios));
    for contender in &CONTENDERS {
        let name = contender.name;
        let row = |n: usize| run.row(experiment, &blocks(n));
        let mut line = vec![Cell::text(name)];
        line.extend(numbers.iter().map(|n| {
            let series = row(*n).and_then(|row| row.get(name));
            Cell::median(series)
        }));
        let study =
            |time: Option<f64>| time.map_or(Cell::Nothing, |time| Cell::text(time.to_string()));
        line.extend(published(contender).map(study));
        let ratio = row(3).and_then(|row| row.ratio(name, "biscuit-auth"));
        line.push(Cell::times(ratio));
        line.push(Cell::text(contender.forgeable));
        table.lines.push(line);
    }
    table
}

/// The three tables, and size against time.
pub fn section(run: &Run) -> Section {
    let mut section = Section::new(
        "Tokens",
        "Microseconds to add a block (with its encoding), and to verify a token from its bytes; \
         bytes without payloads and framing. Columns called study are the published figures of \
         the study that tried VRF 1, VRF 2, pairing and challenge, corrected where it had \
         exchanged two columns; its challenge signing made two signatures. The four are here to \
         be measured, not to be used: the tests of klero-token forge them.",
    );
    if run.of(VERIFYING).next().is_none() {
        return section;
    }
    let signing = times(run, SIGNING, "Tokens: signing", &SIGNED, |c| c.signing);
    let verifying = times(run, VERIFYING, "Tokens: verifying", &VERIFIED, |c| {
        c.verifying
    });
    let numbers = [1, 2, 5, 10, 20];
    let head = ["scheme".to_owned()].into_iter().chain(numbers.map(blocks));
    let mut sizes = Table::new(
        "Tokens: size in bytes",
        head.chain(["forgeable".to_owned()]),
    );
    let mut curves = Vec::new();
    for contender in &CONTENDERS {
        let Some(size) = contender.size else {
            continue;
        };
        let mut line = vec![Cell::text(contender.name)];
        line.extend(numbers.map(|n| Cell::Count(size(n) as u64)));
        line.push(Cell::text(contender.forgeable));
        sizes.lines.push(line);
        let points = VERIFIED.into_iter().filter_map(|n| {
            let series = run.row(VERIFYING, &blocks(n))?.get(contender.name)?;
            Some((size(n) as f64, series.median()))
        });
        curves.push(Curve {
            name: contender.name.to_owned(),
            points: points.collect(),
        });
    }
    section.figures.push(Figure::Lines(Lines {
        title: "Tokens of 1, 2, 3, 5, 10 and 20 blocks: size against time".to_owned(),
        x: "bytes of keys and signatures".to_owned(),
        y: "microseconds to verify".to_owned(),
        curves,
        with_figures: false,
    }));
    section.tables = vec![signing, verifying, sizes];
    if let Some(row) = run.of(MANY).next() {
        let baseline = "biscuit-auth, one by one";
        section.tables.push(Table::of_row(row, &[baseline]));
    }
    section
}

/// The tables as files.
pub fn write(directory: &Directory, section: &Section) -> std::io::Result<()> {
    for (name, table) in [
        "tokens-signing.csv",
        "tokens-verifying.csv",
        "tokens-size.csv",
    ]
    .into_iter()
    .zip(&section.tables)
    {
        directory.write_table(name, table)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_study() {
        let expected = [
            ("VRF 1", [160, 256, 544, 1024, 1984]),
            ("VRF 2", [160, 224, 416, 736, 1376]),
            ("pairing", [144, 192, 336, 576, 1056]),
            ("challenge", [128, 224, 512, 992, 1952]),
            ("chain", [128, 224, 512, 992, 1952]),
            ("aggregate", [96, 160, 352, 672, 1312]),
            ("bls", [144, 192, 336, 576, 1056]),
        ];
        for (name, sizes) in expected {
            let contender = CONTENDERS.iter().find(|c| c.name == name).unwrap();
            assert_eq!([1, 2, 5, 10, 20].map(contender.size.unwrap()), sizes);
        }
    }

    #[test]
    fn all_do_their_work() {
        for contender in &CONTENDERS {
            for n in SIGNED {
                assert!((contender.sign)(n)(), "{}", contender.name);
                assert!((contender.verify)(n)(), "{}", contender.name);
            }
        }
    }
}
