//! The fields of a header of Shelley or a later era, as they are stored.
//!
//! They are read in one pass. A header with the right shape may still be unusable, because it is too long,
//! has a key, proof or signature of a wrong length, or has fields that the era does not know. The error then
//! includes the header's place in the chain.

use pallas_codec::minicbor::data::Type;
use pallas_codec::minicbor::decode::{Decoder, Error};
use pallas_crypto::hash::Hash;

use crate::chain::era::{Era, Protocol};
use crate::chain::header::{BadHeader, Cert, Header, Lottery, Place, UNHASHED, Vrf};
use crate::chain::kes::{OperationalCertificate, Signing};
use crate::limits::SIGNED_HEADER;

/// The length of a KES signature in bytes.
const SIGNATURE: usize = 448;

/// The number of fields that Leios adds to a header's body.
const LEIOS: u64 = 2;

/// Reads the header at the decoder's position. `era` is Shelley or a later era.
///
/// # Errors
/// The outer error means that the bytes do not have the shape of a header. The inner error means that they
/// have this shape, but the header cannot be used.
///
/// Source: cardano-ledger, `eras/babbage/impl/cddl-files/babbage.cddl`, the corresponding file for Alonzo,
/// and `eras/dijkstra/impl/cddl/data/dijkstra.cddl`. In Dijkstra the two fields of Leios are optional. They
/// are missing in the golden file of ouroboros-consensus (`golden/cardano/disk/Block_Dijkstra`).
pub(super) fn read(
    era: Era,
    decoder: &mut Decoder<'_>,
) -> Result<Result<Header, BadHeader>, Error> {
    let mut reader = Reader {
        era,
        decoder,
        wrong_length: None,
        has_unknown: false,
    };
    let header = reader.list(2, Reader::header)?;
    let Reader {
        wrong_length,
        has_unknown,
        ..
    } = reader;
    let length = decoder.position();
    let reason = match wrong_length {
        Some(reason) => reason,
        None if length > SIGNED_HEADER => {
            format!("header has {length} bytes, expected at most {SIGNED_HEADER}")
        }
        // A node rejects a header with unknown fields.
        None if has_unknown => "header has fields that its era does not know".into(),
        None => return Ok(Ok(header)),
    };
    Ok(Err(BadHeader {
        reason,
        place: Some(header.place),
    }))
}

struct Reader<'d, 'b> {
    era: Era,
    decoder: &'d mut Decoder<'b>,
    /// The error about the first key, proof or signature that has a wrong length.
    wrong_length: Option<String>,
    /// True if any list has more items than the era knows.
    has_unknown: bool,
}

impl Reader<'_, '_> {
    fn is_tpraos(&self) -> bool {
        self.era.protocol() == Protocol::TPraos
    }

    fn header(&mut self) -> Result<Header, Error> {
        let start = self.decoder.position();
        let mut rest = self.open(if self.is_tpraos() { 15 } else { 10 })?;
        let number = self.decoder.u64()?;
        let place = Place {
            era: self.era,
            boundary: false,
            slot: self.decoder.u64()?,
            number,
            hash: UNHASHED,
            prev_hash: self.decoder.decode()?,
        };
        let lottery = self.lottery()?;
        let body_size = self.decoder.u64()?;
        let body_hash = self.decoder.decode()?;
        let certificate = match self.is_tpraos() {
            true => self.certificate()?,
            false => self.list(4, Reader::certificate)?,
        };
        // The version of the protocol.
        let _: (u64, u64) = match self.is_tpraos() {
            true => (self.decoder.u64()?, self.decoder.u64()?),
            false => self.decoder.decode()?,
        };
        if self.era == Era::Dijkstra && !self.is_end(rest)? {
            rest = self.leios(rest)?;
        }
        self.close(rest)?;
        let body = start..self.decoder.position();
        self.bytes::<SIGNATURE>("KES signature")?;
        let end = self.decoder.position();
        Ok(Header {
            place,
            lottery: Some(lottery),
            signing: Some(Signing {
                certificate,
                body,
                // If the signature has a wrong length, this range is wrong, but then the header is rejected.
                signature: end.saturating_sub(SIGNATURE)..end,
            }),
            body_hash: Some(body_hash),
            body_size: Some(body_size),
            magic: None,
        })
    }

