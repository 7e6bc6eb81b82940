//! edwards25519, the curve -x² + y² = 1 + d·x²·y² over GF(p) (RFC 8032, section 5.1).
//!
//! The curve has 8·L points. Those of order L are a subgroup, in which honest provers stay;
//! hostile ones add points of small order (1, 2, 4 or 8), the *torsion*. This module
//! contains the whole curve, because verifiers must agree on both.

use std::sync::LazyLock;

use num_bigint::BigUint;

use crate::field::{Field, P, bytes_le, int, int_le};

/// L = 2^252 + 27742317777372353535851937790883648493, the prime order of B.
pub static L: LazyLock<BigUint> =
    LazyLock::new(|| (int(1) << 252) + int(27742317777372353535851937790883648493));

/// d = -121665/121666.
static D: LazyLock<Field> =
    LazyLock::new(|| -&(&Field::small(121665) * &Field::small(121666).invert()));

/// The base point: y = 4/5, x even.
pub static B: LazyLock<Point> = LazyLock::new(|| {
    let y = &Field::small(4) * &Field::small(5).invert();
    Point::from_y(y, false).expect("4/5 is the y of a point")
});

/// A point of the curve in extended coordinates (RFC 8032, section 5.1.4): x = X/Z,
/// y = Y/Z, xy = T/Z.
#[derive(Clone, Debug)]
pub struct Point {
    x: Field,
    y: Field,
    z: Field,
    t: Field,
}

impl Point {
    /// (0, 1), the neutral element.
    pub fn identity() -> Point {
        Point::affine(Field::small(0), Field::small(1))
    }

    /// The point (x, y), which must be on the curve.
    pub fn affine(x: Field, y: Field) -> Point {
        let t = &x * &y;
        let z = Field::small(1);
        Point { x, y, z, t }
    }

    /// The point with this y and this parity of x, if there is one: x² = (y²-1)/(d·y²+1).
    /// If x = 0, either parity gives the same point.
    pub fn from_y(y: Field, odd: bool) -> Option<Point> {
        let yy = &y * &y;
        let xx = &(&yy - &Field::small(1)) * &(&(&*D * &yy) + &Field::small(1)).invert();
        Some(Point::affine(xx.sqrt()?.with_parity(odd), y))
    }

    /// self + other (RFC 8032, section 5.1.4). The formula is complete: it also doubles,
    /// and adds the identity.
    #[must_use]
    pub fn add(&self, other: &Point) -> Point {
        let a = &(&self.y - &self.x) * &(&other.y - &other.x);
        let b = &(&self.y + &self.x) * &(&other.y + &other.x);
        let c = &(&(&self.t * &other.t) * &*D) * &Field::small(2);
        let d = &(&self.z * &other.z) * &Field::small(2);
        let (e, f, g, h) = (&b - &a, &d - &c, &d + &c, &b + &a);
        Point {
            x: &e * &f,
            y: &g * &h,
            z: &f * &g,
            t: &e * &h,
        }
    }

    /// -self.
    #[must_use]
    pub fn neg(&self) -> Point {
        Point {
            x: -&self.x,
            t: -&self.t,
            ..self.clone()
        }
    }

    /// scalar·self. The scalar is not reduced mod L: on a point with torsion that would
    /// change the product.
    #[must_use]
    pub fn mul(&self, scalar: &BigUint) -> Point {
        sum_of_products([(scalar, self)])
    }

    /// Whether this is the identity.
    pub fn is_identity(&self) -> bool {
        self.x.is_zero() && self.y == self.z
    }

    /// Whether the order is 1, 2, 4 or 8.
    pub fn has_small_order(&self) -> bool {
        self.mul(&int(8)).is_identity()
    }

    /// point_to_string (RFC 8032, section 5.1.2): y in 255 bits, then the parity of x.
    pub fn encode(&self) -> [u8; 32] {
        let inverse = self.z.invert();
        let mut bytes = bytes_le((&self.y * &inverse).integer());
        bytes[31] |= u8::from((&self.x * &inverse).is_odd()) << 7;
        bytes
    }
}

/// The sum of scalar·point over all terms, by doubling and adding.
pub fn sum_of_products<const N: usize>(terms: [(&BigUint, &Point); N]) -> Point {
    let bits = terms.iter().map(|(scalar, _)| scalar.bits()).max();
    let mut sum = Point::identity();
    for bit in (0..bits.unwrap_or(0)).rev() {
        sum = sum.add(&sum);
        for (scalar, point) in terms {
            if scalar.bit(bit) {
                sum = sum.add(point);
            }
        }
    }
    sum
}

/// Why 32 bytes do not encode a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAPoint {
    /// y is p or more.
    NotCanonical,
    /// No point has this y.
    NotOnCurve,
}

/// string_to_point (RFC 8032, section 5.1.3) with one exception: if x = 0, the sign bit may
/// be set, as in the verifiers that are deployed.
pub fn decode(bytes: &[u8; 32]) -> Result<Point, NotAPoint> {
    let (odd, y) = (bytes[31] >> 7 == 1, int_le(bytes) % (int(1) << 255));
    if y >= *P {
        return Err(NotAPoint::NotCanonical);
    }
    Point::from_y(Field::new(y), odd).ok_or(NotAPoint::NotOnCurve)
}
