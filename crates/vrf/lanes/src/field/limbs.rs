//! Elements as five limbs of 51 bits, with the value Σ limb\[i\]·2^(51·i), and the arithmetic on limbs that
//! is the same for every backend. This arithmetic uses only the operations of [`Word`].
//!
//! Limbs are *tight* after a carry. Sums of products are *wide* until they are carried.

use super::word::Word;

/// The limbs of one element.
pub type Limbs = [u64; 5];

/// The low 51 bits.
pub const LOW_51: u64 = (1 << 51) - 1;

/// The low 52 bits.
pub const LOW_52: u64 = (1 << 52) - 1;

/// An exclusive bound on tight limbs and on limbs in memory. All backends have the same bound, so
/// that each can load the limbs that another has stored. The limbs after a carry are even smaller.
pub const TIGHT: u64 = (1 << 51) + (1 << 32);

/// 2^shift·p, made by shifting each limb of p.
pub const fn multiple_of_p(shift: u32) -> Limbs {
    let top = LOW_51 << shift;
    [(LOW_51 - 18) << shift, top, top, top, top]
}

/// The limbs of a little-endian integer of 32 bytes. The top bit of the integer is ignored.
pub fn from_bytes(bytes: &[u8; 32]) -> Limbs {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    from_words(words)
}

/// The limbs of an integer of four words, least significant word first. Its top bit is ignored.
#[inline(always)]
pub fn from_words<W: Word>(w: [W; 4]) -> [W; 5] {
    let low = |word: W| word.and(W::splat(LOW_51));
    [
        low(w[0]),
        low(w[0].shift_right::<51>().or(w[1].shift_left::<13>())),
        low(w[1].shift_right::<38>().or(w[2].shift_left::<26>())),
        low(w[2].shift_right::<25>().or(w[3].shift_left::<39>())),
        low(w[3].shift_right::<12>()),
    ]
}

/// The 32 bytes of an element with limbs below 2^51.
pub fn to_bytes(limbs: &Limbs) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.as_chunks_mut().0.iter_mut().zip(to_words(*limbs)) {
        *chunk = word.to_le_bytes();
    }
    bytes
}

/// The four words, least significant first, of an element with limbs below 2^51.
#[inline(always)]
pub fn to_words<W: Word>(l: [W; 5]) -> [W; 4] {
    [
        l[0].or(l[1].shift_left::<51>()),
        l[1].shift_right::<13>().or(l[2].shift_left::<38>()),
        l[2].shift_right::<26>().or(l[3].shift_left::<25>()),
        l[3].shift_right::<39>().or(l[4].shift_left::<12>()),
    ]
}

/// Asserts, if words are checked, that every limb of every lane is below the bound.
#[inline(always)]
pub fn check<W: Word>(limbs: &[W; 5], bound: u64) {
    // This function is not inlined, so that the many inlined copies of `check` stay small.
    #[inline(never)]
    fn assert_below<W: Word>(limbs: &[W; 5], bound: u64) {
        for limb in limbs {
            assert!(limb.all_below(bound), "a limb is out of bounds");
        }
    }
    if W::CHECKED {
        assert_below(limbs, bound);
    }
}

/// Adds the bits of each limb above the lowest 52 to the next limb. These bits also stay in place, as dirt.
#[inline(always)]
pub fn ripple<W: Word>(mut z: [W; 5]) -> [W; 5] {
    for i in 0..4 {
        z[i + 1] = z[i + 1].add(z[i].shift_right::<52>());
    }
    z
}

/// Converts tight limbs to limbs of 52 bits, with the value Σ limb\[i\]·2^(52·i). In the lower four
/// words, only the low 52 bits have a meaning. The highest word is at most 2^47 + 2^28.
#[inline(always)]
pub fn to_radix_52<W: Word>(l: [W; 5]) -> [W; 5] {
    let low = |word: W, bits: u64| word.and(W::splat((1 << bits) - 1));
    ripple([
        l[0].add(low(l[1], 1).shift_left::<51>()),
        l[1].shift_right::<1>().add(low(l[2], 2).shift_left::<50>()),
        l[2].shift_right::<2>().add(low(l[3], 3).shift_left::<49>()),
        l[3].shift_right::<3>().add(low(l[4], 4).shift_left::<48>()),
        l[4].shift_right::<4>(),
    ])
}

