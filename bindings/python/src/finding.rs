//! What an audit finds.

use klero_audit::Finding;
use pyo3::prelude::*;

/// Something that an audit found: occurrences of one kind in one chunk file.
#[pyclass(frozen, module = "klero", name = "Finding")]
pub struct AuditFinding(pub Finding);

#[pymethods]
impl AuditFinding {
    /// "fault" (blocks are damaged, missing or out of place), "invalid-proof", "leader-value" (at
    /// or above f), "invalid-kes", "kes-period", "invalid-certificate", "certificate-number",
    /// "unknown-pool", "other-vrf-key", "no-leader", "two-vrf-keys", "wrong-delegate", "reserved-slot" (the
    /// maker may not lead, by the stake that was given), "epoch-nonce" (not the known one), "checkpoint" (not its block), "warning" (an index is damaged) or "note" (something was
    /// not read).
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.first.name()
    }

    /// The number of occurrences.
    #[getter]
    fn count(&self) -> u64 {
        self.0.count
    }

    /// The slot of the first occurrence, where it is known.
    #[getter]
    fn slot(&self) -> Option<u64> {
        self.0.first.block().0
    }

    /// The hash of the block of the first occurrence, 32 bytes, where it is known.
    #[getter]
    fn block(&self) -> Option<[u8; 32]> {
        self.0.first.block().1.map(|hash| *hash)
    }

    /// What was found, where, and how often.
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<klero.Finding {}>", self.0)
    }
}
