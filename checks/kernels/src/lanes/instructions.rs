//! Models of the instructions that the words of vectors are written in: under their names, and what
//! their descriptions say, lane by lane.
//!
//! Those that hash are named alone.

#![allow(non_camel_case_types)]

use super::registers::{self, Register, are_equal, argument, is_below, number};
use crate::words::domain::{Move, Operation};
use crate::words::execution::apply;

pub type __m256i = Register<4>;
pub type __m512i = Register<8>;
pub type __m256d = Register<4>;
pub type __m128i = Register<2>;

const ONES: u64 = u64::MAX;

/// A register from what each lane is.
fn each<const N: usize>(lane: impl FnMut(usize) -> u64) -> Register<N> {
    Register(std::array::from_fn(lane).map(argument))
}

fn unary<const N: usize>(operation: Operation, a: Register<N>) -> Register<N> {
    apply(operation, &[a])
}

fn binary<const N: usize>(operation: Operation, a: Register<N>, b: Register<N>) -> Register<N> {
    apply(operation, &[a, b])
}

fn splat<const N: usize>(word: u64) -> Register<N> {
    match number(argument(word)) {
        Some(number) => apply(Operation::Splat(number), &[]),
        None => Register([word; N]),
    }
}

/// The count that all lanes are shifted by.
fn count<const N: usize>(counts: Register<N>) -> u32 {
    let numbers = counts.0.map(|count| number(count).expect("a count"));
    assert!(numbers.iter().all(|count| *count == numbers[0]));
    u32::try_from(numbers[0]).expect("a count")
}

/// One bit for each lane where the condition holds.
fn mask<const N: usize>(mut condition: impl FnMut(usize) -> bool) -> u8 {
    (0..N).fold(0, |mask, lane| mask | u8::from(condition(lane)) << lane)
}

fn blend<const N: usize>(mask: u8, clear: Register<N>, set: Register<N>) -> Register<N> {
    apply(Operation::Move(Move::Blend(mask)), &[clear, set])
}

/// A function for each instruction, unsafe as those of `core::arch` are for who has no such processor.
macro_rules! instructions {
    ($($name:ident $(<$parameter:ident>)? ($($argument:ident: $type:ty),*) -> $out:ty $body:block)*) => {$(
        pub unsafe fn $name $(<const $parameter: i32>)? ($($argument: $type),*) -> $out $body
    )*};
}

