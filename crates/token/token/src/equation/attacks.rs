//! Forgeries that succeed against weaker factors, and fail against the library's factors.
//!
//! A sum accepts tokens if `Σ factor·(R + c·P + Σ z·Y - S·G) = 0`. A token whose S is too large by e adds
//! -factor·e·G instead of 0. Tokens with such errors are invalid, but if the products factor·e add up to
//! zero, the sum accepts all of them.
//!
//! Two obstacles stop a forger. The factors are a hash of everything that he can choose, so he cannot choose
//! anything after he knows the factors. And a factor has 128 bits, so repeated attempts do not help. Each
//! test removes one of these two obstacles.

use alloc::boxed::Box;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, engines};
use zeroize::Zeroizing;

use super::{Equation, challenge, verify_together, weight};
use crate::block::Link;
use crate::error::{Error, Place};
use crate::factors;
use crate::factors::tests::by_definition;
use crate::key::PublicKey;
use crate::ristretto::multiple;
use crate::scheme::Scheme;
use crate::scheme::{OPAQUE, ROOT};
use crate::signed::Signed;
use crate::state::{State, Step};

const BLOCKS: [(u8, &[u8]); 2] = [(ROOT, b"may read"), (OPAQUE, b"today")];

/// The root's secret key.
const X: u64 = 1000;

fn root() -> PublicKey {
    let encoding = multiple(&Scalar::from(X));
    PublicKey::from_bytes(Scheme::Aggregate, &encoding).unwrap()
}

/// A valid token of two blocks.
struct Token {
    /// The links, each with the states before and after it.
    links: Vec<(Link, [State; 2])>,
    s: Scalar,
}

impl Token {
    /// A token whose links have the nonces `nonce` and `nonce + 1`.
    fn new(nonce: u64) -> Self {
        let mut before = State::begin(Scheme::Aggregate.id(), 0);
        let mut token = Self {
            links: Vec::new(),
            s: Scalar::ZERO,
        };
        for ((kind, payload), block) in BLOCKS.into_iter().zip(0..) {
            let nonce = Scalar::from(nonce + block);
            let point = multiple(&nonce);
            let link = match kind {
                ROOT => Link::new(&[*root().point(), point].concat(), &[]),
                _ => Link::new(&point, &[]),
            };
            let after = before.absorb(&Step::new(kind, link.as_bytes(), payload));
            token.s += match kind {
                ROOT => nonce + challenge(&after) * Scalar::from(X),
                _ => weight(&after) * nonce,
            };
            token.links.push((link, [before, after]));
            before = after;
        }
        token
    }

    fn last_state(&self) -> State {
        self.links[1].1[1]
    }

    fn signed(&self) -> Vec<Signed<'_>> {
        let links = self.links.iter().zip(BLOCKS).enumerate();
        links
            .map(|(i, ((link, [before, after]), (kind, payload)))| Signed {
                kind,
                payload,
                link,
                before: *before,
                after: *after,
                place: Place::Block(i),
            })
            .collect()
    }
}

/// Many tokens. The forger made the first two.
struct Batch(Vec<Token>);

/// The errors that the forger adds to the S of his first and his second token.
type Errors = [Scalar; 2];

type Verdicts = Vec<Result<(), Error>>;

impl Batch {
    fn new() -> Self {
        Self((0..32).map(|number| Token::new(10 * number + 1)).collect())
    }

    /// The S of each token, with the forger's errors added.
    fn all_s(&self, errors: Errors) -> Vec<Scalar> {
        let mut all: Vec<_> = self.0.iter().map(|token| token.s).collect();
        all[0] += errors[0];
        all[1] += errors[1];
        all
    }

    /// The factors of the first two tokens.
    fn factors(&self, errors: Errors) -> [u128; 2] {
        let states = self.0.iter().map(Token::last_state);
        let equations: Vec<_> = states.zip(self.all_s(errors)).collect();
        let mut factors = by_definition(&equations);
        [factors.next().unwrap(), factors.next().unwrap()]
    }

