//! The epochs of an audited chain, one by one and as a table.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use pyo3::prelude::*;

/// An epoch of a chain, and what was counted in it.
#[pyclass(frozen, module = "klero")]
pub struct Epoch {
    /// Its number.
    #[pyo3(get)]
    pub number: u64,
    pub epoch: klero_audit::Epoch,
}

#[pymethods]
impl Epoch {
    /// The eras of its blocks, such as "Babbage", joined by ", ".
    #[getter]
    fn eras(&self) -> String {
        eras(&self.epoch)
    }

    /// The nonce by which its proofs are judged, in hex, as far as they are.
    #[getter]
    fn nonce(&self) -> Option<String> {
        self.epoch.nonce.map(|nonce| nonce.to_string())
    }

    /// Slot of the first invalid proof or fault that casts doubt on its nonce, if proofs could not
    /// be judged for that; None if nothing wrong with the chain accounts for these.
    #[getter]
    fn unverifiable_since(&self) -> Option<u64> {
        self.epoch.unverifiable_since
    }

    /// Blocks whose header could be read.
    #[getter]
    fn blocks(&self) -> u64 {
        self.epoch.counts.blocks
    }

    /// Those of Byron, which carry no proof.
    #[getter]
    fn byron_blocks(&self) -> u64 {
        self.epoch.counts.byron_blocks
    }

    /// Proofs: the sum of the next four.
    #[getter]
    fn proofs(&self) -> u64 {
        self.epoch.counts.proofs
    }

    /// Valid proofs.
    #[getter]
    fn valid(&self) -> u64 {
        self.epoch.counts.valid
    }

    /// Invalid proofs.
    #[getter]
    fn invalid(&self) -> u64 {
        self.epoch.counts.invalid
    }

    /// Proofs without a verdict, as their nonce may be wrong.
    #[getter]
    fn unverifiable(&self) -> u64 {
        self.epoch.counts.unverifiable
    }

    /// Proofs about a nonce that is neither computed nor known.
    #[getter]
    fn nonce_unknown(&self) -> u64 {
        self.epoch.counts.nonce_unknown
    }

    /// Leader values at or above f, with which no stake could lead.
    #[getter]
    fn at_or_above_f(&self) -> u64 {
        self.epoch.counts.leader_values.at_or_above_f
    }

    /// Blocks whose makers may lead, by the stake that was given.
    #[getter]
    fn leaders(&self) -> u64 {
        self.epoch.counts.leaders.valid
    }

    /// The narrowest lead of a pool: its leader value, divided by the largest with which it leads.
    /// None if no stake was given.
    #[getter]
    fn narrowest_margin(&self) -> Option<f64> {
        narrowest(&self.epoch)
    }

    /// Valid KES signatures.
    #[getter]
    fn kes(&self) -> u64 {
        self.epoch.counts.kes.valid
    }

    /// Valid operational certificates, one for each block.
    #[getter]
    fn certificates(&self) -> u64 {
        self.epoch.counts.certificates.valid
    }

    /// Block bodies that are those of their headers.
    #[getter]
    fn bodies(&self) -> u64 {
        self.epoch.counts.bodies.valid
    }

    /// Whatever is invalid: proofs, leader values, signatures, certificates and the order of their
    /// numbers, bodies.
    #[getter]
    fn all_invalid(&self) -> u64 {
        self.epoch.counts.all_invalid()
    }

    fn __repr__(&self) -> String {
        let Self { number, epoch } = self;
        let counts = &epoch.counts;
        format!(
            "<klero.Epoch {number}, {}: {} blocks, {} proofs, {} valid, {} invalid>",
            eras(epoch),
            counts.blocks,
            counts.proofs,
            counts.valid,
            counts.all_invalid(),
        )
    }
}

fn narrowest(epoch: &klero_audit::Epoch) -> Option<f64> {
    epoch.narrowest.first().map(|lead| lead.margin)
}

fn eras(epoch: &klero_audit::Epoch) -> String {
    let names = epoch.eras.iter().map(|era| era.name());
    names.collect::<Vec<_>>().join(", ")
}

/// A row for each epoch.
pub fn epochs(
    epochs: &BTreeMap<u64, klero_audit::Epoch>,
) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let numbers = |of: fn(&klero_audit::Epoch) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(epochs.values().map(of)))
    };
    let texts = |of: fn(&klero_audit::Epoch) -> Option<String>| -> ArrayRef {
        Arc::new(epochs.values().map(of).collect::<StringArray>())
    };
    let keys = UInt64Array::from_iter_values(epochs.keys().copied());
    let since: UInt64Array = epochs
        .values()
        .map(|epoch| epoch.unverifiable_since)
        .collect();
    RecordBatch::try_from_iter([
        ("number", Arc::new(keys) as ArrayRef),
        ("eras", texts(|epoch| Some(eras(epoch)))),
        (
            "nonce",
            texts(|epoch| epoch.nonce.map(|nonce| nonce.to_string())),
        ),
        ("blocks", numbers(|epoch| epoch.counts.blocks)),
        ("byron_blocks", numbers(|epoch| epoch.counts.byron_blocks)),
        ("proofs", numbers(|epoch| epoch.counts.proofs)),
        ("valid", numbers(|epoch| epoch.counts.valid)),
        ("invalid", numbers(|epoch| epoch.counts.invalid)),
        ("unverifiable", numbers(|epoch| epoch.counts.unverifiable)),
        ("nonce_unknown", numbers(|epoch| epoch.counts.nonce_unknown)),
        (
            "at_or_above_f",
            numbers(|epoch| epoch.counts.leader_values.at_or_above_f),
        ),
        ("unverifiable_since", Arc::new(since)),
        ("leaders", numbers(|epoch| epoch.counts.leaders.valid)),
        (
            "narrowest_margin",
            Arc::new(epochs.values().map(narrowest).collect::<Float64Array>()),
        ),
        ("kes", numbers(|epoch| epoch.counts.kes.valid)),
        (
            "certificates",
            numbers(|epoch| epoch.counts.certificates.valid),
        ),
        ("bodies", numbers(|epoch| epoch.counts.bodies.valid)),
        ("all_invalid", numbers(|epoch| epoch.counts.all_invalid())),
    ])
}
