//! Compares weights with values from another program, to check which bytes are hashed and how the hash is
//! divided into weights. Tests that every hashed bit changes every weight, and that every bit of a weight
//! varies.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{Pair, Weights};
use crate::batch::table::Table;
use crate::claim::Claim;
use crate::stage::unwatched;
use crate::suite::{ProofForm, Suite};
use crate::suites::experimental::PRAOS_144;
use crate::tuning::{HASHED_TOGETHER, SUM_GROUP};

/// The fields of a claim that are hashed.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) key: [u8; 32],
    pub(super) h: [u8; 32],
    pub(super) proof: Vec<u8>,
}

impl Row {
    fn len(&self) -> usize {
        64 + self.proof.len()
    }

    /// Flips a bit of the concatenation of key, H and proof.
    fn flip(&mut self, bit: usize) {
        let byte = match bit / 8 {
            at @ ..32 => &mut self.key[at],
            at @ 32..64 => &mut self.h[at - 32],
            at => &mut self.proof[at - 64],
        };
        *byte ^= 1 << (bit % 8);
    }
}

/// Computes the weights by their definition: BLAKE3 in its mode for deriving keys, over one string of bytes.
/// Each claim gets 32 bytes of the output, and the weight of its U equation comes first.
pub(super) fn by_definition<'r>(
    suite: Suite,
    rows: impl ExactSizeIterator<Item = &'r Row>,
) -> Vec<Pair> {
    let n = rows.len();
    let mut bytes = Vec::with_capacity(100 + 300 * n);
    bytes.extend((suite.name().len() as u64).to_le_bytes());
    bytes.extend(suite.name().bytes());
    bytes.extend((n as u64).to_le_bytes());
    for row in rows {
        bytes.extend(row.key);
        bytes.extend(row.h);
        bytes.extend(&row.proof);
    }
    let mut hasher = blake3::Hasher::new_derive_key("klero 2026 batch verification of ECVRF");
    let mut output = vec![0; 32 * n];
    hasher.update(&bytes).finalize_xof().fill(&mut output);
    let (weights, _) = output.as_chunks();
    let (pairs, _) = weights.as_chunks();
    pairs.to_vec()
}

/// Returns the weights that the library draws if the sum has only the rows with the indices in `of`.
fn drawn(weights: Weights, suite: Suite, rows: &[Row], of: &[usize]) -> Vec<Pair> {
    let claims: Vec<_> = rows
        .iter()
        .map(|row| Claim::new(&row.key, b"", &row.proof))
        .collect();
    let h: Vec<_> = rows.iter().map(|row| row.h).collect();
    let table = Table::decode(klero_lanes::engine(), suite, None, &claims, &mut unwatched);
    weights.draw(&table, &h, of.iter().copied())
}

fn hashed(suite: Suite, rows: &[Row]) -> Vec<Pair> {
    let all: Vec<_> = (0..rows.len()).collect();
    drawn(Weights::Hashed, suite, rows, &all)
}

/// The suites whose proofs carry U and V.
fn suites_with_sums() -> impl Iterator<Item = Suite> {
    let all = Suite::ALL.iter().copied();
    all.filter(|suite| suite.proof_form != ProofForm::GammaCS)
}

/// Rows of meaningless bytes, which are enough to draw weights. Byte i of field f of row r is 31·r + 97·f +
/// 7·i mod 256. Fields 0 to 2 are key, H and proof.
fn rows(suite: Suite, n: usize) -> Vec<Row> {
    let byte = |row: usize, field: usize, i: usize| (31 * row + 97 * field + 7 * i) as u8;
    (0..n)
        .map(|row| Row {
            key: core::array::from_fn(|i| byte(row, 0, i)),
            h: core::array::from_fn(|i| byte(row, 1, i)),
            proof: (0..suite.proof_len()).map(|i| byte(row, 2, i)).collect(),
        })
        .collect()
}

/// Asserts that two batches have no weight in common, at any position.
#[track_caller]
fn assert_all_moved(before: &[Pair], after: &[Pair]) {
    let before: BTreeSet<_> = before.as_flattened().iter().collect();
    assert!(
        after.as_flattened().iter().all(|w| !before.contains(w)),
        "a weight has not moved"
    );
}

/// Asserts that all halves of weights are different, and that each bit is set in about half of the weights.
#[track_caller]
fn assert_all_bits_vary(pairs: &[Pair]) {
    let halves: Vec<[u8; 8]> = pairs.as_flattened().as_flattened().as_chunks().0.to_vec();
    assert_eq!(halves.len(), 4 * pairs.len());
    let distinct: BTreeSet<_> = halves.iter().collect();
    assert_eq!(distinct.len(), halves.len(), "halves of weights repeat");
    for equation in 0..2 {
        for bit in 0..128 {
            let is_set = |pair: &&Pair| u128::from_le_bytes(pair[equation]) >> bit & 1 == 1;
            let set = pairs.iter().filter(is_set).count();
            let near_half = pairs.len() * 3 / 8..pairs.len() * 5 / 8;
            assert!(near_half.contains(&set), "{equation} {bit}: {set}");
        }
    }
}

