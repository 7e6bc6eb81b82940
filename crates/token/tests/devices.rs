//! Keys that are not in the program: text and PEM files, devices that only sign, root keys that
//! are looked up, and tokens of any scheme.

use ed25519_dalek::{Signer, SigningKey};
use klero_token::{
    Access, Aggregate, AnyRootKeys, AnyToken, Caveat, Chain, Challenge, Error, Keys, Limits,
    Minting, Place, PublicKey, RootKeys, Scheme, SecretKey, ThirdParty, Unverified, Verified,
};

const CHALLENGE: Challenge<'_> = Challenge {
    nonce: &[7; 16],
    audience: "shop",
    time: 1_800_000_000,
};

fn again<S: Scheme>(token: &Verified<S>) -> Unverified<S> {
    Unverified::decode(&token.encode().unwrap(), &Limits::default()).unwrap()
}

#[test]
fn an_ed25519_device_mints() {
    let device = SigningKey::from_bytes(&[7; 32]);
    let key = PublicKey::<Chain>::from_bytes(device.verifying_key().as_bytes()).unwrap();
    let prepare = || Minting::prepare(&key, 3, b"all", &[Caveat::Before(9)]).unwrap();
    let minting = prepare();
    let signature = device.sign(minting.to_sign()).to_bytes();
    let token = minting.assemble(&signature).unwrap();
    assert_eq!(
        (token.root_id(), token.blocks()[0].payload()),
        (3, &b"all"[..])
    );
    let roots: RootKeys<Chain> = [(3, key)].into_iter().collect();
    let narrowed = token.narrow(&[Caveat::After(1)]).unwrap();
    let verified = again(&narrowed).verify(&roots, None).unwrap();
    assert!(verified.check(&Access::at(5)).is_ok());

    // Another's signature, one of something else, and one of the wrong length.
    let place = Place::Block(0);
    let other = SigningKey::from_bytes(&[8; 32]);
    let minting = prepare();
    let of_other = other.sign(minting.to_sign()).to_bytes();
    let said = prepare().assemble(&of_other).unwrap_err().to_string();
    assert_eq!(
        said,
        "block 0: the signature does not hold, or it is by another root key"
    );
    for wrong in [&of_other[..], &signature, &signature[..63], &[]] {
        assert_eq!(
            prepare().assemble(wrong).unwrap_err(),
            Error::Signature { place }
        );
    }
}

#[test]
fn a_device_holds_the_last_key() {
    let device = SigningKey::from_bytes(&[7; 32]);
    let key = PublicKey::<Chain>::from_bytes(device.verifying_key().as_bytes()).unwrap();
    let root = SecretKey::<Chain>::from_seed(&[1; 32]);
    let token = Verified::mint(&root, 0, b"all", &[]).unwrap();
    let held = token
        .entrust(&key, &["path /files".parse().unwrap()])
        .unwrap();

    // It goes through the world without a secret, and nobody can use it or add to it.
    let bytes = held.encode().unwrap();
    assert_eq!(bytes[4], 4);
    let arrived = again(&held);
    assert_eq!(
        arrived.clone().verify(root.public_key(), None).unwrap_err(),
        Error::Held
    );
    let refusal = arrived.clone().verify(root.public_key(), Some(&CHALLENGE));
    assert_eq!(refusal.unwrap_err(), Error::NotSealed);
    assert_eq!(arrived.append(b"x").unwrap_err(), Error::Held);
    assert_eq!(arrived.seal(&CHALLENGE).unwrap_err(), Error::Held);
    assert_eq!(arrived.request().unwrap_err(), Error::Held);
    assert_eq!(arrived.entrust(&key, &[]).unwrap_err(), Error::Held);
    assert!(format!("{arrived:?}").contains("sealed: false, held: true"));
    assert_eq!(token.sealing(&CHALLENGE).err(), Some(Error::NotHeld));
    let forgotten = Challenge {
        nonce: &[],
        ..CHALLENGE
    };
    assert_eq!(arrived.sealing(&forgotten).err(), Some(Error::EmptyNonce));

    let sealing = arrived.sealing(&CHALLENGE).unwrap();
    assert!(!sealing.to_sign().starts_with(Chain::FIRST_BLOCK));
    let sealed = sealing
        .assemble(&device.sign(sealing.to_sign()).to_bytes())
        .unwrap();
    let verified = sealed.verify(root.public_key(), Some(&CHALLENGE)).unwrap();
    let access = Access {
        path: Some("/files/a"),
        ..Access::at(0)
    };
    assert!(verified.check(&access).is_ok());

    let thief = SigningKey::from_bytes(&[8; 32])
        .sign(sealing.to_sign())
        .to_bytes();
    let place = Place::Seal;
    for wrong in [&thief[..], &[]] {
        assert_eq!(
            sealing.assemble(wrong).unwrap_err(),
            Error::Signature { place }
        );
    }
    // The bytes of a held token with a thief's secret are no bearer token.
    let mut stolen = bytes.to_vec();
    stolen[4] = 0;
    stolen.extend([8; 32]);
    let stolen = Unverified::<Chain>::decode(&stolen, &Limits::default()).unwrap();
    assert_eq!(
        stolen.verify(root.public_key(), None).unwrap_err(),
        Error::Possession
    );
    // No other scheme has devices for holders.
    for scheme in [2, 3] {
        let mut other = bytes.to_vec();
        other[3] = scheme;
        let decoded = AnyToken::decode(&other, &Limits::default());
        let verdict = decoded.and_then(|token| token.verify(&AnyRootKeys::default(), None));
        assert!(verdict.is_err());
    }
}

