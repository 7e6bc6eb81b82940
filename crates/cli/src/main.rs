//! The `klero` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    klero_command::main()
}
