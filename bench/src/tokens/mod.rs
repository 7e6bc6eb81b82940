//! The tables of "Experiments around signature aggregation for the biscuit token": signing,
//! verifying and size, for the four schemes of that study, the sound one with pairings, the two of
//! `klero-token`, Biscuit, and plain Ed25519.
//!
//! The study's table of verification has the columns for two and three blocks of VRF 1 and VRF 2
//! exchanged; here they are corrected. Its figures for signing a challenge token include two
//! signatures, that of the block and that of the answer: the row "challenge token". The row
//! "challenge, base token" is the signature of the block alone.

mod others;
mod report;
mod sound;
pub mod work;

use klero_measure::Row;
use klero_token::Scheme;

pub use self::report::{section, write};
use self::work::{PAYLOAD, Work, framing};
use crate::studies::tokens as study;

/// The blocks of the tokens that are signed and verified.
const SIGNED: [usize; 3] = [1, 2, 3];
const VERIFIED: [usize; 6] = [1, 2, 3, 5, 10, 20];

/// The number of tokens that are verified together.
const TOGETHER: usize = 64;

const SIGNING: &str = "token-signing";
const VERIFYING: &str = "token-verifying";
const MANY: &str = "token-many";

/// Work on a token of n blocks.
type OfBlocks = fn(usize) -> Work;

/// A scheme, the study's figures for it, and who can forge its tokens.
struct Contender {
    name: &'static str,
    forgeable: &'static str,
    /// The study's microseconds for 1, 2 and 3 blocks, corrected; not a number where it has none.
    signing: [f64; 3],
    verifying: [f64; 3],
    /// Makes block n of a token, counted from 1.
    sign: OfBlocks,
    /// Verifies a token of n blocks from its bytes; `None` if such tokens are never verified.
    verify: Option<OfBlocks>,
    /// The bytes of n blocks, without payloads and framing.
    size: Option<fn(usize) -> usize>,
}

/// One that the study does not have.
const OTHER: Contender = Contender {
    name: "",
    forgeable: "no",
    signing: [f64::NAN; 3],
    verifying: [f64::NAN; 3],
    sign: others::dalek_sign,
    verify: None,
    size: None,
};

const CONTENDERS: [Contender; 10] = [
    Contender {
        name: "VRF 1",
        forgeable: "by anyone",
        signing: [281.0, 737.0, 888.0],
        verifying: [334.0, 568.0, 846.0],
        sign: study::vrf1::sign,
        verify: Some(study::vrf1::verify),
        size: Some(study::vrf1::size),
    },
    Contender {
        name: "VRF 2",
        forgeable: "by anyone",
        signing: [333.0, 715.0, 818.0],
        verifying: [264.0, 345.0, 434.0],
        sign: study::vrf2::sign,
        verify: Some(study::vrf2::verify),
        size: Some(study::vrf2::size),
    },
    Contender {
        name: "pairing",
        forgeable: "by anyone",
        signing: [2932.0, 3234.0, f64::NAN],
        verifying: [15170.0, 22570.0, 30657.0],
        sign: study::pairing::sign,
        verify: Some(study::pairing::verify),
        size: Some(study::pairing::size),
    },
    Contender {
        name: "challenge, base token",
        forgeable: "by any root",
        sign: study::challenge_append,
        size: Some(study::base_size),
        ..OTHER
    },
    Contender {
        name: "challenge token",
        forgeable: "by any root, by replay",
        signing: [325.0, 402.0, 405.0],
        verifying: [308.0, 472.0, 624.0],
        sign: study::challenge_append_and_answer,
        verify: Some(study::challenge_verify),
        size: Some(study::challenge_size),
    },
    Contender {
        name: "chain",
        sign: |n| sound::sign(Scheme::Chain, n),
        verify: Some(|n| sound::verify(Scheme::Chain, n)),
        size: Some(|n| sound::size(Scheme::Chain, n)),
        ..OTHER
    },
    Contender {
        name: "aggregate",
        sign: |n| sound::sign(Scheme::Aggregate, n),
        verify: Some(|n| sound::verify(Scheme::Aggregate, n)),
        size: Some(|n| sound::size(Scheme::Aggregate, n)),
        ..OTHER
    },
    Contender {
        name: "bls",
        sign: study::bls_sign,
        verify: Some(study::bls_verify),
        size: Some(study::bls_size),
        ..OTHER
    },
    Contender {
        name: "biscuit-auth",
        sign: others::biscuit_sign,
        verify: Some(others::biscuit_verify),
        ..OTHER
    },
    Contender {
        name: "ed25519-dalek",
        forgeable: "no, but no chain",
        verify: Some(others::dalek_verify),
        ..OTHER
    },
];

fn blocks(n: usize) -> String {
    format!("{n} block{}", if n == 1 { "" } else { "s" })
}

/// All rows. A sample of short work is the mean of several calls.
pub fn rows() -> Vec<Row<'static>> {
    const CALLS: usize = 8;
    let mut rows = Vec::new();
    let mut add = |experiment, n, work: fn(&Contender) -> Option<OfBlocks>| {
        let mut row = Row::new(experiment, blocks(n), CALLS);
        row.at = n as f64;
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
    let mut many = Row::new(MANY, name, TOGETHER);
    many.add("chain", sound::many(Scheme::Chain));
    many.add("aggregate", sound::many(Scheme::Aggregate));
    let mut biscuits = others::biscuit_verify(3);
    many.add("biscuit-auth, one by one", move || {
        (0..TOGETHER).all(|_| biscuits())
    });
    rows.push(many);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bls_is_the_smallest_from_five_blocks_on() {
        let of = |name: &str, n| {
            let known = CONTENDERS.iter().find(|c| c.name == name);
            known.unwrap().size.unwrap()(n)
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
