//! Operations on memory other than loads and stores.

/// Asks the processor to fetch a row that will be loaded soon. Does nothing on processors other than x86-64.
#[inline(always)]
pub fn prefetch(row: &[u64]) {
    #[cfg(target_arch = "x86_64")]
    for line in row.chunks(8) {
        // SAFETY: prefetching affects nothing but the cache.
        unsafe { core::arch::x86_64::_mm_prefetch::<3>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

/// The bytes of the words, in memory order.
#[inline(always)]
pub fn bytes_of(words: &mut [u64; 16]) -> &mut [u8; 128] {
    // SAFETY: the size is the same, bytes need no alignment, and any bytes are words.
    unsafe { &mut *core::ptr::from_mut(words).cast() }
}
