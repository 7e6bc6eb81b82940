//! Ctrl-C: the first asks to stop, the second stops.

use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, INTERRUPTED};

/// Whether somebody pressed Ctrl-C.
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on.
    pub fn listen() -> Result<Self, Error> {
        let pressed = Arc::new(AtomicBool::new(false));
        let handler = Arc::clone(&pressed);
        ctrlc::set_handler(move || {
            if handler.swap(true, Ordering::Relaxed) {
                exit(INTERRUPTED.into());
            }
        })
        .map_err(|error| Error::at("cannot listen for Ctrl-C", error))?;
        Ok(Self(pressed))
    }

    /// Whether it was pressed.
    pub fn pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
