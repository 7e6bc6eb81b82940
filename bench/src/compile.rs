//! Builds the peers of this workspace as shared objects.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The values of `curve25519_dalek_backend` that this processor can run. With `avx512` dalek uses
/// IFMA if the processor has `avx512ifma` and `avx512vl`, and AVX2 if not.
pub fn dalek_backends() -> Vec<&'static str> {
    let mut backends = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as detected;
        if detected!("avx512ifma") && detected!("avx512vl") {
            backends.push("avx512");
        }
        if detected!("avx2") {
            backends.push("simd");
        }
    }
    backends.push("serial");
    backends
}

/// The workspace of this benchmark: the one from which cargo runs the program, or one above the
/// program, or one above the current directory. It is found at run time, so that checkout and
/// program can be moved.
pub fn sources() -> Option<PathBuf> {
    let cargo = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let places = [env::current_exe().ok(), env::current_dir().ok()];
    let places = cargo.into_iter().chain(places.into_iter().flatten());
    let above = places.flat_map(|place| {
        let above = place.ancestors().map(Path::to_owned);
        above.collect::<Vec<_>>()
    });
    let mut directories = above.flat_map(|place| [place.join("bench"), place]);
    directories.find(|directory| {
        let packages = ["composed", "vrf-dalek"];
        let has = |package| directory.join(package).join("Cargo.toml").is_file();
        packages.iter().all(has)
    })
}

/// Builds a package of this workspace in its own target directory, with these arguments and
/// flags. Cargo shows its progress.
pub fn shared_object(
    package: &str,
    place: &str,
    arguments: &[&str],
    flags: &str,
) -> Result<PathBuf> {
    let sources =
        sources().context("its sources were not found: run from a checkout, or beside one")?;
    let target = env::current_exe()?
        .parent()
        .context("the program is in no directory")?
        .join("peers")
        .join(place);
    let manifest = sources.join("Cargo.toml");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    eprintln!("Building {package} ({place})");
    let status = Command::new(cargo)
        .args(["build", "--profile=peer", "--package", package])
        .args(arguments)
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", flags)
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "{package} did not build");
    let file = libloading::library_filename(package.replace('-', "_"));
    Ok(target.join("peer").join(file))
}
