//! The floating-point environment of x86-64, which is the register MXCSR. It holds the rounding mode, the
//! treatment of subnormals, a mask of the exceptions that do not trap, and a flag for each exception, which
//! is set once it has occurred.
//!
//! The host, which calls this library, may have set the register to any value. Rust code assumes the value
//! [`DEFAULT`], except for the flags, and changing it to another is undefined behaviour.
//! [`with_default_environment`] only sets the assumed value, and afterwards restores the host's value.

use core::arch::asm;

/// The default: rounding to nearest, subnormals not replaced by zero, no exception traps, and no flag set.
const DEFAULT: u32 = 0x1f80;

/// Restores the host's value of the register, including the flags, when dropped (even by a panic).
struct Restore(u32);

impl Drop for Restore {
    #[inline(always)]
    fn drop(&mut self) {
        write(self.0);
    }
}

/// Runs `work` in the default environment. The exception flags that `work` sets are discarded.
#[inline(always)]
pub fn with_default_environment<T>(work: impl FnOnce() -> T) -> T {
    // The compiler does not know that floating-point instructions depend on the register, so it could move
    // them across the writes to it. It does not move them out of a function that is not inlined.
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
    // SAFETY: writes four bytes to a variable of four bytes. Every x86-64 processor has the instruction.
    unsafe {
        asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags));
    }
    mxcsr
}

#[inline(always)]
fn write(mxcsr: u32) {
    // SAFETY: reads four bytes from a variable of four bytes. The value is the default or was read from the
    // register, so no reserved bit is set. The module's documentation describes what Rust assumes.
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
                // Sets the flag of inexact results, as a rounded product does.
                write(DEFAULT | 0x20);
                std::panic::resume_unwind(alloc::boxed::Box::new(()));
            });
        }));
        assert!(panicked.is_err());
        assert_eq!((inside, read()), (DEFAULT, before));
    }
}
