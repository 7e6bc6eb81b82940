//! The tables of "Experiments around signature aggregation for the biscuit token": signing,
//! verifying and size, for the four schemes of that study, the sound one with pairings, the two of
//! `klero-token`, Biscuit, and plain Ed25519.
//!
//! The study's table of verification has the columns for two and three blocks of VRF 1 and VRF 2
//! exchanged; here they are corrected. Its figures for signing a challenge token include two
//! signatures, that of the block and that of the answer: the row "challenge token". The row
//! "challenge, base token" is the signature of the block alone.

use std::hint::black_box;

use biscuit_auth::builder::BlockBuilder;
use biscuit_auth::{Biscuit, KeyPair};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use klero_files::WriteError;
use klero_measure::{Cell, Curve, Directory, Figure, Lines, Row, Run, Section, Table};
use klero_studies as seed;
use klero_token::{Limits, RootKeys, Scheme, SecretKey, Token, Verified};

/// The payload of every block.
const PAYLOAD: &[u8] = b"if the time is before noon";

/// The blocks of the tokens that are signed and verified.
const SIGNED: [usize; 3] = [1, 2, 3];
const VERIFIED: [usize; 6] = [1, 2, 3, 5, 10, 20];

/// As many signatures as the largest token has.
const LIMITS: Limits = Limits {
    signatures: 20,
    caveats: u32::MAX,
    bytes: 65_536,
};

/// The number of tokens that are verified together.
const TOGETHER: usize = 64;

const SIGNING: &str = "token-signing";
const VERIFYING: &str = "token-verifying";
const MANY: &str = "token-many";

type Work = Box<dyn FnMut() -> bool>;

/// Work on a token of n blocks.
type OfBlocks = fn(usize) -> Work;

/// A scheme, the study's figures for it, and who can forge its tokens.
struct Contender {
    name: &'static str,
    forgeable: &'static str,
    /// The study's microseconds for 1, 2 and 3 blocks, corrected.
    signing: [Option<f64>; 3],
    verifying: [Option<f64>; 3],
    /// Makes block n of a token, counted from 1.
    sign: OfBlocks,
    /// Verifies a token of n blocks from its bytes; `None` if such tokens are never verified.
    verify: Option<OfBlocks>,
    /// The bytes of n blocks, without payloads and framing.
    size: Option<fn(usize) -> usize>,
}

const NO_FIGURES: [Option<f64>; 3] = [None; 3];

const fn figures(figures: [f64; 3]) -> [Option<f64>; 3] {
    [Some(figures[0]), Some(figures[1]), Some(figures[2])]
}

const CONTENDERS: [Contender; 10] = [
    Contender {
        name: "VRF 1",
        forgeable: "by anyone",
        signing: figures([281.0, 737.0, 888.0]),
        verifying: figures([334.0, 568.0, 846.0]),
        sign: vrf1::sign,
        verify: Some(vrf1::verify),
        size: Some(vrf1::size),
    },
    Contender {
        name: "VRF 2",
        forgeable: "by anyone",
        signing: figures([333.0, 715.0, 818.0]),
        verifying: figures([264.0, 345.0, 434.0]),
        sign: vrf2::sign,
        verify: Some(vrf2::verify),
        size: Some(vrf2::size),
    },
    Contender {
        name: "pairing",
        forgeable: "by anyone",
        signing: [Some(2932.0), Some(3234.0), None],
        verifying: figures([15170.0, 22570.0, 30657.0]),
        sign: pairing::sign,
        verify: Some(pairing::verify),
        size: Some(pairing::size),
    },
    Contender {
        name: "challenge, base token",
        forgeable: "by any root",
        signing: NO_FIGURES,
        verifying: NO_FIGURES,
        sign: challenge_append,
        verify: None,
        size: Some(base_size),
    },
    Contender {
        name: "challenge token",
        forgeable: "by any root, by replay",
        signing: figures([325.0, 402.0, 405.0]),
        verifying: figures([308.0, 472.0, 624.0]),
        sign: challenge_append_and_answer,
        verify: Some(challenge_verify),
        size: Some(challenge_size),
    },
    Contender {
        name: "chain",
        sign: |n| sound_sign(Scheme::Chain, n),
        verify: Some(|n| sound_verify(Scheme::Chain, n)),
        size: Some(|n| sound_size(Scheme::Chain, n)),
        ..SOUND
    },
    Contender {
        name: "aggregate",
        sign: |n| sound_sign(Scheme::Aggregate, n),
        verify: Some(|n| sound_verify(Scheme::Aggregate, n)),
        size: Some(|n| sound_size(Scheme::Aggregate, n)),
        ..SOUND
    },
    Contender {
        name: "bls",
        sign: bls_sign,
        verify: Some(bls_verify),
        size: Some(bls_size),
        ..SOUND
    },
    Contender {
        name: "biscuit-auth",
        forgeable: "no",
        signing: NO_FIGURES,
        verifying: NO_FIGURES,
        sign: biscuit_sign,
        verify: Some(biscuit_verify),
        size: None,
    },
    Contender {
        name: "ed25519-dalek",
        forgeable: "no, but no chain",
        signing: NO_FIGURES,
        verifying: NO_FIGURES,
        sign: dalek_sign,
        verify: Some(dalek_verify),
        size: None,
    },
];