fn hex(pairs: &[Pair]) -> Vec<[String; 2]> {
    pairs.iter().map(|pair| pair.map(hex::encode)).collect()
}

/// The values are from the BLAKE3 package of Python:
/// ```python
/// from blake3 import blake3
/// def le64(n): return n.to_bytes(8, "little")
/// def field(r, f, length): return bytes((31*r + 97*f + 7*i) % 256 for i in range(length))
/// def weights(suite, n, proof):
///     line = le64(len(suite)) + suite.encode() + le64(n)
///     for r in range(n):
///         line += field(r, 0, 32) + field(r, 1, 32) + field(r, 2, proof)
///     context = "klero 2026 batch verification of ECVRF"
///     return blake3(line, derive_key_context=context).digest(length=32*n).hex(" ", 16)
/// print(weights("rfc9381-ell2-bc", 3, 128), weights("praos-144", 3, 144))
/// print(weights("rfc9381-ell2-bc", 400, 128))
/// ```
#[test]
fn hashed_weights_are_those_of_another_program() {
    let suite = Suite::RFC9381_ELL2_BC;
    let three = hashed(suite, &rows(suite, 3));
    let expected = [
        [
            "bfcfbccdba356662cdca805bb8b44abf",
            "5c8b1336f6f47bf3fdd8a49511c33d1e",
        ],
        [
            "bc20e8fd5f028e21ee25116b93c7585d",
            "1f88299848ce56a6f05e7ec64713b9a9",
        ],
        [
            "c1327a9c83b20638067ad7aac25ea60f",
            "90ffb55d78bb3c5c47fe4bd7c77b5746",
        ],
    ];
    assert_eq!(hex(&three), expected);

    let three = hashed(PRAOS_144, &rows(PRAOS_144, 3));
    let expected = [
        [
            "49d6e0ad76aa2a317a64adc9e9543f01",
            "e23793eeecfeadda7326768e80d0e883",
        ],
        [
            "3bfa8e62beb31aeafba7864dad93a066",
            "333253c5ea7e8ef5bc2a16a5af5fe806",
        ],
        [
            "a834882e0cced395cce43f030b6d4a93",
            "20301798635389948da04fb25277cc94",
        ],
    ];
    assert_eq!(hex(&three), expected);

    // These rows have more bytes than one call hashes.
    let many = hashed(suite, &rows(suite, 400));
    let expected = [
        [
            "4bf740fd3f4798eb14254afdc3e067ef",
            "55b5e74e96873448dca33b62f8cefab8",
        ],
        [
            "a86d77ac90d69a4084a8a3fdda6c9366",
            "c7f8bfaea2e4f32ec23ff4b8448b1734",
        ],
    ];
    assert_eq!(hex(&many[..2]), expected);
    let expected = [[
        "0c8abbc3ee5bade1205ffc87ea4df6b4",
        "441928c957baa3b277bcf54b77c4c5d7",
    ]];
    assert_eq!(hex(&many[399..]), expected);
}

#[test]
fn hashed_weights_are_as_defined_in_batches_of_any_size() {
    for suite in suites_with_sums() {
        for n in [0, 1, 2, 3, 24, 340, 341, 342, 343, 700, SUM_GROUP] {
            let rows = rows(suite, n);
            let defined = by_definition(suite, rows.iter());
            assert!(hashed(suite, &rows) == defined, "{suite} {n}");
        }
    }
}

/// Claims outside the sum do not affect the weights.
#[test]
fn the_weights_of_some_rows_are_those_of_a_batch_of_them() {
    let suite = Suite::RFC9381_ELL2_BC;
    let rows = rows(suite, 9);
    for of in [&[4][..], &[1, 3, 4, 8], &[0, 1, 2], &[8, 2]] {
        let some = of.iter().map(|&row| &rows[row]);
        let defined = by_definition(suite, some);
        assert_eq!(drawn(Weights::Hashed, suite, &rows, of), defined);
    }
}

#[test]
fn every_bit_of_key_h_and_proof_moves_every_weight() {
    for suite in [Suite::RFC9381_ELL2_BC, PRAOS_144] {
        let rows = rows(suite, 3);
        let before = hashed(suite, &rows);
        for row in 0..rows.len() {
            for bit in 0..8 * rows[row].len() {
                let mut changed = rows.clone();
                changed[row].flip(bit);
                assert_all_moved(&before, &hashed(suite, &changed));
            }
        }
    }
}

/// Each call of the hash gets a few hundred rows. This test also changes rows around the first boundary.
#[test]
fn rows_of_large_batches_move_every_weight() {
    let suite = Suite::RFC9381_ELL2_BC;
    let hashed_together = HASHED_TOGETHER / (64 + suite.proof_len());
    for n in [hashed_together + 59, SUM_GROUP] {
        let rows = rows(suite, n);
        let before = hashed(suite, &rows);
        let boundary = hashed_together - 1..hashed_together + 3;
        for row in [0, 1, n / 2, n - 1].into_iter().chain(boundary) {
            for bit in [0, 8 * 32, 8 * 64, 8 * rows[row].len() - 1] {
                let mut changed = rows.clone();
                changed[row].flip(bit);
                assert_all_moved(&before, &hashed(suite, &changed));
            }
        }
    }
}

