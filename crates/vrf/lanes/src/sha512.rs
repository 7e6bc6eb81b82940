//! SHA-512 (FIPS 180-4) of many messages, one in each lane (see `hashing`). Where lanes would not save time,
//! the `sha2` crate hashes the messages.

use sha2::block_api::compress512;
use zeroize::Zeroize;

use crate::field::{Field, Vector, Word};
use crate::hashing::{Block, HashFunction, Text, hash_many};
use crate::tuning::SHA512_WORTH_LANES;

struct Sha512;

type State = [u64; 8];

const INITIAL: State = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];

/// Hashes each message after the prefix. This is the stage of [`Engine::sha512`](crate::Engine::sha512).
#[inline(always)]
pub(crate) fn sha512<F: Field>(
    prefix: &[[u8; 128]],
    messages: &[&[&[u8]]],
    digests: &mut [[u8; 64]],
) {
    let mut start = INITIAL;
    compress512(&mut start, prefix);
    let before = prefix.as_flattened().len();
    let digests = digests.iter_mut().map(|digest| &mut digest[..]);
    hash_many::<F, Sha512>((start, before), messages, digests);
}

impl HashFunction for Sha512 {
    type State = State;

    const WORTH_LANES: usize = SHA512_WORTH_LANES;

    #[inline(always)]
    fn complete(_: &mut State, block: &mut Block, filled: usize, text: &Text<'_>) -> bool {
        pad(block, filled, text.length)
    }

    #[inline(always)]
    fn compress<F: Field>(states: &mut [State; 8], blocks: &[[u64; 16]; 8]) {
        // The next sixteen words of the schedule. Word t is at index t mod 16.
        let mut w = F::Word::load_rows(&blocks.each_ref());
        for word in &mut w {
            *word = word.big_endian();
        }
        let before = F::Word::load_rows(&states.each_ref());
        let mut s = before;
        let (last, most) = (&K[64..], &K[..64]);
        for k in most.chunks_exact(16) {
            unroll!(16, I => {
                round(&mut s, I, w[I].add(F::Word::splat(k[I])));
                w[I] = scheduled(&w, I);
            });
        }
        unroll!(16, I => round(&mut s, I, w[I].add(F::Word::splat(last[I]))));
        for i in 0..8 {
            s[i] = s[i].add(before[i]);
        }
        F::Word::store_rows(&s, states);
    }

    fn compress_alone(state: &mut State, mut next: impl FnMut(&mut State, &mut Block) -> bool) {
        // One call for several blocks takes less time than one call for each block.
        let mut blocks = [[0; 128]; 4];
        let mut last = false;
        let mut used = 0;
        while !last {
            let mut filled = 0;
            while filled < blocks.len() && !last {
                last = next(state, &mut blocks[filled]);
                filled += 1;
            }
            compress512(state, &blocks[..filled]);
            used = filled.max(used);
        }
        blocks[..used].as_flattened_mut().zeroize();
    }