/// What the sound schemes have in common.
const SOUND: Contender = Contender {
    name: "",
    forgeable: "no",
    signing: NO_FIGURES,
    verifying: NO_FIGURES,
    sign: dalek_sign,
    verify: None,
    size: None,
};

/// A token of n blocks, and the root key.
fn token(scheme: Scheme, n: usize) -> (Verified, RootKeys) {
    let root = SecretKey::generate(scheme).expect("randomness");
    let mut token = Token::mint(&root, 0, PAYLOAD, &[]).expect("a token");
    for _ in 1..n {
        token = token.append(PAYLOAD).expect("a block");
    }
    (token, RootKeys::from(*root.public_key()))
}

fn sound_sign(scheme: Scheme, n: usize) -> Work {
    if n == 1 {
        let root = SecretKey::generate(scheme).expect("randomness");
        return Box::new(move || {
            let token = Token::mint(&root, 0, PAYLOAD, &[]).and_then(|token| token.encode());
            black_box(token).is_ok()
        });
    }
    let (before, _) = token(scheme, n - 1);
    Box::new(move || {
        let token = before.append(PAYLOAD).and_then(|token| token.encode());
        black_box(token).is_ok()
    })
}

fn sound_verify(scheme: Scheme, n: usize) -> Work {
    let (token, roots) = token(scheme, n);
    let bytes = token.encode().expect("a token");
    Box::new(move || {
        let token = Token::decode(&bytes, &LIMITS);
        token.and_then(|token| token.verify(&roots, None)).is_ok()
    })
}

/// Many tokens of three blocks under one root key.
fn sound_many(scheme: Scheme) -> Work {
    let root = SecretKey::generate(scheme).expect("randomness");
    let tokens: Vec<_> = (0..TOGETHER)
        .map(|_| {
            let token = Token::mint(&root, 0, PAYLOAD, &[]);
            let token = token.and_then(|token| token.append(PAYLOAD)?.append(PAYLOAD));
            token.and_then(|token| token.encode()).expect("a token")
        })
        .collect();
    let roots = RootKeys::from(*root.public_key());
    Box::new(move || {
        let decode = |bytes| Token::decode(bytes, &LIMITS);
        let decoded: Result<Vec<_>, _> = tokens.iter().map(|bytes| decode(bytes)).collect();
        decoded.is_ok_and(|tokens| {
            let tokens = tokens.into_iter().map(|token| (token, None));
            Token::verify_many(tokens, &roots).iter().all(Result::is_ok)
        })
    })
}

fn sound_size(scheme: Scheme, n: usize) -> usize {
    let bytes = token(scheme, n).0.encode().expect("a token");
    bytes.len() - framing(n)
}

