//! Signatures as devices return them, and their form in a token.

use alloc::vec::Vec;

use crate::algorithms::{low_s, of_der, read_signature};
use crate::error::{Error, Place};
use crate::scheme::KeyKind;
use crate::webauthn::{self, Signed};

/// A signature as a device returns it.
#[derive(Clone, Copy, Debug)]
pub enum Signature<'a> {
    /// The signature by an Ed25519 key (64 bytes) or by an ES256 key (the 64 bytes r ‖ s, or in DER). For
    /// ES256, s may be the smaller or the larger of its two possible values.
    Bytes(&'a [u8]),
    /// An assertion by a passkey: three members of the `response` that `navigator.credentials.get` returns.
    Assertion {
        /// `authenticatorData`.
        authenticator_data: &'a [u8],
        /// `clientDataJSON`.
        client_data_json: &'a [u8],
        /// `signature`, in DER.
        signature: &'a [u8],
    },
}

impl Signature<'_> {
    /// Returns the canonical encoding of this signature by a key of the kind `by`, and the data that a
    /// passkey signed, in the encoding that [`Signed::read`] reads. For other keys, there is no such data.
    pub(crate) fn parts(&self, by: KeyKind, place: Place) -> Result<([u8; 64], Vec<u8>), Error> {
        match (by, *self) {
            (KeyKind::Ed25519, Self::Bytes(signature)) => {
                Ok((*read_signature(signature, place)?, Vec::new()))
            }
            (KeyKind::Es256, Self::Bytes(signature)) => {
                let low = match signature.try_into() {
                    Ok(signature) => low_s(signature, place),
                    Err(_) => of_der(signature, place),
                };
                Ok((low?, Vec::new()))
            }
            (
                KeyKind::Passkey,
                Self::Assertion {
                    authenticator_data,
                    client_data_json,
                    signature,
                },
            ) => {
                let signature = of_der(signature, place)?;
                let signed = Signed::new(authenticator_data, client_data_json, place)?;
                Ok((signature, signed.encode()?))
            }
            (KeyKind::Chain | KeyKind::Aggregate, _) => {
                Err(Error::WrongKey(by, "ed25519, es256 or passkey"))
            }
            (KeyKind::Passkey, Self::Bytes(_)) => {
                Err(Error::WrongKey(by, "ed25519 or es256, which sign bytes"))
            }
            (_, Self::Assertion { .. }) => {
                Err(Error::WrongKey(by, "passkey, which makes assertions"))
            }
        }
    }
}

/// The bytes that a key of this kind signs. A passkey signs a challenge, which is a hash of the message.
/// Other keys sign the message itself.
pub(crate) fn to_sign(by: KeyKind, message: Vec<u8>) -> Vec<u8> {
    match by {
        KeyKind::Passkey => webauthn::challenge(&message).to_vec(),
        _ => message,
    }
}
