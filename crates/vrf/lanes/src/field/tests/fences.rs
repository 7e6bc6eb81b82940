//! Tests that loads and stores access only their own words, in rows of up to 24 words. The rows lie next to
//! an inaccessible page, so an access beyond them on that side ends the process.

use core::arch::x86_64::{__m256i, __m512i};
use std::alloc::{GlobalAlloc, Layout};

use super::*;

#[path = "../../../tests/fences/fence.rs"]
mod fence;

use fence::{Fence, Side};

/// Copies the items to memory next to an inaccessible page. The copy is never freed.
fn fenced<T: Copy>(fence: &Fence, items: &[T]) -> &'static mut [T] {
    // SAFETY: the memory is new and has the layout of the items, which are copied to it.
    unsafe {
        let memory: *mut T = fence.alloc(Layout::for_value(items)).cast();
        assert!(!memory.is_null(), "no memory");
        memory.copy_from_nonoverlapping(items.as_ptr(), items.len());
        std::slice::from_raw_parts_mut(memory, items.len())
    }
}

fn rows<W: Vector, const N: usize>(fence: &Fence) {
    let mut dice = Dice(N as u64);
    let rows: [&[u64; N]; 8] = std::array::from_fn(|_| {
        let row = std::array::from_fn(|_| dice.word());
        &fenced(fence, &[row])[0]
    });
    let words = W::load_rows(&rows);
    let out = &mut fenced(fence, &[[[7; N]; 8]])[0];
    W::store_rows(&words, out);
    let (stored, others) = out.split_at(W::LANES);
    assert!(stored.iter().zip(rows).all(|(out, row)| out == row));
    assert!(others.iter().all(|row| *row == [7; N]));
}

fn words<W: Vector>(fence: &Fence) {
    let words = [1, 2, 3, 4, 5, 6, 7, 8];
    let vector = W::load(fenced(fence, &words[..W::LANES]));
    let out = fenced(fence, &[0; 8][..W::LANES]);
    vector.store(out);
    assert_eq!(*out, words[..W::LANES]);
}

fn beside_fences<W: Vector>() {
    for side in [Side::Before, Side::Behind] {
        let fence = Fence::new(side);
        words::<W>(&fence);
        macro_rules! rows {
            ($($length:literal)*) => {$(rows::<W, $length>(&fence);)*};
        }
        rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
    }
}

#[test]
fn one_lane() {
    beside_fences::<u64>();
}

#[test]
fn four_lanes() {
    if std::arch::is_x86_feature_detected!("avx2") {
        beside_fences::<__m256i>();
    } else {
        eprintln!("!!! SKIPPED: this processor lacks the instruction set");
    }
}

#[test]
fn eight_lanes() {
    if std::arch::is_x86_feature_detected!("avx512f") {
        beside_fences::<__m512i>();
    } else {
        eprintln!("!!! SKIPPED: this processor lacks the instruction set");
    }
}
