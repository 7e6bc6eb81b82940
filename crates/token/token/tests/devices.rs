//! Keys that come from outside: from texts and PEM files, from devices, which only sign, and from the list of
//! root keys. Also verifies tokens of both schemes together.

use ed25519_dalek::{Signer, SigningKey};
use klero_token::{
    Access, Caveat, Challenge, Error, KeyKind, Minting, Place, PublicKey, Revoked, RootKeys,
    Scheme, SecretKey, Signature, Token,
};

mod support;

use support::errors::{SMALL_ORDER, key_text, malformed};
use support::{CHALLENGE, again, decode, minted, roots, wrong};

const SECRET_NAMES: &str = "chain-secret, aggregate-secret or ed25519-secret";

/// The secret key in a device, and its public key.
fn device() -> (SigningKey, PublicKey) {
    let device = SigningKey::from_bytes(&[7; 32]);
    let key = PublicKey::from_bytes(Scheme::Chain, device.verifying_key().as_bytes()).unwrap();
    (device, key)
}

#[test]
fn an_ed25519_device_mints() {
    let (device, key) = device();
    let prepare = || Minting::prepare(&key, 3, b"all", &[Caveat::Before(9)]).unwrap();
    let minting = prepare();
    assert!(minting.to_sign().starts_with(Minting::FIRST_BLOCK));
    let signature = device.sign(minting.to_sign()).to_bytes();
    let token = minting.assemble(&signature).unwrap();
    let rights = token.unverified_blocks()[0].payload();
    assert_eq!((token.root_id(), rights), (3, &b"all"[..]));
    let roots: RootKeys = [(3, key)].into_iter().collect();
    let narrowed = token.narrow(&[Caveat::After(1)]).unwrap();
    let verified = again(&narrowed).verify(&roots, None).unwrap();
    assert!(verified.check(&Access::at(5, Revoked::none())).is_ok());

    // A thief's signature, a signature of another message, and signatures of the wrong length.
    let thief = SigningKey::from_bytes(&[8; 32]);
    let of_thief = thief.sign(prepare().to_sign()).to_bytes();
    for other in [&of_thief[..], &signature, &signature[..63], &[]] {
        let refusal = prepare().assemble(other).unwrap_err();
        assert_eq!(refusal, wrong(Place::Block(0)));
        assert_eq!(
            refusal.to_string(),
            "block 0: the signature does not hold, or it is by another root key"
        );
    }
}

/// A token whose last key is in a device, and the root keys that verify the token.
fn held(key: &PublicKey) -> (Token, RootKeys) {
    let caveats = ["path /files".parse().unwrap()];
    let held = minted(Scheme::Chain).entrust(key, &caveats).unwrap();
    (held, roots(Scheme::Chain))
}

/// The token contains no secret, and without the device nobody can use the token or add to it.
#[test]
fn a_device_holds_the_last_key() {
    let (_, key) = device();
    let (held, roots) = held(&key);
    let arrived = again(&held);
    let refused = |challenge| arrived.clone().verify(&roots, challenge).unwrap_err();
    assert_eq!(refused(None), Error::Held);
    assert_eq!(refused(Some(&CHALLENGE)), Error::NotSealed);
    assert_eq!(arrived.append(b"x").unwrap_err(), Error::Held);
    assert_eq!(arrived.seal(&CHALLENGE).unwrap_err(), Error::Held);
    assert_eq!(arrived.request().unwrap_err(), Error::Held);
    assert_eq!(arrived.entrust(&key, &[]).unwrap_err(), Error::Held);
    assert!(format!("{arrived:?}").contains("sealed: false, held: true"));

    // A thief who appends another secret to the token does not get a valid bearer token.
    let mut stolen = held.encode().unwrap().to_vec();
    assert_eq!(stolen[4], 4);
    stolen[4] = 0;
    stolen.extend([8; 32]);
    let stolen = decode(&stolen).unwrap();
    assert_eq!(stolen.verify(&roots, None).unwrap_err(), Error::Possession);
}

