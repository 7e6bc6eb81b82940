//! Tests that this crate decodes headers to the same fields as `pallas`, which decodes field by field.

use klero_cardano::{Era, Header, Protocol, Vrf};
use pallas_codec::minicbor::{Decode, Decoder};
use pallas_primitives::{VrfCert, alonzo, babbage};

use crate::signed::{bytes, vectors};

/// The block number, the slot, and a list of the fields that are byte strings, in header order.
type Fields = (u64, u64, Vec<Vec<u8>>);

/// Decodes the value that these bytes encode, if no bytes are left over.
fn decode<'b, T: Decode<'b, ()>>(bytes: &'b [u8]) -> Option<T> {
    let mut decoder = Decoder::new(bytes);
    let value = decoder.decode().ok()?;
    (decoder.position() == bytes.len()).then_some(value)
}

fn by_pallas(era: Era, bytes: &[u8]) -> Option<Fields> {
    let cert = |VrfCert(output, proof): &VrfCert| [output.to_vec(), proof.to_vec()];
    Some(match era.protocol() {
        Protocol::TPraos => {
            let body = decode::<alonzo::Header>(bytes)?.header_body;
            let mut fields = vec![body.issuer_vkey.to_vec(), body.vrf_vkey.to_vec()];
            fields.extend(cert(&body.nonce_vrf));
            fields.extend(cert(&body.leader_vrf));
            fields.push(body.block_body_hash.to_vec());
            fields.push(body.operational_cert_hot_vkey.to_vec());
            fields.push(body.operational_cert_sigma.to_vec());
            (body.block_number, body.slot, fields)
        }
        _ => {
            let body = decode::<babbage::Header>(bytes)?.header_body;
            let mut fields = vec![body.issuer_vkey.to_vec(), body.vrf_vkey.to_vec()];
            fields.extend(cert(&body.vrf_result));
            fields.push(body.block_body_hash.to_vec());
            fields.push(body.operational_cert.operational_cert_hot_vkey.to_vec());
            fields.push(body.operational_cert.operational_cert_sigma.to_vec());
            (body.block_number, body.slot, fields)
        }
    })
}

fn of_header(header: Header) -> Fields {
    let (lottery, signing) = (header.lottery.unwrap(), header.signing.unwrap());
    let mut fields = vec![lottery.issuer_key.to_vec(), lottery.vrf_key.to_vec()];
    let certs = match lottery.vrf {
        Vrf::TPraos { eta, leader } => vec![eta, leader],
        Vrf::Praos(cert) => vec![cert],
    };
    for cert in certs {
        fields.extend([cert.output.to_vec(), cert.proof.to_vec()]);
    }
    fields.push(header.body_hash.unwrap().to_vec());
    fields.push(signing.certificate.hot_key.to_vec());
    fields.push(signing.certificate.signature.to_vec());
    (header.place.number, header.place.slot, fields)
}

#[test]
fn changed_headers() {
    let mut random = fastrand::Rng::with_seed(15);
    let (mut whole, mut placed, mut none) = (0, 0, 0);
    for vector in vectors()["vectors"].as_array().unwrap() {
        let tag = vector["tag"].as_u64().unwrap() as u8;
        let era = Era::from_tag(tag).unwrap();
        let header = bytes(vector, "header");
        for _ in 0..5000 {
            let mut changed = header.clone();
            for _ in 0..random.usize(..4) {
                let at = random.usize(..changed.len());
                match random.u8(..4) {
                    // Changes the first byte from `at` on that can be the head of a field.
                    0 | 1 => {
                        let heads = [0x58, 0x59, 0x82, 0x84, 0x8a, 0x8f];
                        let at = (at..changed.len()).find(|at| heads.contains(&changed[*at]));
                        let Some(at) = at else { continue };
                        changed[at] = [0x1b, 0x5f, 0x83, 0x9f, 0xf6, 0xff][random.usize(..6)];
                    }
                    2 => changed.insert(at, random.u8(..)),
                    _ => changed[at] = random.u8(..),
                }
            }
            match (by_pallas(era, &changed), Header::decode(tag, &changed, 1)) {
                (Some(expected), Ok(header)) => {
                    assert_eq!(of_header(header), expected);
                    whole += 1;
                }
                (Some((number, slot, _)), Err(bad)) => {
                    let place = bad.place.unwrap();
                    assert_eq!((place.number, place.slot), (number, slot));
                    placed += 1;
                }
                (None, Err(bad)) => {
                    assert_eq!(bad.place, None, "{}", hex::encode(&changed));
                    none += 1;
                }
                (None, Ok(_)) => panic!("{}", hex::encode(&changed)),
            }
        }
    }
    assert!(
        whole > 10_000 && placed > 10 && none > 10_000,
        "{whole} {placed} {none}"
    );
}
