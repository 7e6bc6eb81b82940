//! Floating-point environments (values of the register MXCSR) that a host program may have set.

use std::arch::asm;
use std::process::Command;

/// Returns all 48 combinations of the four rounding modes, flushing subnormal results to zero or not,
/// treating subnormal operands as zero or not, and three states of the exceptions. In these states, all trap;
/// or none traps and none has occurred; or none traps and all have occurred.
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

/// Sets this environment, runs `work`, and restores the previous environment. Returns the result of `work`,
/// and the environment that `work` left. In between, only `work` may compute with floating-point numbers.
pub fn within<T>(environment: u32, work: impl FnOnce() -> T) -> (T, u32) {
    // The compiler moves no instruction of `work` out of this call, so all of them run in the environment.
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
    // SAFETY: writes four bytes to a variable of four bytes.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut environment) };
    environment
}

fn write(environment: u32) {
    // SAFETY: reads four bytes from a variable of four bytes, in which no reserved bit is set.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const environment) };
}

/// Runs a test again in a child process, so that a trap or a forbidden access ends only the child. Returns
/// true in the child, which then has to do the work of the test. In the parent, returns false if the child
/// passes, and otherwise panics with the child's error output, whose last line tells how far the child came.
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
