//! Tests of three properties: the factors are hashed from the right bytes (another program gives the same
//! values), every bit of a token changes every factor, and every bit of a factor varies.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{engine, engines};
use sha2::{Digest, Sha512};

use super::draw;
use crate::scheme::Scheme;
use crate::scheme::{OPAQUE, ROOT};
use crate::state::{State, Step};

type Equation = (State, Scalar);

/// Computes the factors, as numbers, from their definition: a factor is the first 16 bytes of the hash of a
/// tag, the hash of all equations, and the number of the factor's equation.
pub(crate) fn by_definition(equations: &[Equation]) -> impl Iterator<Item = u128> {
    let mut bytes = b"klero-token/batch\x03".to_vec();
    for (state, s) in equations {
        bytes.extend(state.0);
        bytes.extend(s.to_bytes());
    }
    let all = Sha512::digest(&bytes);
    (0..equations.len() as u64).map(move |number| {
        let bytes = [b"klero-token/factor\x03", &all[..], &number.to_le_bytes()].concat();
        u128::from_le_bytes(*Sha512::digest(&bytes).first_chunk().unwrap())
    })
}

/// The factors that the library draws, as numbers.
fn drawn(equations: &[Equation]) -> Vec<u128> {
    let says: Vec<_> = equations.iter().map(|(state, s)| (*state, s)).collect();
    let factors = draw(engine(), &says);
    for engine in engines() {
        assert_eq!(draw(engine, &says), factors, "{engine:?}");
    }
    factors.iter().map(number).collect()
}

fn number(factor: &Scalar) -> u128 {
    let number = u128::from_le_bytes(*factor.as_bytes().first_chunk().unwrap());
    assert_eq!(Scalar::from(number), *factor);
    number
}

/// Equations with arbitrary bytes, since drawing factors needs no valid tokens. Field 0 is the state, and
/// field 1 is S. Byte i of field f of equation r is 31·r + 97·f + 7·i modulo 256, except that the last byte
/// of S is r mod 16, because S must be below L.
fn equations(n: usize) -> Vec<Equation> {
    let byte = |r: usize, f: usize, i: usize| (31 * r + 97 * f + 7 * i) as u8;
    (0..n)
        .map(|r| {
            let mut s = core::array::from_fn(|i| byte(r, 1, i));
            s[31] = r as u8 % 16;
            let s = Scalar::from_canonical_bytes(s).unwrap();
            (State(core::array::from_fn(|i| byte(r, 0, i))), s)
        })
        .collect()
}

/// S with one bit flipped, if the result is below L.
fn flipped(s: &Scalar, bit: usize) -> Option<Scalar> {
    let mut bytes = s.to_bytes();
    bytes[bit / 8] ^= 1 << (bit % 8);
    Scalar::from_canonical_bytes(bytes).into()
}

/// Asserts that no factor of one batch occurs in the other batch, at any position.
#[track_caller]
fn assert_all_moved(before: &[u128], after: &[u128]) {
    let before: BTreeSet<_> = before.iter().collect();
    assert!(
        after.iter().all(|factor| !before.contains(factor)),
        "a factor has not moved"
    );
}

/// Asserts that no half of a factor equals another half of any factor, and that each bit is set in three to
/// five eighths of the factors.
#[track_caller]
fn assert_all_bits_vary(factors: &[u128]) {
    let halves = factors.iter().flat_map(|f| [*f as u64, (*f >> 64) as u64]);
    let halves: BTreeSet<_> = halves.collect();
    assert_eq!(halves.len(), 2 * factors.len(), "halves of factors repeat");
    for bit in 0..128 {
        let set = factors.iter().filter(|&f| f >> bit & 1 == 1).count();
        let near_half = factors.len() * 3 / 8..factors.len() * 5 / 8;
        assert!(near_half.contains(&set), "{bit}: {set}");
    }
}

/// The expected values were computed by this Python program:
/// ```python
/// from hashlib import sha512
/// def le64(n): return n.to_bytes(8, "little")
/// def field(r, f, length): return bytes((31*r + 97*f + 7*i) % 256 for i in range(length))
/// def s(r): return field(r, 1, 31) + bytes([r % 16])
/// def factors(n):
///     line = b"".join(field(r, 0, 64) + s(r) for r in range(n))
///     together = sha512(b"klero-token/batch\x03" + line).digest()
///     tag = b"klero-token/factor\x03"
///     return [sha512(tag + together + le64(r)).digest()[:16].hex() for r in range(n)]
/// print(factors(2), factors(64)[0], factors(64)[63])
/// ```
#[test]
fn factors_are_those_of_another_program() {
    let hex = |factors: &[u128]| -> Vec<String> {
        let bytes = factors.iter().map(|factor| factor.to_le_bytes());
        bytes.map(hex::encode).collect()
    };
    let two = [
        "53bd640743260052dd7b32da1adc07b2",
        "4ee7ce89a5fc191daffd83892e0ae0d1",
    ];
    assert_eq!(hex(&drawn(&equations(2))), two);
    let many = drawn(&equations(64));
    let first_and_last = [
        "2bd0bbc9e7ab384d574eb24d2340f67a",
        "aaa9df8b97ea74ae035cb626eb72bcd2",
    ];
    assert_eq!(hex(&[many[0], many[63]]), first_and_last);
}

