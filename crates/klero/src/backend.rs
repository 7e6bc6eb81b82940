//! The choice of vector arithmetic.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use klero_lanes::Engine;

use crate::error::Error;

/// A backend of the vector arithmetic that this processor can run. The fastest is found at
/// run time. No verdict depends on the choice.
///
/// ```
/// use klero::{Backend, Suite, Verifier};
/// for backend in Backend::all() {
///     println!("{}: {} proofs side by side", backend.name(), backend.lanes());
///     let verifier = Verifier::new(Suite::PRAOS).backend(backend);
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Backend(pub(crate) Engine);

impl Backend {
    /// Every backend that this processor can run, the fastest first; `portable` is
    /// always the last.
    pub fn all() -> Vec<Self> {
        klero_lanes::engines().into_iter().map(Self).collect()
    }

    /// Makes this backend the default of the process: for every `Verifier` made later, and for
    /// every later call that names no backend. The library never reads the environment: a program that takes
    /// the choice from there reads a variable itself and calls this function.
    pub fn make_default(self) {
        klero_lanes::use_engine(self.0);
    }

    /// The name: `ifma51`, `ifma52`, `avx-ifma`, `avx512`, `avx2` or `portable`. The first two
    /// differ in the bits of a limb; a processor that can run one of them can run both.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The number of proofs that share a vector: 8, 4 or 1.
    pub fn lanes(self) -> usize {
        self.0.lanes()
    }
}

impl Default for Backend {
    /// The fastest backend that this processor can run, unless [`make_default`](Backend::make_default) chose
    /// another.
    fn default() -> Self {
        Self(klero_lanes::engine())
    }
}

impl FromStr for Backend {
    type Err = Error;

    /// The backend of that name, if this processor can run it. `ifma` is the faster of `ifma51`
    /// and `ifma52`.
    fn from_str(name: &str) -> Result<Self, Error> {
        let all = Self::all();
        let names: &[&str] = match name {
            "ifma" => &["ifma51", "ifma52"],
            _ => &[name],
        };
        let named = all.iter().find(|backend| names.contains(&backend.name()));
        named.copied().ok_or_else(|| {
            let known: Vec<_> = all.iter().map(|backend| backend.name()).collect();
            let known = known.join(", ");
            Error::UnknownName(format!(
                "{name:?} is no backend of this processor: expected {known}"
            ))
        })
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
