//! Tests of the certificates, signatures and signed messages of real headers and changed headers.

use klero_cardano::{Header, KesPeriods, Vrf};
use serde_json::Value;

pub(crate) fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../../../vectors/header/kes.json")).unwrap()
}

pub(crate) fn bytes(vector: &Value, field: &str) -> Vec<u8> {
    hex::decode(vector[field].as_str().unwrap()).unwrap()
}

fn decode(vector: &Value) -> Header {
    let tag = vector["tag"].as_u64().unwrap() as u8;
    Header::decode(tag, &bytes(vector, "header"), 1).unwrap()
}

#[test]
fn claims_of_headers() {
    let file = vectors();
    let periods = KesPeriods {
        slots: file["slots_per_kes_period"].as_u64().unwrap(),
        evolutions: file["max_kes_evolutions"].as_u64().unwrap(),
    };
    let vectors = file["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 20);
    for vector in vectors {
        let header = decode(vector);
        let signing = header.signing.unwrap();
        let certificate = &signing.certificate;
        assert_eq!(header.place.slot, vector["slot"].as_u64().unwrap());
        let issuer = header.lottery.unwrap().issuer_key;
        assert_eq!(issuer[..], bytes(vector, "issuer_vkey"));
        assert_eq!(certificate.hot_key[..], bytes(vector, "kes_vkey"));
        assert_eq!(Some(certificate.number), vector["opcert_counter"].as_u64());
        let start = vector["opcert_start_period"].as_u64();
        assert_eq!(Some(certificate.start), start);
        assert_eq!(certificate.signature[..], bytes(vector, "opcert_signature"));

        let evolution = periods.evolution(header.place.slot, certificate.start);
        if vector["verdict"] == "kes-before-start" {
            assert_eq!(evolution, None);
            assert!(periods.period(header.place.slot) < certificate.start);
        } else {
            assert_eq!(evolution, vector["evolutions"].as_u64());
        }
        let stored = bytes(vector, "header");
        let claim = signing.claim(&stored, 3).unwrap();
        assert_eq!((claim.key, claim.evolution), (&certificate.hot_key, 3));
        assert_eq!(claim.message, bytes(vector, "signed_body"));
        assert_eq!(claim.signature[..], bytes(vector, "kes_signature"));
        // Too few bytes: all bytes except the first byte, and then no bytes.
        assert_eq!(signing.claim(&stored[1..], 3), None);
        assert_eq!(signing.claim(&[], 3), None);
    }
}

/// If a field of a TPraos or Praos header has a wrong length, the error names the field and contains the
/// header's place in the chain.
#[test]
fn wrong_lengths() {
    for vector in vectors()["vectors"].as_array().unwrap() {
        let Header {
            place,
            lottery,
            signing,
            ..
        } = decode(vector);
        let (lottery, certificate) = (lottery.unwrap(), signing.unwrap().certificate);
        let (name, cert) = match lottery.vrf {
            Vrf::TPraos { leader, .. } => ("leader", leader),
            Vrf::Praos(cert) => ("VRF", cert),
        };
        let kes = bytes(vector, "kes_signature");
        let fields: [(&[u8], String); _] = [
            (&cert.proof, format!("{name} proof")),
            (&cert.output, format!("{name} output")),
            (&lottery.issuer_key, "issuer key".to_owned()),
            (&lottery.vrf_key, "VRF key".to_owned()),
            (&certificate.hot_key, "hot key".to_owned()),
            (&certificate.signature, "certificate's signature".to_owned()),
            (&kes, "KES signature".to_owned()),
        ];
        for (field, name) in fields {
            let head = |length: usize| match length {
                ..0x100 => format!("58{length:02x}"),
                _ => format!("59{length:04x}"),
            };
            let (expected, found) = (field.len(), field.len() - 1);
            let whole = head(expected) + &hex::encode(field);
            let shorter = head(found) + &hex::encode(&field[1..]);
            let text = vector["header"].as_str().unwrap();
            assert!(text.contains(&whole), "{name}");
            let changed = hex::decode(text.replacen(&whole, &shorter, 1)).unwrap();
            let tag = vector["tag"].as_u64().unwrap() as u8;
            let error = Header::decode(tag, &changed, 1).unwrap_err();
            let says = format!("{name} has {found} bytes, expected {expected}");
            assert_eq!(error.reason, says);
            let found = error.place.unwrap();
            assert_eq!((found.slot, found.number), (place.slot, place.number));
            assert_eq!(found.prev_hash, place.prev_hash);
        }
    }
}

/// Adds an item to each list of the header in turn. Then it does the same after giving the list an indefinite
/// length. The protocol version of Praos is only tested with definite length.
#[test]
fn fields_that_no_era_knows() {
    for vector in vectors()["vectors"].as_array().unwrap() {
        let tag = vector["tag"].as_u64().unwrap() as u8;
        let stored = bytes(vector, "header");
        let right = decode(vector);
        let lists = lists(&stored);
        let expected: &[u8] = if tag < 6 {
            &[2, 15, 2, 2]
        } else {
            &[2, 10, 2, 4, 2]
        };
        let lengths: Vec<u8> = lists.iter().map(|(start, _)| stored[*start] & 31).collect();
        assert_eq!(lengths, expected);
        for (number, (start, end)) in lists.into_iter().enumerate() {
            let mut longer = stored.clone();
            longer[start] += 1;
            longer.insert(end, 0);
            // The protocol version of Praos can only be decoded as a pair.
            if number == 4 {
                assert!(Header::decode(tag, &longer, 1).is_err());
                continue;
            }
            let error = Header::decode(tag, &longer, 1).unwrap_err();
            assert_eq!(error.reason, "header has fields that its era does not know");
            assert_eq!(error.place.unwrap().slot, right.place.slot);

            let mut indefinite = stored.clone();
            indefinite[start] = 0x9f;
            indefinite.insert(end, 0xff);
            let header = Header::decode(tag, &indefinite, 1).unwrap();
            let signing = header.signing.unwrap();
            let claim = signing.claim(&indefinite, 0).unwrap();
            assert_eq!(claim.signature[..], bytes(vector, "kes_signature"));
            let outermost = start == 0;
            assert_eq!(claim.message == bytes(vector, "signed_body"), outermost);
            let body = &indefinite[1..][..claim.message.len()];
            assert_eq!(claim.message, body);

            indefinite.insert(end, 0);
            let error = Header::decode(tag, &indefinite, 1).unwrap_err();
            assert_eq!(error.reason, "header has fields that its era does not know");
        }
    }
}

/// The positions at which the lists of a header begin and end, in the order in which the lists begin.
fn lists(header: &[u8]) -> Vec<(usize, usize)> {
    fn pass(header: &[u8], at: usize, lists: &mut Vec<(usize, usize)>) -> usize {
        let (kind, number) = (header[at] >> 5, usize::from(header[at] & 31));
        let (length, mut next) = match number {
            0..24 => (number, at + 1),
            24 => (usize::from(header[at + 1]), at + 2),
            25 => {
                let length = u16::from_be_bytes([header[at + 1], header[at + 2]]);
                (usize::from(length), at + 3)
            }
            26 => (0, at + 5),
            _ => panic!("{number} at {at}"),
        };
        match kind {
            0 => next,
            2 => next + length,
            4 => {
                let place = lists.len();
                lists.push((at, 0));
                for _ in 0..length {
                    next = pass(header, next, lists);
                }
                lists[place].1 = next;
                next
            }
            _ => panic!("type {kind} at {at}"),
        }
    }
    let mut lists = Vec::new();
    assert_eq!(pass(header, 0, &mut lists), header.len());
    lists
}
