//! Publishes names in two directories that differ only in their key storage, compares their trees and
//! proofs, and shows what each step took.
//!
//! ```text
//! cargo run --release
//! ```

use std::time::{Duration, Instant};

use akd::append_only_zks::AzksParallelismConfig;
use akd::client::lookup_verify;
use akd::directory::Directory;
use akd::ecvrf::{VRFKeyStorage, VrfError};
use akd::storage::StorageManager;
use akd::storage::memory::AsyncInMemoryDatabase;
use akd::{AkdLabel, AkdValue, EpochHash, LookupProof, WhatsAppV1Configuration};
use anyhow::{Context, Error, Result, ensure};
use async_trait::async_trait;
use klero_akd::KleroKeys;

const SEED: [u8; 32] = [7; 32];

/// Names in each epoch, and the epochs.
const NAMES: usize = 5_000;
const EPOCHS: usize = 2;

/// How many names are looked up.
const LOOKUPS: usize = 500;

/// The key storage that is compared with: one that has only what `akd` asks for.
#[derive(Clone)]
struct Plain;

#[async_trait]
impl VRFKeyStorage for Plain {
    async fn retrieve(&self) -> Result<Vec<u8>, VrfError> {
        Ok(SEED.to_vec())
    }
}

/// What a directory gave, and how long it took.
struct Outcome {
    epochs: Vec<EpochHash>,
    proofs: Vec<LookupProof>,
    labels: Duration,
    publish: Duration,
    lookup: Duration,
}

#[tokio::main]
async fn main() -> Result<()> {
    let before = run(Plain).await?;
    let now = run(KleroKeys::from_seed(&SEED)).await?;
    ensure!(before.epochs == now.epochs, "the trees differ");
    ensure!(before.proofs == now.proofs, "the proofs differ");
    println!(
        "{EPOCHS} epochs of {NAMES} names and {LOOKUPS} lookups: same root hashes, same proofs.\n"
    );
    println!(
        "{:24} {:>10} {:>10} {:>10}",
        "", "akd", "with klero", "ratio"
    );
    for (what, before, now) in [
        ("labels of all names", before.labels, now.labels),
        ("publish, labels and tree", before.publish, now.publish),
        ("lookups", before.lookup, now.lookup),
    ] {
        let ratio = before.as_secs_f64() / now.as_secs_f64();
        println!(
            "{what:24} {:>7} ms {:>7} ms {ratio:>10.1}",
            before.as_millis(),
            now.as_millis()
        );
    }
    Ok(())
}

/// Publishes the names and looks some of them up.
async fn run<V: VRFKeyStorage + 'static>(keys: V) -> Result<Outcome> {
    let mut labels = Duration::ZERO;
    for epoch in 0..EPOCHS {
        let entries: Vec<_> = updates(epoch)
            .into_iter()
            .map(|(label, value)| (label, akd::VersionFreshness::Fresh, 1, value))
            .collect();
        let start = Instant::now();
        let made = keys.get_node_labels::<WhatsAppV1Configuration>(&entries);
        let made = made.await.map_err(Error::msg)?;
        ensure!(made.len() == NAMES, "a label is missing");
        labels += start.elapsed();
    }

    let storage = StorageManager::new_no_cache(AsyncInMemoryDatabase::new());
    let parallelism = AzksParallelismConfig::default();
    let directory = Directory::<WhatsAppV1Configuration, _, _>::new(storage, keys, parallelism);
    let directory = directory.await?;
    let start = Instant::now();
    let mut epochs = Vec::new();
    for epoch in 0..EPOCHS {
        epochs.push(directory.publish(updates(epoch)).await?);
    }
    let publish = start.elapsed();

    let names: Vec<AkdLabel> = updates(0).into_iter().map(|(label, _)| label).collect();
    let names = &names[..LOOKUPS];
    let start = Instant::now();
    let mut proofs = Vec::new();
    for name in names {
        proofs.push(directory.lookup(name.clone()).await?.0);
    }
    let lookup = start.elapsed();

    // A client verifies with `akd` alone.
    let EpochHash(epoch, root) = *epochs.last().context("an epoch")?;
    let public = directory.get_public_key().await?;
    for (name, proof) in names.iter().zip(&proofs) {
        lookup_verify::<WhatsAppV1Configuration>(
            public.as_bytes(),
            root,
            epoch,
            name.clone(),
            proof.clone(),
        )
        .map_err(Error::msg)?;
    }
    Ok(Outcome {
        epochs,
        proofs,
        labels,
        publish,
        lookup,
    })
}

/// New names and their values.
fn updates(epoch: usize) -> Vec<(AkdLabel, AkdValue)> {
    let update = |i| {
        let name = format!("user {epoch} {i}");
        (AkdLabel::from(&*name), AkdValue::from("a public key"))
    };
    (0..NAMES).map(update).collect()
}

#[test]
fn both_directories_are_the_same() -> Result<()> {
    main()
}
