//! Requests and statements, which a holder and a third party send to each other.

use klero_token::{Error, KeyKind, Limits, Place, Request, SecretKey, Statement, Token};

use crate::equations::Twin;
use crate::support::errors::{
    MAGIC, form, malformed, of_truncated, too_large, trailing, truncated, version, wrong,
};
use crate::support::on_all;
use crate::{THIRD_PARTY, statement, token};

fn stated(token: &Token) -> Vec<u8> {
    statement(token).encode().unwrap()
}

fn decode(bytes: &[u8]) -> Result<Statement, Error> {
    Statement::decode(bytes, &Limits::default())
}

fn cut_off<S: Twin>() {
    let token = token::<S>();
    let request = token.request().unwrap().encode();
    for length in 0..request.len() {
        let error = Request::decode(&request[..length]).unwrap_err();
        assert_eq!(of_truncated(&error).unwrap()[0], length);
    }
    let statement = stated(&token);
    for length in 0..statement.len() {
        let error = decode(&statement[..length]).unwrap_err();
        assert_eq!(of_truncated(&error).unwrap()[0], length);
    }
    // A length that leaves no room for key and signature.
    for length in 0..96u32 {
        let short = [
            &statement[..5],
            &length.to_le_bytes(),
            &statement[9..][..length as usize],
        ];
        let error = decode(&short.concat()).unwrap_err();
        assert!(of_truncated(&error).is_some(), "{error:?}");
    }
    let (at, count) = (request.len(), 1);
    let error = Request::decode(&[&request[..], &[0]].concat()).unwrap_err();
    assert_eq!(error, trailing(at, count));
    let at = statement.len();
    let error = decode(&[&statement[..], &[0]].concat()).unwrap_err();
    assert_eq!(error, trailing(at, count));
}

/// A token takes neither a statement that was made for a changed request nor a changed statement.
fn changed<S: Twin>() {
    let token = token::<S>();
    let request = token.request().unwrap().encode();
    let third_party = SecretKey::from_bytes(KeyKind::Ed25519, &THIRD_PARTY).unwrap();
    let place = Place::ThirdParty(token.unverified_blocks().len());
    for at in 0..request.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut request = request.clone();
            request[at] ^= mask;
            let Ok(request) = Request::decode(&request) else {
                assert!(at < 5);
                continue;
            };
            let statement = request.sign(&third_party, b"of age").unwrap();
            let error = token.append_statement(&statement).unwrap_err();
            assert_eq!(error, wrong(place));
        }
    }
    let statement = stated(&token);
    for at in 0..statement.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut statement = statement.clone();
            statement[at] ^= mask;
            let Ok(statement) = decode(&statement) else {
                continue;
            };
            let placed = match token.append_statement(&statement).unwrap_err() {
                Error::Signature { place, .. } => place,
                error => panic!("byte {at} ^ {mask}: {error:?}"),
            };
            assert_eq!(placed, place);
        }
    }
}

/// Absurd lengths, too many bytes, and bytes of another form.
fn lengths_and_forms<S: Twin>() {
    let token = token::<S>();
    let statement = stated(&token);
    let at = 5;
    let mut long = statement.clone();
    long[at..at + 4].fill(0xff);
    let expected = truncated(statement.len(), "statement", at + 4, u32::MAX as usize);
    assert_eq!(decode(&long).unwrap_err(), expected);

    let (bytes, limit) = (statement.len(), statement.len() - 1);
    let limits = Limits {
        bytes: limit,
        ..Limits::default()
    };
    let error = Statement::decode(&statement, &limits).unwrap_err();
    assert_eq!(error, too_large(bytes, "bytes", limit));

    let request = token.request().unwrap().encode();
    let bearer = token.encode().unwrap();
    for (got, bytes) in [(0, &bearer[..]), (2, &request)] {
        let expected = "3, 6 or 7 (statement)";
        assert_eq!(decode(bytes).unwrap_err(), form(got, expected));
    }
    for (got, bytes) in [(0, &bearer[..]), (3, &statement)] {
        let expected = "2 (request)";
        let error = Request::decode(bytes).unwrap_err();
        assert_eq!(error, form(got, expected));
    }
    for (at, error) in [(0, malformed(MAGIC)), (2, version(0xff))] {
        let [mut request, mut statement] = [request.clone(), statement.clone()];
        request[at] = 0xff;
        statement[at] = 0xff;
        assert_eq!(Request::decode(&request).unwrap_err(), error);
        assert_eq!(decode(&statement).unwrap_err(), error);
    }
}

on_all!(cut_off, changed, lengths_and_forms);
