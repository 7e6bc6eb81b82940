//! The draft-03 form of Elligator2, which dalek does not have.
//!
//! dalek can build a point only from an encoding, so the map ends with a decompression. The part
//! before it takes a single exponentiation, which tells whether w is a square and also yields
//! the inverse for y. The field arithmetic is fiat-crypto's.

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use fiat_crypto::curve25519_64::{
    fiat_25519_add, fiat_25519_carry, fiat_25519_carry_mul, fiat_25519_carry_square,
    fiat_25519_from_bytes, fiat_25519_loose_field_element as Loose, fiat_25519_relax,
    fiat_25519_sub, fiat_25519_tight_field_element as Tight, fiat_25519_to_bytes,
};

const ONE: Tight = Tight([1, 0, 0, 0, 0]);
const A: Tight = Tight([486_662, 0, 0, 0, 0]);

fn mul(a: &Tight, b: &Tight) -> Tight {
    let (mut x, mut y, mut product) = (Loose([0; 5]), Loose([0; 5]), Tight([0; 5]));
    fiat_25519_relax(&mut x, a);
    fiat_25519_relax(&mut y, b);
    fiat_25519_carry_mul(&mut product, &x, &y);
    product
}

/// a^(2^times).
fn square_times(a: &Tight, times: u32) -> Tight {
    let (mut power, mut loose) = (Tight(a.0), Loose([0; 5]));
    for _ in 0..times {
        fiat_25519_relax(&mut loose, &power);
        fiat_25519_carry_square(&mut power, &loose);
    }
    power
}

fn square(a: &Tight) -> Tight {
    square_times(a, 1)
}

fn add(a: &Tight, b: &Tight) -> Tight {
    let (mut sum, mut out) = (Loose([0; 5]), Tight([0; 5]));
    fiat_25519_add(&mut sum, a, b);
    fiat_25519_carry(&mut out, &sum);
    out
}

fn sub(a: &Tight, b: &Tight) -> Tight {
    let (mut difference, mut out) = (Loose([0; 5]), Tight([0; 5]));
    fiat_25519_sub(&mut difference, a, b);
    fiat_25519_carry(&mut out, &difference);
    out
}

fn to_bytes(a: &Tight) -> [u8; 32] {
    let mut bytes = [0; 32];
    fiat_25519_to_bytes(&mut bytes, a);
    bytes
}

/// a^((p-5)/8) = a^(2^252 - 3).
fn pow_p58(a: &Tight) -> Tight {
    // The usual chain: a^(2^n - 1) for n = 5, 10, 20, 40, 50, 100, 200, 250.
    let a2 = square(a);
    let a9 = mul(&square_times(&a2, 2), a);
    let ones_5 = mul(&square(&mul(&a9, &a2)), &a9);
    let ones_10 = mul(&square_times(&ones_5, 5), &ones_5);
    let ones_20 = mul(&square_times(&ones_10, 10), &ones_10);
    let ones_40 = mul(&square_times(&ones_20, 20), &ones_20);
    let ones_50 = mul(&square_times(&ones_40, 10), &ones_10);
    let ones_100 = mul(&square_times(&ones_50, 50), &ones_50);
    let ones_200 = mul(&square_times(&ones_100, 100), &ones_100);
    let ones_250 = mul(&square_times(&ones_200, 50), &ones_50);
    mul(&square_times(&ones_250, 2), a)
}

/// 8·Elligator2(r) of draft-irtf-cfrg-vrf-03, section 5.4.1.2: bit 255 of r is
/// cleared, x is the even root.
pub fn map_draft03(mut r: [u8; 32]) -> Option<EdwardsPoint> {
    r[31] &= 0x7f;
    let mut field = Tight([0; 5]);
    fiat_25519_from_bytes(&mut field, &r);
    let r2 = square(&field);

    // u₁ = -A/d and u₂ = -A - u₁ = -A·t/d with t = 2r² and d = 1 + t; so
    // y = (u-1)/(u+1) is (A+d)/(A-d) or (A·t+d)/(A·t-d).
    let t = add(&r2, &r2);
    let d = add(&ONE, &t);
    let at = mul(&A, &t);
    let (below_1, below_2) = (sub(&A, &d), sub(&at, &d));

    // w = u₁(u₁² + A·u₁ + 1) = A·(A²·t - d²)/d³ is a square iff A·d·(A²·t - d²) is.
    // With both denominators squared under the same exponentiation it yields the
    // inverse too: for e = W^((p-5)/8), f = e²·W is a fourth root of one, a square
    // root of one if W is a square, and 1/W = e²·f³.
    let w = mul(&mul(&A, &d), &sub(&mul(&A, &at), &square(&d)));
    let below = mul(&below_1, &below_2);
    let w_below = mul(&w, &below);
    let big_w = mul(&w_below, &below);
    let e2 = square(&pow_p58(&big_w));
    let f = mul(&e2, &big_w);
    let f2 = square(&f);
    let inverse = mul(&mul(&mul(&e2, &f2), &f), &w_below);

    let y = if to_bytes(&f2) == to_bytes(&ONE) {
        mul(&mul(&add(&A, &d), &below_2), &inverse)
    } else {
        mul(&mul(&add(&at, &d), &below_1), &inverse)
    };
    Some(
        CompressedEdwardsY(to_bytes(&y))
            .decompress()?
            .mul_by_cofactor(),
    )
}
