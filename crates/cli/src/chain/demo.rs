//! `klero chain demo`: forges a small chain and verifies it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::HumanCount;
use klero_audit::{Anchor, Audit};
use klero_cardano::Immutable;
use klero_forge::{Forged, ForgedEpoch, Recipe, forge};
use klero_support::Output;

use super::broken;
use super::run::{not_started, run_audit};
use super::text::Text;
use crate::args::threads;
use crate::ui::error::{Error, Status};
use crate::ui::interrupt::Interrupt;
use crate::ui::progress::Progress;
use crate::ui::terminal::{for_shell, print};

/// Make a small chain with every era from Byron to Conway, and verify it
///
/// Forges an ImmutableDB of about 3,000 blocks from Byron to Conway, in the format that a node writes, with a
/// real lottery, real proofs and real nonces. Verifies the chain from its genesis file on, and checks that
/// makers of blocks after Byron had the right to lead. It is always the same chain. Nothing is downloaded.
#[derive(clap::Args)]
pub struct Args {
    /// Make the chain in DIR and keep it
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Make some blocks wrong, each in its own way. Some of them have makers who had no right to lead. List
    /// the wrong blocks, and show that each is found. The exit status is then 1
    #[arg(long)]
    broken: bool,
}

/// Runs `klero chain demo`.
pub fn run(args: &Args) -> Result<Status, Error> {
    threads::start(None)?;
    let interrupt = Interrupt::listen();
    let temporary;
    let dir = match &args.keep {
        Some(dir) => dir,
        None => {
            temporary = tempfile::tempdir()
                .map_err(|error| Error::at("cannot make a temporary directory", error))?;
            temporary.path()
        }
    };
    let mut recipe = Recipe::sample();
    if args.broken {
        recipe.mutants = broken::mutants();
    }
    let forged = make(&recipe, dir)?;
    if args.broken {
        broken::tell(&forged)?;
    }
    let mut audit = Audit::new(dir)
        .map_err(not_started)?
        .stake(forged.stake_by_epoch())
        .network(forged.network.clone());
    if let Some(tip) = &forged.tip {
        let (slot, hash) = (tip.slot, tip.hash);
        audit = audit.expect([Anchor::Tip { slot, hash }]);
    }
    let stake = dir.join("stake.csv");
    if args.keep.is_some() {
        write_stake(&forged, &stake)?;
    }
    let mut text = Text::default();
    text.name = args.keep.is_none().then_some("Demo chain");
    text.is_planted = args.broken;
    let status = run_audit(audit, &mut text, None, &interrupt)?;
    if args.keep.is_none() {
        return Ok(status);
    }
    let expected = forged
        .tip
        .map(|tip| format!(" --expect tip={}:{}", tip.slot, tip.hash));
    print(format_args!(
        "\nThe chain is kept; this verifies it again:\n\n  klero chain verify {} --stake {}{}\n",
        for_shell(dir),
        for_shell(&stake),
        expected.unwrap_or_default(),
    ))?;
    Ok(status)
}

/// Writes the stake of the chain as a table.
fn write_stake(forged: &Forged, path: &Path) -> Result<(), Error> {
    let output = Output::create(path)?;
    let failed = |error| Error::at(format_args!("cannot write {}", path.display()), error);
    let mut table = csv::Writer::from_writer(output);
    let head = ["epoch", "pool", "stake", "vrf", "total"];
    table.write_record(head).map_err(failed)?;
    for (epoch, stake) in forged.stake_by_epoch() {
        for (id, pool) in stake.pools() {
            let vrf = pool.vrf.map(|vrf| vrf.to_string()).unwrap_or_default();
            let (stake, total) = (pool.stake.pool(), pool.stake.total());
            let row = (epoch, id.to_string(), stake, vrf, total);
            table.serialize(row).map_err(failed)?;
        }
    }
    let output = table.into_inner();
    output
        .map_err(|error| Error::write(path.display(), error.error()))?
        .commit()?;
    Ok(())
}

fn make(recipe: &Recipe, dir: &Path) -> Result<Forged, Error> {
    if Immutable::open(dir).is_ok() {
        return Err(Error::new(format!(
            "{} already has a chain; choose an empty directory",
            dir.display()
        )));
    }
    let started = Instant::now();
    let mut progress = Progress::counting("slots", true);
    let mut before = 0;
    let forged = forge(recipe, dir, |done, total| {
        progress.advance((done - before) as usize, (done, Some(total)));
        before = done;
    })
    .map_err(|error| Error::at("cannot forge the chain", error))?;
    progress.clear();
    let sum = |of: fn(&ForgedEpoch) -> u64| HumanCount(forged.epochs.iter().map(of).sum());
    print(format_args!(
        "Forged {} blocks with {} proofs in {:.2} s.\n",
        sum(|epoch| epoch.blocks),
        sum(|epoch| epoch.proofs),
        started.elapsed().as_secs_f64(),
    ))?;
    Ok(forged)
}
