//! What a record says about the run beside its figures: backends, peers, versions, and how it was called.

use std::process::Command;

use klero::Backend;
use klero_measure::Fact;

use crate::compile;
use crate::suites::Peers;

/// Facts about the run, beside those about the machine.
pub fn facts(backends: &[Backend], peers: &Peers) -> Vec<Fact> {
    let measured: Vec<_> = backends.iter().map(|backend| backend.name()).collect();
    let mut facts = vec![Fact::new("backends measured", measured.join(" "))];
    let names = peers.names();
    if !names.is_empty() {
        let dalek = compile::dalek_backends().join(" ");
        facts.push(Fact::new("dalek's backends", dalek));
        facts.push(Fact::new("peers", names.join(", ")));
    }
    facts.push(Fact::new("versions", versions()));
    let changed = compile::sources().is_some_and(|sources| {
        let state = Command::new("git")
            .args(["status", "--porcelain", "--untracked-files=no"])
            .current_dir(sources)
            .output();
        state.is_ok_and(|state| !state.stdout.is_empty())
    });
    if changed {
        facts.push(Fact::new("changed since the commit", "yes"));
    }
    let command: Vec<_> = std::env::args().skip(1).collect();
    facts.push(Fact::new("arguments", command.join(" ")));
    facts
}

/// The versions of the crates that are measured, from the lock file.
fn versions() -> String {
    const MEASURED: [&str; 13] = [
        "akd_core",
        "amaru-vrf-dalek",
        "ark-vrf",
        "biscuit-auth",
        "blake3",
        "blst",
        "cardano-crypto",
        "curve25519-dalek",
        "ed25519-dalek",
        "fastcrypto",
        "schnorrkel",
        "vrf-r255",
        "vrf-rfc9381",
    ];
    let packages = include_str!("../Cargo.lock").split("[[package]]");
    let field = |package: &'static str, name: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim_matches([' ', '=', '"']))
    };
    let versions = packages.filter_map(|package| {
        let name = field(package, "name = ")?;
        let version = field(package, "version = ").unwrap_or_default();
        MEASURED
            .contains(&name)
            .then(|| format!("{name} {version}"))
    });
    versions.collect::<Vec<_>>().join(", ")
}
