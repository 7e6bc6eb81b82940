//! The exceptions of the package, which its Python part defines.

// The macro's types have no documentation.
#![allow(missing_docs)]

pyo3::import_exception!(klero._errors, InvalidProof);
pyo3::import_exception!(klero._errors, InvalidToken);
pyo3::import_exception!(klero._errors, Refused);
pyo3::import_exception!(klero._errors, TableError);
pyo3::import_exception!(klero._errors, AuditError);
