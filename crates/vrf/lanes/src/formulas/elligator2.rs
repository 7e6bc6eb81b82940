//! Elligator2, the map from a field element r to a point of edwards25519 (not yet multiplied by the
//! cofactor), in the two forms that ECVRF uses. It takes one exponentiation for each r.
//!
//! Curve25519 is v² = w(u), where w(u) = u³ + A·u² + u. Let t = 1 + 2r². If w(-A/t) is a square,
//! then u = -A/t. Otherwise u = -A - (-A/t) = -A·2r²/t, and w(u) is 2r²·w(-A/t) (Bernstein,
//! Hamburg, Krasnova, Lange, "Elligator", 2013). In both cases y = (u-1)/(u+1) and
//! x = √-486664·u/v. The two forms differ in the sign of x.
//!
//! Let N = -A and g = N·(N² + A·N·t + t²). Then w(N/t) = g/t³. If w(N/t) is a square, let q = 1/√(g·t³). Then
//! v = g·q is a root of w(N/t), and u/v = N·t²·q. If w(N/t) is not a square, let q = √(√-1/(g·t³)). Then
//! v = r·(1-√-1)·g·q is a root of 2r²·w(N/t), and u/v = N·t²·q·r·(1-√-1).

use crate::field::{Field, ONE, add, mul, negate_if, square, sub};
use crate::formulas::constants::{MINUS_A, ONE_MINUS_I, SQRT_MINUS_A_MINUS_2};
use crate::formulas::point::Extended;

/// The two forms of Elligator2 on edwards25519. They differ in the sign of x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elligator2 {
    /// draft-irtf-cfrg-vrf-03, section 5.4.1.2: x is even.
    Draft03,
    /// RFC 9380, section 6.7.1: v is odd if w(-A/t) is a square, else even.
    Rfc9380,
}

/// The values computed from r before the square root.
#[derive(Clone, Copy)]
pub struct Preimage<F> {
    r: F,
    rr2: F,
    t: F,
    tt: F,
    g: F,
    /// g·t³. The next step computes the square root of 1/(g·t³).
    pub gt3: F,
}

impl<F: Field> Preimage<F> {
    #[inline(always)]
    pub fn of(r: F) -> Self {
        let n = F::splat(MINUS_A);
        let nn = square(n);
        let rr = square(r);
        let rr2 = add(rr, rr);
        let t = add(F::splat(ONE), rr2);
        let tt = square(t);
        // N² + A·N·t + t² = N² - N²·t + t²
        let inner = F::add(F::sub(nn.widen(), nn.mul(t)), tt.widen());
        let g = mul(n, F::carry(inner));
        let gt3 = mul(g, mul(tt, t));
        Self {
            r,
            rr2,
            t,
            tt,
            g,
            gt3,
        }
    }

    /// The point, given the mask and the root that `sqrt_ratio` returns for 1/gt3.
    #[inline(always)]
    pub fn point(self, (was_square, q): (u8, F), form: Elligator2) -> Extended<F> {
        let n = F::splat(MINUS_A);
        let other = mul(q, mul(self.r, F::splat(ONE_MINUS_I)));
        let q = F::select(was_square, q, other);
        let u_numerator = F::select(was_square, n, mul(n, self.rr2));
        let u_over_v = mul(mul(n, self.tt), q);
        let x = mul(F::splat(SQRT_MINUS_A_MINUS_2), u_over_v);
        let x = match form {
            Elligator2::Draft03 => negate_if(x.is_odd(), x),
            // v must be odd where w(-A/t) is a square, else even. If its parity is wrong, negates v and x.
            Elligator2::Rfc9380 => negate_if(mul(self.g, q).is_odd() ^ was_square, x),
        };
        let (y, z) = (sub(u_numerator, self.t), add(u_numerator, self.t));
        Extended {
            x: mul(x, z),
            y,
            z,
            t: mul(x, y),
        }
    }
}
