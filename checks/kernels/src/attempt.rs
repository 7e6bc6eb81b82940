//! Panics as results: the assertions of the source, and of the words that it is executed on, say
//! by a panic that something is not shown.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

thread_local! {
    static ATTEMPTING: Cell<bool> = const { Cell::new(false) };
}

/// From now on panics within [`attempt`] print nothing.
pub fn prepare() {
    let print = take_hook();
    set_hook(Box::new(move |info| {
        if !ATTEMPTING.get() {
            print(info);
        }
    }));
}

/// What `work` returns, or the message of its panic.
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    ATTEMPTING.set(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    ATTEMPTING.set(false);
    result.map_err(|panic| match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => match panic.downcast_ref::<&str>() {
            Some(message) => (*message).to_owned(),
            None => "a panic".to_owned(),
        },
    })
}