/// A token of n blocks of the sound scheme with pairings, by keys of these seeds.
fn bls_token(n: usize) -> seed::bls::Token {
    use seed::bls::{Token, kind, rights};
    let mut token = Token::new(0);
    for i in 0..n {
        match i {
            0 => token.add(kind::ROOT, &[0; 32], &rights(PAYLOAD)),
            _ => token.add(kind::OPAQUE, &[i as u8; 32], PAYLOAD),
        }
    }
    token
}

fn bls_sign(n: usize) -> Work {
    use seed::bls::{kind, rights};
    let before = bls_token(n - 1);
    let (kind, payload) = match n {
        1 => (kind::ROOT, rights(PAYLOAD)),
        _ => (kind::OPAQUE, PAYLOAD.to_vec()),
    };
    Box::new(move || {
        let mut token = before.clone();
        token.add(kind, &[n as u8 - 1; 32], &payload);
        !black_box(token.encode()).is_empty()
    })
}

fn bls_verify(n: usize) -> Work {
    let limits = seed::bls::Limits {
        pairings: n as u32,
        ..Default::default()
    };
    let (bytes, root) = (bls_token(n).encode(), seed::bls::public_key(&[0; 32]));
    Box::new(move || {
        let token = seed::bls::Token::decode(&bytes, &limits);
        token.is_ok_and(|token| token.verify(&root, None).is_ok())
    })
}

fn bls_size(n: usize) -> usize {
    bls_token(n).encode().len() - framing(n)
}

/// Header, root key id and number of blocks; random bytes and a length in the first block; kinds and
/// lengths; and the payloads.
fn framing(n: usize) -> usize {
    13 + 20 + n * (5 + PAYLOAD.len())
}

/// The interface that three of the study's schemes share.
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

fn base_token(n: usize) -> seed::challenge::Token {
    let root = seed::challenge::KeyPair::from_seed(b"root");
    let first = seed::challenge::Token::new(&root, PAYLOAD).expect("randomness");
    (1..n).fold(first, |token, _| token.append(PAYLOAD).expect("randomness"))
}

/// The verifier's challenge.
const CHALLENGE: &[u8] = b"a nonce, and the time";

/// Makes block n, and with `finish` the bytes of the token.
fn challenge_block(n: usize, finish: fn(seed::challenge::Token) -> Option<Vec<u8>>) -> Work {
    if n == 1 {
        let root = seed::challenge::KeyPair::from_seed(b"root");
        return Box::new(move || {
            let token = seed::challenge::Token::new(&root, PAYLOAD);
            black_box(token.ok().and_then(finish)).is_some()
        });
    }
    let before = base_token(n - 1);
    Box::new(move || black_box(before.append(PAYLOAD).ok().and_then(finish)).is_some())
}

fn challenge_append(n: usize) -> Work {
    challenge_block(n, |token| Some(token.encode()))
}

/// The challenge scheme as the study timed it.
fn challenge_append_and_answer(n: usize) -> Work {
    challenge_block(n, |token| Some(token.answer(CHALLENGE).ok()?.encode()))
}

/// The form for verifiers: n blocks and the answer.
fn challenge_token(n: usize) -> Vec<u8> {
    base_token(n)
        .answer(CHALLENGE)
        .expect("randomness")
        .encode()
}

fn challenge_verify(n: usize) -> Work {
    let bytes = challenge_token(n);
    Box::new(move || {
        seed::challenge::ChallengeToken::decode(&bytes).is_ok_and(|token| token.verify())
    })
}

fn base_size(n: usize) -> usize {
    base_token(n).encode().len() - 4 - n * (4 + PAYLOAD.len())
}