#[test]
fn the_order_of_the_claims_moves_every_weight() {
    let suite = Suite::RFC9381_ELL2_BC;
    let rows = rows(suite, 400);
    let before = hashed(suite, &rows);
    for (one, other) in [(0, 1), (0, 399), (100, 300), (398, 399)] {
        let mut swapped = rows.clone();
        swapped.swap(one, other);
        assert_all_moved(&before, &hashed(suite, &swapped));
    }
}

/// Compares two claims with one claim whose proof ends with all hashed fields of the second claim.
#[test]
fn the_number_of_claims_moves_every_weight() {
    let suite = Suite::RFC9381_ELL2_BC;
    let two = rows(suite, 2);
    let proof = [&two[0].proof, &two[1].key[..], &two[1].h, &two[1].proof].concat();
    let one = Row {
        proof,
        ..two[0].clone()
    };
    assert_all_moved(&hashed(suite, &two), &hashed(suite, &[one]));
}

#[test]
fn the_suite_moves_every_weight() {
    let rows = rows(Suite::RFC9381_ELL2_BC, 3);
    let suites: Vec<_> = suites_with_sums().collect();
    assert!(suites.len() > 4);
    for (i, one) in suites.iter().enumerate() {
        for other in &suites[..i] {
            assert_all_moved(&hashed(*one, &rows), &hashed(*other, &rows));
        }
    }
}

#[test]
fn all_bits_of_hashed_weights_vary() {
    let suite = Suite::RFC9381_ELL2_BC;
    assert_all_bits_vary(&hashed(suite, &rows(suite, SUM_GROUP)));
    // The first claim's weights in many batches.
    let first = (0..1024).map(|batch| {
        let mut rows = rows(suite, 2);
        rows[1].flip(batch);
        hashed(suite, &rows)[0]
    });
    assert_all_bits_vary(&first.collect::<Vec<_>>());
}

/// The values are from Python, with the functions in the comment of the similar test of hashed weights:
/// `blake3(b"", key=field(0, 0, 32)).digest(length=96).hex(" ", 16)`.
#[test]
fn random_weights_are_those_of_another_program() {
    let suite = Suite::RFC9381_ELL2_BC;
    let rows = rows(suite, 4);
    let random = drawn(Weights::Random(rows[0].key), suite, &rows, &[0, 1, 3]);
    let expected = [
        [
            "697227f460617900f1e860d04d6e69a3",
            "42db0905b019a45a304ed59a3f03d3d8",
        ],
        [
            "99473f58091473d116da97c34098590a",
            "7a71b545277ffea9c7b7fabb57ed7df5",
        ],
        [
            "4eb2251682505ca1a83793cb2ff9ed38",
            "d900cc63926e84902f50db08cf40fd4d",
        ],
    ];
    assert_eq!(hex(&random), expected);
}

#[test]
fn every_bit_of_the_seed_moves_every_random_weight() {
    let suite = Suite::RFC9381_ELL2_BC;
    let rows = rows(suite, 3);
    let random = |seed| drawn(Weights::Random(seed), suite, &rows, &[0, 1, 2]);
    let before = random([7; 32]);
    for bit in 0..256 {
        let mut seed = [7; 32];
        seed[bit / 8] ^= 1 << (bit % 8);
        assert_all_moved(&before, &random(seed));
    }
}

#[test]
fn all_bits_of_random_weights_vary() {
    let suite = Suite::RFC9381_ELL2_BC;
    let rows = rows(suite, SUM_GROUP);
    let all: Vec<_> = (0..rows.len()).collect();
    assert_all_bits_vary(&drawn(Weights::Random([7; 32]), suite, &rows, &all));
    // The first claim's weights for many seeds.
    let first = (0..1024u16).map(|seed| {
        let mut bytes = [0; 32];
        bytes[..2].copy_from_slice(&seed.to_le_bytes());
        drawn(Weights::Random(bytes), suite, &rows[..1], &[0])[0]
    });
    assert_all_bits_vary(&first.collect::<Vec<_>>());
}

/// The operating system fills the whole seed.
#[cfg(feature = "os-rng")]
#[test]
fn every_byte_of_the_seed_is_random() {
    let seeds: Vec<_> = (0..64)
        .map(|_| match Weights::random().unwrap() {
            Weights::Random(seed) => seed,
            other => panic!("{other:?}"),
        })
        .collect();
    for byte in 0..32 {
        let values: BTreeSet<_> = seeds.iter().map(|seed| seed[byte]).collect();
        assert!(values.len() > 16, "{byte}: {values:?}");
    }
}

#[test]
fn seeds_are_not_printed() {
    let random = Weights::Random([0xa5; 32]);
    assert_eq!(format!("{random:?}"), "Random(secret)");
    let verifier = crate::Verifier::new(Suite::DRAFT13_BC).weights(random);
    let text = format!("{verifier:#?}");
    assert!(text.contains("weights: Random(secret)"), "{text}");
    assert!(!text.contains("165"), "{text}");
}
