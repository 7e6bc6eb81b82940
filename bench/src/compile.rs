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

/// A peer of this workspace that is built as a shared object.
pub struct SharedObject {
    /// Its package.
    pub package: &'static str,
    /// The name of its own target directory.
    pub place: &'static str,
    arguments: &'static [&'static str],
    flags: String,
}

/// All of them.
pub fn shared_objects() -> Vec<SharedObject> {
    let composed = dalek_backends().into_iter().map(|backend| SharedObject {
        package: "klero-peer-composed",
        place: backend,
        arguments: &[],
        flags: format!("--cfg curve25519_dalek_backend=\"{backend}\""),
    });
    let published = [
        ("vrf_dalek-random", &[][..]),
        ("vrf_dalek-deterministic", &["--features=deterministic"][..]),
    ];
    let published = published.map(|(place, arguments)| SharedObject {
        package: "klero-peer-vrf-dalek",
        place,
        arguments,
        flags: String::new(),
    });
    composed.chain(published).collect()
}

impl SharedObject {
    /// Where it is, among the peers of a program in this directory.
    pub fn beside(&self, program: &Path) -> PathBuf {
        let file = libloading::library_filename(self.package.replace('-', "_"));
        self.target(program).join("peer").join(file)
    }

    fn target(&self, program: &Path) -> PathBuf {
        program.join("peers").join(self.place)
    }

    /// Builds it beside this program. Cargo shows its progress.
    pub fn build(&self) -> Result<PathBuf> {
        let Self { package, place, .. } = self;
        let sources =
            sources().context("its sources were not found: run from a checkout, or beside one")?;
        let program = directory()?;
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        eprintln!("Building {package} ({place})");
        let status = Command::new(cargo)
            .args(["build", "--profile=peer", "--package", package])
            .args(self.arguments)
            .arg("--manifest-path")
            .arg(sources.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(self.target(&program))
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", &self.flags)
            .status()
            .context("cannot start cargo")?;
        ensure!(status.success(), "{package} did not build");
        Ok(self.beside(&program))
    }
}

/// The directory of this program.
pub fn directory() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let directory = program.parent().context("the program is in no directory")?;
    Ok(directory.to_owned())
}
