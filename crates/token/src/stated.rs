//! What a third party signs, and the payload of a block with a statement.

use alloc::vec::Vec;

use crate::codec::Reader;
use crate::error::{Error, Place};
use crate::es256;
use crate::key::KeyKind;
use crate::scheme::Scheme;
use crate::state::{State, le64};
use crate::webauthn::{self, RelyingParty};

/// The payload of a block with a statement, in parts.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) by: KeyKind,
    pub(crate) key: &'a [u8],
    pub(crate) signature: &'a [u8],
    /// Of a passkey.
    signed: Option<webauthn::Signed<'a>>,
    pub(crate) payload: &'a [u8],
}

impl<'a> Parts<'a> {
    /// The parts, if there are as many bytes.
    pub(crate) fn of(by: KeyKind, whole_payload: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(whole_payload);
        let parts = Self::read(by, &mut reader, Place::Statement).ok()?;
        let payload = &whole_payload[parts.length()..];
        Some(Self { payload, ..parts })
    }

    /// Reads up to the payload, which is the rest.
    pub(crate) fn read(by: KeyKind, reader: &mut Reader<'a>, place: Place) -> Result<Self, Error> {
        Ok(Self {
            by,
            key: reader.bytes("third party's key", by.key_length())?,
            signature: reader.bytes("third party's signature", 64)?,
            signed: match by {
                KeyKind::Passkey => Some(webauthn::Signed::read(reader, place)?),
                _ => None,
            },
            payload: &[],
        })
    }

    /// The bytes before the payload.
    pub(crate) fn length(&self) -> usize {
        let signed = self.signed.as_ref();
        self.key.len() + 64 + signed.map_or(0, webauthn::Signed::encoded_length)
    }

    /// Verifies what a key of P-256 signed, for a verifier's relying party if there is one.
    pub(crate) fn verify_es256(
        &self,
        message: &[u8],
        party: Option<&RelyingParty>,
        place: Place,
    ) -> Result<(), Error> {
        let key = (self.key, place);
        match &self.signed {
            None => es256::verify(key, message, self.signature, place),
            Some(signed) => {
                let challenge = webauthn::challenge(message);
                signed.verify(key, &challenge, self.signature, (party, place))
            }
        }
    }

    /// What is signed.
    pub(crate) fn message(&self, scheme: Scheme, before: &State) -> Vec<u8> {
        message(scheme, before, self.key, self.payload)
    }
}

/// What is signed.
pub(crate) fn message(scheme: Scheme, before: &State, key: &[u8], payload: &[u8]) -> Vec<u8> {
    [
        b"klero-token/statement\x03",
        &[scheme.id()][..],
        &before.0,
        key,
        &le64(payload),
        payload,
    ]
    .concat()
}
