//! Statements by ES256 keys and passkeys.

use ed25519_dalek::{Signer, SigningKey};
use klero_token::{
    Access, Caveat, Error, KeyKind, Limits, Place, PublicKey, Reason, Request, Revoked, Scheme,
    SecretKey, Signature, Statement, Token,
};

use crate::equations::{HONEST, Said, es256_sign, with_larger_s};
use crate::software::{Signed, key, party, roots, said};
use crate::support::errors;
use crate::support::{CHALLENGE, again, decode, root, verified, wrong};
use crate::verdict;

const TEXT: &str = "account 17 is of age";
const PLACE: Place = Place::ThirdParty(1);
const SEED: [u8; 32] = [9; 32];

fn asked(scheme: Scheme, key: &PublicKey) -> Token {
    let vouched = Caveat::Vouched {
        key: *key,
        text: TEXT.into(),
    };
    assert_eq!(vouched.to_string().parse(), Ok(vouched.clone()));
    Token::mint(&root(scheme), 0, b"all", &[vouched]).unwrap()
}

/// A statement by a key of this kind, as a device makes it.
fn made(kind: KeyKind, request: &Request, said: &Said) -> Statement {
    let (of, text) = (&key(kind, &SEED), TEXT.as_bytes());
    match kind {
        KeyKind::Passkey => assembled(request, said).unwrap(),
        _ => {
            let signature = es256_sign(&SEED, &request.to_sign(of, text));
            let given = with_larger_s(&signature);
            request
                .assemble(of, text, Signature::Bytes(&given))
                .unwrap()
        }
    }
}

/// A passkey's statement, or the error with which a holder refuses it.
fn assembled(request: &Request, said: &Said) -> Result<Statement, Error> {
    let (of, text) = (&key(KeyKind::Passkey, &SEED), TEXT.as_bytes());
    let challenge: [u8; 32] = request.to_sign(of, text).try_into().unwrap();
    let signed = Signed::new(said.sign(&SEED, &challenge));
    request.assemble(of, text, signed.assertion())
}

#[test]
fn keys_of_p256_vouch_in_every_scheme() {
    let known = roots(Some(party()));
    let both = |scheme| [(scheme, KeyKind::Es256), (scheme, KeyKind::Passkey)];
    for (scheme, kind) in Scheme::ALL.into_iter().flat_map(both) {
        let public = key(kind, &SEED);
        let token = asked(scheme, &public);
        let arrived = verified(&token);
        let refused = arrived.check(&Access::at(0, Revoked::none())).unwrap_err();
        assert_eq!(refused.reason, Reason::Unmet);
        let statement = made(kind, &token.request().unwrap(), &HONEST);
        let text = statement.to_text().unwrap();
        let statement = Statement::from_text(&text, &Limits::default()).unwrap();
        assert_eq!(statement.payload(), TEXT.as_bytes());
        let vouched = token.append_statement(&statement).unwrap();
        let bytes = vouched.encode().unwrap();
        let arrived = verdict(&bytes, &known, None).unwrap();
        assert!(arrived.check(&Access::at(0, Revoked::none())).is_ok());
        let block = &arrived.blocks()[1];
        assert_eq!(block.third_party(), Some((kind, public.as_bytes())));
        assert_eq!(block.payload(), TEXT.as_bytes());
        // A statement does not meet a caveat that names the same public key with the other kind.
        let other = match kind {
            KeyKind::Es256 => KeyKind::Passkey,
            _ => KeyKind::Es256,
        };
        let asked = asked(scheme, &key(other, &SEED));
        let statement = made(kind, &asked.request().unwrap(), &HONEST);
        let token = asked.append_statement(&statement).unwrap();
        let token = again(&token).verify(&known, None).unwrap();
        assert!(token.check(&Access::at(0, Revoked::none())).is_err());
        // This statement is for another token.
        let moved = vouched.append_statement(&statement).unwrap_err();
        let place = Place::ThirdParty(2);
        let what = errors::CHALLENGE;
        match kind {
            KeyKind::Passkey => assert_eq!(moved, Error::Passkey { place, what }),
            _ => assert_eq!(moved, wrong(place)),
        }
    }
}

