//! Points of edwards25519, -x² + y² = 1 + d·x²·y², one in each lane.
//!
//! The formulas are from Hisil, Wong, Carter, Dawson, "Twisted Edwards Curves Revisited" (2008),
//! sections 3.1 and 3.3, for a = -1. They are complete, so there are no special cases.
//!
//! A doubling needs X, Y, Z and X+Y. An addition needs Y-X, Y+X, Z and T. All of these are sums of products
//! from the previous operation, and summing costs least before the products are carried. So the caller
//! converts each result directly to the form that the next operation needs.

use zeroize::Zeroize;

use crate::field::{Called, Field, ONE, Wide, ZERO, add, mul, sub};
use crate::formulas::constants::TWO_D;

/// A point in memory, between two stages: X, Y, Z and T, five limbs each (160 bytes).
///
/// ```
/// use klero_lanes::Point;
/// assert!(Point::IDENTITY.is_small_order());
/// assert!(!Point::BASE.plus(&Point::IDENTITY).is_small_order());
/// ```
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Point(#[doc(hidden)] pub [u64; 20]);

impl Point {
    /// The identity.
    pub const IDENTITY: Self = {
        let mut limbs = [0; 20];
        limbs[5] = 1;
        limbs[10] = 1;
        Self(limbs)
    };

    /// The base point B, with y = 4/5 and an even x (RFC 8032, section 5.1).
    pub const BASE: Self = Self([
        1738742601995546,
        1146398526822698,
        2070867633025821,
        562264141797630,
        587772402128613,
        1801439850948184,
        1351079888211148,
        450359962737049,
        900719925474099,
        1801439850948198,
        1,
        0,
        0,
        0,
        0,
        1841354044333475,
        16398895984059,
        755974180946558,
        900171276175154,
        1821297809914039,
    ]);
}

/// Wipes the coordinates. This is for multiples of points by secret scalars, because projective coordinates
/// reveal bits of the scalar. A wiped value is no longer a point.
impl Zeroize for Point {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// (X : Y : Z : T), where x = X/Z, y = Y/Z and T = XY/Z.
#[derive(Clone, Copy)]
pub struct Extended<F> {
    pub x: F,
    pub y: F,
    pub z: F,
    pub t: F,
}

/// The operand of a doubling: X, Y, Z and X + Y.
#[derive(Clone, Copy)]
pub struct ToDouble<F> {
    x: F,
    y: F,
    z: F,
    x_plus_y: F,
}

/// The first operand of an addition: Y - X, Y + X, Z and T. Z is not carried, because adding a point with
/// Z = 1 only doubles it. The other additions carry it first.
#[derive(Clone, Copy)]
pub struct ToAdd<F: Field> {
    y_minus_x: F,
    y_plus_x: F,
    z: Wide<F::Word>,
    t: F,
}

/// The second operand of an addition: Y - X, Y + X, 2Z and 2d·T.
#[derive(Clone, Copy)]
pub struct Cached<F> {
    pub y_minus_x: F,
    pub y_plus_x: F,
    pub z2: F,
    pub t2d: F,
}

/// A second operand that has Z = 1: y - x, y + x and 2d·xy.
#[derive(Clone, Copy)]
pub struct AffineNiels<F> {
    pub y_minus_x: F,
    pub y_plus_x: F,
    pub xy2d: F,
}

/// The factors of a result: X = E·F, Y = G·H, Z = G·F, T = E·H. Each conversion computes
/// only the products that it needs.
#[derive(Clone, Copy)]
pub struct Completed<F> {
    e: F,
    f: F,
    g: F,
    h: F,
}

impl<F: Field> Completed<F> {
    /// E, F, G and H.
    #[inline(always)]
    pub fn parts(self) -> [F; 4] {
        [self.e, self.f, self.g, self.h]
    }

    #[inline(always)]
    pub fn from_parts([e, f, g, h]: [F; 4]) -> Self {
        Self { e, f, g, h }
    }

    #[inline(always)]
    pub fn identity() -> Self {
        let (zero, one) = (F::splat(ZERO), F::splat(ONE));
        Self {
            e: zero,
            f: one,
            g: one,
            h: one,
        }
    }

    /// The same result, with products as function calls, for code that runs once.
    #[inline(always)]
    pub fn called(self) -> Completed<Called<F>> {
        Completed {
            e: Called(self.e),
            f: Called(self.f),
            g: Called(self.g),
            h: Called(self.h),
        }
    }

    #[inline(always)]
    pub fn x(self) -> F {
        mul(self.e, self.f)
    }

    #[inline(always)]
    pub fn y(self) -> F {
        mul(self.g, self.h)
    }

    #[inline(always)]
    pub fn z(self) -> F {
        mul(self.g, self.f)
    }

    #[inline(always)]
    pub fn to_double(self) -> ToDouble<F> {
        let (x, y) = (self.e.mul(self.f), self.g.mul(self.h));
        ToDouble {
            x: F::carry_product(x),
            y: F::carry_product(y),
            z: mul(self.g, self.f),
            x_plus_y: F::carry(F::add(x, y)),
        }
    }

    #[inline(always)]
    pub fn to_add(self) -> ToAdd<F> {
        let (x, y) = (self.e.mul(self.f), self.g.mul_above(self.h));
        ToAdd {
            y_minus_x: F::carry(F::difference(y, x)),
            y_plus_x: F::carry(F::add(y, x)),
            z: self.g.mul(self.f),
            t: mul(self.e, self.h),
        }
    }

    #[inline(always)]
    pub fn to_extended(self) -> Extended<F> {
        Extended {
            x: self.x(),
            y: self.y(),
            z: self.z(),
            t: mul(self.e, self.h),
        }
    }
}

impl<F: Field> ToDouble<F> {
    /// 2·self (section 3.3): 4 squarings here, and 3 or 4 products when the result is converted.
    #[inline(always)]
    pub fn double(self) -> Completed<F> {
        let (a, b) = (self.x.square_above(), self.y.square());
        let z_squared = self.z.square();
        let both = F::add(a, b);
        // The signs of E, F, G and H are opposite to the signs in the paper. This saves one subtraction, and
        // does not change their products, which are the coordinates.
        let g = F::difference(a, b);
        Completed {
            e: F::carry(F::difference(both, self.x_plus_y.square())),
            f: F::carry(F::add(g, F::add(z_squared, z_squared))),
            g: F::carry(g),
            h: F::carry(both),
        }
    }
}

impl<F: Field> ToAdd<F> {
    /// Converts the point to a second operand.
    #[inline(always)]
    pub fn to_cached(self) -> Cached<F> {
        Cached {
            y_minus_x: self.y_minus_x,
            y_plus_x: self.y_plus_x,
            z2: F::carry(F::add(self.z, self.z)),
            t2d: mul(self.t, F::splat(TWO_D)),
        }
    }

    /// self + other (section 3.1): 4 products here, and 3 or 4 more when the result is converted.
    #[inline(always)]
    pub fn add(self, other: &Cached<F>) -> Completed<F> {
        self.add_signed(other, 0)
    }

    /// self + other and self - other. Their computations share Z and all parts that do not depend
    /// on the sign.
    #[inline(always)]
    pub fn add_and_subtract(self, other: &Cached<F>) -> [Completed<F>; 2] {
        let d = F::carry_product(self.z).mul_above(other.z2);
        let c = self.t.mul(other.t2d);
        let (minus, plus) = (F::carry(F::difference(d, c)), F::carry(F::add(d, c)));
        [
            self.completed(other.y_minus_x, other.y_plus_x, minus, plus),
            self.completed(other.y_plus_x, other.y_minus_x, plus, minus),
        ]
    }

    /// The sum of self and a point with these Y - X and Y + X, given F and G of the sum.
    #[inline(always)]
    fn completed(self, y_minus_x: F, y_plus_x: F, f: F, g: F) -> Completed<F> {
        let a = self.y_minus_x.mul(y_minus_x);
        let b = self.y_plus_x.mul_above(y_plus_x);
        Completed {
            e: F::carry(F::difference(b, a)),
            f,
            g,
            h: F::carry(F::add(b, a)),
        }
    }

    /// self - other in the lanes where `negative` is set, and self + other in the rest. Constant time.
    #[inline(always)]
    pub fn add_signed(self, other: &Cached<F>, negative: u8) -> Completed<F> {
        let d = F::carry_product(self.z).mul_above(other.z2);
        self.add_products(d, other.y_minus_x, other.y_plus_x, other.t2d, negative)
    }

    /// Does the same as [`add_signed`](Self::add_signed) for a point with Z = 1, with one
    /// multiplication less.
    #[inline(always)]
    pub fn add_affine(self, other: &AffineNiels<F>, negative: u8) -> Completed<F> {
        let d = F::above(F::add(self.z, self.z));
        self.add_products(d, other.y_minus_x, other.y_plus_x, other.xy2d, negative)
    }

    /// self ± other, given d = 2·Z·Z' plus [`Field::BIAS`], where Z' is the Z of the other point.
    #[inline(always)]
    fn add_products(
        self,
        d: Wide<F::Word>,
        y_minus_x: F,
        y_plus_x: F,
        t2d: F,
        negative: u8,
    ) -> Completed<F> {
        // Negating a point swaps Y - X and Y + X. It also changes the sign of T, which swaps F and G.
        let a = F::select(negative, y_plus_x, y_minus_x);
        let b = F::select(negative, y_minus_x, y_plus_x);
        let (a, b) = (self.y_minus_x.mul(a), self.y_plus_x.mul_above(b));
        let c = self.t.mul(t2d);
        let (difference, sum) = (F::difference(d, c), F::add(d, c));
        Completed {
            e: F::carry(F::difference(b, a)),
            f: F::carry(F::select_wide(negative, sum, difference)),
            g: F::carry(F::select_wide(negative, difference, sum)),
            h: F::carry(F::add(b, a)),
        }
    }
}

impl<F: Field> Extended<F> {
    /// Selects in each lane l the point of `set` if bit l of the mask is set, else the point of `clear`.
    #[inline(always)]
    pub fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self {
            x: F::select(mask, set.x, clear.x),
            y: F::select(mask, set.y, clear.y),
            z: F::select(mask, set.z, clear.z),
            t: F::select(mask, set.t, clear.t),
        }
    }

    #[inline(always)]
    pub fn to_double(self) -> ToDouble<F> {
        ToDouble {
            x: self.x,
            y: self.y,
            z: self.z,
            x_plus_y: add(self.x, self.y),
        }
    }

    #[inline(always)]
    pub fn to_add(self) -> ToAdd<F> {
        ToAdd {
            y_minus_x: sub(self.y, self.x),
            y_plus_x: add(self.y, self.x),
            z: self.z.widen(),
            t: self.t,
        }
    }

    #[inline(always)]
    pub fn to_cached(self) -> Cached<F> {
        Cached {
            y_minus_x: sub(self.y, self.x),
            y_plus_x: add(self.y, self.x),
            z2: add(self.z, self.z),
            t2d: mul(self.t, F::splat(TWO_D)),
        }
    }

    /// The same point, with products as function calls, for code that runs once.
    #[inline(always)]
    pub fn called(self) -> Extended<Called<F>> {
        Extended {
            x: Called(self.x),
            y: Called(self.y),
            z: Called(self.z),
            t: Called(self.t),
        }
    }

    /// 8·self.
    #[inline(always)]
    pub fn mul_by_cofactor(self) -> Extended<F> {
        let mut point = self.to_double();
        for _ in 0..2 {
            point = point.double().to_double();
        }
        point.double().to_extended()
    }
}

impl<F: Field> Extended<Called<F>> {
    /// The same point, with inlined products, for code that runs often.
    #[inline(always)]
    pub fn inlined(self) -> Extended<F> {
        Extended {
            x: self.x.0,
            y: self.y.0,
            z: self.z.0,
            t: self.t.0,
        }
    }
}
