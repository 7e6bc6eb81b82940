//! Tokens in the hands of ES256 keys and passkeys.

use std::collections::BTreeMap;
use std::sync::Mutex;

use klero_token::{
    Access, AssertionFault, Challenge, Error, KeyFault, KeyKind, Limits, PartyKey, Place,
    RelyingParty, Revoked, RootKeys, Scheme, Sealing, Untrusted, Unverified, Verified,
    es256_signature,
};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};

use crate::software::{Said, Signed, high_s, key, party, root, roots};
use crate::{CHALLENGE, again, verdict};

const SEAL: Place = Place::Seal;
const HOLDER: Place = Place::Block(1);

/// The token that a key holds: the same one whenever it is asked for.
fn held(key: &PartyKey) -> Unverified {
    static ALL: Mutex<BTreeMap<String, Unverified>> = Mutex::new(BTreeMap::new());
    let make = || {
        let token = Verified::mint(&root(Scheme::Chain), 0, b"all", &[]).unwrap();
        let caveats = ["path /files".parse().unwrap()];
        again(&token.entrust(key, &caveats).unwrap())
    };
    let mut all = ALL.lock().unwrap();
    all.entry(key.to_string()).or_insert_with(make).clone()
}

/// The bytes of a token whose seal is this instead of what its holder made.
fn sealed_by(key: &PartyKey, signature: &[u8], signed: &[u8]) -> Vec<u8> {
    let mut bytes = held(key).encode().unwrap().to_vec();
    bytes[4] = 1;
    bytes.extend(signature);
    bytes.extend(signed);
    bytes
}

#[test]
fn an_es256_key_seals_what_it_holds() {
    let (secret, public) = key(KeyKind::Es256, 7);
    let arrived = held(&public);
    assert_eq!(arrived.holder(), Some((KeyKind::Es256, public.as_bytes())));
    let none = roots(None);
    let refused = |challenge| arrived.clone().verify(&none, challenge).unwrap_err();
    assert_eq!(refused(None), Error::Held);
    assert_eq!(refused(Some(&CHALLENGE)), Error::NotSealed);
    assert_eq!(arrived.append(b"x").unwrap_err(), Error::Held);
    assert_eq!(arrived.entrust(public, &[]).unwrap_err(), Error::Held);

    let sealing = arrived.sealing(&CHALLENGE).unwrap();
    assert_eq!(sealing.key(), &public);
    assert_eq!(sealing.challenge(), Err(Error::SigningForm(KeyKind::Es256)));
    let signature: Signature = secret.sign(sealing.to_sign());
    // Either s, and DER of either.
    let (low, high) = (signature.normalize_s(), high_s(&signature));
    for given in [low, high] {
        assert_eq!(
            es256_signature(given.to_der().as_bytes()).unwrap()[..],
            low.to_bytes()[..]
        );
        let sealed = sealing.assemble(&given.to_bytes()).unwrap();
        let bytes = sealed.encode().unwrap();
        assert_eq!(*bytes, sealed_by(&public, &low.to_bytes(), &[]));
        let verified = verdict(&bytes, &none, Some(&CHALLENGE)).unwrap();
        let access = Access {
            audience: Some("shop"),
            path: Some("/files/a"),
            ..Access::at(0, Revoked::none())
        };
        assert!(verified.check(&access).is_ok());
        let other = Challenge {
            time: 1,
            ..CHALLENGE
        };
        let place = SEAL;
        let refused = verdict(&bytes, &none, Some(&other)).unwrap_err();
        assert_eq!(refused, Error::Signature { place });
        assert_eq!(verdict(&bytes, &none, None).unwrap_err(), Error::Sealed);
    }
    let thief: Signature = key(KeyKind::Es256, 8).0.sign(sealing.to_sign());
    let der = signature.to_der();
    for wrong in [&thief.normalize_s().to_bytes()[..], &[], der.as_bytes()] {
        let place = SEAL;
        assert_eq!(
            sealing.assemble(wrong).unwrap_err(),
            Error::Signature { place }
        );
    }
}

