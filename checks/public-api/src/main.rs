//! Lists the public names of the libraries: all that users can write after the name of a crate. Each is a
//! promise, and something to learn, so their number should not grow without a reason.
//!
//! An item that has several paths is listed once, by the shortest. Fields, variants and methods are left
//! out.
//!
//! rustdoc lists the items, as JSON. That is an unstable format, so it comes from the compiler that
//! `rust-toolchain.toml` names.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The libraries that users depend on.
const LIBRARIES: [&str; 11] = [
    "klero",
    "klero-arrow",
    "klero-audit",
    "klero-cardano",
    "klero-ed25519",
    "klero-forge",
    "klero-lanes",
    "klero-leader",
    "klero-support",
    "klero-token",
    "klero-token-http",
];

fn main() -> Result<()> {
    // A directory of its own: the variable below would have build scripts run again.
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/public-api");
    document(&target)?;
    for library in LIBRARIES {
        let json = target.join(format!("doc/{}.json", library.replace('-', "_")));
        let text = fs::read(&json).with_context(|| json.display().to_string())?;
        let names = names(&serde_json::from_slice(&text)?)
            .with_context(|| format!("{}: not as this program knows it", json.display()))?;
        ensure!(!names.is_empty(), "{library} has no public names");
        println!("{library}: {}", names.len());
        for name in names {
            println!("  {name}");
        }
    }
    Ok(())
}

/// Has rustdoc write its JSON for every library, with all features.
fn document(target: &Path) -> Result<()> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["doc", "--no-deps", "--lib", "--all-features"]);
    cargo.arg("--target-dir").arg(target);
    for library in LIBRARIES {
        cargo.args(["--package", library]);
    }
    cargo.env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json");
    cargo.env("RUSTC_BOOTSTRAP", "1");
    let status = cargo.status().context("cannot run cargo")?;
    ensure!(status.success(), "cargo doc failed");
    Ok(())
}

/// The names in a crate, sorted. `None` if the JSON has another form than expected.
fn names(krate: &Value) -> Option<BTreeSet<String>> {
    let index = &krate["index"];
    let mut names = BTreeSet::new();
    let mut listed = BTreeSet::new();
    let mut modules = VecDeque::from([(krate["root"].to_string(), String::new())]);
    while let Some((module, path)) = modules.pop_front() {
        for id in index[module]["inner"]["module"]["items"].as_array()? {
            let item = &index[id.to_string()];
            let import = item["inner"].get("use");
            let (name, id) = match import {
                Some(import) => (&import["name"], &import["id"]),
                None => (&item["name"], id),
            };
            let path = format!("{path}{}", name.as_str()?);
            if !listed.insert(id.to_string()) {
                continue;
            }
            // The items of other crates are not in the index.
            let inner = &index[id.to_string()]["inner"];
            if inner.get("module").is_some() {
                modules.push_back((id.to_string(), format!("{path}::")));
            }
            names.insert(path);
        }
    }
    Some(names)
}
