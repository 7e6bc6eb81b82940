//! Which vector arithmetic does the work.

use alloc::vec::Vec;
use core::fmt;

use lanes::Engine;

/// A backend of the vector arithmetic that this processor can run. The fastest is
/// found at run time and used unless the environment variable `KLERO_BACKEND` (or a
/// test) chooses another. No verdict depends on it.
///
/// ```
/// use klero::{Backend, Batch, PRAOS};
/// for backend in Backend::all() {
///     println!("{}: {} proofs side by side", backend.name(), backend.lanes());
///     assert!(Batch::new(&PRAOS).with_backend(backend).verify().is_empty());
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Backend(pub(crate) &'static dyn Engine);

impl Backend {
    /// Every backend that this processor can run, the fastest first; `portable` is
    /// always the last.
    pub fn all() -> Vec<Self> {
        lanes::engines().into_iter().map(Self).collect()
    }

    /// The name that `KLERO_BACKEND` takes: `ifma`, `avx512`, `avx2` or `portable`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// From so many claims on, sums are sooner done than single verifications.
    pub(crate) fn sum_from(self) -> usize {
        self.0.sum_from()
    }

    /// How many proofs share a vector.
    pub fn lanes(self) -> usize {
        self.0.lanes()
    }
}

impl Default for Backend {
    /// The one in use: the fastest, or the one that `KLERO_BACKEND` names if the
    /// processor can run it.
    fn default() -> Self {
        Self(lanes::engine())
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
