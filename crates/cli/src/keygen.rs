//! `klero keygen`: a new key pair.

use klero::{SecretKey, Suite};

use crate::args::choice;
use crate::args::keyfile::PairArgs;
use crate::ui::error::{Error, Status};

/// The default names of the files.
const NAMES: [&str; 2] = ["vrf.skey", "vrf.vkey"];

/// Make a new key pair from the operating system's random source
///
/// Writes text envelopes, by default to vrf.skey and vrf.vkey, and prints the public key in hex. Use the key
/// in its suite only. For praos, the files have the format of cardano-cli, which calls the two keys signing
/// key and verification key. `klero public-key` prints the public key of an existing secret key.
#[derive(clap::Args)]
pub struct Args {
    /// Suite that the key belongs to (`klero suites` lists them)
    #[arg(long, value_name = "NAME", value_parser = choice::suite())]
    suite: Suite,
    #[command(flatten)]
    pair: PairArgs,
}

/// Runs `klero keygen`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let key =
        SecretKey::generate(args.suite).map_err(|error| Error::at("cannot make a key", error))?;
    let public = key.public_key();
    args.pair.write(
        NAMES,
        &key.to_envelope(),
        &public.to_envelope(args.suite),
        hex::encode(public.as_bytes()),
    )?;
    Ok(Status::AllValid)
}
