//! The threads that prove and verify.

use crate::ui::error::Error;

/// Starts `count` threads. `RAYON_NUM_THREADS` sets the default; without it, each core has one thread.
/// Without this call, rayon would start the threads when first used, and panic if the system could not do so.
pub fn start(count: Option<u16>) -> Result<(), Error> {
    let wanted = match count {
        Some(count) => format!("{count} threads"),
        None => "the threads (RAYON_NUM_THREADS says how many)".into(),
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(count.unwrap_or(0).into())
        .build_global()
        .map_err(|error| Error::at(format_args!("cannot start {wanted}"), error))
}