#[test]
fn es256_signatures_have_one_encoding() {
    let (secret, public) = key(KeyKind::Es256, 7);
    let sealing = held(&public).sealing(&CHALLENGE).unwrap();
    let signature: Signature = secret.sign(sealing.to_sign());
    let low = signature.normalize_s().to_bytes();
    let (none, place) = (roots(None), SEAL);
    let refused = |seal: &[u8]| {
        let bytes = sealed_by(&public, seal, &[]);
        verdict(&bytes, &none, Some(&CHALLENGE)).unwrap_err()
    };
    assert_eq!(
        refused(&high_s(&signature).to_bytes()),
        Error::HighS { place }
    );
    // DER is longer; cut to the length it is no signature.
    let der = signature.to_der();
    assert!(matches!(refused(der.as_bytes()), Error::Trailing { .. }));
    assert!(matches!(refused(&low[1..]), Error::Truncated { .. }));
    assert!(matches!(
        refused(&der.as_bytes()[..64]),
        Error::Signature { .. } | Error::SignatureScalar { .. } | Error::HighS { .. }
    ));
    // r and s are in 1..n.
    let order = hex::decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
    for number in [vec![0; 32], order.unwrap(), vec![0xff; 32]] {
        for at in [0, 32] {
            let mut wrong = low.to_vec();
            wrong[at..at + 32].copy_from_slice(&number);
            assert_eq!(refused(&wrong), Error::SignatureScalar { place });
        }
    }
    for at in 0..64 {
        let mut wrong = low.to_vec();
        wrong[at] ^= 1;
        assert_eq!(refused(&wrong), Error::Signature { place });
    }
}

/// The key in the block is checked as well: an issuer's bearer can write any.
#[test]
fn keys_of_holders_are_points() {
    let (secret, public) = key(KeyKind::Es256, 7);
    // The bearer that entrusts the token, and its key.
    let bearer = Verified::mint(&root(Scheme::Chain), 0, b"all", &[]).unwrap();
    let end = bearer.encode().unwrap();
    let end = ed25519_dalek::SigningKey::from_bytes(end[end.len() - 32..].try_into().unwrap());
    let request = bearer.request().unwrap().encode();
    let entrusted_to = |bytes: &[u8], kind: u8| {
        let payload = [0; 0];
        let message = [
            b"klero-token/chain\x03",
            &[kind][..],
            &request[5..],
            bytes,
            &[0; 8],
            &payload,
        ]
        .concat();
        let signature = ed25519_dalek::Signer::sign(&end, &message).to_bytes();
        let mut token = bearer.encode().unwrap().to_vec();
        token.truncate(token.len() - 32);
        (token[4], token[9]) = (1, 2);
        token.push(kind);
        token.extend([bytes, &signature, &[0; 4]].concat());
        let seal: Signature = secret.sign(b"");
        token.extend(seal.normalize_s().to_bytes());
        token
    };
    let none = roots(None);
    let refused = |bytes: &[u8]| {
        let token = entrusted_to(bytes, 6);
        verdict(&token, &none, Some(&CHALLENGE)).unwrap_err()
    };
    let place = HOLDER;
    let fault = |fault| Error::Key { place, fault };
    let good = public.as_bytes();
    assert_eq!(refused(good), Error::Signature { place: SEAL });
    let with_tag = |tag: u8| [&[tag], &good[1..]].concat();
    for tag in [0, 4, 5, 6] {
        assert_eq!(refused(&with_tag(tag)), fault(KeyFault::NotCanonical));
    }
    let mut off = good.to_vec();
    while PartyKey::from_bytes(KeyKind::Es256, &off).is_ok() {
        off[32] = off[32].wrapping_add(1);
    }
    assert_eq!(refused(&off), fault(KeyFault::NotAPoint));
}

/// The token with its seal by a passkey, as the browser returns it.
fn sealing() -> (SigningKey, PartyKey, Sealing<Untrusted>) {
    let (secret, public) = key(KeyKind::Passkey, 7);
    let sealing = held(&public).sealing(&CHALLENGE).unwrap();
    (secret, public, sealing)
}