#[test]
fn factors_are_as_defined_in_batches_of_any_size() {
    for n in 0..70 {
        let equations = equations(n);
        let defined: Vec<_> = by_definition(&equations).collect();
        assert_eq!(drawn(&equations), defined, "{n}");
    }
}

#[test]
fn every_bit_of_every_equation_moves_every_factor() {
    let equations = equations(3);
    let before = drawn(&equations);
    for row in 0..equations.len() {
        for bit in 0..512 {
            let mut changed = equations.clone();
            changed[row].0.0[bit / 8] ^= 1 << (bit % 8);
            assert_all_moved(&before, &drawn(&changed));
        }
        for bit in 0..252 {
            let mut changed = equations.clone();
            changed[row].1 = flipped(&changed[row].1, bit).unwrap();
            assert_all_moved(&before, &drawn(&changed));
        }
    }
}

/// Changes the first, middle and last equations of a batch of the largest size that one sum verifies.
#[test]
fn equations_of_large_batches_move_every_factor() {
    let equations = equations(64);
    let before = drawn(&equations);
    for row in [0, 1, 31, 32, 62, 63] {
        let mut changed = equations.clone();
        changed[row].0.0[63] ^= 0x80;
        assert_all_moved(&before, &drawn(&changed));
        let mut changed = equations.clone();
        changed[row].1 += Scalar::ONE;
        assert_all_moved(&before, &drawn(&changed));
    }
}

#[test]
fn the_number_and_the_order_of_equations_move_every_factor() {
    let equations = equations(64);
    let before = drawn(&equations);
    assert_all_moved(&before, &drawn(&equations[..63]));
    assert_all_moved(&before, &drawn(&equations[1..]));
    for (one, other) in [(0, 1), (0, 63), (20, 40), (62, 63)] {
        let mut swapped = equations.clone();
        swapped.swap(one, other);
        assert_all_moved(&before, &drawn(&swapped));
    }
}

/// Changes everything in a token: its scheme, the number of its root key, and the kind, the link and the
/// payload of each block.
#[test]
fn every_byte_of_a_token_moves_every_factor() {
    #[derive(Clone)]
    struct Token {
        scheme: u8,
        root_id: u32,
        blocks: [(u8, Vec<u8>, Vec<u8>); 2],
    }
    let token = Token {
        scheme: Scheme::Aggregate.id(),
        root_id: 7,
        blocks: [
            (ROOT, vec![1; 64], b"may read".to_vec()),
            (OPAQUE, vec![2; 32], b"today".to_vec()),
        ],
    };
    let state = |token: &Token| {
        let [first, last] = &token.blocks;
        [first, last].into_iter().fold(
            State::begin(token.scheme, token.root_id),
            |state, (kind, link, payload)| state.absorb(&Step::new(*kind, link, payload)),
        )
    };
    let [s, other] = [Scalar::from(3u8), Scalar::from(5u8)];
    let factors = |changed: &Token| drawn(&[(state(&token), other), (state(changed), s)]);
    let before = factors(&token);
    let check = |change: &dyn Fn(&mut Token)| {
        let mut changed = token.clone();
        change(&mut changed);
        assert_all_moved(&before, &factors(&changed));
    };
    for bit in 0..8 {
        check(&|token| token.scheme ^= 1 << bit);
    }
    for bit in 0..32 {
        check(&|token| token.root_id ^= 1 << bit);
    }
    for block in 0..2 {
        for bit in 0..8 {
            check(&|token| token.blocks[block].0 ^= 1 << bit);
            for at in 0..token.blocks[block].1.len() {
                check(&|token| token.blocks[block].1[at] ^= 1 << bit);
            }
            for at in 0..token.blocks[block].2.len() {
                check(&|token| token.blocks[block].2[at] ^= 1 << bit);
            }
        }
        check(&|token| token.blocks[block].2.push(0));
        check(&|token| token.blocks[block].2.clear());
    }
    // The first byte of the payload becomes the last byte of the link.
    check(&|token| {
        let [(_, link, payload), _] = &mut token.blocks;
        let moved = payload.remove(0);
        link[63] = moved;
    });
}

#[test]
fn all_bits_of_factors_vary() {
    assert_all_bits_vary(&drawn(&equations(2048)));
    // The first factors of 1024 batches, which differ only in S of the second equation.
    let first = (0..1024).map(|batch| {
        let mut equations = equations(2);
        equations[1].1 += Scalar::from(batch as u64);
        drawn(&equations)[0]
    });
    assert_all_bits_vary(&first.collect::<Vec<_>>());
}
