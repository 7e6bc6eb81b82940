//! What the processor can run, and what it runs fastest; asked once.

use once_cell::race::OnceBool;

// Each list must name every feature that the backend in `stages` is compiled with, and those that
// rustc implies: avx512f brings avx2 and fma. It brings f16c too, which `cpufeatures` does not
// know; whatever has AVX2 has it.
cpufeatures::new!(
    ifma,
    "avx512f",
    "avx2",
    "fma",
    "avx512dq",
    "avx512vl",
    "avx512bw",
    "avx512ifma",
    "bmi2"
);
cpufeatures::new!(avx512, "avx512f", "avx2", "fma", "bmi2");
cpufeatures::new!(avx2, "avx2", "fma", "bmi2");

pub(crate) fn has_ifma() -> bool {
    ifma::get()
}

pub(crate) fn has_avx512() -> bool {
    avx512::get()
}

pub(crate) fn has_avx2() -> bool {
    avx2::get()
}

/// Whether the processor has AVX-IFMA.
pub(crate) fn has_avx_ifma() -> bool {
    static FOUND: OnceBool = OnceBool::new();
    FOUND.get_or_init(|| {
        // `cpufeatures` does not know this bit of CPUID. AVX2 says that leaf 7 exists and that the
        // operating system keeps the registers; a part of the leaf that does not exist reads as
        // zeros.
        // SAFETY: every processor of this architecture has CPUID, outside of enclaves.
        #[allow(unused_unsafe)] // Later compilers call it safe.
        let features = || unsafe { core::arch::x86_64::__cpuid_count(7, 1) };
        !cfg!(target_env = "sgx") && has_avx2() && features().eax >> 23 & 1 == 1
    })
}

/// Whether eight lanes of IFMA are faster in radix 2^52 than in radix 2^51.
///
/// Intel's processors execute all operations on 512 bits at two ports, so that what counts is their
/// number: radix 2^52 takes a seventh off that of a doubling. AMD's Zen 4 starts one multiplication
/// in a cycle and most of the rest beside it, so that multiplications count: radix 2^52 has a sixth
/// more, and measures 3 to 5 % slower.
pub(crate) fn prefers_radix_52() -> bool {
    static INTEL: OnceBool = OnceBool::new();
    INTEL.get_or_init(|| {
        // SAFETY: every processor of this architecture has CPUID, outside of enclaves.
        #[allow(unused_unsafe)] // Later compilers call it safe.
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

#[cfg(test)]
mod tests {
    #[test]
    fn avx_ifma_is_found_where_the_standard_library_finds_it() {
        let found = std::arch::is_x86_feature_detected!("avxifma");
        assert_eq!(super::has_avx_ifma(), found && super::has_avx2());
    }
}
