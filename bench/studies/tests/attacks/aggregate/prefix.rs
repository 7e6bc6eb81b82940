//! Without the prefix in the weights, links are independent of each other. They trade places at once.
//! And the root key's term is cancelled by a search that costs a square root: of links with Y_1 =
//! y·G - P_0, one is looked for whose z_1 is some c_0. Two lists of √q hashes have a pair in common, if
//! a hash has q values; k lists cost less still (Wagner, *A generalized birthday problem*, 2002). With
//! the prefix z_1 is another for every first link, so no list can be kept: each pair costs a hash,
//! and is right with probability 1/q.
//!
//! The search is shown with hashes of 20 bits.

use std::collections::HashMap;

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use klero_studies::aggregate::kind::{OPAQUE, ROOT};
use klero_studies::aggregate::{Bindings, Link, Token};

use super::{narrowed, victim};

const BITS: u32 = 20;
const Q: u64 = 1 << BITS;

const WITHOUT: Bindings = Bindings {
    prefix: false,
    ..Bindings::ALL
};

#[test]
fn without_the_prefix_links_trade_places() {
    let swapped = |bindings: &Bindings| {
        let mut token = narrowed(bindings);
        token = bindings.add(&token, OPAQUE, &Scalar::from(43u8), b"only tomorrow");
        token.links.swap(1, 2);
        bindings.holds(&token)
    };
    assert!(swapped(&WITHOUT));
    assert!(!swapped(&Bindings::ALL));
}

/// What the forger draws: k of the first link, and y of the second.
const LOGARITHMS: [u64; 2] = [31, 41];

/// The forger's links, whose payloads have a number that he counts up.
struct Forger {
    bindings: Bindings,
    root: CompressedRistretto,
    points: [CompressedRistretto; 2],
}

impl Forger {
    fn new(bindings: Bindings) -> Self {
        let (root, [k, y]) = (victim().1, LOGARITHMS.map(Scalar::from));
        let points = [k, y].map(|logarithm| RistrettoPoint::mul_base(&logarithm));
        Self {
            bindings: Bindings {
                bits: BITS,
                ..bindings
            },
            root: root.compress(),
            points: [points[0], points[1] - root].map(|point| point.compress()),
        }
    }

    fn link(&self, place: usize, number: u64) -> Link {
        Link {
            kind: [ROOT, OPAQUE][place],
            point: self.points[place],
            payload: [&b"everything "[..], &number.to_le_bytes()].concat(),
        }
    }

    /// c_0 or z_1, by one hash more.
    fn scalar(&self, before: &[u8; 64], link: &Link) -> ([u8; 64], Scalar) {
        let after = self.bindings.after(before, &self.root, link);
        (after, self.bindings.scalar(link.kind, &after))
    }

    /// The token of these two links. S·G = k·G + z_1·y·G, for c_0·P_0 - z_1·P_0 is zero.
    fn token(&self, numbers: [u64; 2]) -> Token {
        let mut token = Token {
            root: self.root,
            links: vec![self.link(0, numbers[0]), self.link(1, numbers[1])],
            s: Scalar::ZERO,
        };
        let z = self.bindings.scalars(&token)[1];
        let [k, y] = LOGARITHMS.map(Scalar::from);
        token.s = k + z * y;
        token
    }
}

#[test]
fn without_the_prefix_a_forger_needs_two_square_roots() {
    let forger = Forger::new(WITHOUT);
    let begin = Bindings::begin(0);
    let (mut challenges, mut weights) = (HashMap::new(), HashMap::new());
    for number in 0.. {
        let (_, c) = forger.scalar(&begin, &forger.link(0, number));
        challenges.insert(c.to_bytes(), number);
        let (_, z) = forger.scalar(&begin, &forger.link(1, number));
        weights.insert(z.to_bytes(), number);
        let of_c = weights.get(c.as_bytes()).map(|other| [number, *other]);
        let of_z = challenges.get(z.as_bytes()).map(|other| [*other, number]);
        if let Some(numbers) = of_c.or(of_z) {
            assert!(forger.bindings.holds(&forger.token(numbers)));
            let hashes = 2 * (number + 1);
            // About 2·√q.
            assert!((512..8192).contains(&hashes), "{hashes}");
            return;
        }
    }
}

#[test]
fn with_the_prefix_a_forger_needs_them_all() {
    let forger = Forger::new(Bindings::ALL);
    let begin = Bindings::begin(0);
    let (before, c) = forger.scalar(&begin, &forger.link(0, 0));
    let right = |number: &u64| forger.scalar(&before, &forger.link(1, *number)).1 == c;
    let number = (0..).find(right).unwrap();
    assert!(forger.bindings.holds(&forger.token([0, number])));
    // About q.
    assert!((Q / 8..8 * Q).contains(&number), "{number}");
}
