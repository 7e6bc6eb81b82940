//! Properties of the processor that the crate `cpufeatures` does not detect. Each is detected only once.

use once_cell::race::OnceBool;

/// True if leaf 7 of CPUID reports AVX-IFMA. The processor must have this leaf.
pub(crate) fn avx_ifma_bit() -> bool {
    static FOUND: OnceBool = OnceBool::new();
    FOUND.get_or_init(|| {
        // A subleaf that does not exist reads as zeros.
        // SAFETY: every processor of this architecture has CPUID, outside of enclaves.
        #[allow(unused_unsafe)] // Later versions of Rust declare it safe.
        let features = || unsafe { core::arch::x86_64::__cpuid_count(7, 1) };
        !cfg!(target_env = "sgx") && features().eax >> 23 & 1 == 1
    })
}

/// True if the backend of eight lanes with IFMA is faster in radix 2^52 than in radix 2^51, which
/// is so on Intel's processors.
///
/// Measured on 2026-11-26. On an Intel Emerald Rapids, radix 2^52 takes 0.92 times as long as radix 2^51 to
/// verify many `praos` proofs, and 0.91 times as long to prove many. On AMD's Zen 4, it takes 1.03 to 1.05
/// times as long: Zen 4 starts one multiplication per cycle, and radix 2^52 needs a sixth more of them.
pub(crate) fn prefers_radix_52() -> bool {
    static INTEL: OnceBool = OnceBool::new();
    INTEL.get_or_init(|| {
        // SAFETY: every processor of this architecture has CPUID, outside of enclaves.
        #[allow(unused_unsafe)] // Later versions of Rust declare it safe.
        let vendor = || unsafe { core::arch::x86_64::__cpuid(0) };
        let name = |word: u32| word.to_le_bytes();
        !cfg!(target_env = "sgx") && {
            let vendor = vendor();
            [vendor.ebx, vendor.edx, vendor.ecx]
                .map(name)
                .as_flattened()
                == b"GenuineIntel"
        }
    })
}