    #[inline(always)]
    fn digest(state: &State, digest: &mut [u8; 64]) {
        for (bytes, word) in digest.chunks_exact_mut(8).zip(state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
    }
}

/// Pads a block that begins with `filled` bytes of a message of `length` bytes. The padding is a 1
/// bit, zeros, and the length in bits in the last 16 bytes. It can extend over two blocks. This
/// function writes only the part in `block`. Returns true if this is the last block.
#[inline(always)]
fn pad(block: &mut Block, filled: usize, length: u128) -> bool {
    let mut end = filled;
    // If `filled` is 0 and the message did not fill the previous block, that block already has the 1 bit.
    if filled > 0 || length.is_multiple_of(128) {
        let Some(place) = block.get_mut(filled) else {
            return false;
        };
        *place = 0x80;
        end += 1;
    }
    let fits = end <= 128 - 16;
    if fits {
        block[128 - 16..].copy_from_slice(&(8 * length).to_be_bytes());
    }
    fits
}

const K: [u64; 80] = [
    0x428a2f98d728ae22,
    0x7137449123ef65cd,
    0xb5c0fbcfec4d3b2f,
    0xe9b5dba58189dbbc,
    0x3956c25bf348b538,
    0x59f111f1b605d019,
    0x923f82a4af194f9b,
    0xab1c5ed5da6d8118,
    0xd807aa98a3030242,
    0x12835b0145706fbe,
    0x243185be4ee4b28c,
    0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f,
    0x80deb1fe3b1696b1,
    0x9bdc06a725c71235,
    0xc19bf174cf692694,
    0xe49b69c19ef14ad2,
    0xefbe4786384f25e3,
    0x0fc19dc68b8cd5b5,
    0x240ca1cc77ac9c65,
    0x2de92c6f592b0275,
    0x4a7484aa6ea6e483,
    0x5cb0a9dcbd41fbd4,
    0x76f988da831153b5,
    0x983e5152ee66dfab,
    0xa831c66d2db43210,
    0xb00327c898fb213f,
    0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2,
    0xd5a79147930aa725,
    0x06ca6351e003826f,
    0x142929670a0e6e70,
    0x27b70a8546d22ffc,
    0x2e1b21385c26c926,
    0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df,
    0x650a73548baf63de,
    0x766a0abb3c77b2a8,
    0x81c2c92e47edaee6,
    0x92722c851482353b,
    0xa2bfe8a14cf10364,
    0xa81a664bbc423001,
    0xc24b8b70d0f89791,
    0xc76c51a30654be30,
    0xd192e819d6ef5218,
    0xd69906245565a910,
    0xf40e35855771202a,
    0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8,
    0x1e376c085141ab53,
    0x2748774cdf8eeb99,
    0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63,
    0x4ed8aa4ae3418acb,
    0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc,
    0x78a5636f43172f60,
    0x84c87814a1f0ab72,
    0x8cc702081a6439ec,
    0x90befffa23631e28,
    0xa4506cebde82bde9,
    0xbef9a3f7b2c67915,
    0xc67178f2e372532b,
    0xca273eceea26619c,
    0xd186b8c721c0c207,
    0xeada7dd6cde0eb1e,
    0xf57d4f7fee6ed178,
    0x06f067aa72176fba,
    0x0a637dc5a2c898a6,
    0x113f9804bef90dae,
    0x1b710b35131c471b,
    0x28db77f523047d84,
    0x32caab7b40c72493,
    0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6,
    0x597f299cfc657e2a,
    0x5fcb6fab3ad6faec,
    0x6c44198c4a475817,
];

/// Does round t. Instead of moving each variable (a to b, and so on), the round finds a at index -t mod 8.
#[inline(always)]
fn round<W: Vector>(s: &mut [W; 8], t: usize, word: W) {
    let at = 16 - t;
    let [a, b, c, d] = [s[at % 8], s[(at + 1) % 8], s[(at + 2) % 8], s[(at + 3) % 8]];
    let [e, f, g, h] = [
        s[(at + 4) % 8],
        s[(at + 5) % 8],
        s[(at + 6) % 8],
        s[(at + 7) % 8],
    ];
    let of_e = W::xor3(
        e.rotate_right::<14>(),
        e.rotate_right::<18>(),
        e.rotate_right::<41>(),
    );
    let of_a = W::xor3(
        a.rotate_right::<28>(),
        a.rotate_right::<34>(),
        a.rotate_right::<39>(),
    );
    let one = h.add(word).add(W::choose(e, f, g)).add(of_e);
    s[(at + 3) % 8] = d.add(one);
    s[(at + 7) % 8] = one.add(W::majority(a, b, c)).add(of_a);
}

/// Word t + 16 of the schedule.
#[inline(always)]
fn scheduled<W: Vector>(w: &[W; 16], t: usize) -> W {
    let (near, far) = (w[(t + 1) % 16], w[(t + 14) % 16]);
    let of_near = W::xor3(
        near.rotate_right::<1>(),
        near.rotate_right::<8>(),
        near.shift_right::<7>(),
    );
    let of_far = W::xor3(
        far.rotate_right::<19>(),
        far.rotate_right::<61>(),
        far.shift_right::<6>(),
    );
    w[t].add(w[(t + 9) % 16]).add(of_near).add(of_far)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;
    use crate::field::{Portable, bytes_of};

    /// Tests `Sha512::compress` in one lane. The engine with one lane calls only `compress_alone`, so no
    /// other test covers this case.
    #[test]
    fn one_lane() {
        let mut blocks = [[0; 16]; 8];
        for (i, byte) in bytes_of(&mut blocks[0]).iter_mut().enumerate() {
            *byte = (37 * i) as u8;
        }
        let (mut state, mut states) = (INITIAL, [INITIAL; 8]);
        for _ in 0..3 {
            compress512(&mut state, &[*bytes_of(&mut blocks[0])]);
            Sha512::compress::<Portable>(&mut states, &blocks);
            assert_eq!(states[0], state);
        }
    }

    /// Tests the padding of FIPS 180-4, section 5.1.2, for lengths near powers of 2, without hashing such
    /// long messages.
    #[test]
    fn the_padding_holds_any_length() {
        for power in [7, 29, 32, 61, 64, 124] {
            let near = (1u128 << power) - 128;
            for length in near..=near + 384 {
                let bits = BigUint::from(length) * 8u8;
                let zeros = (896 + 1024 - 1 - (length * 8 % 1024)) % 1024;
                let mut expected = vec![0xaa; (length % 128) as usize];
                expected.push(0x80);
                expected.resize(expected.len() + (zeros as usize - 7) / 8, 0);
                let bits = bits.to_bytes_be();
                expected.resize(expected.len() + 16 - bits.len(), 0);
                expected.extend(bits);
                assert_eq!(padded(length), expected, "{length}");
            }
        }
    }

    /// The last blocks of a padded message. The message's bytes after its last whole block are 0xaa.
    fn padded(length: u128) -> Vec<u8> {
        let mut filled = (length % 128) as usize;
        if filled == 0 && length > 0 {
            let mut whole = [0xaa; 128];
            assert!(!pad(&mut whole, 128, length));
            assert_eq!(whole, [0xaa; 128]);
        }
        let mut blocks = Vec::new();
        let mut last = false;
        while !last {
            assert!(blocks.len() < 256, "more than two blocks");
            let mut block = [0; 128];
            block[..filled].fill(0xaa);
            last = pad(&mut block, filled, length);
            blocks.extend(block);
            filled = 0;
        }
        blocks
    }
}
