//! The epochs of an audited chain, one by one and as a table.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::ArrowError;
use klero_audit::{Counts, Epoch};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use self::Told::{Count, Number, Real, Text};

/// An attribute of an epoch, which is a column of the table. Its number is not in the [`Epoch`].
enum Told {
    Number(fn(u64, &Epoch) -> Option<u64>),
    Count(fn(&Counts) -> u64),
    Real(fn(&Epoch) -> Option<f64>),
    Text(fn(&Epoch) -> Option<String>),
}

/// The attributes of `klero.Epoch`, which says what they are, in the order of the columns.
const TOLD: [(&str, Told); 18] = [
    ("number", Number(|number, _| Some(number))),
    ("eras", Text(|epoch| Some(eras(epoch)))),
    ("nonce", Text(|epoch| Some(epoch.nonce?.to_string()))),
    ("blocks", Count(|c| c.blocks)),
    ("byron_blocks", Count(|c| c.byron_blocks)),
    ("proofs", Count(|c| c.proofs)),
    ("valid", Count(|c| c.valid)),
    ("invalid", Count(|c| c.invalid)),
    ("unverifiable", Count(|c| c.unverifiable)),
    ("nonce_unknown", Count(|c| c.nonce_unknown)),
    ("at_or_above_f", Count(|c| c.leader_values.at_or_above_f)),
    ("unverifiable_since", Number(|_, e| e.unverifiable_since)),
    ("leaders", Count(|c| c.leaders.valid)),
    (
        "narrowest_margin",
        Real(|e| Some(e.narrowest.first()?.margin)),
    ),
    ("kes", Count(|c| c.kes.valid)),
    ("certificates", Count(|c| c.certificates.valid)),
    ("bodies", Count(|c| c.bodies.valid)),
    ("all_invalid", Count(Counts::all_invalid)),
];

fn eras(epoch: &Epoch) -> String {
    let names = epoch.eras.iter().map(|era| era.name());
    names.collect::<Vec<_>>().join(", ")
}

/// A `klero.Epoch`.
pub fn epoch<'py>(py: Python<'py>, number: u64, epoch: &Epoch) -> PyResult<Bound<'py, PyAny>> {
    let attributes = PyDict::new(py);
    for (name, told) in TOLD {
        match told {
            Number(of) => attributes.set_item(name, of(number, epoch))?,
            Count(of) => attributes.set_item(name, of(&epoch.counts))?,
            Real(of) => attributes.set_item(name, of(epoch))?,
            Text(of) => attributes.set_item(name, of(epoch))?,
        }
    }
    py.import("klero")?
        .getattr("Epoch")?
        .call((), Some(&attributes))
}

/// A row for each epoch.
pub fn epochs(epochs: &BTreeMap<u64, Epoch>) -> Result<RecordBatch, ArrowError> {
    let column = |told| -> ArrayRef {
        let epochs = epochs.iter();
        match told {
            Number(of) => Arc::new(UInt64Array::from_iter(epochs.map(|(n, e)| of(*n, e)))),
            Count(of) => Arc::new(UInt64Array::from_iter_values(
                epochs.map(|(_, e)| of(&e.counts)),
            )),
            Real(of) => Arc::new(Float64Array::from_iter(epochs.map(|(_, e)| of(e)))),
            Text(of) => Arc::new(StringArray::from_iter(epochs.map(|(_, e)| of(e)))),
        }
    };
    RecordBatch::try_from_iter(TOLD.map(|(name, told)| (name, column(told))))
}