instructions! {
    _mm256_set1_epi64x(word: i64) -> __m256i { splat(word as u64) }
    _mm256_setzero_si256() -> __m256i { splat(0) }
    _mm256_set_epi64x(d: i64, c: i64, b: i64, a: i64) -> __m256i {
        each(|lane| [a, b, c, d][lane] as u64)
    }
    _mm256_add_epi64(a: __m256i, b: __m256i) -> __m256i { binary(Operation::Add, a, b) }
    _mm256_sub_epi64(a: __m256i, b: __m256i) -> __m256i { binary(Operation::Sub, a, b) }
    _mm256_and_si256(a: __m256i, b: __m256i) -> __m256i { binary(Operation::And, a, b) }
    _mm256_or_si256(a: __m256i, b: __m256i) -> __m256i { binary(Operation::Or, a, b) }
    _mm256_mul_epu32(a: __m256i, b: __m256i) -> __m256i { binary(Operation::Mul32, a, b) }
    _mm256_xor_si256(a: __m256i, b: __m256i) -> __m256i {
        each(|lane| registers::xor(a.0[lane], b.0[lane]))
    }
    _mm256_slli_epi64<BITS>(a: __m256i) -> __m256i { unary(Operation::ShiftLeft(BITS as u32), a) }
    _mm256_srli_epi64<BITS>(a: __m256i) -> __m256i { unary(Operation::ShiftRight(BITS as u32), a) }
    _mm256_sllv_epi64(a: __m256i, by: __m256i) -> __m256i {
        unary(Operation::ShiftLeft(count(by)), a)
    }
    _mm256_srlv_epi64(a: __m256i, by: __m256i) -> __m256i {
        unary(Operation::ShiftRight(count(by)), a)
    }
    _mm256_cmpeq_epi64(a: __m256i, b: __m256i) -> __m256i {
        each(|lane| if are_equal(lane, a.0[lane], b.0[lane]) { ONES } else { 0 })
    }
    // The words that are compared are below 2^63.
    _mm256_cmpgt_epi64(a: __m256i, b: __m256i) -> __m256i {
        each(|lane| if is_below(lane, b.0[lane], a.0[lane]) { ONES } else { 0 })
    }
    _mm256_castsi256_pd(a: __m256i) -> __m256d { a }
    _mm256_movemask_pd(a: __m256d) -> i32 {
        mask::<4>(|lane| number(a.0[lane]).expect("a mask") >> 63 == 1).into()
    }
    // Masks of whole words.
    _mm256_blendv_epi8(clear: __m256i, set: __m256i, chosen: __m256i) -> __m256i {
        let chosen = mask::<4>(|lane| match number(chosen.0[lane]) {
            Some(0) => false,
            Some(ONES) => true,
            _ => panic!("a mask of bytes"),
        });
        blend(chosen, clear, set)
    }
    _mm256_loadu_si256(from: *const __m256i) -> __m256i {
        // SAFETY: that of the caller.
        unsafe { registers::load(0x0f, from.cast()) }
    }
    _mm256_storeu_si256(to: *mut __m256i, a: __m256i) -> () {
        // SAFETY: that of the caller.
        unsafe { registers::store(0x0f, to.cast(), a) }
    }
    _mm256_unpacklo_epi64(a: __m256i, b: __m256i) -> __m256i {
        binary(Operation::Move(Move::UnpackLow), a, b)
    }
    _mm256_unpackhi_epi64(a: __m256i, b: __m256i) -> __m256i {
        binary(Operation::Move(Move::UnpackHigh), a, b)
    }
    _mm256_permute2x128_si256<BITS>(a: __m256i, b: __m256i) -> __m256i {
        binary(Operation::Move(Move::Pairs(BITS as u8)), a, b)
    }
    _mm256_permute4x64_epi64<ORDER>(a: __m256i) -> __m256i {
        unary(Operation::Move(Move::Shuffle(ORDER as u8)), a)
    }
    _mm256_permutevar8x32_epi32(a: __m256i, index: __m256i) -> __m256i {
        binary(Operation::Move(Move::LookUpHalves), a, index)
    }
    _mm256_shuffle_epi8(_a: __m256i, _b: __m256i) -> __m256i { only_hashes() }
    _mm256_sll_epi64(_a: __m256i, _by: __m128i) -> __m256i { only_hashes() }
    _mm_cvtsi32_si128(_word: i32) -> __m128i { only_hashes() }

    _mm512_set1_epi64(word: i64) -> __m512i { splat(word as u64) }
    _mm512_maskz_set1_epi64(mask: u8, word: i64) -> __m512i {
        blend(mask, splat(0), splat(word as u64))
    }
    _mm512_add_epi64(a: __m512i, b: __m512i) -> __m512i { binary(Operation::Add, a, b) }
    _mm512_sub_epi64(a: __m512i, b: __m512i) -> __m512i { binary(Operation::Sub, a, b) }
    _mm512_and_si512(a: __m512i, b: __m512i) -> __m512i { binary(Operation::And, a, b) }
    _mm512_or_si512(a: __m512i, b: __m512i) -> __m512i { binary(Operation::Or, a, b) }
    _mm512_mul_epu32(a: __m512i, b: __m512i) -> __m512i { binary(Operation::Mul32, a, b) }
    _mm512_sllv_epi64(a: __m512i, by: __m512i) -> __m512i {
        unary(Operation::ShiftLeft(count(by)), a)
    }
    _mm512_srlv_epi64(a: __m512i, by: __m512i) -> __m512i {
        unary(Operation::ShiftRight(count(by)), a)
    }
    _mm512_mask_add_epi64(other: __m512i, mask: u8, a: __m512i, b: __m512i) -> __m512i {
        blend(mask, other, binary(Operation::Add, a, b))
    }
    _mm512_mask_sub_epi64(other: __m512i, mask: u8, a: __m512i, b: __m512i) -> __m512i {
        blend(mask, other, binary(Operation::Sub, a, b))
    }
    _mm512_mask_blend_epi64(mask: u8, clear: __m512i, set: __m512i) -> __m512i {
        blend(mask, clear, set)
    }
    _mm512_abs_epi64(a: __m512i) -> __m512i {
        each(|lane| registers::magnitude(lane, a.0[lane]))
    }
    // The words that are compared are below 2^63.
    _mm512_cmplt_epi64_mask(a: __m512i, b: __m512i) -> u8 {
        mask::<8>(|lane| is_below(lane, a.0[lane], b.0[lane]))
    }
    _mm512_testn_epi64_mask(a: __m512i, b: __m512i) -> u8 {
        assert_eq!(a.0, b.0, "of one register");
        mask::<8>(|lane| are_equal(lane, a.0[lane], argument(0)))
    }
    _mm512_loadu_si512(from: *const __m512i) -> __m512i {
        // SAFETY: that of the caller.
        unsafe { registers::load(0xff, from.cast()) }
    }
    _mm512_storeu_si512(to: *mut __m512i, a: __m512i) -> () {
        // SAFETY: that of the caller.
        unsafe { registers::store(0xff, to.cast(), a) }
    }
    _mm512_maskz_loadu_epi64(mask: u8, from: *const i64) -> __m512i {
        // SAFETY: that of the caller.
        let loaded = unsafe { registers::load(mask, from.cast()) };
        unary(Operation::Move(Move::Keep(mask)), loaded)
    }
    _mm512_mask_storeu_epi64(to: *mut i64, mask: u8, a: __m512i) -> () {
        let kept = unary(Operation::Move(Move::Keep(mask)), a);
        // SAFETY: that of the caller.
        unsafe { registers::store(mask, to.cast(), kept) }
    }
    _mm512_unpacklo_epi64(a: __m512i, b: __m512i) -> __m512i {
        binary(Operation::Move(Move::UnpackLow), a, b)
    }
    _mm512_unpackhi_epi64(a: __m512i, b: __m512i) -> __m512i {
        binary(Operation::Move(Move::UnpackHigh), a, b)
    }
    _mm512_shuffle_i64x2<BITS>(a: __m512i, b: __m512i) -> __m512i {
        binary(Operation::Move(Move::Quarters(BITS as u8)), a, b)
    }
    _mm512_permutex_epi64<ORDER>(a: __m512i) -> __m512i {
        unary(Operation::Move(Move::Shuffle(ORDER as u8)), a)
    }
    _mm512_permutex2var_epi64(a: __m512i, index: __m512i, b: __m512i) -> __m512i {
        apply(Operation::Move(Move::LookUp), &[a, index, b])
    }
    _mm512_ternarylogic_epi64<TABLE>(_a: __m512i, _b: __m512i, _c: __m512i) -> __m512i {
        only_hashes()
    }
    _mm512_rol_epi32<BITS>(_a: __m512i) -> __m512i { only_hashes() }
    _mm512_ror_epi32<BITS>(_a: __m512i) -> __m512i { only_hashes() }
    _mm512_ror_epi64<BITS>(_a: __m512i) -> __m512i { only_hashes() }
}

fn only_hashes<T>() -> T {
    unreachable!("only hashes need it")
}
