//! The curves, and the constants that formulas need of them.
//!
//! A curve is -x² + y² = 1 + d·x²·y² over a prime q with q = 13 mod 32, as 2^255-19 is, of order
//! 8·n for an odd n, its points of order 8 among those of a cyclic group. It is the curve
//! v² = u³ + A·u² + u in other coordinates, with A = 2(1 - d)/(1 + d). As on edwards25519, d is no
//! square, A + 2 is one, and A - 2 is none.

use klero_lanes::Point;
use klero_lanes::unstable::field::{Limbs, SQRT_M1};
use klero_lanes::unstable::formulas::constants;
use num_bigint::BigUint;

use crate::field;

#[derive(Clone, Copy, Debug)]
pub struct Curve {
    pub q: u64,
    /// The coefficient.
    pub d: u64,
    /// The coefficient of the curve in Montgomery's coordinates.
    pub a: u64,
    /// The number of points.
    pub order: u64,
}

const fn curve(q: u64, d: u64, a: u64, n: u64) -> Curve {
    Curve {
        q,
        d,
        a,
        order: 8 * n,
    }
}

/// All of them. The first of each order has an A that is no square, as Curve25519 has.
pub const CURVES: [Curve; 13] = [
    curve(109, 107, 103, 13),
    curve(109, 11, 71, 13),
    curve(109, 33, 43, 13),
    curve(109, 92, 25, 13),
    curve(109, 99, 46, 13),
    curve(173, 53, 107, 19),
    curve(173, 63, 117, 19),
    curve(173, 72, 81, 19),
    curve(173, 156, 41, 19),
    curve(173, 32, 82, 23),
    curve(173, 48, 104, 23),
    curve(173, 20, 130, 23),
    curve(173, 112, 21, 23),
];

/// What stands in the place of a constant of 2^255-19.
#[derive(Clone)]
pub struct Constant {
    pub name: &'static str,
    /// The limbs of 2^255-19.
    limbs: Limbs,
    /// The value on the curve in use.
    pub value: u64,
    /// The value that it would have by the wrong choice of a root or of a sign, if there is a choice.
    pub other: Option<u64>,
}

impl Curve {
    /// a^n.
    pub fn power(&self, a: u64, n: u64) -> u64 {
        (0..n).fold(1, |power, _| power * a % self.q)
    }

    /// 1/a, and 0 for 0.
    pub fn inverse(&self, a: u64) -> u64 {
        (0..self.q).find(|x| x * a % self.q == 1).unwrap_or(0)
    }

    /// -a.
    pub fn negative(&self, a: u64) -> u64 {
        (self.q - a) % self.q
    }

    /// The even square root.
    pub fn root(&self, a: u64) -> Option<u64> {
        let mut even = (0..self.q).step_by(2);
        even.find(|x| x * x % self.q == a)
    }

    /// The constants of the formulas, for a base point (x, y). Roots are chosen as for 2^255-19.
    pub fn constants(&self, (x, y): (u64, u64)) -> Vec<Constant> {
        let q = self.q;
        let i = self.root(q - 1).expect("q = 1 mod 4");
        let two_more = (self.a + 2) % q;
        let kappa = self
            .root(self.negative(two_more))
            .expect("A + 2 is a square");
        let alpha = self.root(two_more).expect("A + 2 is a square");
        let sigmas = [alpha + 2, alpha + q - 2].map(|sigma| sigma % q);
        let fits = |sigma: u64| self.root(sigma * alpha % q).is_none();
        let [sigma, other_sigma] = match sigmas.map(fits) {
            [true, false] => sigmas,
            [false, true] => [sigmas[1], sigmas[0]],
            _ => panic!("one of α ± 2 makes σα a non-square"),
        };
        let base = Point::BASE.0.as_chunks::<5>().0;
        [
            ("d", constants::D, self.d, None),
            ("2d", constants::TWO_D, 2 * self.d % q, None),
            ("√-1", SQRT_M1, i, Some(q - i)),
            (
                "1 - √-1",
                constants::ONE_MINUS_I,
                (1 + q - i) % q,
                Some(1 + i),
            ),
            ("-A", constants::MINUS_A, q - self.a, Some(self.a)),
            ("A + 2", constants::A_PLUS_2, two_more, Some(self.a - 2)),
            (
                "√-(A + 2)",
                constants::SQRT_MINUS_A_MINUS_2,
                kappa,
                Some(q - kappa),
            ),
            ("σ", constants::SIGMA, sigma, Some(other_sigma)),
            ("1/2", constants::HALF, self.inverse(2), Some(2)),
            ("x of B", base[0], x, Some(q - x)),
            ("y of B", base[1], y, Some(q - y)),
            ("xy of B", base[3], x * y % q, Some(q - x * y % q)),
        ]
        .map(|(name, limbs, value, other)| Constant {
            name,
            limbs,
            value,
            other,
        })
        .into()
    }
}

/// Makes a curve the one in use of this process, with these constants.
pub fn put_in_use(curve: &Curve, constants: &[Constant]) {
    let p = (BigUint::from(1u8) << 255) - 19u8;
    let of_constants = constants
        .iter()
        .map(|constant| (constant.limbs, constant.value));
    let of_inverses = (2..2 * curve.q).filter(|x| x % curve.q != 0).map(|x| {
        let inverse = BigUint::from(x).modinv(&p).expect("p is prime");
        let limb = |i: usize| (&inverse >> (51 * i)) & BigUint::from((1u64 << 51) - 1);
        let limbs = std::array::from_fn(|i| u64::try_from(limb(i)).expect("51 bits"));
        (limbs, curve.inverse(x % curve.q))
    });
    // 1/2 is a constant too, and may be replaced by a wrong one.
    field::use_prime(curve.q, of_inverses.chain(of_constants).collect());
}
