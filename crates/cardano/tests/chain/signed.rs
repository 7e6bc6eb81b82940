//! What headers are signed with, and what was signed: real headers and changed ones.

use klero_cardano::{Header, KesPeriods, OutsidePeriods};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../../vectors/header/kes.json")).unwrap()
}

fn bytes(vector: &Value, field: &str) -> Vec<u8> {
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
        assert_eq!(
            header.lottery.unwrap().issuer_key[..],
            bytes(vector, "issuer_vkey")
        );
        assert_eq!(certificate.hot_key[..], bytes(vector, "kes_vkey"));
        assert_eq!(Some(certificate.number), vector["opcert_counter"].as_u64());
        assert_eq!(
            Some(certificate.start),
            vector["opcert_start_period"].as_u64()
        );
        assert_eq!(certificate.signature[..], bytes(vector, "opcert_signature"));

        let evolution = periods.evolution(header.place.slot, certificate.start);
        let before = vector["verdict"] == "kes-before-start";
        assert_eq!(
            before,
            matches!(evolution, Err(OutsidePeriods::BeforeStart { .. }))
        );
        if !before {
            assert_eq!(evolution.ok(), vector["evolutions"].as_u64());
        }
        let stored = bytes(vector, "header");
        let claim = signing.claim(&stored, 3).unwrap();
        assert_eq!((claim.key, claim.evolution), (&certificate.hot_key, 3));
        assert_eq!(claim.message, bytes(vector, "signed_body"));
        assert_eq!(claim.signature[..], bytes(vector, "kes_signature"));
        // Bytes of another header.
        assert_eq!(signing.claim(&stored[1..], 3), None);
        assert_eq!(signing.claim(&[], 3), None);
    }
}

/// A certificate of a wrong length is named, in both forms, and the place in the chain is kept.
#[test]
fn wrong_lengths_in_certificates() {
    for vector in vectors()["vectors"].as_array().unwrap() {
        let text = vector["header"].as_str().unwrap();
        let place = decode(vector).place;
        for (field, head, shorter_head, says) in [
            (
                "kes_vkey",
                "5820",
                "581f",
                "hot key has 31 bytes, expected 32",
            ),
            (
                "opcert_signature",
                "5840",
                "583f",
                "certificate's signature has 63 bytes, expected 64",
            ),
            (
                "kes_signature",
                "5901c0",
                "5901bf",
                "KES signature has 447 bytes, expected 448",
            ),
        ] {
            let field = vector[field].as_str().unwrap();
            let shorter = format!("{shorter_head}{}", &field[2..]);
            let text = text.replacen(&format!("{head}{field}"), &shorter, 1);
            let tag = vector["tag"].as_u64().unwrap() as u8;
            let error = Header::decode(tag, &hex::decode(text).unwrap(), 1).unwrap_err();
            assert_eq!(error.reason, says);
            assert_eq!(error.place.unwrap().slot, place.slot);
        }
    }
}
