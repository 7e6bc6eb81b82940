//! GF(p) and edwards25519 over big integers: one formula per operation, the
//! whole curve with its torsion, no tables and no constant time.

use std::ops::{Add, Mul, Neg, Sub};
use std::sync::LazyLock;

use num_bigint::BigUint;

// ---------------------------------------------------------------- the field

/// p = 2^255 - 19.
pub static P: LazyLock<BigUint> = LazyLock::new(|| (int(1) << 255) - int(19));

static LOW_255: LazyLock<BigUint> = LazyLock::new(|| (int(1) << 255) - int(1));

/// L = 2^252 + 27742317777372353535851937790883648493, the prime order of B.
pub static L: LazyLock<BigUint> =
    LazyLock::new(|| (int(1) << 252) + int(27742317777372353535851937790883648493));

pub fn int(small: u128) -> BigUint {
    BigUint::from(small)
}

pub fn int_le(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_le(bytes)
}

/// The integer, which must be below 2^256, as 32 bytes.
pub fn bytes_le(integer: &BigUint) -> [u8; 32] {
    let mut bytes = integer.to_bytes_le();
    bytes.resize(32, 0);
    bytes.try_into().unwrap()
}

/// An integer mod p, always reduced.
#[derive(Clone, Debug, PartialEq)]
pub struct Field(BigUint);

impl Add for &Field {
    type Output = Field;
    fn add(self, other: &Field) -> Field {
        Field::new(&self.0 + &other.0)
    }
}

impl Sub for &Field {
    type Output = Field;
    fn sub(self, other: &Field) -> Field {
        Field::new(&*P + &self.0 - &other.0)
    }
}

impl Mul for &Field {
    type Output = Field;
    fn mul(self, other: &Field) -> Field {
        Field::new(&self.0 * &other.0)
    }
}

impl Neg for &Field {
    type Output = Field;
    fn neg(self) -> Field {
        Field::new(&*P - &self.0)
    }
}

impl Field {
    /// Any integer mod p, by 2^255 = 19 (twice as fast as a division).
    pub fn new(mut integer: BigUint) -> Field {
        while integer.bits() > 255 {
            let high = &integer >> 255u32;
            integer = (integer & &*LOW_255) + high * 19u32;
        }
        if integer >= *P {
            integer -= &*P;
        }
        Field(integer)
    }

    pub fn small(integer: u32) -> Field {
        Field::new(integer.into())
    }

    /// The integer below p.
    pub fn integer(&self) -> &BigUint {
        &self.0
    }

    fn pow(&self, exponent: &BigUint) -> Field {
        Field(self.0.modpow(exponent, &P))
    }

    /// 1/self, and 0 for 0.
    pub fn invert(&self) -> Field {
        Field(self.0.modinv(&P).unwrap_or_default())
    }

    fn is_zero(&self) -> bool {
        *self == Field::small(0)
    }

    /// The low bit, which decides the "sign" (RFC 8032, section 5.1.2).
    fn is_odd(&self) -> bool {
        self.0.bit(0)
    }

    /// Negated if need be, so that its low bit is `odd`.
    pub fn with_parity(self, odd: bool) -> Field {
        if self.is_odd() == odd { self } else { -&self }
    }

    /// The even square root, if there is one (RFC 8032, section 5.1.3: p = 5 mod 8).
    pub fn sqrt(&self) -> Option<Field> {
        static ROOT_OF_MINUS_1: LazyLock<Field> =
            LazyLock::new(|| Field::small(2).pow(&((&*P - int(1)) / int(4))));
        let root = self.pow(&((&*P + int(3)) / int(8)));
        [&root * &ROOT_OF_MINUS_1, root]
            .into_iter()
            .find(|root| root * root == *self)
            .map(|root| root.with_parity(false))
    }
}

// ---------------------------------------------------------------- the curve

/// d = -121665/121666 of the curve -x² + y² = 1 + d·x²·y².
static D: LazyLock<Field> =
    LazyLock::new(|| -&(&Field::small(121665) * &Field::small(121666).invert()));

/// The base point: y = 4/5, x even (RFC 8032, section 5.1).
pub static B: LazyLock<Point> = LazyLock::new(|| {
    let y = &Field::small(4) * &Field::small(5).invert();
    Point::from_y(y, false).unwrap()
});

/// A point of the whole curve, torsion included, in extended coordinates
/// (RFC 8032, section 5.1.4): x = X/Z, y = Y/Z, xy = T/Z.
#[derive(Clone, Debug)]
pub struct Point {
    x: Field,
    y: Field,
    z: Field,
    t: Field,
}

impl Point {
    pub fn identity() -> Point {
        Point::affine(Field::small(0), Field::small(1))
    }

    pub fn affine(x: Field, y: Field) -> Point {
        let t = &x * &y;
        let z = Field::small(1);
        Point { x, y, z, t }
    }

    /// The point with this y and this parity of x; x = 0 has both "signs".
    pub fn from_y(y: Field, odd: bool) -> Option<Point> {
        let yy = &y * &y;
        let xx = &(&yy - &Field::small(1)) * &(&(&*D * &yy) + &Field::small(1)).invert();
        Some(Point::affine(xx.sqrt()?.with_parity(odd), y))
    }

    /// Unified and complete: also doubles, also adds the identity.
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

    pub fn neg(&self) -> Point {
        Point {
            x: -&self.x,
            t: -&self.t,
            ..self.clone()
        }
    }

    /// scalar·self with the scalar taken as it is: it is not reduced mod L, for
    /// on a point with torsion that would change the product.
    pub fn mul(&self, scalar: &BigUint) -> Point {
        sum_of_products([(scalar, self)])
    }

    pub fn is_identity(&self) -> bool {
        self.x.is_zero() && self.y == self.z
    }

    pub fn has_small_order(&self) -> bool {
        self.mul(&int(8)).is_identity()
    }

    /// point_to_string (RFC 8032, section 5.1.2): y in 255 bits, then x's parity.
    pub fn encode(&self) -> [u8; 32] {
        let inverse = self.z.invert();
        let mut bytes = bytes_le(&(&self.y * &inverse).0);
        bytes[31] |= u8::from((&self.x * &inverse).is_odd()) << 7;
        bytes
    }
}

/// Σ scalar·point by doubling and adding, the doublings done once for all.
pub fn sum_of_products<const N: usize>(terms: [(&BigUint, &Point); N]) -> Point {
    let bits = terms.iter().map(|(scalar, _)| scalar.bits()).max();
    (0..bits.unwrap_or(0))
        .rev()
        .fold(Point::identity(), |sum, bit| {
            let chosen = terms.iter().filter(|(scalar, _)| scalar.bit(bit));
            chosen.fold(sum.add(&sum), |sum, (_, point)| sum.add(point))
        })
}

/// Why 32 bytes are no point.
#[derive(Debug)]
pub enum NotAPoint {
    NotCanonical,
    NotOnCurve,
}

/// string_to_point: y < p, on the curve. x = 0 may have the sign bit, unlike in
/// RFC 8032: deployed verifiers accept it.
pub fn decode(bytes: &[u8; 32]) -> Result<Point, NotAPoint> {
    let sign = int(1) << 255;
    let (odd, y) = (bytes[31] >> 7 == 1, int_le(bytes) % sign);
    if y >= *P {
        return Err(NotAPoint::NotCanonical);
    }
    Point::from_y(Field::new(y), odd).ok_or(NotAPoint::NotOnCurve)
}
