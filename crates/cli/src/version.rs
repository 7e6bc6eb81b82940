//! The commit and the compiler that this program was built from.

/// The first 12 digits of the commit, or `unknown` outside of a checkout.
pub const COMMIT: &str = env!("KLERO_COMMIT");

/// The name and the version of the compiler.
pub const COMPILER: &str = env!("KLERO_COMPILER");
