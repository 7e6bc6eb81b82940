//! Mutants: kernels of which one operation is altered, in every way that [`changes`] lists.
//!
//! A mutant that is wrong on some input must be *found*: the check on symbols must fail. Numbers
//! alone cannot say that there is no such input. But a mutant that passes the check is right for
//! all inputs, since that is what the check shows: the operation has no effect there, or the
//! altered one has the same. Such a mutant is *equivalent*.
//!
//! Numbers are tried on all mutants all the same. If one passed the check and were wrong on some,
//! the check would show nothing.

use crate::words::domain::Operation;
use crate::words::execution::{Mode, changes};

/// What became of mutants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub all: usize,
    /// The check fails.
    pub found: usize,
    /// Found, and wrong on an input that was tried.
    pub wrong: usize,
}

impl Count {
    pub fn add(&mut self, other: Self) {
        self.all += other.all;
        self.found += other.found;
        self.wrong += other.wrong;
    }

    pub fn equivalent(self) -> usize {
        self.all - self.found
    }
}

/// Tries all mutants of these operations: whether each passes the check, and whether it is right on
/// numbers.
pub fn try_all(
    operations: &[Operation],
    passes: impl Fn(&Mode) -> bool,
    is_right: impl Fn(&Mode) -> bool,
) -> Result<Count, String> {
    if !is_right(&Mode::Faithful) {
        return Err("wrong on numbers".to_owned());
    }
    let mut count = Count::default();
    for (at, &operation) in operations.iter().enumerate() {
        for change in changes(operation) {
            let mutant = Mode::Mutant(at, change);
            let (found, wrong) = (!passes(&mutant), !is_right(&mutant));
            if wrong && !found {
                let what = format!("operation {at}, {operation:?}: {change:?}");
                return Err(format!("a mutant passes that is wrong: {what}"));
            }
            count.all += 1;
            count.found += usize::from(found);
            count.wrong += usize::from(found && wrong);
        }
    }
    Ok(count)
}
