//! Tokens that were entrusted to ES256 keys and passkeys, and their seals by these keys.

use klero_token::{
    Access, Error, KeyKind, Place, PublicKey, RelyingParty, Revoked, Scheme, Sealing, Signature,
    Token,
};

use crate::encoding::Parts;
use crate::equations::{
    self, Chain, HONEST, Said, Twin, chain_message, counted, es256_sign, passkey_challenge,
    with_larger_s,
};
use crate::software::{Signed, der, key, party, roots, said};
use crate::support::errors::{self, form, high_s, is_trailing, kind, of_truncated, scalar};
use crate::support::{CHALLENGE, ROOT_SEED, again, decode, minted, wrong};
use crate::verdict;

const SEAL: Place = Place::Seal;
const HOLDER: Place = Place::Block(1);

/// The secrets of the holder and of a thief.
const SEED: [u8; 32] = [7; 32];
const THIEF: [u8; 32] = [8; 32];

/// A token that was entrusted to this key. The token has the same bytes in every call.
fn held(key: &PublicKey) -> Token {
    let token = equations::token::<Chain>(&ROOT_SEED, &[b"all"]);
    let caveats = ["path /files".parse().unwrap()];
    let token = decode(&token.bytes()).unwrap().entrust(key, &caveats);
    again(&token.unwrap())
}

/// The encoding of the token that was entrusted to this key, with `seal` as its seal.
fn sealed_by(key: &PublicKey, seal: &[u8]) -> Vec<u8> {
    let mut bytes = held(key).encode().unwrap().to_vec();
    bytes[4] = 1;
    bytes.extend(seal);
    bytes
}

/// The message of this passkey's seal. A hash of the message is the challenge that the passkey signs.
fn seal_message(passkey: &PublicKey) -> Vec<u8> {
    let token = Parts::read::<Chain>(&held(passkey).encode().unwrap()).unwrap();
    let state = equations::state(Chain::ID, 0, &token.blocks);
    let message = chain_message(11, &state, &[], &CHALLENGE.encode().unwrap());
    let sealing = held(passkey).sealing(&CHALLENGE).unwrap();
    assert_eq!(sealing.to_sign(), passkey_challenge(&message));
    message
}

fn fault(what: &'static str) -> Option<Error> {
    Some(Error::Passkey { place: SEAL, what })
}

#[test]
fn an_es256_key_seals_what_it_holds() {
    let public = key(KeyKind::Es256, &SEED);
    let arrived = held(&public);
    assert_eq!(arrived.holder(), Some((KeyKind::Es256, public.as_bytes())));
    let none = roots(None);
    let refused = |challenge| arrived.clone().verify(&none, challenge).unwrap_err();
    assert_eq!(refused(None), Error::Held);
    assert_eq!(refused(Some(&CHALLENGE)), Error::NotSealed);
    assert_eq!(arrived.append(b"x").unwrap_err(), Error::Held);
    assert_eq!(arrived.entrust(&public, &[]).unwrap_err(), Error::Held);

    let sealing = arrived.sealing(&CHALLENGE).unwrap();
    assert_eq!(sealing.key(), &public);
    let low = es256_sign(&SEED, &sealing.to_sign());
    // A device may return the smaller or the larger s, and may encode the signature in 64 bytes or in DER.
    let high = with_larger_s(&low);
    for given in [low.clone(), high.clone(), der(&low), der(&high)] {
        let sealed = sealing.assemble(Signature::Bytes(&given)).unwrap();
        let bytes = sealed.encode().unwrap();
        assert_eq!(*bytes, sealed_by(&public, &low));
        let verified = verdict(&bytes, &none, Some(&CHALLENGE)).unwrap();
        let access = Access {
            audience: Some("shop"),
            path: Some("/files/a"),
            ..Access::at(0, Revoked::none())
        };
        assert!(verified.check(&access).is_ok());
        assert_eq!(verdict(&bytes, &none, None).unwrap_err(), Error::Sealed);
    }
    let thief = es256_sign(&THIEF, &sealing.to_sign());
    for other in [der(&thief), thief, vec![], der(&low)[1..].to_vec()] {
        let refusal = sealing.assemble(Signature::Bytes(&other)).unwrap_err();
        assert_eq!(refusal, wrong(SEAL));
    }
    let assertion = signed(&HONEST, &SEED, &[0; 32]);
    let refusal = sealing.assemble(assertion.assertion()).unwrap_err();
    let no_passkey = Error::WrongKey(KeyKind::Es256, "passkey, which makes assertions");
    assert_eq!(refusal, no_passkey);
}

