//! Multipliers of half the size. For a scalar k, this module finds integers u and v with u = v·k
//! modulo 8·L. Both have about 128 bits, and v is odd.
//!
//! The pairs (u, v) with u = v·k modulo 8·L form a lattice with the basis (8·L, 0), (k, 1). Euclid's
//! algorithm on 8·L and k replaces one basis vector after the other by a vector with a smaller |u|. On the
//! way, it finds vectors with both coordinates near √(8·L). At least one vector of a basis has an odd v,
//! because (k, 1) is the sum of integer multiples of the two vectors. If only the longer vector has an odd
//! v, a multiple of the shorter one, whose v is even, is subtracted from it, so that its v remains odd.
//!
//! As in Lehmer's algorithm, the quotients have few bits and are computed from doubles that approximate u.
//! Several quotients form a matrix, by which the exact integers are multiplied. A wrong quotient would make
//! vectors longer, but they would stay in the lattice. So rounding cannot make a result wrong. If no short
//! vector is found, the result is (k, 1). This happens if k is near a fraction of 8·L with a small even
//! denominator.
//!
//! Items are stored side by side in arrays. Each loop runs over the items, so that the compiler
//! turns it into vector instructions. Variable time.

use core::array;

use crate::field::Field;

/// The number of items that are halved together. It is so large that the processor can work on
/// other items while a step waits for the previous step.
const TOGETHER: usize = 64;

/// The number of bits in a limb. Limbs are multiplied as integers of 32 bits. An integer's last
/// limb has its sign.
const LIMB: u32 = 30;
const MASK: i64 = (1 << LIMB) - 1;
const RADIX: f64 = (1 << LIMB) as f64;

/// The number of limbs of u, and of v. u is at most 8·L, which is below 2^256. v is below 2^161.
const OF_U: usize = 9;
const OF_V: usize = 6;

/// The largest number of quotients between two updates of the integers.
const STEPS: usize = 12;

/// An exclusive bound on the entries of a matrix. A double holds 53 bits, and quotients are right as
/// long as the entries have no more than about half as many bits.
const LIMIT: f64 = (1 << 27) as f64;

/// The largest number of updates. Six are enough for almost all scalars.
const UPDATES: usize = 16;

/// About √(8·L). When u is below this number, no further quotient is needed.
const SHORT: f64 = 1.42 * (1u128 << 127) as f64;

/// Exclusive bounds on v and on u of a vector that is used as the result: 2^160 and 2^252.
const V_BELOW: f64 = (1u128 << 80) as f64 * (1u128 << 80) as f64;
const U_BELOW: f64 = (1u128 << 126) as f64 * (1u128 << 126) as f64;

/// 8·L as words, the least word first.
const ORDER: [u64; 4] = {
    let delta = 8 * 27742317777372353535851937790883648493u128;
    [delta as u64, (delta >> 64) as u64, 0, 8 << 60]
};

/// The multipliers u and v of a scalar k: u = v·k modulo 8·L, and v is odd.
#[derive(Clone, Copy, Debug)]
pub struct Halves {
    /// |u|, below 2^253.
    pub(super) u: [u8; 32],
    /// v, which is positive.
    pub(super) v: [u8; 32],
    pub(super) u_is_negative: bool,
}

impl Halves {
    /// u = 0 and v = 1, for the scalar 0.
    pub const ZERO: Self = Self {
        u: [0; 32],
        v: {
            let mut one = [0; 32];
            one[0] = 1;
            one
        },
        u_is_negative: false,
    };

    /// v, below 2^160, little endian.
    pub fn v(&self) -> [u8; 32] {
        self.v
    }
}

/// An array with one entry for each item.
type Each<T> = [T; TOGETHER];

/// Two vectors of the lattice for each item, and the matrix that they are multiplied by next.
#[repr(align(64))]
struct Bases {
    u: [[Each<i64>; OF_U]; 2],
    v: [[Each<i64>; OF_V]; 2],
    matrix: [[Each<f64>; 2]; 2],
    /// Approximations of u in both vectors.
    about: [Each<f64>; 2],
    /// Not 0 for items with a last limb of more than 32 bits, which `product` cuts. Their result is (k, 1).
    lost: Each<i64>,
}

