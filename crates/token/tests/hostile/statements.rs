//! Requests and statements: what a holder and a third party send each other.

use klero_token::{Error, Limits, Place, Request, SecretKey, Statement, Verified};

use crate::equations::Twin;
use crate::{THIRD_PARTY, on_all, token};

fn stated<S: Twin>(token: &Verified<S>) -> Vec<u8> {
    let third_party = SecretKey::from_seed(&THIRD_PARTY);
    let statement = token.request().unwrap().sign(&third_party, b"of age");
    statement.unwrap().encode().unwrap()
}

fn decode<S: Twin>(bytes: &[u8]) -> Result<Statement<S>, Error> {
    Statement::decode(bytes, &Limits::default())
}

fn truncated<S: Twin>() {
    let token = token::<S>();
    let request = token.request().unwrap().encode();
    for length in 0..request.len() {
        let error = Request::<S>::decode(&request[..length]).unwrap_err();
        assert!(matches!(error, Error::Truncated { end, .. } if end == length));
    }
    let statement = stated(&token);
    for length in 0..statement.len() {
        let error = decode::<S>(&statement[..length]).unwrap_err();
        assert!(matches!(error, Error::Truncated { end, .. } if end == length));
    }
    let (at, count) = (request.len(), 1);
    let error = Request::<S>::decode(&[&request[..], &[0]].concat()).unwrap_err();
    assert_eq!(error, Error::Trailing { at, count });
    let at = statement.len();
    let error = decode::<S>(&[&statement[..], &[0]].concat()).unwrap_err();
    assert_eq!(error, Error::Trailing { at, count });
}

/// A changed request belongs to another token; a changed statement is not valid.
fn changed<S: Twin>() {
    let token = token::<S>();
    let request = token.request().unwrap().encode();
    let third_party = SecretKey::<S>::from_seed(&THIRD_PARTY);
    let place = Place::ThirdParty(token.blocks().len());
    for at in 0..request.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut request = request.clone();
            request[at] ^= mask;
            let Ok(request) = Request::<S>::decode(&request) else {
                assert!(at < 5);
                continue;
            };
            if S::NAME == "bls" && mask != 1 {
                continue;
            }
            let statement = request.sign(&third_party, b"of age").unwrap();
            let error = token.append_external(&statement).unwrap_err();
            assert_eq!(error, Error::Signature { place });
        }
    }
    let statement = stated(&token);
    for at in 0..statement.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut statement = statement.clone();
            statement[at] ^= mask;
            let Ok(statement) = decode::<S>(&statement) else {
                continue;
            };
            let placed = match token.append_external(&statement).unwrap_err() {
                Error::Key { place, .. }
                | Error::Signature { place }
                | Error::SignaturePoint { place }
                | Error::SignatureScalar { place } => place,
                error => panic!("byte {at} ^ {mask}: {error:?}"),
            };
            assert_eq!(placed, place);
        }
    }
}

/// Absurd lengths, the limit, and other kinds of bytes.
fn lengths_and_forms<S: Twin>() {
    let token = token::<S>();
    let statement = stated(&token);
    let at = statement.len() - 4 - b"of age".len();
    let mut long = statement.clone();
    long[at..at + 4].fill(0xff);
    let expected = Error::Truncated {
        what: "payload",
        at: at + 4,
        length: u32::MAX as usize,
        end: statement.len(),
    };
    assert_eq!(decode::<S>(&long).unwrap_err(), expected);

    let (bytes, limit) = (statement.len(), statement.len() - 1);
    let limits = Limits {
        blocks: 1,
        bytes: limit,
    };
    let error = Statement::<S>::decode(&statement, &limits).unwrap_err();
    assert_eq!(error, Error::TooLong { bytes, limit });

    let request = token.request().unwrap().encode();
    let bearer = token.encode().unwrap();
    for (got, bytes) in [(0, &bearer[..]), (2, &request)] {
        let expected = "3 (statement)";
        assert_eq!(
            decode::<S>(bytes).unwrap_err(),
            Error::Form { got, expected }
        );
    }
    for (got, bytes) in [(0, &bearer[..]), (3, &statement)] {
        let expected = "2 (request)";
        let error = Request::<S>::decode(bytes).unwrap_err();
        assert_eq!(error, Error::Form { got, expected });
    }
    for (at, error) in [(0, Error::Magic), (2, Error::Version(0xff))] {
        let [mut request, mut statement] = [request.clone(), statement.clone()];
        request[at] = 0xff;
        statement[at] = 0xff;
        assert_eq!(Request::<S>::decode(&request).unwrap_err(), error);
        assert_eq!(decode::<S>(&statement).unwrap_err(), error);
    }
}

on_all!(truncated, changed, lengths_and_forms);