#[test]
fn es256_signatures_have_one_encoding() {
    let public = key(KeyKind::Es256, &SEED);
    let sealing = held(&public).sealing(&CHALLENGE).unwrap();
    let low = es256_sign(&SEED, &sealing.to_sign());
    let (none, place) = (roots(None), SEAL);
    let refused = |seal: &[u8]| {
        let bytes = sealed_by(&public, seal);
        verdict(&bytes, &none, Some(&CHALLENGE)).unwrap_err()
    };
    assert_eq!(refused(&with_larger_s(&low)), high_s(place));
    // A signature in DER has more than 64 bytes, and its first 64 bytes are not a valid signature.
    let der = der(&low);
    assert!(is_trailing(&refused(&der)));
    assert!(of_truncated(&refused(&low[1..])).is_some());
    assert!(matches!(refused(&der[..64]), Error::Signature { .. }));
    // r and s must be at least 1 and less than the order of the group.
    let order = hex::decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
    for number in [vec![0; 32], order.unwrap(), vec![0xff; 32]] {
        for at in [0, 32] {
            let mut other = low.clone();
            other[at..at + 32].copy_from_slice(&number);
            assert_eq!(refused(&other), scalar(place));
        }
    }
    for at in 0..64 {
        let mut other = low.clone();
        other[at] ^= 1;
        assert_eq!(refused(&other), wrong(SEAL));
    }
}

/// A passkey, the seal that it must sign, and the challenge that the seal sets for the passkey.
fn sealing() -> (PublicKey, Sealing, [u8; 32]) {
    let public = key(KeyKind::Passkey, &SEED);
    let sealing = held(&public).sealing(&CHALLENGE).unwrap();
    let challenge = sealing.to_sign().try_into().unwrap();
    (public, sealing, challenge)
}

fn signed(said: &Said, seed: &[u8; 32], challenge: &[u8; 32]) -> Signed {
    Signed::new(said.sign(seed, challenge))
}

/// `vectors/tokens/passkeys.json` has valid and invalid data of authenticators and browsers.
#[test]
fn a_passkey_seals_what_it_holds() {
    let (public, sealing, challenge) = sealing();
    let signed = signed(&HONEST, &SEED, &challenge);
    let sealed = sealing.assemble(signed.assertion()).unwrap();
    let bytes = sealed.encode().unwrap();
    assert_eq!(*bytes, sealed_by(&public, &signed.bytes()));
    let arrived = again(&sealed);
    let holder = Some((KeyKind::Passkey, public.as_bytes()));
    assert_eq!(arrived.holder(), holder);
    assert_eq!(*arrived.encode().unwrap(), *bytes);
    let known = roots(Some(party()));
    assert!(verdict(&bytes, &known, Some(&CHALLENGE)).is_ok());
    let refused = |roots| verdict(&bytes, &roots, Some(&CHALLENGE)).unwrap_err();
    let no_party = refused(roots(None));
    let what = "made by a passkey, but the verifier has no relying party";
    assert_eq!(no_party, Error::Passkey { place: SEAL, what });
    let elsewhere = |party| Some(refused(roots(Some(party))));
    for origins in [vec!["https://www.shop.example".into()], vec![]] {
        let party = RelyingParty { origins, ..party() };
        let what = "the client data has an origin that the verifier does not accept";
        assert_eq!(elsewhere(party), fault(what));
    }
    for id in ["www.shop.example", "example", "", "SHOP.example"] {
        let id = id.into();
        let party = RelyingParty { id, ..party() };
        let what = "the authenticator data is for another relying party";
        assert_eq!(elsewhere(party), fault(what));
    }
}

#[test]
fn every_byte_of_an_assertion_counts() {
    let (public, _, challenge) = sealing();
    let more = said(|said| said.rest = ",\"crossOrigin\":false,\"more\":\"and more\"}");
    let signed = signed(&more, &SEED, &challenge);
    let signature = &signed.signature;
    let rest = counted([&signed.data, &signed.client_data]);
    let known = roots(Some(party()));
    let accepted = |signature: &[u8], rest: &[u8]| {
        let token = decode(&sealed_by(&public, &[signature, rest].concat()));
        token.is_ok_and(|token| token.verify(&known, Some(&CHALLENGE)).is_ok())
    };
    assert!(accepted(signature, &rest));
    for at in 0..rest.len() {
        for mask in [1, 0x20, 0x80] {
            let mut changed = rest.clone();
            changed[at] ^= mask;
            assert!(!accepted(signature, &changed), "{at}");
        }
        assert!(!accepted(signature, &rest[..at]));
    }
    assert!(!accepted(&with_larger_s(signature), &rest));
    assert!(!accepted(signature, &[&rest[..], &[0]].concat()));
    // Authenticator data that is cut before it is signed.
    for length in 0..37 {
        let (data, client_data) = (&signed.data[..length], &signed.client_data);
        let cut = Said::signed(&SEED, data.to_vec(), client_data.clone());
        assert!(!accepted(&Signed::new(cut).bytes(), &[]));
    }
    // A signature of the challenge, or of the message that is hashed to the challenge, is not an assertion.
    for message in [&challenge[..], &seal_message(&public)] {
        assert!(!accepted(&es256_sign(&SEED, message), &rest));
    }
}

