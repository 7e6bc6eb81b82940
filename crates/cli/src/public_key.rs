//! `klero public-key`: the public key of a secret key.

use bech32::{Bech32, Hrp};
use klero_leader::VrfKeyHash;

use crate::args::keyfile::{KeyFormat, SecretArgs, no_suite};
use crate::ui::error::{Error, Status};
use crate::ui::terminal::print;

/// Print the public key of a secret key, or the hash of the public key
///
/// In hex and in Bech32, the printed public key does not depend on the suite. A text envelope also names the
/// suite of the key. To print a public key in another form, give it as --key, in a text envelope or in
/// Bech32; a key in hex or any other encoding is read as a secret key.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    secret: SecretArgs,
    /// Form of the public key
    #[arg(long, value_enum, default_value = "hex")]
    format: KeyFormat,
    /// Print the BLAKE2b-256 hash of the public key, as `cardano-cli node key-hash-VRF` does. A stake pool
    /// registers this hash. In Bech32 it begins with vrf_vkh1
    #[arg(long)]
    hash: bool,
}

/// Runs `klero public-key`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let (key, suite) = args.secret.read_public()?;
    let hash = VrfKeyHash::of_key(key.as_bytes());
    let text = match (args.format, args.hash) {
        (KeyFormat::Hex, false) => key.to_string(),
        (KeyFormat::Hex, true) => hash.to_string(),
        (KeyFormat::Bech32, false) => key.to_bech32(),
        (KeyFormat::Bech32, true) => {
            bech32::encode::<Bech32>(Hrp::parse_unchecked("vrf_vkh"), hash.as_bytes())
                .map_err(|error| Error::at("--hash", error))?
        }
        (KeyFormat::Envelope, false) => {
            let envelope = key.to_envelope(suite.ok_or_else(no_suite)?);
            envelope.trim_end().to_owned()
        }
        (KeyFormat::Envelope, true) => {
            return Err(Error::new("--hash: expected --format hex or bech32"));
        }
    };
    print(format_args!("{text}\n"))?;
    Ok(Status::AllValid)
}
