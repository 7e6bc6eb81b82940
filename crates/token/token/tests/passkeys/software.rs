//! P-256 keys in software, and an authenticator and a browser whose data can have any fault.

use klero_token::{KeyKind, PublicKey, RelyingParty, RootKeys, Scheme, Signature};

use crate::equations::{HONEST, Said, counted, es256_public, with_larger_s};
use crate::support::root;

/// The public key of a seed.
pub fn key(kind: KeyKind, seed: &[u8; 32]) -> PublicKey {
    PublicKey::from_bytes(kind, &es256_public(seed)).unwrap()
}

/// The data that an honest passkey and its browser write, with one change.
pub fn said(change: impl FnOnce(&mut Said)) -> Said {
    let mut said = HONEST;
    change(&mut said);
    said
}

pub fn der(signature: &[u8]) -> Vec<u8> {
    let signature = p256::ecdsa::Signature::from_slice(signature).unwrap();
    signature.to_der().as_bytes().to_vec()
}

/// The assertion that the browser returns.
pub struct Signed {
    pub signature: Vec<u8>,
    pub data: Vec<u8>,
    pub client_data: Vec<u8>,
    pub der: Vec<u8>,
}

impl Signed {
    /// `der` gets the larger s, and `signature` has the smaller s: a device may return either of them.
    pub fn new([signature, data, client_data]: [Vec<u8>; 3]) -> Self {
        Self {
            der: der(&with_larger_s(&signature)),
            signature,
            data,
            client_data,
        }
    }

    pub fn assertion(&self) -> Signature<'_> {
        Signature::Assertion {
            authenticator_data: &self.data,
            client_data_json: &self.client_data,
            signature: &self.der,
        }
    }

    /// The form of an assertion in a token: the signature, and the signed data.
    pub fn bytes(&self) -> Vec<u8> {
        [
            &self.signature[..],
            &counted([&self.data, &self.client_data]),
        ]
        .concat()
    }
}

pub fn party() -> RelyingParty {
    RelyingParty {
        id: HONEST.id.into(),
        origins: vec!["https://www.shop.example".into(), HONEST.origin.into()],
        user_verification: true,
    }
}

/// The root keys of both schemes, and a relying party if there is one.
pub fn roots(party: Option<RelyingParty>) -> RootKeys {
    let keys = Scheme::ALL.map(|scheme| (0, *root(scheme).public_key()));
    let mut roots: RootKeys = keys.into_iter().collect();
    if let Some(party) = party {
        roots.set_relying_party(party);
    }
    roots
}
