//! `klero man`: manual pages, from the same source as `--help`.

use std::fs;
use std::path::PathBuf;

use crate::args::secrets::refuse_secret;
use crate::ui::error::{Error, Status};

/// Write manual pages, one for each command
///
/// For example:  klero man ~/.local/share/man/man1
#[derive(clap::Args)]
pub struct Args {
    /// Directory for the pages; created if it does not exist
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// Runs `klero man`. `cli` is the definition of the whole command line.
pub fn run(args: &Args, cli: clap::Command) -> Result<Status, Error> {
    refuse_secret("DIR", &args.dir)?;
    // The title of a page is one line, so the version in it is only the number.
    let cli = cli.version(env!("CARGO_PKG_VERSION"));
    fs::create_dir_all(&args.dir)
        .and_then(|()| clap_mangen::generate_to(cli, &args.dir))
        .map_err(|error| Error::at(args.dir.display(), error))?;
    Ok(Status::AllValid)
}
