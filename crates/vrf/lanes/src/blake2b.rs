//! BLAKE2b (RFC 7693) without a key, for many messages at once: one message in each lane (see `hashing`).

use zeroize::Zeroizing;

use crate::field::{Field, Vector, bytes_of};
use crate::hashing::{Block, HashFunction, Text, hash_many};
use crate::tuning::BLAKE2B_WORTH_LANES;

struct Blake2b;

/// The chaining value (8 words), the number of bytes compressed (below 2^64), and a word that is
/// all ones if the next block is the last one, else 0.
type State = [u64; 10];

const IV: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];

/// The initial state for digests of `digest_length` bytes. The parameter block (section 2.5) sets
/// no key, fanout 1 and depth 1.
const fn start(digest_length: u8) -> State {
    let [first, b, c, d, e, f, g, h] = IV;
    let first = first ^ 0x0101_0000 ^ digest_length as u64;
    [first, b, c, d, e, f, g, h, 0, 0]
}

/// Hashes the messages: the stage of [`Engine::blake2b`](crate::Engine::blake2b).
#[inline(always)]
pub(crate) fn blake2b<F: Field>(digest_length: u8, messages: &[&[&[u8]]], digests: &mut [u8]) {
    let digests = digests.chunks_exact_mut(digest_length.into());
    hash_many::<F, Blake2b>((start(digest_length), 0), messages, digests);
}

impl HashFunction for Blake2b {
    type State = State;

    const WORTH_LANES: usize = BLAKE2B_WORTH_LANES;

    #[inline(always)]
    fn complete(state: &mut State, block: &mut Block, filled: usize, text: &Text<'_>) -> bool {
        // On a little-endian processor this loop changes nothing.
        for word in block.as_chunks_mut().0 {
            *word = u64::from_le_bytes(*word).to_ne_bytes();
        }
        count(state, filled, text.left)
    }

    #[inline(always)]
    fn compress<F: Field>(states: &mut [State; 8], blocks: &[[u64; 16]; 8]) {
        let mut state = F::Word::load_rows(&states.each_ref());
        let message = F::Word::load_rows(&blocks.each_ref());
        compress(&mut state, &message);
        F::Word::store_rows(&state, states);
    }

    fn compress_alone(state: &mut State, mut next: impl FnMut(&mut State, &mut Block) -> bool) {
        let mut message = Zeroizing::new([0; 16]);
        let mut last = false;
        while !last {
            last = next(state, bytes_of(&mut message));
            compress(state, &message);
        }
    }

