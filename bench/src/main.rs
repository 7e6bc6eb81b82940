//! Klero and its peers, measured side by side in one process. See the README.

mod contender;
mod inputs;
mod machine;
mod peer;
mod report;
mod run;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use clap::Parser;
use klero::Backend;

use contender::{Contender, Klero, VrfDalek};
use peer::Peer;

/// Measures Klero and its peers side by side: same inputs, one thread, CPU time.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// How often everything is measured
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// A first look: 5 rounds
    #[arg(long, conflicts_with = "rounds")]
    quick: bool,
    /// Only rows whose name contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Where the CSV files go
    #[arg(long, value_name = "DIRECTORY", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/results"))]
    out: PathBuf,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let rounds = if arguments.quick { 5 } else { arguments.rounds };
    let mut rows = inputs::rows();
    if let Some(text) = &arguments.only {
        rows.retain(|row| row.name().contains(text));
        ensure!(!rows.is_empty(), "no row is called like {text:?}");
    }

    let mut contenders: Vec<Box<dyn Contender>> = Vec::new();
    for backend in Backend::all() {
        contenders.push(Box::new(Klero(backend)));
    }
    for backend in peer::dalek_backends() {
        contenders.push(Box::new(Peer::load(&peer::build(backend)?)?));
    }
    contenders.push(Box::new(VrfDalek));

    let began = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let machine = machine::describe();
    let measured = run::run(rows, &contenders, rounds as usize)?;
    report::print(&machine, &measured);
    report::write(&arguments.out, began, &machine, &measured)?;
    println!("\nFiles: {}", arguments.out.display());
    Ok(())
}
