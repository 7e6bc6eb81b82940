//! Secrets as undefined memory: valgrind reports every branch and every address that was
//! computed from undefined memory.

use anyhow::ensure;
use klero::{Backend, Suite};

use crate::subject::{LEAKS, Part};
use crate::valgrind;

/// Checks one backend.
pub fn check(backend: Backend) -> anyhow::Result<()> {
    ensure!(valgrind::is_running(), "run this under valgrind");
    let name = backend.name();
    let parts = Part::all(Suite::ALL);
    for part in &parts {
        // One run is enough: valgrind does not look at the values of secrets.
        let provers = &part.runs(backend)[0];
        for leak in &LEAKS {
            let errors = valgrind::errors(|| part.run(provers, Some(leak)));
            ensure!(
                errors > 0,
                "{name}: valgrind does not report {} in {}",
                leak.0,
                part.name()
            );
        }
        let errors = valgrind::errors(|| part.run(provers, None));
        ensure!(
            errors == 0,
            "{name}: a branch or an address depends on a secret in {}",
            part.name()
        );
    }
    println!(
        "{name}: valgrind finds no secret in a branch or an address of {} parts",
        parts.len()
    );
    Ok(())
}
