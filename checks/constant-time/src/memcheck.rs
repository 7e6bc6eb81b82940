//! Secrets as undefined memory: valgrind reports every branch and every address that was
//! computed from undefined memory.
//!
//! A program that reads a secret from text or bytes branches once it knows whether that is a secret
//! at all. This verdict is public, and the same for all secrets, but valgrind cannot know: it
//! reports as many branches as each part says, and not one more.

use anyhow::ensure;
use klero::{Backend, Suite};

use crate::subject::{LEAKS, Part};
use crate::table;
use crate::valgrind;

/// Checks one backend.
pub fn check(backend: Backend) -> anyhow::Result<()> {
    ensure!(valgrind::is_running(), "run this under valgrind");
    let name = backend.name();
    for part in Part::all(Suite::ALL) {
        let Some(verdicts) = part.verdicts() else {
            continue;
        };
        // One run is enough: valgrind does not look at the values of secrets.
        let provers = &part.runs(backend)[0];
        // The first run makes tables.
        part.run(provers, None);
        // Reported though nothing is secret: the compiler may branch on a register that it has not
        // set, where the program does the same either way.
        let of_compiler =
            valgrind::errors(|| valgrind::without_secrets(|| part.run(provers, None)));
        let expected = of_compiler + verdicts;
        for leak in &LEAKS {
            let errors = valgrind::errors(|| part.run(provers, Some(leak)));
            ensure!(
                errors > expected,
                "{name}: valgrind does not report {} in {}",
                leak.0,
                part.name()
            );
        }
        let errors = valgrind::errors(|| part.run(provers, None));
        ensure!(
            errors == expected,
            "{name}: a branch or an address depends on a secret in {}: {errors} reports, where \
             {verdicts} are of verdicts and {of_compiler} of the compiler",
            part.name()
        );
        table::row(&part, "all");
    }
    Ok(())
}
