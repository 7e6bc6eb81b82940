//! Chance that is the same in every run.

/// Numbers that look random and are the same in every run (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

/// How many rounds to play: all of them when optimised, a tenth otherwise.
pub fn rounds(all: usize) -> usize {
    if cfg!(debug_assertions) {
        all.div_ceil(10)
    } else {
        all
    }
}
