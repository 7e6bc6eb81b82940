//! What a token says.

use klero_token::{Block, Token};
use pyo3::prelude::*;

/// A block of a token.
#[pyclass(frozen, module = "klero.token", get_all)]
pub struct TokenBlock {
    /// "root" (signed by the issuer), "caveats" (which narrow the token), "statement" (signed by a
    /// third party) or "opaque" (bytes that mean nothing here).
    kind: &'static str,
    /// Bytes whose meaning is up to the application.
    payload: Vec<u8>,
    /// The caveats of a "root" or "caveats" block, one to a line.
    caveats: Vec<u8>,
    /// The public key of the third party of a "statement" block, 32 or 33 bytes.
    third_party: Option<Vec<u8>>,
    /// How that key signs: `ed25519`, `es256` or `passkey`.
    third_party_kind: Option<&'static str>,
    /// The identifier, 32 bytes, by which the block and every token with it is revoked.
    revocation_id: [u8; 32],
}

#[pymethods]
impl TokenBlock {
    fn __repr__(&self) -> String {
        format!(
            "<klero.token.TokenBlock {}, {} bytes>",
            self.kind,
            self.payload.len()
        )
    }
}

/// What a token says: not verified, unless `verify` returned it.
#[pyclass(frozen, module = "klero.token", get_all)]
pub struct TokenContent {
    /// The name of the scheme.
    scheme: &'static str,
    /// The number of the root key.
    root_id: u32,
    /// Whether the token answers a challenge, and nothing can be added to it.
    sealed: bool,
    /// Whether a device has the token's last key: only the device can seal the token, and nothing
    /// can be added to it.
    held: bool,
    /// The blocks, the issuer's first.
    blocks: Vec<Py<TokenBlock>>,
}

#[pymethods]
impl TokenContent {
    fn __repr__(&self) -> String {
        let Self { scheme, blocks, .. } = self;
        format!(
            "<klero.token.TokenContent of {scheme}, {} blocks>",
            blocks.len()
        )
    }
}

impl TokenContent {
    pub(super) fn of<T>(py: Python<'_>, token: &Token<T>, blocks: &[Block]) -> PyResult<Self> {
        let ids = token.revocation_ids();
        let blocks = blocks.iter().zip(ids).map(|(block, id)| {
            let block = TokenBlock {
                kind: block.kind().name(),
                payload: block.payload().to_vec(),
                caveats: block.caveats().to_vec(),
                third_party: block.third_party().map(|(_, key)| key.to_vec()),
                third_party_kind: block.third_party().map(|(kind, _)| kind.name()),
                revocation_id: id.0,
            };
            Py::new(py, block)
        });
        Ok(Self {
            scheme: token.scheme().name(),
            root_id: token.root_id(),
            sealed: token.is_sealed(),
            held: token.is_held(),
            blocks: blocks.collect::<PyResult<_>>()?,
        })
    }
}
