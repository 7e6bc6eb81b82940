//! A secret key and an alpha: the input of `klero prove` and `klero evaluate`.

use klero::SecretKey;

use crate::args::keyfile::SecretArgs;
use crate::args::source::{self, Alpha};
use crate::ui::error::Error;

/// A secret key and an alpha.
#[derive(clap::Args)]
pub struct Request {
    #[command(flatten)]
    secret: SecretArgs,
    #[command(flatten)]
    alpha: Alpha,
}

impl Request {
    /// Reads the key and the alpha.
    pub fn read(&self) -> Result<(SecretKey, Vec<u8>), Error> {
        source::one_stdin(&[self.secret.stdin(), ("alpha", self.alpha.is_stdin())])?;
        Ok((self.secret.read()?, self.alpha.read()?))
    }
}
