//! The path of one secret through the library.

/// The seed of a key.
pub type Seed = [u8; 32];

/// A path of one secret through the library.
#[derive(Clone, Copy)]
pub struct SecretPath {
    pub name: &'static str,
    /// The scheme or the form.
    pub of: &'static str,
    /// The number of branches on whether the secret is one, or nothing where valgrind can follow
    /// no secret.
    pub verdicts: Option<u64>,
    pub run: fn(&Seed),
}
