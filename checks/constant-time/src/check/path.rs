//! A path of one secret through the libraries.

use std::rc::Rc;

/// The seed of a key.
pub type Seed = [u8; 32];

/// A path of one secret through the library.
#[derive(Clone)]
pub struct SecretPath {
    pub name: &'static str,
    /// The scheme or the form.
    pub of: &'static str,
    /// The number of branches on whether the secret is one, or nothing where valgrind can follow
    /// no secret.
    pub verdicts: Option<u64>,
    pub run: Rc<dyn Fn(&Seed)>,
}

impl SecretPath {
    pub fn new(
        name: &'static str,
        of: &'static str,
        verdicts: Option<u64>,
        run: impl Fn(&Seed) + 'static,
    ) -> Self {
        Self {
            name,
            of,
            verdicts,
            run: Rc::new(run),
        }
    }
}