#[test]
fn a_passkey_seals_what_it_holds() {
    let (secret, public, sealing) = sealing();
    let challenge = sealing.challenge().unwrap();
    let signed = Said::honest().sign(&secret, &challenge);
    let sealed = sealing.assemble_assertion(&signed.assertion()).unwrap();
    let bytes = sealed.encode().unwrap();
    let [signature, rest] = signed.bytes();
    assert_eq!(*bytes, sealed_by(&public, &signature, &rest));
    let arrived = again(&sealed);
    assert_eq!(
        arrived.holder(),
        Some((KeyKind::Passkey, public.as_bytes()))
    );
    assert_eq!(*arrived.encode().unwrap(), *bytes);
    let known = roots(Some(party()));
    assert!(verdict(&bytes, &known, Some(&CHALLENGE)).is_ok());
    let refused = |roots: &RootKeys, challenge: &Challenge<'_>| {
        verdict(&bytes, roots, Some(challenge)).unwrap_err()
    };
    let place = SEAL;
    let fault = |fault| Error::Assertion { place, fault };
    assert_eq!(
        refused(&roots(None), &CHALLENGE),
        Error::NoRelyingParty { place }
    );
    assert_eq!(
        refused(&roots(None), &CHALLENGE).to_string(),
        "seal: made by a passkey, but the verifier has no relying party"
    );
    let other = Challenge {
        nonce: &[8; 16],
        ..CHALLENGE
    };
    assert_eq!(refused(&known, &other), fault(AssertionFault::Challenge));
    let elsewhere = |change: fn(&mut RelyingParty)| {
        let mut party = party();
        change(&mut party);
        refused(&roots(Some(party)), &CHALLENGE)
    };
    for change in [
        |party: &mut RelyingParty| party.origins = vec!["https://shop.example".into()],
        |party: &mut RelyingParty| party.origins.clear(),
    ] {
        assert_eq!(elsewhere(change), fault(AssertionFault::Origin));
    }
    for id in ["www.shop.example", "example", "", "SHOP.example"] {
        let mut party = party();
        party.id = id.into();
        let refused = refused(&roots(Some(party)), &CHALLENGE);
        assert_eq!(refused, fault(AssertionFault::RelyingParty));
    }
}

#[test]
fn what_authenticator_and_browser_say_counts() {
    let (secret, public, sealing) = sealing();
    let challenge = sealing.challenge().unwrap();
    let known = roots(Some(party()));
    let refused = |signed: &Signed| {
        let [signature, rest] = signed.bytes();
        let bytes = sealed_by(&public, &signature, &rest);
        verdict(&bytes, &known, Some(&CHALLENGE)).err()
    };
    let said = |change: fn(&mut Said)| {
        let mut said = Said::honest();
        change(&mut said);
        refused(&said.sign(&secret, &challenge))
    };
    let place = SEAL;
    let fault = |fault| Some(Error::Assertion { place, fault });
    use AssertionFault::{
        AuthenticatorData, CrossOrigin, Origin, RelyingParty, Type, UserPresence, UserVerification,
    };
    assert_eq!(said(|_| {}), None);
    assert_eq!(said(|said| said.rest = "}"), None);
    assert_eq!(said(|said| said.flags = 0x05), None);
    let extended = |said: &mut Said| {
        said.flags |= 0x80;
        said.extensions = vec![0xa1, 0x61, b'x', 0xf5];
    };
    assert_eq!(said(extended), None);

    assert_eq!(said(|said| said.of_type = "webauthn.create"), fault(Type));
    assert_eq!(
        said(|said| said.origin = "https://evil.example".into()),
        fault(Origin)
    );
    assert_eq!(
        said(|said| said.rest = ",\"crossOrigin\":true}"),
        fault(CrossOrigin)
    );
    assert_eq!(
        said(|said| {
            said.rest = ",\"crossOrigin\":false,\"topOrigin\":\"https://www.shop.example\"}";
        }),
        fault(CrossOrigin)
    );
    assert_eq!(
        said(|said| said.id = "evil.example".into()),
        fault(RelyingParty)
    );
    assert_eq!(said(|said| said.flags = 0x1c), fault(UserPresence));
    assert_eq!(said(|said| said.flags = 0x19), fault(UserVerification));
    for flags in [0x1f, 0x3d, 0x5d, 0x9d, 0x15] {
        let mut other = Said::honest();
        other.flags = flags;
        let refused = refused(&other.sign(&secret, &challenge));
        assert_eq!(refused, fault(AuthenticatorData), "{flags:x}");
    }
    // A verifier that does not ask for it takes a user who is not verified.
    let mut relaxed = party();
    relaxed.user_verification = false;
    let mut present = Said::honest();
    present.flags = 1;
    let [signature, rest] = present.sign(&secret, &challenge).bytes();
    let bytes = sealed_by(&public, &signature, &rest);
    assert!(verdict(&bytes, &roots(Some(relaxed)), Some(&CHALLENGE)).is_ok());
}

