//! Elligator2, from a field element r to a point of edwards25519 (before the
//! cofactor), in the two forms that ECVRF uses; one exponentiation each.
//!
//! Curve25519 is v² = w(u) = u³ + A·u² + u. With t = 1 + 2r² the map takes
//! u = -A/t if w(u) is a square, else u = -A - (-A/t) = -A·2r²/t, whose w is 2r²
//! times the first (Bernstein, Hamburg, Krasnova, Lange, "Elligator", 2013). Then
//! y = (u-1)/(u+1) and x = √-486664·u/v. The forms differ in the sign of x.
//!
//! With N = -A and g = N·(N² + A·N·t + t²), w(N/t) = g/t³. From one inverse root
//! q = 1/√(g·t³) come v = g·q and u/v = N·t²·q. When w is no square, q is
//! √(√-1/(g·t³)) instead, and with it v = r·(1-√-1)·g·q is a root of 2r²·w, and
//! u/v = N·t²·q·r·(1-√-1).

use crate::backend::Field;
use crate::constants::{MINUS_A, ONE, ONE_MINUS_I, SQRT_MINUS_A_MINUS_2};
use crate::field::{add, mul, negate_if, sqrt_ratio, square, sub};
use crate::point::{Completed, Extended};

/// Which root x is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// draft-irtf-cfrg-vrf-03: x is even.
    EvenX,
    /// RFC 9380, section 6.7.1: v is odd where w was a square, else even.
    ByV,
}

/// Maps each lane of each r.
#[inline(always)]
pub(crate) fn elligator2<F: Field, const N: usize>(r: [F; N], sign: Sign) -> [Extended<F>; N] {
    let one = F::splat(ONE);
    let n = F::splat(MINUS_A);
    let nn = square(n);
    let (mut rr2, mut t, mut tt, mut g, mut gt3) = (r, r, r, r, r);
    for i in 0..N {
        let rr = square(r[i]);
        rr2[i] = add(rr, rr);
        t[i] = add(one, rr2[i]);
        tt[i] = square(t[i]);
        // N² + A·N·t + t² = N² - N²·t + t²
        let inner = F::add(F::sub(nn.widen(), nn.mul(t[i])), tt[i].widen());
        g[i] = mul(n, F::carry(inner));
        gt3[i] = mul(g[i], mul(tt[i], t[i]));
    }
    let roots = sqrt_ratio([one; N], gt3);
    let mut out = [Completed::identity().to_extended(); N];
    for i in 0..N {
        let (was_square, q) = roots[i];
        let q = F::select(was_square, q, mul(q, mul(r[i], F::splat(ONE_MINUS_I))));
        let u_numerator = F::select(was_square, n, mul(n, rr2[i]));
        let u_over_v = mul(mul(n, tt[i]), q);
        let x = mul(F::splat(SQRT_MINUS_A_MINUS_2), u_over_v);
        let x = match sign {
            Sign::EvenX => negate_if(x.is_odd(), x),
            // v odd where w was a square: negate where the parity disagrees.
            Sign::ByV => negate_if(mul(g[i], q).is_odd() ^ was_square, x),
        };
        let (y, z) = (sub(u_numerator, t[i]), add(u_numerator, t[i]));
        out[i] = Extended {
            x: mul(x, z),
            y,
            z,
            t: mul(x, y),
        };
    }
    out
}