#[test]
fn an_ed25519_device_states() {
    let device = SigningKey::from_bytes(&[7; 32]);
    let key = PublicKey::<ThirdParty>::from_bytes(device.verifying_key().as_bytes()).unwrap();
    let root = SecretKey::<Aggregate>::from_seed(&[1; 32]);
    let token = Verified::mint(&root, 0, b"all", &[]).unwrap();
    let request = token.request().unwrap();
    let signature = device.sign(&request.to_sign(&key, b"of age")).to_bytes();
    let statement = request.assemble(&key, b"of age", &signature).unwrap();
    let token = token.append_statement(&statement).unwrap();
    again(&token).verify(root.public_key(), None).unwrap();
    let place = Place::Statement;
    for (payload, signature) in [
        (&b"of ag"[..], &signature[..]),
        (b"of age", &signature[1..]),
    ] {
        let refusal = request.assemble(&key, payload, signature).unwrap_err();
        assert_eq!(refusal, Error::Signature { place });
        assert_eq!(
            refusal.to_string(),
            "statement: the signature does not hold"
        );
    }
    // What is made with the secret key is the same.
    let own = SecretKey::<ThirdParty>::from_seed(&[7; 32]);
    assert_eq!(request.sign(&own, b"of age"), statement);
}

#[test]
fn keys_are_text() {
    fn check<S: Keys>(name: &str, length: usize) {
        let secret = SecretKey::<S>::from_seed(&[7; 32]);
        let public = *secret.public_key();
        let (text, hidden) = (public.to_string(), secret.to_text());
        assert!(text.starts_with(&format!("{name}:")));
        assert!(hidden.starts_with(&format!("{name}-secret:")));
        assert_eq!(text.len(), name.len() + 1 + length);
        assert_eq!(text.parse(), Ok(public));
        assert_eq!(hidden.parse(), Ok(secret.clone()));
        assert!(!format!("{secret:?}").contains(&hidden[name.len() + 8..][..8]));
        // A public key is no secret one, and neither is of another length or name.
        let key_text = Err(Error::KeyText(S::NAME));
        for wrong in [
            "",
            &text[..text.len() - 1],
            &format!("{text}A"),
            &format!("{text}="),
            &format!(" {text}"),
            &hidden,
            &text.replace(':', ""),
            &text.replacen(name, "other", 1),
        ] {
            assert_eq!(wrong.parse::<PublicKey<S>>(), key_text, "{wrong}");
        }
        assert_eq!(
            text.parse::<SecretKey<S>>(),
            Err(Error::KeyText(S::SECRET_NAME))
        );
    }
    check::<Chain>("chain", 43);
    check::<Aggregate>("aggregate", 43);
    check::<ThirdParty>("ed25519", 43);
    // A key of small order.
    let weak = format!("chain:{}", "A".repeat(43));
    assert!(matches!(
        weak.parse::<PublicKey<Chain>>(),
        Err(Error::Key { .. })
    ));
}