fn challenge_size(n: usize) -> usize {
    challenge_token(n).len() - 4 - n * (4 + PAYLOAD.len()) - (4 + CHALLENGE.len())
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

/// Biscuit, including the parsing of its datalog, which its API does not separate.
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

/// Strict verification of n signatures.
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

/// All rows. A sample of short work is the mean of several calls.
pub fn rows() -> Vec<Row<'static>> {
    const CALLS: usize = 8;
    let mut rows = Vec::new();
    let mut add = |experiment, n, work: fn(&Contender) -> Option<OfBlocks>| {
        let mut row = Row::new(experiment, blocks(n), CALLS).at(n as f64);
        for contender in &CONTENDERS {
            if let Some(work) = work(contender) {
                let mut work = work(n);
                row.add(contender.name, move || (0..CALLS).all(|_| work()));
            }
        }
        rows.push(row);
    };
    for n in SIGNED {
        add(SIGNING, n, |contender| Some(contender.sign));
    }
    for n in VERIFIED {
        add(VERIFYING, n, |contender| contender.verify);
    }
    let name = format!("{TOGETHER} tokens of 3 blocks together");
    let mut many = Row::new(MANY, name, TOGETHER).at(3.0);
    many.add("chain", sound_many(Scheme::Chain));
    many.add("aggregate", sound_many(Scheme::Aggregate));
    let mut biscuits = biscuit_verify(3);
    many.add("biscuit-auth, one by one", move || {
        (0..TOGETHER).all(|_| biscuits())
    });
    rows.push(many);
    rows
}

