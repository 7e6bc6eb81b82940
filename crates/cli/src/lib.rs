//! The `klero` command: keys, single proofs, tables of claims, chains, tokens, and a benchmark.
//!
//! Each subcommand is a module with its `Args` and a function `run` that returns a [`Status`]
//! or an [`Error`]. This file connects them to the command line, the environment and the exit
//! status, and does nothing else.

// Without the feature `tables`, some functions of these modules have no caller.
#![cfg_attr(not(feature = "tables"), allow(dead_code))]

mod args;
#[cfg(feature = "tables")]
mod batch;
mod bench;
mod chain;
mod completions;
mod evaluate;
mod keygen;
#[cfg(feature = "tables")]
mod leaderlog;
mod leads;
mod man;
mod prove;
mod public_key;
#[cfg(feature = "tables")]
mod sample;
mod suites;
#[cfg(feature = "tables")]
mod table;
mod token;
mod ui;
mod verify;
mod version;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{CommandFactory, Parser, Subcommand};
use klero::Backend;

pub use crate::args::source::Source;
#[cfg(feature = "tables")]
pub use crate::table::{Compression, Dialect, Format};
pub use crate::ui::error::Error;
pub use crate::ui::panics::install_hook;

use crate::args::secrets;
use crate::ui::error::{EXIT_STATUS, Status};
use crate::ui::interrupt;
use crate::ui::terminal::say;

/// Prove, evaluate and verify ECVRF on edwards25519, in every form in use; make and verify tokens.
#[derive(Parser)]
#[command(
    name = "klero",
    version = VERSION.as_str(),
    after_help = AFTER_HELP.as_str(),
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The version, the commit and the compiler of the build, and the backends of this processor.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let names: Vec<_> = Backend::all().into_iter().map(Backend::name).collect();
    format!(
        "{} (commit {}, {})\nbackends of this processor: {}",
        env!("CARGO_PKG_VERSION"),
        version::COMMIT,
        version::COMPILER,
        names.join(", ")
    )
});

/// The end of the main help text.
static AFTER_HELP: LazyLock<String> = LazyLock::new(|| format!("{ENVIRONMENT}\n\n{EXIT_STATUS}"));

const ENVIRONMENT: &str = "\
Environment:
  KLERO_BACKEND      the vector arithmetic to use: ifma51, ifma52, avx-ifma,
                     avx512, avx2 or portable (default: the fastest that the
                     processor has)
  RAYON_NUM_THREADS  number of threads (default: one per core)
  COLUMNS            width of what people read (default: that of the terminal;
                     in a file or a pipe 160 for tables, and no sentence is
                     broken)
  NO_COLOR           if set, no colours, also on a terminal";

#[derive(Subcommand)]
enum Command {
    Keygen(keygen::Args),
    PublicKey(public_key::Args),
    Prove(prove::Args),
    Evaluate(evaluate::Args),
    Verify(verify::Args),
    #[cfg(feature = "tables")]
    #[command(subcommand)]
    Batch(batch::Command),
    #[command(subcommand)]
    Chain(chain::Command),
    #[cfg(feature = "tables")]
    Leaderlog(Box<leaderlog::Args>),
    Leads(Box<leads::Args>),
    #[cfg(feature = "tables")]
    Sample(sample::Args),
    Suites(suites::Args),
    Completions(completions::Args),
    Man(man::Args),
    #[command(subcommand)]
    Token(token::Command),
    Bench(bench::Args),
}

impl Command {
    fn run(&self) -> Result<Status, Error> {
        match self {
            Self::Keygen(args) => keygen::run(args),
            Self::PublicKey(args) => public_key::run(args),
            Self::Prove(args) => prove::run(args),
            Self::Evaluate(args) => evaluate::run(args),
            Self::Verify(args) => verify::run(args),
            #[cfg(feature = "tables")]
            Self::Batch(command) => batch::run(command),
            Self::Chain(command) => chain::run(command),
            #[cfg(feature = "tables")]
            Self::Leaderlog(args) => leaderlog::run(args),
            Self::Leads(args) => leads::run(args),
            #[cfg(feature = "tables")]
            Self::Sample(args) => sample::run(args),
            Self::Suites(args) => suites::run(args),
            Self::Completions(args) => completions::run(args, Cli::command()),
            Self::Man(args) => man::run(args, Cli::command()),
            Self::Token(command) => token::run(command),
            Self::Bench(args) => bench::run(args),
        }
    }
}

/// Makes the backend that `KLERO_BACKEND` names the default backend, if this environment variable is set.
fn choose_backend() -> Result<(), Error> {
    const VARIABLE: &str = "KLERO_BACKEND";
    let name = std::env::var_os(VARIABLE).unwrap_or_default();
    if !name.is_empty() {
        let backend: Backend = name
            .to_string_lossy()
            .parse()
            .map_err(|error| Error::at(VARIABLE, error))?;
        backend.make_default();
    }
    Ok(())
}

/// Prints help, the version, or an error about the command line. The error begins like Klero's other errors.
fn usage(error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    let text = error.render().to_string();
    // The text lacks this prefix if a subcommand is missing, because clap then returns the help text.
    let text = match text.strip_prefix("error: ") {
        Some(message) => format!("klero: {message}"),
        None => text,
    };
    // A failure to print this cannot be reported.
    let _ = write!(io::stderr(), "{text}");
    ExitCode::from(2)
}

/// Runs the command that the command line names, and returns its exit status.
pub fn main() -> ExitCode {
    install_hook();
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => return usage(secrets::without_secrets(error)),
    };
    let ended = interrupt::install()
        .and_then(|()| choose_backend())
        .and_then(|()| command.run());
    interrupt::begin_to_end();
    let (message, status) = match ended {
        Ok(status) => return status.into(),
        Err(Error::ClosedPipe) => return ExitCode::from(2),
        Err(Error::Invalid(message)) => (message, Status::SomeInvalid.into()),
        Err(Error::Message(message)) => (message, ExitCode::from(2)),
    };
    let message = secrets::without_arguments(message);
    say(format_args!("klero: {message}{}", interrupt::outcome()));
    status
}