#[test]
fn every_byte_of_an_assertion_counts() {
    let (secret, public, sealing) = sealing();
    let challenge = sealing.challenge().unwrap();
    let mut said = Said::honest();
    said.rest = ",\"crossOrigin\":false,\"more\":\"and more\"}";
    let signed = said.sign(&secret, &challenge);
    let [signature, rest] = signed.bytes();
    let known = roots(Some(party()));
    let accepted = |signature: &[u8], rest: &[u8]| {
        let bytes = sealed_by(&public, signature, rest);
        let token = Unverified::decode(&bytes, &Limits::default());
        token.is_ok_and(|token| token.verify(&known, Some(&CHALLENGE)).is_ok())
    };
    assert!(accepted(&signature, &rest));
    for at in 0..rest.len() {
        for mask in [1, 0x20, 0x80] {
            let mut changed = rest.clone();
            changed[at] ^= mask;
            assert!(!accepted(&signature, &changed), "{at}");
        }
        assert!(!accepted(&signature, &rest[..at]));
    }
    let high = high_s(&signed.signature).to_bytes();
    assert!(!accepted(&high, &rest));
    let longer = [&rest[..], &[0]].concat();
    assert!(!accepted(&signature, &longer));
    // Authenticator data that is cut, signed as it is.
    for length in 0..37 {
        let data = signed.data[..length].to_vec();
        let cut = Signed::by(&secret, data, signed.client_data.clone());
        let [signature, rest] = cut.bytes();
        assert!(!accepted(&signature, &rest));
    }
    // What is signed is no message: neither the challenge, nor what another key signs.
    for message in [&challenge[..], sealing.to_sign()] {
        let direct: Signature = secret.sign(message);
        assert!(!accepted(&direct.normalize_s().to_bytes(), &rest));
    }
}

#[test]
fn assertions_are_short() {
    let (secret, public, sealing) = sealing();
    let challenge = sealing.challenge().unwrap();
    let known = roots(Some(party()));
    let place = SEAL;
    let mut said = Said::honest();
    said.flags |= 0x80;
    for (length, fault) in [(1024, None), (1025, Some(AssertionFault::TooLong))] {
        said.extensions = vec![0xa0; length - 37];
        let signed = said.sign(&secret, &challenge);
        let expected = fault.map(|fault| Error::Assertion { place, fault });
        let assembled = sealing.assemble_assertion(&signed.assertion());
        assert_eq!(assembled.err(), expected);
        let [signature, rest] = signed.bytes();
        let bytes = sealed_by(&public, &signature, &rest);
        assert_eq!(verdict(&bytes, &known, Some(&CHALLENGE)).err(), expected);
    }
}

/// A holder learns at once that an assertion is not for this seal, or not by this key.
#[test]
fn holders_assemble_what_is_theirs() {
    let (secret, _, sealing) = sealing();
    let challenge = sealing.challenge().unwrap();
    let assemble = |signed: &Signed| sealing.assemble_assertion(&signed.assertion()).err();
    let place = SEAL;
    let fault = |fault| Some(Error::Assertion { place, fault });
    let honest = Said::honest();
    let thief = key(KeyKind::Passkey, 8).0;
    assert_eq!(
        assemble(&honest.sign(&thief, &challenge)),
        Some(Error::Signature { place })
    );
    assert_eq!(
        assemble(&honest.sign(&secret, &[0; 32])),
        fault(AssertionFault::Challenge)
    );
    let mut not_der = honest.sign(&secret, &challenge);
    not_der.der = not_der.signature.to_bytes().to_vec();
    assert_eq!(assemble(&not_der), Some(Error::Signature { place }));
    let passkey = Some(Error::SigningForm(KeyKind::Passkey));
    assert_eq!(sealing.assemble(&[0; 64]).err(), passkey);
    // For whom it is, the holder cannot know.
    let mut elsewhere = honest;
    elsewhere.id = "bank.example".into();
    elsewhere.origin = "https://bank.example".into();
    assert_eq!(assemble(&elsewhere.sign(&secret, &challenge)), None);
}

