//! The fields of a header since Shelley, as they are stored.
//!
//! They are read in one pass and without a copy. To read them says whether the bytes have the
//! shape of a header; whether keys, proofs and signatures have their lengths is left open.

use core::ops::Range;

use pallas_codec::minicbor::data::Type;
use pallas_codec::minicbor::decode::{Decoder, Error};
use pallas_crypto::hash::Hash;

use crate::chain::era::{Era, Protocol};

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
    /// Reads a header of an era since Shelley.
    ///
    /// Source: cardano-ledger, `eras/babbage/impl/cddl-files/babbage.cddl`, that of Alonzo, and
    /// `eras/dijkstra/impl/cddl/data/dijkstra.cddl`. In Dijkstra the two fields of Leios may be missing,
    /// as they are in ouroboros-consensus (`golden/cardano/disk/Block_Dijkstra`).
    pub(super) fn read(era: Era, decoder: &mut Decoder<'b>) -> Result<Self, Error> {
        let mut reader = Reader {
            is_tpraos: era.protocol() == Protocol::TPraos,
            may_have_leios: era == Era::Dijkstra,
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
    may_have_leios: bool,
    has_unknown: bool,
}

impl<'b> Reader<'_, 'b> {
    fn header(&mut self) -> Result<Fields<'b>, Error> {
        let start = self.decoder.position();
        let mut rest = self.open(if self.is_tpraos { 15 } else { 10 })?;
        let body = self.body()?;
        if self.may_have_leios && !self.is_end(rest)? {
            rest = self.leios(rest)?;
        }
        self.close(rest)?;
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

    /// The two fields of Leios at the end of a header's body: whether the block has a certificate, and
    /// the announced endorser block, if there is one. `rest` counts them, and what is left then.
    fn leios(&mut self, rest: Option<u64>) -> Result<Option<u64>, Error> {
        let rest = less(rest, LEIOS, "a header of 11 fields, expected 10 or 12")?;
        self.decoder.bool()?;
        let _: Option<(Hash<32>, u32)> = self.decoder.decode()?;
        Ok(rest)
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
        let rest = self.open(items)?;
        let list = read(self)?;
        self.close(rest)?;
        Ok(list)
    }

    /// Begins a list of at least this many items. Returns how many it has beyond these, if it says so.
    fn open(&mut self, items: u64) -> Result<Option<u64>, Error> {
        less(self.decoder.array()?, items, "a list ends too early")
    }

    /// Whether a list ends here that has this many items left, or else ends with a break.
    fn is_end(&mut self, rest: Option<u64>) -> Result<bool, Error> {
        match rest {
            Some(rest) => Ok(rest == 0),
            None => Ok(self.decoder.datatype()? == Type::Break),
        }
    }

    /// Skips the rest of a list.
    fn close(&mut self, mut rest: Option<u64>) -> Result<(), Error> {
        while !self.is_end(rest)? {
            self.decoder.skip()?;
            self.has_unknown = true;
            rest = rest.map(|rest| rest - 1);
        }
        if rest.is_none() {
            self.decoder.set_position(self.decoder.position() + 1);
        }
        Ok(())
    }
}

/// The items that a list has after some, if its length is known; an error if it is too short.
fn less(length: Option<u64>, items: u64, too_short: &'static str) -> Result<Option<u64>, Error> {
    let rest = |length: u64| length.checked_sub(items);
    length
        .map(|length| rest(length).ok_or_else(|| Error::message(too_short)))
        .transpose()
}

/// The fields that Leios adds to a header's body.
const LEIOS: u64 = 2;

#[cfg(test)]
mod tests {
    use pallas_codec::minicbor::Encoder;

    use super::*;

    /// Only the first is the beginning of a header.
    #[test]
    fn a_list_that_is_too_short() {
        for (bytes, runs_out) in [
            ([0x82, 0x8a], true),
            ([0x82, 0x89], false),
            ([0x81, 0x8a], false),
        ] {
            let read = Fields::read(Era::Babbage, &mut Decoder::new(&bytes));
            assert_eq!(
                read.err().unwrap().is_end_of_input(),
                runs_out,
                "{bytes:x?}"
            );
        }
    }

    /// A header of Dijkstra whose body has the fields of Praos and then these, and the number of
    /// fields it claims to have; a list of indefinite length without one.
    fn dijkstra(fields: Option<u64>, more: &[u8]) -> Vec<u8> {
        let mut e = Encoder::new(Vec::new());
        e.array(2).unwrap();
        match fields {
            Some(fields) => e.array(fields).unwrap(),
            None => e.begin_array().unwrap(),
        };
        e.u64(1).unwrap().u64(2).unwrap().null().unwrap();
        e.bytes(&[3; 32]).unwrap().bytes(&[4; 32]).unwrap();
        e.array(2).unwrap();
        e.bytes(&[5; 64]).unwrap().bytes(&[6; 80]).unwrap();
        e.u64(7).unwrap().bytes(&[8; 32]).unwrap();
        e.array(4).unwrap().bytes(&[9; 32]).unwrap();
        e.u64(10).unwrap().u64(11).unwrap();
        e.bytes(&[12; 64]).unwrap();
        e.array(2).unwrap().u64(12).unwrap().u64(0).unwrap();
        e.writer_mut().extend_from_slice(more);
        if fields.is_none() {
            e.end().unwrap();
        }
        e.bytes(&[13; 448]).unwrap();
        e.into_writer()
    }

    #[test]
    fn dijkstra_has_ten_fields_or_twelve() {
        let announced = [&[0xf4, 0x82, 0x58, 0x20][..], &[14; 32], &[0x19, 1, 2]].concat();
        let leios: [&[u8]; 3] = [&[0xf4, 0xf6], &[0xf5, 0xf6], &announced];
        let read = |era, fields, more: &[u8]| {
            let bytes = dijkstra(fields, more);
            let mut decoder = Decoder::new(&bytes);
            let read = Fields::read(era, &mut decoder).map(|fields| {
                assert_eq!(decoder.position(), bytes.len());
                assert_eq!(fields.body_range, 1..bytes.len() - 451);
                fields.has_unknown
            });
            read.map_err(|error| error.to_string())
        };
        for length in [Some(10), None] {
            assert_eq!(read(Era::Dijkstra, length, &[]), Ok(false));
        }
        for more in leios {
            assert_eq!(read(Era::Dijkstra, Some(12), more), Ok(false));
            assert_eq!(read(Era::Dijkstra, None, more), Ok(false));
            assert_eq!(read(Era::Conway, Some(12), more), Ok(true));
            let longer = [more, &[0xf6]].concat();
            assert_eq!(read(Era::Dijkstra, Some(13), &longer), Ok(true));
            assert_eq!(read(Era::Dijkstra, None, &longer), Ok(true));
        }
        let eleven = read(Era::Dijkstra, Some(11), &[0xf4]).unwrap_err();
        assert!(eleven.contains("11 fields, expected 10 or 12"), "{eleven}");
        assert!(read(Era::Dijkstra, None, &[0xf4]).is_err());
        assert!(read(Era::Dijkstra, Some(9), &[]).is_err());
        // Other types: a number for the certificate, a hash that is too short, no size.
        for more in [
            &[0x00, 0xf6][..],
            &[0xf4, 0x82, 0x41, 1, 0x01],
            &[0xf4, 0x81, 0x01],
            &[0xf4, 0xf4],
        ] {
            assert!(read(Era::Dijkstra, Some(12), more).is_err(), "{more:02x?}");
        }
    }
}