/// RFC 8410, sections 7 and 10: the same key as OpenSSL reads and writes it.
#[test]
fn ed25519_keys_are_pem_files() {
    let secret = "-----BEGIN PRIVATE KEY-----\n\
                  MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                  -----END PRIVATE KEY-----\n";
    let public = "-----BEGIN PUBLIC KEY-----\n\
                  MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                  -----END PUBLIC KEY-----\n";
    let key = SecretKey::<Chain>::from_pem(secret).unwrap();
    assert_eq!(
        PublicKey::<Chain>::from_pem(public).unwrap(),
        *key.public_key()
    );
    assert_eq!(key.public_key().to_pem().unwrap(), public);
    assert_eq!(
        SecretKey::<ThirdParty>::from_pem(&key.to_pem().unwrap())
            .unwrap()
            .as_bytes(),
        key.as_bytes()
    );
    for wrong in ["", "-----BEGIN PRIVATE KEY-----", public, &secret[..60]] {
        assert!(matches!(
            SecretKey::<Chain>::from_pem(wrong),
            Err(Error::KeyText(_))
        ));
    }
    for wrong in ["", secret, &public[..60]] {
        assert!(matches!(
            PublicKey::<Chain>::from_pem(wrong),
            Err(Error::KeyText(_))
        ));
    }
}

#[test]
fn roots_are_looked_up() {
    let keys = [1u8, 2].map(|seed| SecretKey::<Chain>::from_seed(&[seed; 32]));
    let token = again(&Verified::mint(&keys[1], 2, b"all", &[]).unwrap());
    let publics = keys.each_ref().map(|key| *key.public_key());
    let mut roots: RootKeys<Chain> = (1..).zip(publics).collect();
    assert!(token.clone().verify(&roots, None).is_ok());
    let lookup = |id: u32| publics.get(id.checked_sub(1)? as usize).copied();
    assert!(token.clone().verify(&lookup, None).is_ok());
    assert_eq!(roots.remove(2), Some(publics[1]));
    assert_eq!(roots.remove(2), None);
    assert_eq!(
        token.clone().verify(&roots, None).unwrap_err(),
        Error::UnknownRoot(2)
    );
    roots.extend([(2, publics[0])]);
    assert!(token.clone().verify(&roots, None).is_err());
    assert_eq!(
        token.verify(&publics[1], None).unwrap_err(),
        Error::UnknownRoot(2)
    );
}

#[test]
fn a_service_accepts_several_schemes() {
    fn check<S: Scheme>(set: impl Fn(&mut AnyRootKeys, RootKeys<S>)) {
        let root = SecretKey::<S>::from_seed(&[1; 32]);
        let token = Verified::mint(&root, 0, b"all", &[]).unwrap();
        let sealed = token.seal(&CHALLENGE).unwrap();
        let mut roots = AnyRootKeys::default();
        let decode = |token: &Verified<S>| {
            let text = token.to_text().unwrap();
            AnyToken::from_text(&text, &Limits::default()).unwrap()
        };
        let any = decode(&token);
        assert_eq!(any.scheme(), S::NAME);
        assert_eq!(
            any.clone().verify(&roots, None).unwrap_err(),
            Error::UnknownRoot(0)
        );
        set(&mut roots, (*root.public_key()).into());
        let verified = any.clone().verify(&roots, None).unwrap();
        assert_eq!(&*verified.check(&Access::at(0)).unwrap(), b"all");
        assert_eq!(verified.revocation_ids(), token.revocation_ids());
        assert!(decode(&sealed).verify(&roots, Some(&CHALLENGE)).is_ok());
        assert_eq!(
            decode(&sealed).verify(&roots, None).unwrap_err(),
            Error::Sealed
        );
        assert_eq!(any.of_scheme::<S>().unwrap().encode(), token.encode());
    }
    check::<Chain>(|any, roots| any.chain = roots);
    check::<Aggregate>(|any, roots| any.aggregate = roots);
}
