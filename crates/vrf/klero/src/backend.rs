//! The choice of vector arithmetic.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use klero_lanes::Engine;

use crate::error::Error;

/// A backend of the vector arithmetic that this processor can run. By default, the fastest one is chosen at
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
    /// Returns every backend that this processor can run, with the fastest first. The last is always
    /// `portable`.
    pub fn all() -> Vec<Self> {
        klero_lanes::engines().into_iter().map(Self).collect()
    }

    /// Makes this backend the default of the process. The default applies to every `Verifier` made later, and
    /// to every later call that does not choose a backend. The library never reads environment variables. A
    /// program that lets a variable choose the backend reads the variable itself and calls this function.
    pub fn make_default(self) {
        klero_lanes::use_engine(self.0);
    }

    /// Returns the name: `ifma51`, `ifma52`, `avx-ifma`, `avx512`, `avx2` or `portable`. The first two differ
    /// in the number of bits of a limb. A processor that can run one of these two can run both.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns the number of proofs that share a vector: 8, 4 or 1.
    pub fn lanes(self) -> usize {
        self.0.lanes()
    }
}

impl Default for Backend {
    /// Returns the fastest backend that this processor can run, unless
    /// [`make_default`](Backend::make_default) chose another backend.
    fn default() -> Self {
        Self(klero_lanes::engine())
    }
}

impl FromStr for Backend {
    type Err = Error;

    /// Returns the backend with this name, if this processor can run it. The name `ifma` means the faster of
    /// `ifma51` and `ifma52`.
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