/// The kind in the block decides which seal there is.
#[test]
fn seals_of_another_kind_are_refused() {
    let (secret, passkey, sealing) = sealing();
    let es256 = key(KeyKind::Es256, 7).1;
    assert_eq!(passkey.as_bytes(), es256.as_bytes());
    let known = roots(Some(party()));
    let check = |bytes: &[u8]| verdict(bytes, &known, Some(&CHALLENGE)).err();
    let challenge = sealing.challenge().unwrap();
    let [signature, rest] = Said::honest().sign(&secret, &challenge).bytes();
    assert_eq!(check(&sealed_by(&passkey, &signature, &rest)), None);
    // An assertion where the key signs messages; a signature of the message where it is a passkey.
    assert!(matches!(
        check(&sealed_by(&es256, &signature, &rest)),
        Some(Error::Trailing { .. })
    ));
    let (of_es256, place) = (held(&es256).sealing(&CHALLENGE).unwrap(), SEAL);
    let refused = Some(Error::Signature { place });
    assert_eq!(check(&sealed_by(&es256, &signature, &[])), refused);
    let direct: Signature = secret.sign(of_es256.to_sign());
    let direct = direct.normalize_s().to_bytes();
    assert_eq!(check(&sealed_by(&es256, &direct, &[])), None);
    assert!(matches!(
        check(&sealed_by(&passkey, &direct, &[])),
        Some(Error::Truncated { .. })
    ));
    // The kind of the block is signed.
    let mut changed = sealed_by(&passkey, &signature, &rest);
    let at = changed
        .windows(33)
        .position(|window| window == passkey.as_bytes())
        .unwrap();
    assert_eq!(changed[at - 1], 7);
    changed[at - 1] = 6;
    changed.truncate(changed.len() - rest.len());
    let place = HOLDER;
    assert_eq!(check(&changed), Some(Error::Signature { place }));
}

/// Nobody but the key can go on from a block that entrusts the token to it.
#[test]
fn nothing_but_a_seal_follows() {
    let (_, public, _) = sealing();
    let held = held(&public).encode().unwrap();
    let decode = |bytes: &[u8]| Unverified::decode(bytes, &Limits::default());
    let mut bearer = held.to_vec();
    bearer[4] = 0;
    bearer.extend([9; 32]);
    assert!(matches!(
        decode(&bearer).unwrap_err(),
        Error::Form { got: 0, .. }
    ));
    let mut more = held.to_vec();
    more[9] = 3;
    more.extend([1; 1 + 96 + 4]);
    assert!(matches!(
        decode(&more).unwrap_err(),
        Error::Kind {
            block: 2,
            got: 1,
            ..
        }
    ));
    // No such blocks in `aggregate`, and none first.
    let root = root(Scheme::Aggregate);
    let token = Verified::mint(&root, 0, b"all", &[]).unwrap();
    let refusal = Error::NoDevice(Scheme::Aggregate);
    assert_eq!(token.entrust(public, &[]).unwrap_err(), refusal);
    let narrowed = token.narrow(&[]).unwrap().encode().unwrap();
    let at = 13 + 1 + 64 + 4 + 16 + 4 + 3;
    assert_eq!(narrowed[at], 1);
    for kind in [6, 7, 10, 11] {
        let mut changed = narrowed.to_vec();
        changed[at] = kind;
        assert!(matches!(
            decode(&changed).unwrap_err(),
            Error::Kind { block: 1, .. }
        ));
        let mut first = held.to_vec();
        first[13] = kind;
        assert!(matches!(
            decode(&first).unwrap_err(),
            Error::Kind { block: 0, .. }
        ));
    }
}