    #[inline(always)]
    fn digest(state: &State, digest: &mut [u8; 64]) {
        for (bytes, word) in digest.chunks_exact_mut(8).zip(state) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// Adds the length of the next block to the state's count of bytes. `left` is the number of bytes of the
/// message after this block. Returns true if this block is the last one.
#[inline(always)]
fn count(state: &mut State, filled: usize, left: u128) -> bool {
    let last = left == 0;
    state[8] += filled as u64;
    state[9] = if last { u64::MAX } else { 0 };
    last
}

/// The order of the message's words in each of the first ten rounds. Rounds 11 and 12 repeat the first two.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The compression function F of section 3.2. Its sixteen working words form a matrix of four rows.
#[inline(always)]
fn compress<W: Vector>(state: &mut [W; 10], message: &[W; 16]) {
    let [a, b, c, d, e, f, g, h, count, last] = *state;
    let mut iv = [W::splat(0); 8];
    for i in 0..8 {
        iv[i] = W::splat(IV[i]);
    }
    let [i, j, k, l, m, n, o, p] = iv;
    let (m, o) = (xor(m, count), xor(o, last));
    let mut v = [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]];
    unroll!(5, I => {
        v = round(v, message, &SIGMA[2 * I]);
        v = round(v, message, &SIGMA[2 * I + 1]);
    });
    v = round(v, message, &SIGMA[0]);
    v = round(v, message, &SIGMA[1]);
    for i in 0..8 {
        state[i] = W::xor3(state[i], v[i / 4][i % 4], v[2 + i / 4][i % 4]);
    }
}

/// One round: mixes the columns of the matrix, then its diagonals.
#[inline(always)]
fn round<W: Vector>(v: [[W; 4]; 4], message: &[W; 16], order: &[usize; 16]) -> [[W; 4]; 4] {
    let mut m = [message[0]; 16];
    for i in 0..16 {
        m[i] = message[order[i]];
    }
    let (x, y) = ([m[0], m[2], m[4], m[6]], [m[1], m[3], m[5], m[7]]);
    let [a, b, c, d] = mix(v, x, y);
    let (x, y) = ([m[8], m[10], m[12], m[14]], [m[9], m[11], m[13], m[15]]);
    let [a, b, c, d] = mix([a, turn(b, 1), turn(c, 2), turn(d, 3)], x, y);
    [a, turn(b, 3), turn(c, 2), turn(d, 1)]
}

/// Applies the function G of section 3.1 to each column. A step has to wait for the previous step of the same
/// column, so each step is done for all four columns, which need not wait for each other, before the next.
#[inline(always)]
fn mix<W: Vector>([a, b, c, d]: [[W; 4]; 4], x: [W; 4], y: [W; 4]) -> [[W; 4]; 4] {
    let a = add(add(a, x), b);
    let d = xor_rotate::<W, 32>(d, a);
    let c = add(c, d);
    let b = xor_rotate::<W, 24>(b, c);
    let a = add(add(a, y), b);
    let d = xor_rotate::<W, 16>(d, a);
    let c = add(c, d);
    let b = xor_rotate::<W, 63>(b, c);
    [a, b, c, d]
}

/// Rotates the row so that the word at index `by` comes first.
#[inline(always)]
fn turn<W: Vector>(row: [W; 4], by: usize) -> [W; 4] {
    [
        row[by % 4],
        row[(by + 1) % 4],
        row[(by + 2) % 4],
        row[(by + 3) % 4],
    ]
}

#[inline(always)]
fn add<W: Vector>(a: [W; 4], b: [W; 4]) -> [W; 4] {
    [
        a[0].add(b[0]),
        a[1].add(b[1]),
        a[2].add(b[2]),
        a[3].add(b[3]),
    ]
}

#[inline(always)]
fn xor_rotate<W: Vector, const BITS: i32>(a: [W; 4], b: [W; 4]) -> [W; 4] {
    let c = [
        xor(a[0], b[0]),
        xor(a[1], b[1]),
        xor(a[2], b[2]),
        xor(a[3], b[3]),
    ];
    [
        c[0].rotate_right::<BITS>(),
        c[1].rotate_right::<BITS>(),
        c[2].rotate_right::<BITS>(),
        c[3].rotate_right::<BITS>(),
    ]
}

#[inline(always)]
fn xor<W: Vector>(a: W, b: W) -> W {
    W::xor3(a, b, W::splat(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Portable, bytes_of};

    /// Tests `Blake2b::compress` in one lane. The engine with one lane calls only `compress_alone`, so no
    /// test of the engines covers this case.
    #[test]
    fn one_lane() {
        let mut blocks = [[0; 16]; 8];
        bytes_of(&mut blocks[0])[..3].copy_from_slice(b"abc");
        let mut states = [start(64); 8];
        (states[0][8], states[0][9]) = (3, u64::MAX);
        Blake2b::compress::<Portable>(&mut states, &blocks);
        // RFC 7693, appendix A.
        let mut digest = [0; 64];
        Blake2b::digest(&states[0], &mut digest);
        assert_eq!(digest[..4], [0xba, 0x80, 0xa5, 0x3f]);
        assert_eq!(digest[60..], [0xd4, 0x00, 0x99, 0x23]);
    }

    /// Tests that the count is right near powers of 2, without hashing messages of such lengths.
    #[test]
    fn any_number_of_bytes_is_counted() {
        for power in [7, 31, 32, 33, 63] {
            for before in (1u64 << power) - 128..=1 << power {
                for left in [0, 1, 127, 128, 1 << 31, 1 << 32, 1 << 33, 1 << 64, 1 << 127] {
                    let mut state = start(64);
                    state[8] = before;
                    let last = count(&mut state, 128, left);
                    assert_eq!(last, left == 0);
                    assert_eq!(state[..8], start(64)[..8]);
                    assert_eq!(u128::from(state[8]), u128::from(before) + 128);
                    assert_eq!(state[9], if last { u64::MAX } else { 0 });
                }
            }
        }
    }

    /// Tests that every bit of the count enters the compression.
    #[test]
    fn compression_takes_any_count() {
        let message = core::array::from_fn(|i| 0x0123_4567_89ab_cdef << i);
        for power in 0..64 {
            for last in [false, true] {
                let mut states = [start(32); 8];
                states[0][8] = 1 << power;
                states[0][9] = if last { u64::MAX } else { 0 };
                let mut expected = start(32)[..8].try_into().unwrap();
                f(&mut expected, &message, 1 << power, last);
                Blake2b::compress::<Portable>(&mut states, &[message; 8]);
                assert_eq!(states[0][..8], expected, "{power} {last}");
            }
        }
    }

    /// The functions F and G of RFC 7693, sections 3.1 and 3.2, one word at a time.
    fn f(h: &mut [u64; 8], m: &[u64; 16], t: u128, last: bool) {
        let mut v: [u64; 16] = core::array::from_fn(|i| if i < 8 { h[i] } else { IV[i - 8] });
        v[12] ^= t as u64;
        v[13] ^= (t >> 64) as u64;
        if last {
            v[14] = !v[14];
        }
        let mut g = |[a, b, c, d]: [usize; 4], x: u64, y: u64| {
            for (word, turn_d, turn_b) in [(x, 32, 24), (y, 16, 63)] {
                v[a] = v[a].wrapping_add(v[b]).wrapping_add(word);
                v[d] = (v[d] ^ v[a]).rotate_right(turn_d);
                v[c] = v[c].wrapping_add(v[d]);
                v[b] = (v[b] ^ v[c]).rotate_right(turn_b);
            }
        };
        for round in 0..12 {
            let s = SIGMA[round % 10];
            for i in 0..4 {
                g([i, 4 + i, 8 + i, 12 + i], m[s[2 * i]], m[s[2 * i + 1]]);
            }
            for i in 0..4 {
                let diagonal = [i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4];
                g(diagonal, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
            }
        }
        for i in 0..8 {
            h[i] ^= v[i] ^ v[8 + i];
        }
    }
}