/// Computes u and v for each k. Only the lowest 253 bits of k are used.
#[inline(always)]
pub fn halve<F: Field>(k: &[[u8; 32]], halves: &mut [Halves]) {
    let mut bases = Bases {
        u: [[[0; TOGETHER]; OF_U]; 2],
        v: [[[0; TOGETHER]; OF_V]; 2],
        matrix: [[[0.0; TOGETHER]; 2]; 2],
        about: [[0.0; TOGETHER]; 2],
        lost: [0; TOGETHER],
    };
    for (k, halves) in k.chunks(TOGETHER).zip(halves.chunks_mut(TOGETHER)) {
        // Rounds up to whole vectors. Otherwise, the compiled loops would handle the last items one by one.
        let n = k.len().next_multiple_of(8);
        start(&mut bases, k);
        for _ in 0..UPDATES {
            let all_short = quotients(&mut bases, n);
            update(&mut bases.u, &bases.matrix, &mut bases.lost, n);
            update(&mut bases.v, &bases.matrix, &mut bases.lost, n);
            if all_short {
                break;
            }
        }
        choose(&mut bases, n);
        for (item, (k, halves)) in k.iter().zip(halves).enumerate() {
            *halves = taken(&bases, item, k);
        }
    }
}

/// The lowest 253 bits of a scalar, as words.
#[inline(always)]
fn words(k: &[u8; 32]) -> [u64; 4] {
    let (eights, _) = k.as_chunks();
    let mut words = array::from_fn(|i| u64::from_le_bytes(eights[i]));
    words[3] &= u64::MAX >> 3;
    words
}

#[inline(always)]
fn limb(words: &[u64; 4], index: usize) -> i64 {
    let (word, shift) = (LIMB as usize * index / 64, LIMB as usize * index % 64);
    let above = words.get(word + 1).map_or(0, |above| above << 1);
    (words[word] >> shift | above << (63 - shift)) as i64 & MASK
}

/// Sets the vectors to (8·L, 0) and (k, 1). At indices without an item, k is 0.
#[inline(always)]
fn start(bases: &mut Bases, k: &[[u8; 32]]) {
    for i in 0..OF_U {
        bases.u[0][i] = [limb(&ORDER, i); TOGETHER];
        bases.u[1][i] = [0; TOGETHER];
    }
    bases.v = [[[0; TOGETHER]; OF_V]; 2];
    bases.v[1][0] = [1; TOGETHER];
    bases.lost = [0; TOGETHER];
    for (item, k) in k.iter().enumerate() {
        let words = words(k);
        for i in 0..OF_U {
            bases.u[1][i][item] = limb(&words, i);
        }
    }
}

/// Rounds x to the nearest integer, which has fewer than 51 bits. After `SHIFT` is added, no bits are left
/// for the fraction.
#[inline(always)]
fn rounded(x: f64) -> f64 {
    (x + SHIFT) - SHIFT
}

const SHIFT: f64 = (3u64 << 51) as f64;