/// A table of times, beside those of the study, for the schemes that were measured.
fn times(
    run: &Run,
    experiment: &str,
    title: &str,
    numbers: &[usize],
    published: fn(&Contender) -> [Option<f64>; 3],
) -> Table {
    let columns = numbers.iter().map(|n| format!("{}, µs", blocks(*n)));
    let study = SIGNED.map(|n| format!("study: {n}, µs"));
    let ratios = ["3 blocks, × biscuit-auth", "forgeable"].map(str::to_owned);
    let head = ["scheme".to_owned()].into_iter().chain(columns);
    let mut table = Table::new(title, head.chain(study).chain(ratios));
    for contender in &CONTENDERS {
        let name = contender.name;
        let row = |n: usize| run.row(experiment, &blocks(n));
        let series = |n: &usize| row(*n).and_then(|row| row.get(name));
        if !numbers.iter().any(|n| series(n).is_some()) {
            continue;
        }
        let mut line = vec![Cell::text(name)];
        line.extend(numbers.iter().map(|n| Cell::median(series(n))));
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

/// The table of sizes: the bytes of keys and signatures.
fn sizes() -> Table {
    let numbers = [1, 2, 5, 10, 20];
    let head = ["scheme".to_owned()].into_iter().chain(numbers.map(blocks));
    let head = head.chain(["forgeable".to_owned()]);
    let mut table = Table::new("Tokens: size in bytes", head);
    for contender in &CONTENDERS {
        let Some(size) = contender.size else {
            continue;
        };
        let mut line = vec![Cell::text(contender.name)];
        line.extend(numbers.map(|n| Cell::Count(size(n) as u64)));
        line.push(Cell::text(contender.forgeable));
        table.lines.push(line);
    }
    table
}

/// Size against time, for schemes that have both.
fn plane(run: &Run) -> Figure {
    let measured = CONTENDERS
        .iter()
        .filter(|contender| contender.verify.is_some());
    let curves = measured.filter_map(|contender| {
        let size = contender.size?;
        let points = VERIFIED.into_iter().filter_map(|n| {
            let series = run.row(VERIFYING, &blocks(n))?.get(contender.name)?;
            Some((size(n) as f64, series.spread()))
        });
        Some(Curve {
            name: contender.name.to_owned(),
            points: points.collect(),
        })
    });
    Figure::Lines(Lines {
        title: "Tokens of 1, 2, 3, 5, 10 and 20 blocks: size against time".to_owned(),
        x: "bytes of keys and signatures".to_owned(),
        y: "µs to verify".to_owned(),
        curves: curves.collect(),
        with_figures: false,
    })
}

/// The tables and their files' names.
fn tables(run: &Run) -> Vec<(Table, &'static str)> {
    let mut tables = Vec::new();
    if run.of(SIGNING).next().is_some() {
        let table = times(run, SIGNING, "Tokens: signing", &SIGNED, |c| c.signing);
        tables.push((table, "tokens-signing.csv"));
    }
    if run.of(VERIFYING).next().is_some() {
        let published = |contender: &Contender| contender.verifying;
        let table = times(run, VERIFYING, "Tokens: verifying", &VERIFIED, published);
        tables.push((table, "tokens-verifying.csv"));
        tables.push((sizes(), "tokens-size.csv"));
    }
    if let Some(row) = run.of(MANY).next() {
        let table = Table::of_row(row, &["biscuit-auth, one by one"]);
        tables.push((table, "tokens-many.csv"));
    }
    tables
}

/// The tables, and size against time.
pub fn section(run: &Run) -> Section {
    let mut section = Section::new(
        "Tokens",
        "Time to add a block and encode the token, and to verify a token from its bytes; size \
         without payloads and framing. Columns called study are figures published in \
         “Experiments around signature aggregation for the biscuit token”, which tried VRF 1, \
         VRF 2, pairing and challenge; two columns that it had exchanged are put right. A \
         challenge token is signed twice, once for the block and once for the answer; its base \
         token is what the holder keeps. These schemes are measured here only for comparison: \
         the tests of klero-token forge them.",
    );
    if run.of(VERIFYING).next().is_some() {
        section.figures.push(plane(run));
    }
    section.tables = tables(run).into_iter().map(|(table, _)| table).collect();
    section
}

/// The tables as files.
pub fn write(directory: &Directory, run: &Run) -> Result<(), WriteError> {
    for (table, name) in tables(run) {
        directory.write_table(name, &table)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use klero_measure::{Plan, only};

    #[test]
    fn sizes_are_those_of_the_study() {
        let expected = [
            ("VRF 1", [160, 256, 544, 1024, 1984]),
            ("VRF 2", [160, 224, 416, 736, 1376]),
            ("pairing", [144, 192, 336, 576, 1056]),
            ("challenge, base token", [128, 224, 512, 992, 1952]),
            ("challenge token", [192, 288, 576, 1056, 2016]),
            ("chain", [128, 224, 512, 992, 1952]),
            ("aggregate", [96, 160, 352, 672, 1312]),
            ("bls", [144, 192, 336, 576, 1056]),
        ];
        let table = sizes();
        assert_eq!(table.lines.len(), expected.len());
        for ((name, sizes), line) in expected.into_iter().zip(&table.lines) {
            assert_eq!(line[0], Cell::text(name));
            assert_eq!(line[1..6], sizes.map(Cell::Count), "{name}");
        }
    }

    /// The study's figures stand beside the time of two signatures, not beside that of one.
    #[test]
    fn challenge_tokens_are_signed_with_their_answer() {
        let rows = only(rows(), SIGNING).unwrap();
        let run = klero_measure::run(rows, &Plan::rounds(3)).unwrap();
        let row = run.row(SIGNING, "2 blocks").unwrap();
        let ratio = row.ratio("challenge, base token", "challenge token");
        assert!(ratio.unwrap().value() > 1.2, "{ratio:?}");
        let table = &section(&run).tables[0];
        let study = |name: &str| {
            let line = table.lines.iter().find(|line| line[0] == Cell::text(name));
            line.unwrap()[4..7].to_vec()
        };
        let published = ["325", "402", "405"].map(Cell::text);
        assert_eq!(study("challenge token"), published);
        assert_eq!(study("challenge, base token"), vec![Cell::Nothing; 3]);
    }

    #[test]
    fn bls_is_the_smallest_from_five_blocks_on() {
        let of = |name: &str, n| {
            CONTENDERS
                .iter()
                .find(|c| c.name == name)
                .unwrap()
                .size
                .unwrap()(n)
        };
        assert!(of("aggregate", 3) < of("bls", 3));
        assert_eq!(of("aggregate", 4), of("bls", 4));
        assert!(of("aggregate", 5) > of("bls", 5));
    }

    #[test]
    fn all_do_their_work() {
        for contender in &CONTENDERS {
            for n in SIGNED {
                assert!((contender.sign)(n)(), "{}", contender.name);
                let verified = contender.verify.is_none_or(|verify| verify(n)());
                assert!(verified, "{}", contender.name);
            }
        }
    }
}