    fn lottery(&mut self) -> Result<Lottery, Error> {
        Ok(Lottery {
            issuer_key: self.bytes("issuer key")?,
            vrf_key: self.bytes("VRF key")?,
            vrf: match self.is_tpraos() {
                true => Vrf::TPraos {
                    eta: self.cert("eta output", "eta proof")?,
                    leader: self.cert("leader output", "leader proof")?,
                },
                false => Vrf::Praos(self.cert("VRF output", "VRF proof")?),
            },
        })
    }

    fn cert(&mut self, output: &str, proof: &str) -> Result<Cert, Error> {
        self.list(2, |reader| {
            Ok(Cert {
                output: reader.bytes(output)?,
                proof: reader.bytes(proof)?,
            })
        })
    }

    fn certificate(&mut self) -> Result<OperationalCertificate, Error> {
        Ok(OperationalCertificate {
            hot_key: self.bytes("hot key")?,
            number: self.decoder.u64()?,
            start: self.decoder.u64()?,
            signature: self.bytes("certificate's signature")?,
        })
    }

    /// Reads a string of `N` bytes. If the length is wrong, records the error and returns zeros.
    fn bytes<const N: usize>(&mut self, name: &str) -> Result<[u8; N], Error> {
        let bytes = self.decoder.bytes()?;
        Ok(bytes.try_into().unwrap_or_else(|_| {
            let length = bytes.len();
            self.wrong_length
                .get_or_insert_with(|| format!("{name} has {length} bytes, expected {N}"));
            [0; N]
        }))
    }

    /// Reads the two fields of Leios at the end of a header's body: a flag that tells whether the block has a
    /// certificate, and the announced endorser block, if any. Returns how many of the `rest` fields are left
    /// after these two.
    fn leios(&mut self, rest: Option<u64>) -> Result<Option<u64>, Error> {
        let rest = less(rest, LEIOS, "a header of 11 fields, expected 10 or 12")?;
        self.decoder.bool()?;
        let _: Option<(Hash<32>, u32)> = self.decoder.decode()?;
        Ok(rest)
    }

    /// Reads the first `items` items of a list with `read`, and skips the others.
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

    /// Begins a list that must have at least `items` items. Returns how many more items it has, if its length
    /// is definite.
    fn open(&mut self, items: u64) -> Result<Option<u64>, Error> {
        less(self.decoder.array()?, items, "a list ends too early")
    }

    /// True if a list ends here: `rest` is 0, or it is `None` and a break follows.
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

/// Returns how many items a list has after the first `items`, if its length is known. Fails if the list is
/// too short.
fn less(length: Option<u64>, items: u64, too_short: &'static str) -> Result<Option<u64>, Error> {
    let rest = |length: u64| length.checked_sub(items);
    length
        .map(|length| rest(length).ok_or_else(|| Error::message(too_short)))
        .transpose()
}

#[cfg(test)]
mod tests {
    use pallas_codec::minicbor::Encoder;

    use super::*;

    /// Only the first of these byte strings is the beginning of a header.
    #[test]
    fn a_list_that_is_too_short() {
        for (bytes, runs_out) in [
            ([0x82, 0x8a], true),
            ([0x82, 0x89], false),
            ([0x81, 0x8a], false),
        ] {
            let read = read(Era::Babbage, &mut Decoder::new(&bytes));
            assert_eq!(
                read.err().unwrap().is_end_of_input(),
                runs_out,
                "{bytes:x?}"
            );
        }
    }

    /// Makes a Dijkstra header whose body has the fields of Praos and then `more`. The list of the body
    /// announces the length `fields`, or has an indefinite length if `fields` is `None`.
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
        // Returns true if there are fields that the era does not know.
        let read = |era, fields, more: &[u8]| -> Result<bool, String> {
            let bytes = dijkstra(fields, more);
            let mut decoder = Decoder::new(&bytes);
            let header = read(era, &mut decoder).map_err(|error| error.to_string())?;
            assert_eq!(decoder.position(), bytes.len());
            match header {
                Ok(header) => {
                    let signing = header.signing.unwrap();
                    assert_eq!(signing.body, 1..bytes.len() - 451);
                    assert_eq!(signing.signature, bytes.len() - 448..bytes.len());
                    Ok(false)
                }
                Err(bad) => {
                    assert_eq!(bad.reason, "header has fields that its era does not know");
                    Ok(true)
                }
            }
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
        // Wrong types: a number as the flag, a short hash, a list of one item, a flag instead of the list.
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
