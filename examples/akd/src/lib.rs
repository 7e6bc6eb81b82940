//! A key storage for `akd` that computes labels and proofs with Klero.
//!
//! `akd` asks its [`VRFKeyStorage`] for the label of every name that a directory publishes, and for
//! a proof of every label that it shows. Both are methods of the trait that come with the trait's own
//! code, one VRF at a time; [`KleroKeys`] replaces that code. Nothing else of the directory changes: its
//! tree, its proofs and its clients stay as they are, byte for byte.

use std::sync::Arc;

use akd::configuration::Configuration;
use akd::ecvrf::{Proof, VRFKeyStorage, VrfError};
use akd::{AkdLabel, AkdValue, NodeLabel, VersionFreshness};
use async_trait::async_trait;
use klero::{Output, SecretKey, Suite};

/// A label to publish: the name, whether its version is the fresh one, the version, and the value.
type Entry = (AkdLabel, VersionFreshness, u64, AkdValue);

/// The VRF key of a directory, in Klero's memory. It is read once, and wiped when the last copy of the
/// storage is dropped.
///
/// ```
/// use akd::append_only_zks::AzksParallelismConfig;
/// use akd::directory::Directory;
/// use akd::storage::{StorageManager, memory::AsyncInMemoryDatabase};
/// use akd::{AkdLabel, AkdValue, WhatsAppV1Configuration};
/// use klero_akd::KleroKeys;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), akd::errors::AkdError> {
/// let storage = StorageManager::new_no_cache(AsyncInMemoryDatabase::new());
/// let keys = KleroKeys::from_seed(&[7; 32]);
/// let parallelism = AzksParallelismConfig::default();
/// let directory = Directory::<WhatsAppV1Configuration, _, _>::new(storage, keys, parallelism).await?;
/// let update = (AkdLabel::from("alice"), AkdValue::from("her key"));
/// assert_eq!(directory.publish(vec![update]).await?.epoch(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct KleroKeys(Arc<SecretKey>);

impl KleroKeys {
    /// The key with this 32-byte seed, the bytes that [`retrieve`](VRFKeyStorage::retrieve) of the
    /// storage before returned.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(Arc::new(SecretKey::from_seed(Suite::RFC9381_TAI, seed)))
    }
}

#[async_trait]
impl VRFKeyStorage for KleroKeys {
    /// The seed. Only the methods that are not replaced ask for it: that of the public key, once for
    /// each client that wants it.
    async fn retrieve(&self) -> Result<Vec<u8>, VrfError> {
        Ok(self.0.seed().to_vec())
    }

    async fn get_node_label<TC: Configuration>(
        &self,
        label: &AkdLabel,
        freshness: VersionFreshness,
        version: u64,
    ) -> Result<NodeLabel, VrfError> {
        let alpha = TC::get_hash_from_label_input(label, freshness, version);
        Ok(node_label(&self.0.evaluate(&alpha)))
    }

    /// All labels of an epoch together, in vector lanes and on all threads.
    async fn get_node_labels<TC: Configuration>(
        &self,
        labels: &[Entry],
    ) -> Result<Vec<(Entry, NodeLabel)>, VrfError> {
        let alphas = labels.iter().map(|(label, freshness, version, _)| {
            TC::get_hash_from_label_input(label, *freshness, *version)
        });
        let outputs = self.0.evaluate_many(&alphas.collect::<Vec<_>>());
        let entries = labels.iter().cloned();
        Ok(entries.zip(outputs.iter().map(node_label)).collect())
    }

    async fn get_label_proof<TC: Configuration>(
        &self,
        label: &AkdLabel,
        freshness: VersionFreshness,
        version: u64,
    ) -> Result<Proof, VrfError> {
        let alpha = TC::get_hash_from_label_input(label, freshness, version);
        let (proof, _) = self.0.prove(&alpha);
        Proof::try_from(proof.as_bytes())
    }
}

/// The place in the tree: the first half of the output.
fn node_label(output: &Output) -> NodeLabel {
    let half = output.as_bytes().first_chunk().expect("64 bytes");
    NodeLabel::new(*half, 256)
}
