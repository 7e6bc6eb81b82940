//! Tests that the methods of an engine panic if slices have different lengths. Also tests the number of items
//! that share vectors, and the choice of the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use klero_lanes::{Elligator2, Engine, Halves, Point, engine, engines, use_engine};

type Call = fn(Engine, &mut [Point]);

const P: [Point; 3] = [Point::BASE; 3];
const PAIRS: [[Point; 2]; 3] = [[Point::BASE; 2]; 3];
const S: [[u8; 32]; 3] = [[2; 32]; 3];
const C: [[u8; 16]; 3] = [[1; 16]; 3];
const DRAFT03: Elligator2 = Elligator2::Draft03;

/// Tests that a call panics if slices that must be equally long are not. In each call, one of these slices
/// (usually `out`) has two items, and the others have three.
#[test]
fn lengths_are_asserted() {
    let calls: [(&str, Call); 25] = [
        ("decode", |e, out| e.decode(&S, out, &mut [false; 3])),
        ("decode", |e, _| {
            e.decode(&S, &mut [Point::BASE; 3], &mut [false; 2])
        }),
        ("decode_and_map", |e, out| {
            e.decode_and_map(&[], &mut [], &mut [], &S, DRAFT03, out)
        }),
        ("decode_ristretto", |e, out| {
            e.decode_ristretto(&S, out, &mut [false; 3])
        }),
        ("encode", |e, out| e.encode(out, &mut [[0; 32]; 3])),
        ("mul_by_cofactor", |e, out| e.mul_by_cofactor(&P, out)),
        ("torsion_free", |e, out| {
            e.torsion_free(out, &mut [false; 3])
        }),
        ("sub_small_multiple", |e, out| {
            e.sub_small_multiple(&P, &[1; 3], &P, out)
        }),
        ("mul_base_sub", |e, out| e.mul_base_sub(&S, &C, &P, out)),
        ("mul_base_sub_known", |e, out| {
            let known = e.know(&P);
            e.mul_base_sub_known(&S, &C, &[&known[0], &known[1], &known[2]], out);
        }),
        ("mul_base_sub_alone", |e, out| {
            e.mul_base_sub_alone(&S, &S, &P, out)
        }),
        ("halve", |e, _| e.halve(&S, &mut [Halves::ZERO; 2])),
        ("vanishes", |e, out| {
            e.vanishes(&S, &[Halves::ZERO; 3], &P, out, &mut [false; 3])
        }),
        ("mul_sub", |e, out| e.mul_sub(&S, &P, &C, &P, out)),
        ("mul_add", |e, out| e.mul_add(&S, &P, &S, &P, out)),
        ("mul_alone", |e, _| {
            e.mul_alone(&S, &PAIRS, &S, &PAIRS, false, &mut [[Point::BASE; 2]; 2])
        }),
        ("multiscalar_mul", |e, out| {
            e.multiscalar_mul(&S[0], out, &S, 253);
        }),
        ("random_combination", |e, out| {
            e.random_combination(out, &C);
        }),
        ("secret_mul_pair", |e, out| {
            e.secret_mul_pair(&P, &S, &S, &mut P.clone(), out)
        }),
        ("secret_mul", |e, out| e.secret_mul(&P, &S, out)),
        ("secret_mul_alone", |e, out| e.secret_mul_alone(&P, &S, out)),
        ("secret_mul_base", |e, out| e.secret_mul_base(&S, out)),
        ("secret_prove_alone", |e, out| {
            e.secret_prove_alone(&P, &S, &S, &mut P.clone(), &mut P.clone(), out)
        }),
        ("sha512", |e, _| {
            e.sha512(&[], &[&[], &[]], &mut [[0; 64]; 3])
        }),
        ("blake2b", |e, _| e.blake2b(&[&[], &[]], &mut [[0; 32]; 3])),
    ];
    for (name, call) in calls {
        for engine in engines() {
            let call = || call(engine, &mut [Point::BASE; 2]);
            let refused = catch_unwind(AssertUnwindSafe(call)).is_err();
            assert!(refused, "{name} on {engine:?}");
        }
    }
}

#[test]
fn full_vectors_are_shared_and_nothing_is_without_lanes() {
    for engine in engines() {
        assert_eq!(engine.whole(4 * engine.lanes()), 4 * engine.lanes());
        let all_or_none = if engine.lanes() > 1 { (8, 0) } else { (0, 0) };
        assert_eq!(engine.whole_and_pairs(8), all_or_none, "{engine:?}");
    }
}

#[test]
fn the_engine_that_was_chosen_is_in_use() {
    let portable = *engines().last().unwrap();
    assert_eq!(portable.name(), "portable");
    use_engine(portable);
    assert_eq!(engine(), portable);
}
