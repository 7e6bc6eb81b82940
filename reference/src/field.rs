//! Integers, and the field GF(p) with p = 2^255 - 19 (RFC 8032, section 5.1).

use std::ops::{Add, Mul, Neg, Sub};
use std::sync::LazyLock;

use num_bigint::BigUint;

/// p = 2^255 - 19.
pub static P: LazyLock<BigUint> = LazyLock::new(|| (int(1) << 255) - int(19));

static LOW_255_BITS: LazyLock<BigUint> = LazyLock::new(|| (int(1) << 255) - int(1));

/// An integer.
pub fn int(value: u128) -> BigUint {
    BigUint::from(value)
}

/// The integer with these bytes, the least significant byte first.
pub fn int_le(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_le(bytes)
}

/// An integer below 2^256 as 32 bytes, the least significant byte first.
pub fn bytes_le(integer: &BigUint) -> [u8; 32] {
    let mut bytes = integer.to_bytes_le();
    bytes.resize(32, 0);
    bytes.try_into().expect("the integer is below 2^256")
}

/// An element of GF(p): an integer from 0 to p - 1.
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
    /// The integer mod p, by 2^255 = 19 mod p. (A division takes twice as long, and the tests
    /// spend most of their time here.)
    pub fn new(mut integer: BigUint) -> Field {
        while integer.bits() > 255 {
            let (high, low) = (&integer >> 255u32, integer & &*LOW_255_BITS);
            integer = high * 19u32 + low;
        }
        if integer >= *P {
            integer -= &*P;
        }
        Field(integer)
    }

    /// A small integer.
    pub fn small(integer: u32) -> Field {
        Field::new(integer.into())
    }

    /// The element as an integer below p.
    pub fn integer(&self) -> &BigUint {
        &self.0
    }

    /// `self` to the power of an integer.
    #[must_use]
    pub fn pow(&self, exponent: &BigUint) -> Field {
        Field(self.0.modpow(exponent, &P))
    }

    /// 1/self, and 0 for 0: inv0 of RFC 9380, section 4.
    #[must_use]
    pub fn invert(&self) -> Field {
        Field(self.0.modinv(&P).unwrap_or_default())
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        *self == Field::small(0)
    }

    /// The lowest bit: the "sign" of RFC 8032, section 5.1.2.
    pub fn is_odd(&self) -> bool {
        self.0.bit(0)
    }

    /// `self` or its negative, whichever has the lowest bit `odd`. 0 stays 0.
    #[must_use]
    pub fn with_parity(self, odd: bool) -> Field {
        if self.is_odd() == odd { self } else { -&self }
    }

    /// The even square root, if there is one. Since p = 5 mod 8, a root is x^((p+3)/8) or
    /// this times a root of -1 (RFC 8032, section 5.1.3).
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
