//! The fields of a header since Shelley, as they are stored.
//!
//! They are read in one pass and without a copy. To read them says whether the bytes have the
//! shape of a header; whether keys, proofs and signatures have their lengths is left open.

use core::ops::Range;

use pallas_codec::minicbor::data::Type;
use pallas_codec::minicbor::decode::{Decoder, Error};
use pallas_crypto::hash::Hash;

use crate::chain::era::Protocol;

/// A header.
pub(super) struct Fields<'b> {
    pub body: Body<'b>,
    /// Where the body is in the bytes.
    pub body_range: Range<usize>,
    pub signature: &'b [u8],
    /// Where the signature ends in the bytes.
    pub signature_end: usize,
    /// Lists have more items than they have in the era. To a node that is an error.
    pub has_unknown: bool,
}

/// The body of a header, which the signature covers.
pub(super) struct Body<'b> {
    pub number: u64,
    pub slot: u64,
    pub prev_hash: Option<Hash<32>>,
    pub issuer_key: &'b [u8],
    pub vrf_key: &'b [u8],
    /// For the nonce alone; only TPraos has it.
    pub eta: Option<Cert<'b>>,
    pub leader: Cert<'b>,
    pub block_body_size: u64,
    pub block_body_hash: Hash<32>,
    pub certificate: Certificate<'b>,
}

/// An output and a proof.
pub(super) type Cert<'b> = [&'b [u8]; 2];

/// An operational certificate.
pub(super) struct Certificate<'b> {
    pub hot_key: &'b [u8],
    pub number: u64,
    pub start: u64,
    pub signature: &'b [u8],
}

impl<'b> Fields<'b> {
    /// Reads a header of TPraos, or else of Praos.
    ///
    /// Source: cardano-ledger, `eras/babbage/impl/cddl-files/babbage.cddl`, and that of Alonzo.
    pub(super) fn read(protocol: Protocol, decoder: &mut Decoder<'b>) -> Result<Self, Error> {
        let mut reader = Reader {
            is_tpraos: protocol == Protocol::TPraos,
            has_unknown: false,
            decoder,
        };
        let fields = reader.list(2, Reader::header)?;
        Ok(Self {
            has_unknown: reader.has_unknown,
            ..fields
        })
    }
}

struct Reader<'d, 'b> {
    decoder: &'d mut Decoder<'b>,
    is_tpraos: bool,
    has_unknown: bool,
}

impl<'b> Reader<'_, 'b> {
    fn header(&mut self) -> Result<Fields<'b>, Error> {
        let start = self.decoder.position();
        let body = self.list(if self.is_tpraos { 15 } else { 10 }, Reader::body)?;
        Ok(Fields {
            body,
            body_range: start..self.decoder.position(),
            signature: self.decoder.bytes()?,
            signature_end: self.decoder.position(),
            has_unknown: self.has_unknown,
        })
    }

    fn body(&mut self) -> Result<Body<'b>, Error> {
        let body = Body {
            number: self.decoder.u64()?,
            slot: self.decoder.u64()?,
            prev_hash: self.decoder.decode()?,
            issuer_key: self.decoder.bytes()?,
            vrf_key: self.decoder.bytes()?,
            eta: match self.is_tpraos {
                true => Some(self.list(2, Reader::cert)?),
                false => None,
            },
            leader: self.list(2, Reader::cert)?,
            block_body_size: self.decoder.u64()?,
            block_body_hash: self.decoder.decode()?,
            certificate: match self.is_tpraos {
                true => self.certificate()?,
                false => self.list(4, Reader::certificate)?,
            },
        };
        // The version of the protocol.
        let _: (u64, u64) = match self.is_tpraos {
            true => (self.decoder.u64()?, self.decoder.u64()?),
            false => self.decoder.decode()?,
        };
        Ok(body)
    }

    fn cert(&mut self) -> Result<Cert<'b>, Error> {
        Ok([self.decoder.bytes()?, self.decoder.bytes()?])
    }

    fn certificate(&mut self) -> Result<Certificate<'b>, Error> {
        Ok(Certificate {
            hot_key: self.decoder.bytes()?,
            number: self.decoder.u64()?,
            start: self.decoder.u64()?,
            signature: self.decoder.bytes()?,
        })
    }

    /// A list that has this many items, which `read` reads, and maybe others after them.
    fn list<T>(
        &mut self,
        items: u64,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let length = self.decoder.array()?;
        if length.is_some_and(|length| length < items) {
            return Err(Error::message("a list ends too early"));
        }
        let list = read(self)?;
        let mut read = items;
        while match length {
            Some(length) => read < length,
            None => self.decoder.datatype()? != Type::Break,
        } {
            self.decoder.skip()?;
            self.has_unknown = true;
            read += 1;
        }
        if length.is_none() {
            self.decoder.set_position(self.decoder.position() + 1);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the first is the beginning of a header.
    #[test]
    fn a_list_that_is_too_short() {
        for (bytes, runs_out) in [
            ([0x82, 0x8a], true),
            ([0x82, 0x89], false),
            ([0x81, 0x8a], false),
        ] {
            let read = Fields::read(Protocol::Praos, &mut Decoder::new(&bytes));
            assert_eq!(
                read.err().unwrap().is_end_of_input(),
                runs_out,
                "{bytes:x?}"
            );
        }
    }
}