#[test]
fn a_device_seals_what_it_holds() {
    let (device, key) = device();
    let (held, roots) = held(&key);
    let arrived = again(&held);
    let sealing = arrived.sealing(&CHALLENGE).unwrap();
    assert!(!sealing.to_sign().starts_with(Minting::FIRST_BLOCK));
    let signature = device.sign(&sealing.to_sign()).to_bytes();
    let sealed = sealing.assemble(Signature::Bytes(&signature)).unwrap();
    let verified = sealed.verify(&roots, Some(&CHALLENGE)).unwrap();
    let access = Access {
        audience: Some(CHALLENGE.audience),
        path: Some("/files/a"),
        ..Access::at(0, Revoked::none())
    };
    assert!(verified.check(&access).is_ok());

    let thief = SigningKey::from_bytes(&[8; 32]);
    let of_thief = thief.sign(&sealing.to_sign()).to_bytes();
    for other in [&of_thief[..], &[]] {
        let refusal = sealing.assemble(Signature::Bytes(other)).unwrap_err();
        assert_eq!(refusal, wrong(Place::Seal));
    }

    let forgotten = Challenge {
        nonce: &[],
        ..CHALLENGE
    };
    assert_eq!(arrived.sealing(&forgotten).err(), Some(Error::EmptyNonce));
    let bearer = minted(Scheme::Chain);
    assert_eq!(bearer.sealing(&CHALLENGE).err(), Some(Error::NotHeld));
}

#[test]
fn holders_have_devices_in_chains_alone() {
    let (chain, aggregate) = (device().1, *support::root(Scheme::Aggregate).public_key());
    let minting = Minting::prepare(&aggregate, 0, b"all", &[]);
    let refusal = Error::WrongKey(KeyKind::Aggregate, "chain");
    assert_eq!(minting.err(), Some(refusal));
    for (scheme, key, expected) in [
        (Scheme::Chain, aggregate, "one that a device can have"),
        (
            Scheme::Aggregate,
            chain,
            "none, since devices hold no tokens of this scheme",
        ),
    ] {
        let refused = minted(scheme).entrust(&key, &[]).unwrap_err();
        assert_eq!(refused, Error::WrongKey(key.kind(), expected));
    }
}

#[test]
fn an_ed25519_device_states() {
    let device = SigningKey::from_bytes(&[7; 32]);
    let key = PublicKey::from_bytes(KeyKind::Ed25519, device.verifying_key().as_bytes()).unwrap();
    let token = minted(Scheme::Aggregate);
    let request = token.request().unwrap();
    let signature = device.sign(&request.to_sign(&key, b"of age")).to_bytes();
    let statement = request
        .assemble(&key, b"of age", Signature::Bytes(&signature))
        .unwrap();
    let token = token.append_statement(&statement).unwrap();
    let roots = roots(Scheme::Aggregate);
    assert!(again(&token).verify(&roots, None).is_ok());
    let said = "statement: the signature does not hold";
    let others = [
        (&b"of ag"[..], &signature[..]),
        (b"of age", &signature[1..]),
    ];
    for (payload, signature) in others {
        let refusal = request
            .assemble(&key, payload, Signature::Bytes(signature))
            .unwrap_err();
        assert_eq!(refusal, wrong(Place::Statement));
        assert_eq!(refusal.to_string(), said);
    }
    // The secret key itself makes the same statement.
    let own = SecretKey::from_bytes(KeyKind::Ed25519, &[7; 32]).unwrap();
    assert_eq!(request.sign(&own, b"of age").unwrap(), statement);
}

#[test]
fn keys_are_text() {
    const NAMES: &str = "chain, aggregate, ed25519, es256 or passkey";
    for kind in [KeyKind::Chain, KeyKind::Aggregate, KeyKind::Ed25519] {
        let name = kind.name();
        let secret = SecretKey::from_bytes(kind, &[7; 32]).unwrap();
        let public = *secret.public_key();
        let (text, hidden) = (public.to_string(), secret.to_text());
        assert!(text.starts_with(&format!("{name}:")));
        assert!(hidden.starts_with(&format!("{name}-secret:")));
        assert_eq!(text.len(), name.len() + 1 + 43);
        assert_eq!(text.parse(), Ok(public));
        assert_eq!(hidden.parse(), Ok(secret.clone()));
        assert!(!format!("{secret:?}").contains(&hidden[name.len() + 8..][..8]));
        // A public key is not a secret key, and a text with another length or another name is not a key.
        for (wrong, expected) in [
            (&text[..text.len() - 1], name),
            (&format!("{text}A"), name),
            (&format!("{text}="), name),
            ("", NAMES),
            (&format!(" {text}"), NAMES),
            (&hidden, NAMES),
            (&text.replace(':', ""), NAMES),
            (&text.replacen(name, "other", 1), NAMES),
        ] {
            let refusal = wrong.parse::<PublicKey>();
            assert_eq!(refusal, Err(key_text(expected)), "{wrong}");
        }
        let refusal = text.parse::<SecretKey>();
        assert_eq!(refusal, Err(key_text(SECRET_NAMES)));
        for end in ["AAAA", "="] {
            let refusal = format!("{}{end}", *hidden).parse::<SecretKey>();
            assert_eq!(refusal, Err(key_text(&format!("{name}-secret"))));
        }
    }
    // A key of small order.
    let weak = format!("chain:{}", "A".repeat(43));
    let refusal = Err(malformed(format!("key: {SMALL_ORDER}")));
    assert_eq!(weak.parse::<PublicKey>(), refusal);
}

