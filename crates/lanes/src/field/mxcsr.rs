//! The floating-point environment of x86-64: the register MXCSR. It holds the rounding
//! mode, the treatment of subnormals, which exceptions trap, and a flag for each
//! exception that has occurred.
//!
//! A host may have set it to anything. Rust assumes that it holds [`DEFAULT`], except for
//! the flags; changing it to anything else is undefined behaviour. [`with_default_environment`] does the
//! opposite: it sets the register to what Rust assumes, and then restores the host's value.

use core::arch::asm;

/// Rounding to nearest, subnormals as they are, no exception traps, no flag is set.
const DEFAULT: u32 = 0x1f80;

/// Restores the host's register, flags included, even after a panic.
struct Restore(u32);

impl Drop for Restore {
    #[inline(always)]
    fn drop(&mut self) {
        write(self.0);
    }
}

/// Runs `work` in the default environment. The flags that the work raises are dropped.
#[inline(always)]
pub fn with_default_environment<T>(work: impl FnOnce() -> T) -> T {
    // The compiler does not know that floating-point instructions depend on the register,
    // and could move them across its changes. It moves none out of a call.
    #[inline(never)]
    fn apart<T>(work: impl FnOnce() -> T) -> T {
        work()
    }

    let _host = Restore(read());
    write(DEFAULT);
    apart(work)
}

#[inline(always)]
fn read() -> u32 {
    let mut mxcsr = 0u32;
    // SAFETY: writes four bytes, to a variable of four. Every x86-64 has the instruction.
    unsafe {
        asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags));
    }
    mxcsr
}

#[inline(always)]
fn write(mxcsr: u32) {
    // SAFETY: reads four bytes, of a variable of four. The value is the default or was
    // read from the register, so no reserved bit is set; see the module page for what
    // Rust takes for granted.
    unsafe {
        asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, readonly));
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_panic_restores_the_register() {
        let (mut inside, before) = (0, read());
        let panicked = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            with_default_environment(|| {
                inside = read();
                // A flag, as a product leaves it.
                write(DEFAULT | 0x20);
                std::panic::resume_unwind(alloc::boxed::Box::new(()));
            });
        }));
        assert!(panicked.is_err());
        assert_eq!((inside, read()), (DEFAULT, before));
    }
}
