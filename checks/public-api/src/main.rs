//! Compares the public interfaces of the libraries with those on record.
//!
//! What users may call must not change by accident. So `interfaces/` has a file for each published
//! library, with a line for each public item and its full signature, and this program fails if a
//! line is not as the library has it now. A change that is meant is written there by
//! `cargo run --release -p klero-public-api -- --update`, and seen in the diff.
//!
//! rustdoc lists the items, as JSON. That is an unstable format, so it comes from the compiler that
//! `rust-toolchain.toml` names. Implementations for all types, derived ones, and traits such as `Send`
//! are left out: they would be half of the lines.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use similar::{ChangeTag, TextDiff};

/// The libraries with an interface that users depend on.
const LIBRARIES: [&str; 11] = [
    "klero",
    "klero-arrow",
    "klero-audit",
    "klero-cardano",
    "klero-ed25519",
    "klero-files",
    "klero-forge",
    "klero-lanes",
    "klero-leader",
    "klero-token",
    "klero-token-http",
];

fn main() -> Result<()> {
    let update = match env::args().nth(1).as_deref() {
        None => false,
        Some("--update") => true,
        Some(other) => bail!("{other}: expected --update, or nothing"),
    };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A directory of its own: the variable below would have build scripts run again.
    let target = here.join("../../target/public-api");
    document(&target)?;

    let mut changed = Vec::new();
    for library in LIBRARIES {
        let record = here.join("interfaces").join(library).with_extension("txt");
        let now = interface(&target.join("doc").join(library.replace('-', "_") + ".json"))?;
        if update {
            fs::write(&record, now)
                .with_context(|| format!("cannot write {}", record.display()))?;
            continue;
        }
        let before = fs::read_to_string(&record)
            .with_context(|| format!("cannot read {}", record.display()))?;
        if before != now {
            print_difference(library, &before, &now);
            changed.push(library);
        }
    }
    if update {
        println!(
            "Wrote the public interfaces of {} libraries",
            LIBRARIES.len()
        );
        return Ok(());
    }
    ensure!(
        changed.is_empty(),
        "other public items than on record in {}; if that is meant, run it with --update",
        changed.join(", ")
    );
    println!(
        "The public interfaces of {} libraries are as on record",
        LIBRARIES.len()
    );
    Ok(())
}

/// Has rustdoc write its JSON for every library, with all features.
fn document(target: &Path) -> Result<()> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo
        .args([
            "doc",
            "--no-deps",
            "--lib",
            "--all-features",
            "--target-dir",
        ])
        .arg(target);
    for library in LIBRARIES {
        cargo.args(["--package", library]);
    }
    cargo.env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json");
    cargo.env("RUSTC_BOOTSTRAP", "1");
    let status = cargo.status().context("cannot run cargo")?;
    ensure!(status.success(), "cargo doc failed");
    Ok(())
}

/// A line for each public item.
fn interface(json: &Path) -> Result<String> {
    let items = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .with_context(|| format!("cannot read {}", json.display()))?;
    Ok(items.to_string())
}

fn print_difference(library: &str, before: &str, now: &str) {
    println!("{library}");
    for change in TextDiff::from_lines(before, now).iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => {}
            tag => print!("{tag}{change}"),
        }
    }
}