/// A key is for only one purpose, even if a key for another purpose has the same bytes.
#[test]
fn keys_of_one_seed_and_two_kinds_are_two_keys() {
    let key = |kind| SecretKey::from_bytes(kind, &[7; 32]).unwrap();
    let (issuer, party) = (key(KeyKind::Chain), key(KeyKind::Ed25519));
    let [of_issuer, of_party] = [&issuer, &party].map(|key| *key.public_key());
    assert_ne!(issuer, party);
    assert_ne!(of_issuer, of_party);
    assert_eq!(of_issuer.as_bytes(), of_party.as_bytes());

    // The third party's key does not verify the issuer's token. `RootKeys` can have both under one number.
    let token = Token::mint(&issuer, 0, b"may read", &[]).unwrap();
    let arrived = || token.clone();
    let mut roots = RootKeys::from(of_party);
    let refusal = arrived().verify(&roots, None).unwrap_err();
    assert_eq!(refusal, Error::UnknownRoot(0));
    assert_eq!(roots.insert(0, of_issuer), None);
    assert!(arrived().verify(&roots, None).is_ok());
    assert_eq!(roots.remove(Scheme::Chain, 0), Some(of_issuer));
    assert!(arrived().verify(&roots, None).is_err());
    let no_issuer = Error::WrongKey(KeyKind::Ed25519, "chain or aggregate");
    let refusal = Token::mint(&party, 0, b"may read", &[]).unwrap_err();
    assert_eq!(refusal, no_issuer);
    let refusal = Minting::prepare(&of_party, 0, b"may read", &[]).err();
    assert_eq!(refusal, Some(Error::WrongKey(KeyKind::Ed25519, "chain")));

    // An issuer's key makes no statements, and no caveat can require a statement by an issuer's key.
    let request = token.request().unwrap();
    let statement = request.sign(&party, b"of age").unwrap();
    let refusal = request.sign(&issuer, b"of age").unwrap_err();
    assert_eq!(refusal, Error::WrongKey(KeyKind::Chain, "ed25519"));
    let signature = SigningKey::from_bytes(&[7; 32]).sign(&request.to_sign(&of_party, b"of age"));
    let signature = signature.to_bytes();
    let assembled = |key| request.assemble(key, b"of age", Signature::Bytes(&signature));
    assert_eq!(assembled(&of_party), Ok(statement));
    let refusal = Error::WrongKey(KeyKind::Chain, "ed25519, es256 or passkey");
    assert_eq!(assembled(&of_issuer), Err(refusal));
    let vouched = |by: PublicKey| format!("vouched {by} of age").parse::<Caveat>();
    assert!(vouched(of_party).is_ok() && vouched(of_issuer).is_err());
    let (key, text) = (of_issuer, "of age".into());
    assert!(matches!(
        token.narrow(&[Caveat::Vouched { key, text }]),
        Err(Error::Caveat { .. })
    ));
}

#[test]
fn keys_of_p256_have_no_seeds() {
    for kind in [KeyKind::Es256, KeyKind::Passkey] {
        let refusal = Error::WrongKey(kind, "chain, aggregate or ed25519");
        assert_eq!(SecretKey::generate(kind), Err(refusal.clone()));
        assert_eq!(SecretKey::from_bytes(kind, &[7; 32]), Err(refusal));
        let text = format!("{kind}-secret:{}", "A".repeat(43));
        assert_eq!(text.parse::<SecretKey>(), Err(key_text(SECRET_NAMES)));
    }
}

