//! Intervals of integers, ends included.

/// All integers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    pub low: i128,
    pub high: i128,
}

impl Interval {
    pub const fn new(low: i128, high: i128) -> Self {
        assert!(low <= high, "an empty interval");
        Self { low, high }
    }

    /// From 0 to below the bound.
    pub const fn below(bound: u64) -> Self {
        Self::new(0, bound as i128 - 1)
    }

    pub const fn point(value: i128) -> Self {
        Self::new(value, value)
    }

    pub fn intersect(self, other: Self) -> Self {
        Self::new(self.low.max(other.low), self.high.min(other.high))
    }

    /// All from either, and between.
    pub fn hull(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }

    pub fn is_within(self, other: Self) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// Nothing if an end exceeds 128 bits, as in all sums and products here.
    pub fn add(self, other: Self) -> Option<Self> {
        let low = self.low.checked_add(other.low)?;
        Some(Self::new(low, self.high.checked_add(other.high)?))
    }

    pub fn times(self, factor: i128) -> Option<Self> {
        let a = self.low.checked_mul(factor)?;
        let b = self.high.checked_mul(factor)?;
        Some(Self::new(a.min(b), a.max(b)))
    }

    pub fn sub(self, other: Self) -> Option<Self> {
        self.add(other.times(-1)?)
    }

    pub fn product(self, other: Self) -> Option<Self> {
        Some(self.times(other.low)?.hull(self.times(other.high)?))
    }

    /// Every value divided by 2^bits, rounded down.
    pub fn shift_right(self, bits: u32) -> Self {
        Self::new(self.low >> bits, self.high >> bits)
    }
}
