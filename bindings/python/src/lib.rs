//! The native part of the Python package `klero`: shapes, errors and threads. What a claim, a
//! table, a chain or a token is, the crates of the workspace know.

mod arguments;
mod audit;
mod claims;
mod epoch;
mod errors;
mod key;
mod stream;
mod table;
mod threads;
mod token;
mod verifier;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(name = "_klero")]
mod native {
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    #[pymodule_export]
    use super::arguments::suites;
    #[pymodule_export]
    use super::audit::{Audit, audit};
    #[pymodule_export]
    use super::claims::{below, proof_to_hash, verify, verify_many};
    #[pymodule_export]
    use super::key::{
        SecretKey, check_public_key, public_key_from_encoded, public_key_to_envelope,
    };
    #[pymodule_export]
    use super::table::{Table, evaluate_table, prove_table, verify_table};
    #[pymodule_export]
    use super::token::{
        TokenPublicKey, TokenSecretKey, append_statement, append_token, check_challenge,
        check_relying_party, check_token, inspect_token, make_statement, mint_token, narrow_token,
        request_statement, seal_token, verify_token,
    };
    #[pymodule_export]
    use super::verifier::Verifier;

    /// The kinds of findings.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let kinds = PyTuple::new(module.py(), klero_cardano::Fault::NAMES)?;
        module.add("FINDINGS", kinds)
    }

    // The name is Python's.
    #[allow(non_upper_case_globals)]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