/// Faults that every verifier refuses. (`vectors/tokens/passkeys.json` has faults that some accept.)
#[test]
fn a_holder_takes_no_statement_that_every_verifier_refuses() {
    let public = key(KeyKind::Passkey, &SEED);
    let request = asked(Scheme::Chain, &public).request().unwrap();
    let place = Place::Statement;
    let fault = |what| Some(Error::Passkey { place, what });
    let of_type = "the type of the client data is not webauthn.get";
    let framed = |said: &mut Said| said.rest = ",\"crossOrigin\":true}";
    for (said, why) in [
        (said(|said| said.flags = 0x1c), "no user was present"),
        (said(|said| said.of_type = "webauthn.create"), of_type),
        (said(framed), errors::CROSS_ORIGIN),
    ] {
        assert_eq!(assembled(&request, &said).err(), fault(why));
    }
    // Any relying party is taken, because the holder cannot know the verifier's.
    let elsewhere = said(|said| said.id = "bank.example");
    assert!(assembled(&request, &elsewhere).is_ok());
    let text = TEXT.as_bytes();
    let refused = request
        .assemble(&public, text, Signature::Bytes(&[0; 64]))
        .err();
    let expected = "ed25519 or es256, which sign bytes";
    assert_eq!(refused, Some(Error::WrongKey(KeyKind::Passkey, expected)));
}

#[test]
fn every_byte_of_a_statement_counts() {
    for (kind, form) in [(KeyKind::Es256, 6), (KeyKind::Passkey, 7)] {
        let token = asked(Scheme::Chain, &key(KeyKind::Passkey, &SEED));
        // The first block has random bytes, so a single token is used for all changes.
        let request = token.request().unwrap();
        let encoded = made(kind, &request, &HONEST).encode().unwrap();
        assert_eq!(encoded[4], form);
        let append = |encoded: &[u8]| {
            let statement = Statement::decode(encoded, &Limits::default())?;
            token.append_statement(&statement)
        };
        assert!(append(&encoded).is_ok());
        for at in 0..encoded.len() {
            let mut changed = encoded.clone();
            changed[at] ^= 1;
            assert!(append(&changed).is_err(), "{kind} {at}");
            assert!(append(&encoded[..at]).is_err());
        }
        // The statement, read as a statement by a key of another kind.
        for other in [3, 6, 7].into_iter().filter(|other| *other != form) {
            let mut changed = encoded.clone();
            changed[4] = other;
            assert!(append(&changed).is_err(), "{kind} as {other}");
        }
        // A signature with the larger s.
        let mut high = encoded.clone();
        high[42..106].copy_from_slice(&with_larger_s(&encoded[42..106]));
        let place = PLACE;
        assert_eq!(append(&high).unwrap_err(), errors::high_s(place));
        // A key that is not a point.
        let mut weak = encoded.clone();
        weak[9..42].fill(0);
        let refusal = append(&weak).unwrap_err();
        let (key, what) = (errors::NOT_CANONICAL, errors::CHALLENGE);
        match kind {
            KeyKind::Es256 => assert_eq!(refusal, errors::signature(place, key)),
            _ => assert_eq!(refusal, Error::Passkey { place, what }),
        }
    }
}