    fn verdicts(
        &self,
        errors: Errors,
        verify: impl FnOnce(Vec<Result<Equation<'_>, Error>>) -> Verdicts,
    ) -> Verdicts {
        let signed: Vec<_> = self.0.iter().map(Token::signed).collect();
        let equations = self.all_s(errors).into_iter().zip(&signed);
        let equations = equations.map(|(s, signed)| Equation {
            s: Box::new(Zeroizing::new(s)),
            root: root(),
            links: signed.iter().collect(),
        });
        verify(equations.map(Ok).collect())
    }

    /// One value for each engine: true if sums on the engine, with factors from `draw`, accept all tokens.
    fn passes(
        &self,
        errors: Errors,
        draw: impl Fn(Engine, &[(State, &Scalar)]) -> Vec<Scalar>,
    ) -> impl Iterator<Item = bool> {
        engines().into_iter().map(move |engine| {
            let verdicts = self.verdicts(errors, |equations| {
                verify_together(engine, equations, &draw)
            });
            verdicts.iter().all(Result::is_ok)
        })
    }

    /// Asserts that the library refuses the first two tokens, and accepts all others.
    #[track_caller]
    fn assert_found(&self, errors: Errors) {
        for engine in engines() {
            let verdicts = self.verdicts(errors, |equations| {
                verify_together(engine, equations, factors::draw)
            });
            for (token, verdict) in verdicts.into_iter().enumerate() {
                let place = Place::Aggregate;
                let invalid = verdict == Err(Error::signature(place));
                assert_eq!(invalid, token < 2, "{engine:?} {token}: {verdict:?}");
            }
        }
    }
}

/// A replacement for [`factors::draw`] that keeps only the bits of the mask in each factor.
fn masked(mask: u128) -> impl Fn(Engine, &[(State, &Scalar)]) -> Vec<Scalar> {
    move |engine, equations| {
        let whole = factors::draw(engine, equations).into_iter();
        let number =
            |factor: Scalar| u128::from_le_bytes(*factor.as_bytes().first_chunk().unwrap());
        whole
            .map(|factor| Scalar::from(number(factor) & mask))
            .collect()
    }
}

/// The errors e and -e cancel if the two factors are equal. The forger tries many values of e. For about one
/// e in 2^16, the low 16 bits of the factors are equal. In the same search, whole factors are never equal.
#[test]
fn a_search_finds_equal_factors_of_16_bits_but_not_of_128() {
    let batch = Batch::new();
    let equal = |e: &Scalar| {
        let [one, other] = batch.factors([*e, -e]);
        assert_ne!(one, other, "equal factors of 128 bits");
        one as u16 == other as u16
    };
    let e = (1..1u64 << 20).map(Scalar::from).find(equal).unwrap();
    assert!(batch.passes([e, -e], masked(0xffff)).all(|passes| passes));
    batch.assert_found([e, -e]);
}

/// A forger who knows the factors before he chooses the errors e and e' can solve
/// `factor·e + factor'·e' = 0`.
#[test]
fn who_knows_the_factors_beforehand_solves_for_errors_that_cancel() {
    let batch = Batch::new();
    let solved = |factors: [u128; 2]| {
        let [one, other] = factors.map(Scalar::from);
        [Scalar::ONE, -one * other.invert()]
    };
    let known = |_: Engine, equations: &[(State, &Scalar)]| {
        let factors = (0..equations.len() as u128).map(|i| Scalar::from(u128::MAX - i * i));
        factors.collect()
    };
    let errors = solved([u128::MAX, u128::MAX - 1]);
    assert!(batch.passes(errors, known).all(|passes| passes));

    // Hashed factors change with the errors, so the solved errors no longer cancel.
    let mut errors = [Scalar::ONE; 2];
    for _ in 0..20 {
        errors = solved(batch.factors(errors));
        batch.assert_found(errors);
    }
}

/// With a mask that keeps one bit of each factor, opposite errors cancel if and only if the two factors are
/// equal in that bit. So the sum depends on every bit of the factors.
#[test]
fn every_bit_of_a_factor_counts_in_the_sum() {
    let batch = Batch::new();
    let errors = (1..64u8).map(Scalar::from).map(|e| [e, -e]);
    let all: Vec<_> = errors
        .map(|errors| {
            let [one, other] = batch.factors(errors);
            (errors, one ^ other)
        })
        .collect();
    for bit in 0..128 {
        let mask = 1 << bit;
        let find = |wanted: u128| all.iter().find(|(_, differ)| differ & mask == wanted);
        let (different, equal) = (find(mask).unwrap().0, find(0).unwrap().0);
        for passes in batch.passes(different, masked(mask)) {
            assert!(!passes, "{bit}");
        }
        for passes in batch.passes(equal, masked(mask)) {
            assert!(passes, "{bit}");
        }
    }
}
