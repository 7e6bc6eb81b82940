//! Hosts that have changed the floating-point environment, which is the register MXCSR.

use std::arch::asm;
use std::process::Command;

/// 48 environments: every rounding mode, with and without flushing subnormals to zero, and with
/// and without taking them for zero; all exceptions trap, or none does and none or all have occurred.
pub fn environments() -> impl Iterator<Item = u32> {
    const ALL_MASKED: u32 = 0x1f80;
    const ALL_OCCURRED: u32 = 0x3f;
    const FLUSH_TO_ZERO: u32 = 0x8000;
    const SUBNORMALS_ARE_ZERO: u32 = 0x40;
    let roundings = (0..4).map(|mode| mode << 13);
    roundings.flat_map(|rounding| {
        let both = FLUSH_TO_ZERO | SUBNORMALS_ARE_ZERO;
        let zeros = [0, FLUSH_TO_ZERO, SUBNORMALS_ARE_ZERO, both].into_iter();
        zeros.flat_map(move |zero| {
            [0, ALL_MASKED, ALL_MASKED | ALL_OCCURRED]
                .map(|exceptions| rounding | zero | exceptions)
        })
    })
}

/// The result of `work` in this environment, and the environment that it leaves behind.
/// Between the two changes of the register, only `work` may compute with floating-point numbers.
pub fn within<T>(environment: u32, work: impl FnOnce() -> T) -> (T, u32) {
    // A call: the compiler moves no instruction of it across the changes.
    #[inline(never)]
    fn apart<T>(work: impl FnOnce() -> T) -> T {
        work()
    }

    let before = read();
    write(environment);
    let result = apart(work);
    let after = read();
    write(before);
    (result, after)
}

fn read() -> u32 {
    let mut environment = 0u32;
    // SAFETY: writes four bytes, to a variable of four.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut environment) };
    environment
}

fn write(environment: u32) {
    // SAFETY: reads four bytes, of a variable of four, none of whose reserved bits is set.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const environment) };
}

/// Runs the rest of a test in a process of its own, so that an exception that traps ends only that
/// process. True in the child; false in the parent, once the child has passed. The last line of the
/// child's output says how far it came.
pub fn in_a_child(test: &str) -> bool {
    const CHILD: &str = "KLERO_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr);
    let count = String::from_utf8_lossy(&child.stdout).contains("1 passed");
    assert!(
        child.status.success() && count,
        "{test}: {}:\n{said}",
        child.status
    );
    false
}
