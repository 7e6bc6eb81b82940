//! Slices of different lengths: each function with several slices panics. How many items share
//! vectors.

use klero_lanes::{Elligator2, Engine, Halves, Point, engine, engines, use_engine};

/// A slice of another length than the rest is refused before the stage runs. A table of all stages.
#[test]
fn lengths_are_asserted() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    type Call = fn(Engine, &mut [Point]);
    const BASE: [Point; 3] = [Point::BASE; 3];
    let calls: [(&str, Call); 25] = [
        ("decode", |e, out| {
            e.decode(&[[2; 32]; 3], out, &mut [false; 3])
        }),
        ("decode", |e, _| {
            e.decode(&[[2; 32]; 3], &mut [Point::BASE; 3], &mut [false; 2])
        }),
        ("decode_and_map", |e, out| {
            let form = Elligator2::Draft03;
            e.decode_and_map(&[], &mut [], &mut [], &[[2; 32]; 3], form, out);
        }),
        ("decode_ristretto", |e, out| {
            e.decode_ristretto(&[[2; 32]; 3], out, &mut [false; 3])
        }),
        ("encode", |e, out| e.encode(out, &mut [[0; 32]; 3])),
        ("mul_by_cofactor", |e, out| e.mul_by_cofactor(&BASE, out)),
        ("torsion_free", |e, out| {
            e.torsion_free(out, &mut [false; 3])
        }),
        ("sub_small_multiple", |e, out| {
            e.sub_small_multiple(&BASE, &[1; 3], &BASE, out)
        }),
        ("mul_base_sub", |e, out| {
            e.mul_base_sub(&[[1; 32]; 3], &[[1; 16]; 3], &BASE, out)
        }),
        ("mul_base_sub_known", |e, out| {
            let known = e.know(&BASE);
            let known = [&known[0], &known[1], &known[2]];
            e.mul_base_sub_known(&[[1; 32]; 3], &[[1; 16]; 3], &known, out);
        }),
        ("mul_base_sub_alone", |e, out| {
            e.mul_base_sub_alone(&[[1; 32]; 3], &[[1; 32]; 3], &BASE, out);
        }),
        ("halve", |e, _| {
            e.halve(&[[1; 32]; 3], &mut [Halves::ZERO; 2])
        }),
        ("vanishes", |e, out| {
            let halves = [Halves::ZERO; 3];
            e.vanishes(&[[1; 32]; 3], &halves, &BASE, out, true, &mut [false; 3]);
        }),
        ("mul_sub", |e, out| {
            e.mul_sub(&[[1; 32]; 3], &BASE, &[[1; 16]; 3], &BASE, out)
        }),
        ("mul_add", |e, out| {
            e.mul_add(&[[1; 32]; 3], &BASE, &[[1; 32]; 3], &BASE, out)
        }),
        ("mul_alone", |e, _| {
            let (scalars, pairs) = ([[1; 32]; 3], [[Point::BASE; 2]; 3]);
            let mut out = [[Point::BASE; 2]; 2];
            e.mul_alone(&scalars, &pairs, &scalars, &pairs, false, &mut out);
        }),
        ("multiscalar_mul", |e, out| {
            e.multiscalar_mul(&[1; 32], out, &[[1; 32]; 3], 253);
        }),
        ("random_combination", |e, out| {
            e.random_combination(out, &[[1; 16]; 3]);
        }),
        ("secret_mul_pair", |e, out| {
            e.secret_mul_pair(&BASE, &[[1; 32]; 3], &[[1; 32]; 3], &mut BASE.clone(), out);
        }),
        ("secret_mul", |e, out| {
            e.secret_mul(&BASE, &[[1; 32]; 3], out)
        }),
        ("secret_mul_alone", |e, out| {
            e.secret_mul_alone(&BASE, &[[1; 32]; 3], out)
        }),
        ("secret_mul_base", |e, out| {
            e.secret_mul_base(&[[1; 32]; 3], out)
        }),
        ("secret_prove_alone", |e, out| {
            let [mut by_x, mut by_k] = [BASE; 2];
            let (x, k) = ([[1; 32]; 3], [[1; 32]; 3]);
            e.secret_prove_alone(&BASE, &x, &k, &mut by_x, &mut by_k, out);
        }),
        ("sha512", |e, _| {
            e.sha512(&[], &[&[], &[]], &mut [[0; 64]; 3])
        }),
        ("blake2b", |e, _| e.blake2b(&[&[], &[]], &mut [[0; 32]; 3])),
    ];
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let accepted: Vec<_> = calls
        .iter()
        .flat_map(|call| engines().into_iter().map(move |engine| (call, engine)))
        .filter(|((_, call), engine)| {
            catch_unwind(AssertUnwindSafe(|| call(*engine, &mut [Point::BASE; 2]))).is_ok()
        })
        .map(|((name, _), engine)| (name, engine))
        .collect();
    std::panic::set_hook(hook);
    assert!(accepted.is_empty(), "{accepted:?}");
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