/// Converts a double that holds an integer of fewer than 51 bits.
#[inline(always)]
fn integer(x: f64) -> i64 {
    (x + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i64
}

/// Converts limbs to a double. The lowest `without` limbs are taken as 0.
#[inline(always)]
fn double<const N: usize>(limbs: &[Each<i64>; N], item: usize, without: usize) -> f64 {
    let mut value = 0.0;
    for i in (0..N).rev() {
        if i >= without {
            value = value * RADIX + f64::from(limbs[i][item] as i32);
        } else {
            value *= RADIX;
        }
    }
    value
}

/// Computes the matrix of the next quotients. Returns true if no item needs further quotients.
#[inline(always)]
fn quotients(bases: &mut Bases, n: usize) -> bool {
    assert!(n <= TOGETHER);
    let [u0, u1] = &bases.u;
    let [x, y] = &mut bases.about;
    let [[a, b], [c, d]] = &mut bases.matrix;
    for item in 0..n {
        // The limbs left out make up less than 2^60 of u, which is above 2^127 while a quotient is needed.
        (x[item], y[item]) = (double(u0, item, 2), double(u1, item, 2));
        (a[item], b[item], c[item], d[item]) = (1.0, 0.0, 0.0, 1.0);
    }
    for _ in 0..STEPS {
        for item in 0..n {
            // If y is 0, the quotient is not finite, and `go` is false.
            let quotient = rounded(x[item] / y[item]);
            let rest = x[item] - quotient * y[item];
            let (e, f) = (a[item] - quotient * c[item], b[item] - quotient * d[item]);
            let small = (e.abs() < LIMIT) & (f.abs() < LIMIT);
            let go = (y[item].abs() >= SHORT) & small;
            (x[item], y[item]) = if go {
                (y[item], rest)
            } else {
                (x[item], y[item])
            };
            (a[item], c[item]) = if go { (c[item], e) } else { (a[item], c[item]) };
            (b[item], d[item]) = if go { (d[item], f) } else { (b[item], d[item]) };
        }
    }
    let mut long = 0u64;
    for y in &y[..n] {
        long |= u64::from(y.abs() >= SHORT);
    }
    long == 0
}

/// The product of two signed integers of 32 bits.
#[inline(always)]
fn product(a: i64, b: i64) -> i64 {
    i64::from(a as i32) * i64::from(b as i32)
}

/// Multiplies one coordinate of both vectors by the matrix, whose entries are below 2^30. As long as every
/// limb has 32 bits, sums stay below 2^63. So the results are exact for items that are not marked in `lost`.
#[inline(always)]
fn update<const N: usize>(
    coordinates: &mut [[Each<i64>; N]; 2],
    [[a, b], [c, d]]: &[[Each<f64>; 2]; 2],
    lost: &mut Each<i64>,
    n: usize,
) {
    assert!(n <= TOGETHER);
    let [first, second] = coordinates;
    for item in 0..n {
        let (a, b) = (integer(a[item]), integer(b[item]));
        let (c, d) = (integer(c[item]), integer(d[item]));
        let (mut sum0, mut sum1) = (0, 0);
        for i in 0..N {
            let (x, y) = (first[i][item], second[i][item]);
            sum0 += product(a, x) + product(b, y);
            sum1 += product(c, x) + product(d, y);
            let mask = if i + 1 == N { -1 } else { MASK };
            (first[i][item], second[i][item]) = (sum0 & mask, sum1 & mask);
            if i + 1 == N {
                lost[item] |= (sum0 ^ i64::from(sum0 as i32)) | (sum1 ^ i64::from(sum1 as i32));
            }
            sum0 >>= LIMB;
            sum1 >>= LIMB;
        }
    }
}

/// Replaces the first vector by a short vector with an odd v, and stores its approximate |u| in `about[0]`.
/// If there is no such vector, stores infinity there, which means that the result is (k, 1).
#[inline(always)]
fn choose(bases: &mut Bases, n: usize) {
    assert!(n <= TOGETHER);
    for item in 0..n {
        let (u0, u1) = (double(&bases.u[0], item, 0), double(&bases.u[1], item, 0));
        let (v0, v1) = (double(&bases.v[0], item, 0), double(&bases.v[1], item, 0));
        // Subtracting this multiple of the second vector makes |u| and |v| of the first vector about equal.
        let many = rounded((u0.abs() - v0.abs()) / (u1.abs() + v1.abs()));
        let many = if u0 * u1 < 0.0 { -many } else { many };
        let second_is_odd = bases.v[1][0][item] & 1 == 1;
        let of_first = if second_is_odd { 0.0 } else { 1.0 };
        let of_second = if second_is_odd { 1.0 } else { -many };
        let u = (of_first * u0 + of_second * u1).abs();
        let v = (of_first * v0 + of_second * v1).abs();
        let small = (u < U_BELOW) & (v < V_BELOW) & (of_second.abs() < RADIX);
        let good = small & (bases.lost[item] == 0);
        bases.about[0][item] = if good { u } else { f64::INFINITY };
        bases.matrix[0][0][item] = if good { of_first } else { 0.0 };
        bases.matrix[0][1][item] = if good { of_second } else { 0.0 };
        bases.matrix[1][0][item] = 0.0;
        bases.matrix[1][1][item] = 0.0;
    }
    update(&mut bases.u, &bases.matrix, &mut bases.lost, n);
    update(&mut bases.v, &bases.matrix, &mut bases.lost, n);
}

/// Returns the first vector, with the sign that makes v positive, or (k, 1) if no short vector was found.
#[inline(always)]
fn taken(bases: &Bases, item: usize, k: &[u8; 32]) -> Halves {
    if bases.about[0][item].is_infinite() {
        return Halves {
            u: bytes(words(k)),
            ..Halves::ZERO
        };
    }
    let (u_is_negative, u) = magnitude(&bases.u[0], item);
    let (v_is_negative, v) = magnitude(&bases.v[0], item);
    debug_assert!(v[0] & 1 == 1 && u[31] >> 5 == 0);
    Halves {
        u,
        v,
        u_is_negative: u_is_negative != v_is_negative,
    }
}

/// The sign of an integer (true if it is negative), and its magnitude.
#[inline(always)]
fn magnitude<const N: usize>(limbs: &[Each<i64>; N], item: usize) -> (bool, [u8; 32]) {
    let negative = limbs[N - 1][item] < 0;
    let (mut words, mut carry) = ([0; 5], 0);
    for (i, limb) in limbs.iter().enumerate() {
        carry += if negative { -limb[item] } else { limb[item] };
        let (word, shift) = (LIMB as usize * i / 64, LIMB as usize * i % 64);
        words[word] |= ((carry & MASK) as u64) << shift;
        words[word + 1] |= (carry & MASK) as u64 >> 1 >> (63 - shift);
        carry >>= LIMB;
    }
    debug_assert!(carry == 0 && words[4] == 0);
    let [a, b, c, d, _] = words;
    (negative, bytes([a, b, c, d]))
}

#[inline(always)]
fn bytes(words: [u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (eight, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *eight = word.to_le_bytes();
    }
    bytes
}

#[cfg(test)]
mod tests;
