//! Tests that no result depends on *dirt*: the bits that carries leave above a 52-bit limb in a 64-bit word.

use super::*;
use crate::field::limbs::LOW_52;
use crate::field::radix52::TOP_LIMB;

/// Values of the 12 bits above a limb. Each of these bits alone is tested, too.
const DIRTS: [u64; 7] = [0, 1, 2, 0x7ff, 0x800, 0xffe, 0xfff];

/// Elements with one tested value of dirt above each of the lower four limbs. The limbs are near their
/// smallest or largest values, or those of p and p + 1, which are 0 and 1 mod p.
fn dirty_edges() -> Vec<Element> {
    let p = limbs_in(52, &P);
    let mut elements = Vec::new();
    for dirt in (0..12).map(|bit| 1u64 << bit).chain(DIRTS) {
        for low in [0, 1, LOW_52 - 19, LOW_52 - 1, LOW_52] {
            for top in [0, 1, p[4], p[4] + 1, TOP_LIMB - 1] {
                let word = dirt << 52 | low;
                elements.push([word, word, word, word, top]);
            }
        }
        for low in [p[0], p[0] + 1] {
            let dirty = |word: u64| dirt << 52 | word;
            elements.push([dirty(low), dirty(p[1]), dirty(p[2]), dirty(p[3]), p[4]]);
        }
    }
    elements
}

fn random_dirt() -> Vec<Element> {
    let p = limbs_in(52, &P);
    let mut dice = Dice(0xd127);
    let element = |_| {
        let mut word = || match dice.below(4) {
            0 => u64::MAX,
            1 => DIRTS[dice.below(7) as usize] << 52 | LOW_52,
            2 => DIRTS[dice.below(7) as usize] << 52 | dice.below(40),
            _ => dice.word(),
        };
        let low = [word(), word(), word(), word()];
        let top = match dice.below(4) {
            0 => TOP_LIMB - 1,
            1 => p[4] + dice.below(3) - 1,
            _ => dice.below(TOP_LIMB),
        };
        [low[0], low[1], low[2], low[3], top]
    };
    (0..20_000).map(element).collect()
}

/// Tests products, sums and least residues of elements with dirt.
fn dirt<F: Field>() {
    let clean = |words: &Element| {
        let [a, b, c, d, top] = *words;
        integer_in(52, &[a & LOW_52, b & LOW_52, c & LOW_52, d & LOW_52, top]) % &*P
    };
    let mut elements = [dirty_edges(), random_dirt()].concat();
    while elements.len() % F::LANES > 0 {
        elements.push([u64::MAX, 0, u64::MAX, 0, 0]);
    }
    let zeros = vec![BigUint::ZERO; F::LANES];
    for (a_words, b_words) in pairs::<F>(&elements) {
        let (a, b) = (
            F::from_words(load(&a_words)),
            F::from_words(load::<F::Word>(&b_words)),
        );
        let x: Vec<_> = a_words.iter().map(clean).collect();
        let y: Vec<_> = b_words.iter().map(clean).collect();
        let each = |f: &dyn Fn(&BigUint, &BigUint) -> BigUint| -> Vec<BigUint> {
            x.iter().zip(&y).map(|(x, y)| f(x, y) % &*P).collect()
        };
        let product = a.mul(b);
        assert_eq!(residues_wide::<F>(product), each(&|x, y| x * y));
        assert_eq!(residues::<F>(F::carry(product)), each(&|x, y| x * y));
        assert_eq!(residues_wide::<F>(a.mul_above(b)), each(&|x, y| x * y));
        assert_eq!(residues_wide::<F>(a.square()), each(&|x, _| x * x));
        assert_eq!(residues_wide::<F>(a.square_above()), each(&|x, _| x * x));
        assert_eq!(residues::<F>(add(a, b)), each(&|x, y| x + y));
        assert_eq!(residues::<F>(sub(a, b)), each(&|x, y| x + &*P - y));
        assert_eq!(residues::<F>(sub(a, a)), zeros);
        assert_tight(a);
        assert_eq!(residues::<F>(a), x);
        let canonical = store(a.canonical());
        let (zero, odd) = (a.is_zero(), a.is_odd());
        for (lane, x) in x.iter().enumerate() {
            assert_eq!(canonical[lane], limbs_of(x));
            assert_eq!(zero >> lane & 1 == 1, *x == BigUint::ZERO);
            assert_eq!(odd >> lane & 1 == 1, x.bit(0));
        }
    }
}

#[test]
fn dirt_counts_for_nothing() {
    if std::arch::is_x86_feature_detected!("avx512ifma") {
        dirt::<crate::field::Ifma52>();
    } else {
        eprintln!("!!! SKIPPED: this processor lacks the instruction set");
    }
}