#[test]
fn assertions_are_short() {
    let (public, sealing, challenge) = sealing();
    let known = roots(Some(party()));
    const LONG: [u8; 1025 - 37] = [0xa0; 1025 - 37];
    let too_long = fault("authenticator data or client data of more than 1024 bytes");
    for (length, expected) in [(1024, None), (1025, too_long)] {
        let long = said(|said| (said.flags, said.extensions) = (0x9d, &LONG[..length - 37]));
        let signed = signed(&long, &SEED, &challenge);
        let assembled = sealing.assemble(signed.assertion());
        assert_eq!(assembled.err(), expected);
        let bytes = sealed_by(&public, &signed.bytes());
        assert_eq!(verdict(&bytes, &known, Some(&CHALLENGE)).err(), expected);
    }
}

/// A holder who assembles a seal gets an error if the assertion is not for this seal or not by this key.
#[test]
fn holders_assemble_what_is_theirs() {
    let (_, sealing, challenge) = sealing();
    let assemble = |signed: &Signed| sealing.assemble(signed.assertion()).err();
    let by_thief = signed(&HONEST, &THIEF, &challenge);
    assert_eq!(assemble(&by_thief), Some(wrong(SEAL)));
    let for_another = signed(&HONEST, &SEED, &[0; 32]);
    assert_eq!(assemble(&for_another), fault(errors::CHALLENGE));
    let mut not_der = signed(&HONEST, &SEED, &challenge);
    not_der.der = not_der.signature.clone();
    assert_eq!(assemble(&not_der), Some(wrong(SEAL)));
    let passkey = Some(Error::WrongKey(
        KeyKind::Passkey,
        "ed25519 or es256, which sign bytes",
    ));
    assert_eq!(sealing.assemble(Signature::Bytes(&[0; 64])).err(), passkey);
    // An assertion for any relying party is taken, because the holder cannot know the verifier's.
    let elsewhere = said(|said| {
        said.id = "bank.example";
        said.origin = "https://bank.example";
    });
    assert_eq!(assemble(&signed(&elsewhere, &SEED, &challenge)), None);
}

/// The kind of the last block determines the kind of the seal.
#[test]
fn seals_of_another_kind_are_refused() {
    let (passkey, _, challenge) = sealing();
    let es256 = key(KeyKind::Es256, &SEED);
    assert_eq!(passkey.as_bytes(), es256.as_bytes());
    let known = roots(Some(party()));
    let check = |bytes: &[u8]| verdict(bytes, &known, Some(&CHALLENGE)).err();
    let seal = signed(&HONEST, &SEED, &challenge).bytes();
    assert_eq!(check(&sealed_by(&passkey, &seal)), None);
    // An assertion in place of an ES256 key's signature, and such a signature in place of an assertion.
    let longer = check(&sealed_by(&es256, &seal)).unwrap();
    assert!(is_trailing(&longer));
    assert_eq!(check(&sealed_by(&es256, &seal[..64])), Some(wrong(SEAL)));
    let of_es256 = held(&es256).sealing(&CHALLENGE).unwrap();
    let direct = es256_sign(&SEED, &of_es256.to_sign());
    assert_eq!(check(&sealed_by(&es256, &direct)), None);
    let shorter = check(&sealed_by(&passkey, &direct)).unwrap();
    assert!(of_truncated(&shorter).is_some());
    // The signature in the last block covers the kind of this block.
    let mut changed = sealed_by(&passkey, &seal[..64]);
    let mut keys = changed.windows(33);
    let at = keys
        .position(|window| window == passkey.as_bytes())
        .unwrap();
    assert_eq!(changed[at - 1], 7);
    changed[at - 1] = 6;
    assert_eq!(check(&changed), Some(wrong(HOLDER)));
}

/// After a block that entrusts the token to a key, only a seal by that key can follow.
#[test]
fn nothing_but_a_seal_follows() {
    let (public, ..) = sealing();
    let held = held(&public).encode().unwrap();
    let refused = |bytes: &[u8]| decode(bytes).unwrap_err();
    let mut bearer = held.to_vec();
    bearer[4] = 0;
    bearer.extend([9; 32]);
    let expected = "1 or 4, since the last block is of kind 6 or 7";
    assert_eq!(refused(&bearer), form(0, expected));
    let mut more = held.to_vec();
    more[9] = 3;
    more.extend([1; 1 + 96 + 4]);
    let refusal = kind(2, 1, held.len(), "none behind 6 or 7");
    assert_eq!(refused(&more), refusal);
    // Such a block cannot be in a token of `aggregate`, and it cannot be the first block.
    let token = minted(Scheme::Aggregate);
    let expected = "none, since devices hold no tokens of this scheme";
    let refusal = Error::WrongKey(public.kind(), expected);
    assert_eq!(token.entrust(&public, &[]).unwrap_err(), refusal);
    let narrowed = token.narrow(&[]).unwrap().encode().unwrap();
    let at = 13 + 1 + 64 + 4 + 16 + 4 + 3;
    assert_eq!(narrowed[at], 1);
    for kind in [6, 7, 10, 11] {
        for (token, at, number) in [(&narrowed, at, 1), (&held, 13, 0)] {
            let mut changed = token.to_vec();
            changed[at] = kind;
            let beginning = format!("block {number}: kind {kind} at byte {at}, expected ");
            assert!(refused(&changed).to_string().starts_with(&beginning));
        }
    }
}