/// Converts words in radix 2^52 to limbs of 51 bits. In the lower four words, only the low 52 bits
/// have a meaning. The lowest limb is below 2^51 + 2^5, and the others are below 2^51.
#[inline(always)]
pub fn from_radix_52<W: Word>(w: [W; 5]) -> [W; 5] {
    let [a, b, c, d, top] = without_dirt(w);
    let low = |word: W| word.and(W::splat(LOW_51));
    let top = d.shift_right::<48>().add(top.shift_left::<4>());
    [
        low(a).add(top.shift_right::<51>().times_19()),
        low(a.shift_right::<51>().or(b.shift_left::<1>())),
        low(b.shift_right::<50>().or(c.shift_left::<2>())),
        low(c.shift_right::<49>().or(d.shift_left::<3>())),
        low(top),
    ]
}

/// Reduces the lower four words to their low 52 bits.
#[inline(always)]
pub fn without_dirt<W: Word>([a, b, c, d, top]: [W; 5]) -> [W; 5] {
    let low = |word: W| word.and(W::splat(LOW_52));
    [low(a), low(b), low(c), low(d), top]
}

/// The same limbs in every lane.
#[inline(always)]
pub fn splat<W: Word>(limbs: Limbs) -> [W; 5] {
    unroll!(5, I => W::splat(limbs[I]))
}

/// a + b, limb by limb.
#[inline(always)]
pub fn add<W: Word>(a: [W; 5], b: [W; 5]) -> [W; 5] {
    unroll!(5, I => a[I].add(b[I]))
}

/// a - b, limb by limb. No limb of b may exceed the corresponding limb of a.
#[inline(always)]
pub fn sub<W: Word>(a: [W; 5], b: [W; 5]) -> [W; 5] {
    unroll!(5, I => a[I].sub(b[I]))
}

/// Carries all limbs in parallel. The excess of a limb over 51 bits is added to the next limb; the excess of
/// the highest limb is multiplied by 19 and added to the lowest. The excess must be below 2^32.
#[inline(always)]
pub fn carry<W: Word>(wide: [W; 5]) -> [W; 5] {
    unroll!(5, I => {
        const BELOW: usize = (I + 4) % 5;
        let carry = wide[BELOW].shift_right::<51>();
        let carry = if I == 0 { carry.mul32(W::splat(19)) } else { carry };
        wide[I].and(W::splat(LOW_51)).add(carry)
    })
}

/// The least residue of an element with limbs below 2^51 + 2^5. The limbs of the residue are below 2^51, and
/// its value is below p.
#[inline(always)]
pub fn canonical<W: Word>(mut limbs: [W; 5]) -> [W; 5] {
    // The value is below 2p. q is bit 255 of value + 19: 1 if the value is at least p, else 0.
    let mut q = limbs[0].add(W::splat(19)).shift_right::<51>();
    for limb in &limbs[1..] {
        q = limb.add(q).shift_right::<51>();
    }
    limbs[0] = limbs[0].add(q.mul32(W::splat(19)));
    for i in 0..4 {
        limbs[i + 1] = limbs[i + 1].add(limbs[i].shift_right::<51>());
        limbs[i] = limbs[i].and(W::splat(LOW_51));
    }
    limbs[4] = limbs[4].and(W::splat(LOW_51));
    limbs
}

/// A mask, with bit l set if all limbs of lane l are 0.
#[inline(always)]
pub fn are_zero<W: Word>(limbs: [W; 5]) -> u8 {
    let mut any = limbs[0];
    for limb in &limbs[1..] {
        any = any.or(*limb);
    }
    any.is_zero()
}

/// A mask of lowest bits: bit l of the mask is the lowest bit of lane l.
#[inline(always)]
pub fn lowest_bit<W: Word>(limb: W) -> u8 {
    let even = limb.and(W::splat(1)).is_zero();
    !even & ((1u16 << W::LANES) - 1) as u8
}

/// Selects limbs lane by lane: lane l gets the limbs of `set` if bit l of the mask is set, else the limbs of
/// `clear`. Constant time.
#[inline(always)]
pub fn select<W: Word>(mask: u8, set: [W; 5], clear: [W; 5]) -> [W; 5] {
    unroll!(5, I => W::select(mask, set[I], clear[I]))
}