#[test]
fn keys_are_told_apart() {
    let passkey = key(KeyKind::Passkey, &SEED);
    let es256 = key(KeyKind::Es256, &SEED);
    assert_ne!(passkey, es256);
    let ed25519 = *SecretKey::from_bytes(KeyKind::Ed25519, &[3; 32])
        .unwrap()
        .public_key();
    for key in [passkey, es256, ed25519] {
        let text = key.to_string();
        assert_eq!(text.parse(), Ok(key));
        let name = key.kind().name();
        for wrong in [
            &text[..text.len() - 1],
            &format!("{text}A"),
            &text.replacen(':', "", 1),
            &text.replacen(name, "rs256", 1),
            &text.replacen(name, &name.to_uppercase(), 1),
        ] {
            assert!(wrong.parse::<PublicKey>().is_err(), "{wrong}");
        }
    }
    // Keys of other lengths and of other curves are refused.
    let short = format!("passkey:{}", &ed25519.to_string()[8..]);
    assert!(short.parse::<PublicKey>().is_err());
    assert!(PublicKey::from_bytes(KeyKind::Passkey, ed25519.as_bytes()).is_err());
    assert!(PublicKey::from_bytes(KeyKind::Ed25519, es256.as_bytes()).is_err());
    // Issuers have no keys of P-256.
    assert!(PublicKey::from_bytes(Scheme::Chain, es256.as_bytes()).is_err());

    let point = p256::ecdsa::VerifyingKey::from_sec1_bytes(passkey.as_bytes()).unwrap();
    let point = point.to_sec1_point(false);
    let spki = hex::decode("3059301306072a8648ce3d020106082a8648ce3d030107034200").unwrap();
    let spki = [&spki, point.as_bytes()].concat();
    let read = |spki: &[u8]| PublicKey::from_spki(KeyKind::Passkey, spki);
    assert_eq!(read(&spki), Ok(passkey));
    for at in 0..spki.len() {
        let mut wrong = spki.clone();
        wrong[at] ^= 1;
        assert!(read(&wrong).is_err());
        assert!(read(&spki[..at]).is_err());
    }
    assert!(read(&[&spki[..], &[0]].concat()).is_err());
    assert!(PublicKey::from_spki(KeyKind::Ed25519, &spki).is_err());
}

/// The limit on signatures counts two blocks and the statement in one of them as three signatures.
#[test]
fn statements_are_counted() {
    let public = key(KeyKind::Passkey, &SEED);
    let token = asked(Scheme::Chain, &public);
    let statement = made(KeyKind::Passkey, &token.request().unwrap(), &HONEST);
    let token = token.append_statement(&statement).unwrap();
    let bytes = token.encode().unwrap();
    let limits = Limits {
        signatures: 2,
        ..Limits::default()
    };
    let refusal = Token::decode(&bytes, &limits).unwrap_err();
    assert!(matches!(refusal, Error::TooLarge { .. }));
}

/// After a statement, the next key is an Ed25519 key, whatever key made the statement. A device may have the
/// next key.
#[test]
fn an_ed25519_device_seals_behind_a_statement_by_p256() {
    let known = roots(Some(party()));
    for kind in [KeyKind::Es256, KeyKind::Passkey] {
        let token = asked(Scheme::Chain, &key(kind, &SEED));
        let statement = made(kind, &token.request().unwrap(), &HONEST);
        let token = token.append_statement(&statement).unwrap();
        let mut bytes = token.encode().unwrap();
        let length = bytes.len();
        // The device takes over the bearer's seed, and the token becomes one that a device holds.
        let seed = bytes.split_off(length - 32);
        bytes[4] = 4;
        let held = decode(&bytes).unwrap();
        assert!(held.is_held() && held.holder().is_none());
        let device = SigningKey::from_bytes(&seed.try_into().unwrap());
        let sealing = held.sealing(&CHALLENGE).unwrap();
        assert_eq!(sealing.key().as_bytes(), device.verifying_key().as_bytes());
        let signature = device.sign(&sealing.to_sign()).to_bytes();
        let sealed = sealing.assemble(Signature::Bytes(&signature)).unwrap();
        let sealed = sealed.encode().unwrap();
        assert!(verdict(&sealed, &known, Some(&CHALLENGE)).is_ok());
    }
}
