//! The places and the proofs of many labels at once, for a server of key transparency that uses
//! `akd_core`: the same tree labels and proofs as one by one, and how many a second.
//!
//! ```text
//! cargo run --release --example key_transparency_server
//! ```

use std::time::Instant;

use akd_core::ecvrf::{VRFExpandedPrivateKey, VRFPrivateKey, VRFPublicKey};
use akd_core::{AkdLabel, VersionFreshness};
use klero::{SecretKey, Suite};

const SEED: [u8; 32] = [7; 32];

/// What the server hashes into the tree: a label, whether this version is its newest, and the
/// version.
type Entry = (AkdLabel, VersionFreshness, u64);

mod before {
    use akd_core::ecvrf::{
        HardCodedAkdVRF, Proof, VRFExpandedPrivateKey, VRFKeyStorage, VRFPrivateKey, VRFPublicKey,
    };
    use akd_core::{NodeLabel, WhatsAppV1Configuration};

    use super::Entry;

    pub fn node_labels(
        key: &VRFExpandedPrivateKey,
        public: &VRFPublicKey,
        entries: &[Entry],
    ) -> Vec<NodeLabel> {
        let node_label =
            HardCodedAkdVRF::get_node_label_with_expanded_key::<WhatsAppV1Configuration>;
        entries
            .iter()
            .map(|(label, freshness, version)| node_label(key, public, label, *freshness, *version))
            .collect()
    }

    pub fn proofs(key: &VRFPrivateKey, entries: &[Entry]) -> Vec<Proof> {
        let proof = HardCodedAkdVRF::get_label_proof_with_key::<WhatsAppV1Configuration>;
        entries
            .iter()
            .map(|(label, freshness, version)| proof(key, label, *freshness, *version))
            .collect()
    }
}

mod now {
    use akd_core::configuration::Configuration;
    use akd_core::{NodeLabel, WhatsAppV1Configuration};
    use klero::{Output, Proof, SecretKey};

    use super::Entry;

    pub fn node_labels(key: &SecretKey, entries: &[Entry]) -> Vec<NodeLabel> {
        let outputs = key.evaluate_many(&alphas(entries));
        outputs.iter().map(node_label).collect()
    }

    pub fn proofs(key: &SecretKey, entries: &[Entry]) -> Vec<(Proof, NodeLabel)> {
        let proofs = key.prove_many(&alphas(entries));
        let labelled = proofs
            .into_iter()
            .map(|(proof, output)| (proof, node_label(&output)));
        labelled.collect()
    }

    /// The input of the VRF for each entry.
    fn alphas(entries: &[Entry]) -> Vec<Vec<u8>> {
        entries
            .iter()
            .map(|(label, freshness, version)| {
                WhatsAppV1Configuration::get_hash_from_label_input(label, *freshness, *version)
            })
            .collect()
    }

    /// The place in the tree: the first half of the output.
    fn node_label(output: &Output) -> NodeLabel {
        let half = output.as_bytes().first_chunk().expect("64 bytes");
        NodeLabel::new(*half, 256)
    }
}

fn main() {
    compare(20_000);
}

/// Both ways on this many entries, with their rates.
fn compare(entries: u64) {
    let entries: Vec<Entry> = (0..entries)
        .map(|i| {
            let label = AkdLabel::from(format!("user {i}").as_str());
            (label, VersionFreshness::Fresh, 1 + i % 3)
        })
        .collect();
    let timed = Timed {
        entries: entries.len(),
    };

    let old = VRFPrivateKey::try_from(&SEED[..]).expect("32 bytes");
    let (expanded, public) = (VRFExpandedPrivateKey::from(&old), VRFPublicKey::from(&old));
    let key = SecretKey::from_seed(Suite::RFC9381_TAI, &SEED);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one_thread = one_thread.expect("a thread can be started");
    let all_threads = format!("evaluate_many, {} threads", rayon::current_num_threads());
    println!("places of {} labels", entries.len());
    let labels = timed.run("akd_core, one at a time", || {
        before::node_labels(&expanded, &public, &entries)
    });
    let one_by_one = timed.run("evaluate, one at a time", || {
        entries
            .chunks(1)
            .flat_map(|one| now::node_labels(&key, one))
            .collect::<Vec<_>>()
    });
    let together = timed.run("evaluate_many, one thread", || {
        one_thread.install(|| now::node_labels(&key, &entries))
    });
    let on_all = timed.run(&all_threads, || now::node_labels(&key, &entries));
    assert!(labels == one_by_one && labels == together && labels == on_all);

    println!("places and proofs of {} labels", entries.len());
    let proofs = timed.run("akd_core, one at a time", || before::proofs(&old, &entries));
    let one_by_one = timed.run("prove, one at a time", || {
        entries
            .chunks(1)
            .flat_map(|one| now::proofs(&key, one))
            .collect::<Vec<_>>()
    });
    let together = timed.run("prove_many, one thread", || {
        one_thread.install(|| now::proofs(&key, &entries))
    });
    let all_threads = format!("prove_many, {} threads", rayon::current_num_threads());
    let on_all = timed.run(&all_threads, || now::proofs(&key, &entries));
    assert!(one_by_one == together && together == on_all);
    assert_eq!(proofs.len(), together.len());
    for (old, ((proof, label), place)) in proofs.iter().zip(together.iter().zip(&labels)) {
        assert_eq!(old.to_bytes(), proof.as_bytes());
        assert_eq!(label, place);
    }
    println!("all labels and proofs are the same");
}

/// Prints rates for this many entries.
struct Timed {
    entries: usize,
}

impl Timed {
    fn run<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let rate = self.entries as f64 / start.elapsed().as_secs_f64();
        println!("  {name:26} {rate:>9.0} a second");
        result
    }
}

#[test]
fn both_give_the_same_labels_and_proofs() {
    compare(200);
}
