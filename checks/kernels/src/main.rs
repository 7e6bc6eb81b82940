//! Shows that the arithmetic of klero-lanes is right for all inputs: see the page of the library
//! beside this.

use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
fn main() -> ExitCode {
    kernels::check_all()
}

#[cfg(not(target_arch = "x86_64"))]
fn main() -> ExitCode {
    eprintln!("the vector code can be checked on x86-64 only");
    ExitCode::FAILURE
}