/// The keys of RFC 8410, sections 7 and 10, in the form that OpenSSL reads and writes.
#[test]
fn ed25519_keys_are_pem_files() {
    let secret = "-----BEGIN PRIVATE KEY-----\n\
                  MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                  -----END PRIVATE KEY-----\n";
    let public = "-----BEGIN PUBLIC KEY-----\n\
                  MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                  -----END PUBLIC KEY-----\n";
    let key = SecretKey::from_pem(Scheme::Chain, secret).unwrap();
    let read = PublicKey::from_pem(Scheme::Chain, public);
    assert_eq!(read.as_ref(), Ok(key.public_key()));
    assert_eq!(key.public_key().to_pem().unwrap(), public);
    let again = SecretKey::from_pem(KeyKind::Ed25519, &key.to_pem().unwrap());
    assert_eq!(again.unwrap().as_bytes(), key.as_bytes());
    let aggregate = SecretKey::from_seed(Scheme::Aggregate, &[7; 32]);
    assert!(aggregate.to_pem().is_none());
    for wrong in ["", "-----BEGIN PRIVATE KEY-----", public, &secret[..60]] {
        let refusal = SecretKey::from_pem(Scheme::Chain, wrong).unwrap_err();
        assert_eq!(refusal, key_text("PEM, PKCS#8"));
    }
    for wrong in ["", secret, &public[..60]] {
        let refusal = PublicKey::from_pem(Scheme::Chain, wrong).unwrap_err();
        assert_eq!(refusal, key_text("PEM, SPKI"));
    }
}

#[test]
fn roots_are_looked_up() {
    let keys = [1u8, 2].map(|seed| SecretKey::from_seed(Scheme::Chain, &[seed; 32]));
    let token = again(&Token::mint(&keys[1], 2, b"all", &[]).unwrap());
    let publics = keys.each_ref().map(|key| *key.public_key());
    let mut roots: RootKeys = (1..).zip(publics).collect();
    assert!(token.clone().verify(&roots, None).is_ok());
    assert_eq!(roots.remove(Scheme::Aggregate, 2), None);
    assert_eq!(roots.remove(Scheme::Chain, 2), Some(publics[1]));
    assert_eq!(roots.remove(Scheme::Chain, 2), None);
    let refused = |roots: &RootKeys| token.clone().verify(roots, None).unwrap_err();
    assert_eq!(refused(&roots), Error::UnknownRoot(2));
    roots.extend([(2, publics[0])]);
    assert_eq!(refused(&roots), wrong(Place::Block(0)));
    assert_eq!(refused(&publics[1].into()), Error::UnknownRoot(2));
}

/// Verifies tokens of both schemes, first one by one, then together. Verifiers without root keys, or with
/// only the other scheme's root key, refuse; a verifier with both root keys accepts.
#[test]
fn a_service_accepts_several_schemes() {
    let keys = Scheme::ALL.map(|scheme| *support::root(scheme).public_key());
    let both: RootKeys = keys.into_iter().map(|key| (0, key)).collect();
    let mut many = Vec::new();
    for (scheme, other) in Scheme::ALL.into_iter().zip([keys[1], keys[0]]) {
        let token = minted(scheme);
        let (arrived, sealed) = (again(&token), again(&token.seal(&CHALLENGE).unwrap()));
        assert_eq!(arrived.scheme(), scheme);
        for roots in [RootKeys::new(), other.into()] {
            let refusal = arrived.clone().verify(&roots, None).unwrap_err();
            assert_eq!(refusal, Error::UnknownRoot(0));
        }
        let verified = arrived.clone().verify(&both, None).unwrap();
        let rights = verified.check(&Access::at(0, Revoked::none()));
        assert_eq!(&*rights.unwrap(), b"all");
        assert_eq!(verified.revocation_ids(), token.revocation_ids());
        assert!(sealed.clone().verify(&both, Some(&CHALLENGE)).is_ok());
        let refusal = sealed.clone().verify(&both, None).unwrap_err();
        assert_eq!(refusal, Error::Sealed);
        many.extend([(arrived.clone(), None), (sealed, Some(CHALLENGE))]);
        many.push((arrived, Some(CHALLENGE)));
    }
    let mixed: Vec<_> = [0, 3, 1, 4, 2, 5].map(|i| many[i].clone()).into();
    let verdicts = Token::verify_many(mixed.clone(), &both);
    for ((token, _), verdict) in mixed[..4].iter().zip(&verdicts) {
        let verified = verdict.as_ref().unwrap();
        assert_eq!(verified.encode(), token.encode());
    }
    for verdict in &verdicts[4..] {
        assert_eq!(verdict.as_ref().unwrap_err(), &Error::NotSealed);
    }
}
