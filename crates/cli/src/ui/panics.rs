//! Panics. A panic of this program is a bug, and is reported in one line. If a corrupt file makes a
//! dependency panic, the panic becomes an ordinary error.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};

use crate::ui::terminal::say;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Makes a panic print one line instead of a backtrace. A panic inside [`guarded`] prints nothing.
pub fn install_hook() {
    set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        if !GUARDED.get() {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let words = words(info.payload());
            say(format_args!(
                "klero: internal error at {place}: {words} (please report it)"
            ));
        }
    }));
}

/// Runs a reader that may panic on a corrupt file, and returns a panic as an error.
pub fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(false);
    result.unwrap_or_else(|payload| Err(words(payload.as_ref()).to_owned()))
}

fn words(payload: &dyn Any) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason given")
}
