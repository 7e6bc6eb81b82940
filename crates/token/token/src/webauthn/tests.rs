use p256::ecdsa::SigningKey;

use super::*;
use crate::signature::Signature;

/// The test vectors of WebAuthn level 3, section 16, for ES256 keys. The page is `https://example.org`.
struct Published {
    private_key: &'static str,
    challenge: &'static str,
    authenticator_data: &'static str,
    client_data: &'static str,
    signature: &'static str,
    refused: Option<&'static str>,
}

const PUBLISHED: [Published; 4] = [
    // 16.2, no attestation
    Published {
        private_key: "6e68e7a58484a3264f66b77f5d6dc5bc36a47085b615c9727ab334e8c369c2ee",
        challenge: "39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408",
        authenticator_data: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000",
        client_data: "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158756c5455506f334a5558543049393770767a7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d",
        signature: "3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87",
        refused: None,
    },
    // 16.3, self attestation; the client data has one more member
    Published {
        private_key: "b4bbfa5d68e1693b6ef5a19a0e60ef7ee2cbcac81f7fec7006ac3a21e0c5116a",
        challenge: "4478a10b1352348dd160c1353b0d469b5db19eb91c27f7dfa6fed39fe26af20b",
        authenticator_data: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50900000000",
        client_data: "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a225248696843784e534e493352594d45314f7731476d3132786e726b634a5f6666707637546e2d4a71386773222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a206754623533727a36456853576f6d58477a696d433151227d",
        signature: "304402203310b9431903c401f1be2bdc8d23a4007682dbbddcf846994947b7f465daf84002204e94dd00047b316061b3b99772b7efd95994a83ef584b3b6b825ea3550251b66",
        refused: None,
    },
    // 16.4, crossOrigin
    Published {
        private_key: "96c940e769bd9f1237c119f144fa61a4d56af0b3289685ae2bef7fb89620623d",
        challenge: "876aa517ba83fdee65fcffdbca4c84eeae5d54f8041a1fc85c991e5bbb273137",
        authenticator_data: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50500000000",
        client_data: "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a226832716c463771445f65356c5f505f62796b7945377135645650674547685f49584a6b655737736e4d5463222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a747275652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a2039327063545644304162792d713464746d6a36656667227d",
        signature: "3046022100eb12fcf23b12764c0f122e22371fab92e283879fd798f38ee1841c951b6e40e7022100c76237ff9db77b3c56f30837cda6a09acfa2e915544e609c0733b1184036d1cf",
        refused: Some(CROSS_ORIGIN),
    },
    // 16.5, topOrigin
    Published {
        private_key: "a2d6de40ab974b80d8c1ef78c6d4300097754f7e016afe7f8ea0ad9798b0d420",
        challenge: "d54a5c8ca4b62a8e3bb321e3b2bc73856f85a10150db2939ac195739eb1ea066",
        authenticator_data: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50500000000",
        client_data: "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a22315570636a4b53324b6f34377379486a7372787a68572d466f51465132796b3572426c584f6573656f4759222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a747275652c22746f704f726967696e223a2268747470733a2f2f6578616d706c652e636f6d222c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a205569466f4a4d56525148444146574669347678557051227d",
        signature: "3045022100b5a70c81780d5fcc9a4f2ae9caae99058f8accaf58b91fb59329646c28ac6ffc022012e101c165db3c8e9957f0c54dd6ca9b56bc3bd2f280bd2faa6c1d02c6e5c171",
        refused: Some(CROSS_ORIGIN),
    },
];

fn party() -> RelyingParty {
    RelyingParty {
        id: "example.org".into(),
        origins: vec!["https://example.org".into()],
        user_verification: false,
    }
}

#[test]
fn published_vectors() {
    let place = Place::Seal;
    for vector in PUBLISHED {
        let [private, challenge, data, client_data, der] = [
            vector.private_key,
            vector.challenge,
            vector.authenticator_data,
            vector.client_data,
            vector.signature,
        ]
        .map(|text| hex::decode(text).unwrap());
        let key = SigningKey::from_slice(&private).unwrap();
        let key = key.verifying_key().to_sec1_point(true);
        let challenge: [u8; 32] = challenge.try_into().unwrap();
        let assertion = Signature::Assertion {
            authenticator_data: &data,
            client_data_json: &client_data,
            signature: &der,
        };
        let (signature, encoded) = assertion.parts(KeyKind::Passkey, place).unwrap();
        let signed = Signed::read(KeyKind::Passkey, &mut Reader::new(&encoded), place);
        let signed = signed.unwrap().unwrap();
        let key = (key.as_bytes(), place);
        let verdict = signed.verify(key, &challenge, &signature, (Some(&party()), place));
        let expected = vector.refused;
        let expected = expected.map_or(Ok(()), |what| Err(Error::Passkey { place, what }));
        assert_eq!(verdict, expected);
        // The signature is valid in every vector, even if the assertion is refused.
        let message = [&data[..], &Sha256::digest(&client_data)].concat();
        assert!(algorithms::verify_es256(key, &message, &signature, place).is_ok());
    }
}

const CHALLENGE: [u8; 32] = [0xfb; 32];

fn client_data(change: impl FnOnce(&str) -> String) -> Result<(), &'static str> {
    let challenge = Base64UrlUnpadded::encode_string(&CHALLENGE);
    let honest = format!(
        "{{\"type\":\"webauthn.get\",\"challenge\":\"{challenge}\",\
         \"origin\":\"https://example.org\",\"crossOrigin\":false}}"
    );
    check_client_data(change(&honest).as_bytes(), &CHALLENGE, Some(&party()))
}

#[test]
fn client_data_is_in_one_form() {
    let of_type = "the type of the client data is not webauthn.get";
    let challenge = "the client data has another challenge";
    let origin = "the client data has an origin that the verifier does not accept";
    let form = "the client data is not in the form of WebAuthn";
    let replaced = |old: &str, new: &str| {
        client_data(|honest| {
            assert!(honest.contains(old));
            honest.replacen(old, new, 1)
        })
    };
    assert_eq!(client_data(str::to_owned), Ok(()));
    for (old, new) in [
        // Client data of older browsers, of newer browsers with more members, and of Android.
        (",\"crossOrigin\":false", ""),
        ("false", "false,\"other\":\"do not compare\""),
        (
            "\"crossOrigin\":false",
            "\"androidPackageName\":\"org.example\"",
        ),
    ] {
        assert_eq!(replaced(old, new), Ok(()), "{new}");
    }
    let refusals = [
        ("webauthn.get", "webauthn.create", of_type),
        ("webauthn.get", "payment.get", of_type),
        ("\"-_v7", "\"-_v6", challenge),
        // The same challenge, encoded in another way.
        ("\"-_v7", "\"+/v7", challenge),
        ("https://", "http://", origin),
        ("example.org", "example.org:8443", origin),
        ("example.org", "example.org/", origin),
        ("example.org", "example.org.evil", origin),
        ("example.org", "evil.example.org", origin),
        ("example.org", "Example.org", origin),
        ("example.org", "ex\\u0061mple.org", form),
        ("false", "true", CROSS_ORIGIN),
        ("false", "null", CROSS_ORIGIN),
        (
            "false",
            "false,\"topOrigin\":\"https://example.org\"",
            CROSS_ORIGIN,
        ),
        ("false", "false,\"crossOrigin\":true", CROSS_ORIGIN),
        ("false", "false,\"a\":1,\"topOrigin\":\"\"", CROSS_ORIGIN),
        ("false", "false,\"origin\":\"https://evil\"", form),
        ("false", "false,\"challenge\":\"\"", form),
        ("false", "false,\"type\":\"\"", form),
        ("false", "falsey", form),
        ("false}", "false", form),
        ("false}", "false} ", form),
        ("false}", "false,", form),
        ("{\"type", "{ \"type", form),
        ("{\"type", " {\"type", form),
        ("{\"type", "\u{feff}{\"type", form),
        ("{\"type\"", "{\"Type\"", form),
        (",\"challenge", ", \"challenge", form),
        (",\"origin", ",\"crossOrigin\":false,\"origin", form),
    ];
    for (old, new, fault) in refusals {
        assert_eq!(replaced(old, new), Err(fault), "{new}");
    }
    let not_utf8 = check_client_data(&[0xff], &CHALLENGE, None);
    assert_eq!(not_utf8, Err(form));
    assert_eq!(client_data(|_| String::new()), Err(form));
    // Client data that are cut short are refused, wherever the cut is.
    for length in 1..150 {
        assert!(client_data(|honest| honest[..length.min(honest.len() - 1)].to_owned()).is_err());
    }
}

/// Changes no bytes after the origin, where other members are allowed. (The signature covers all bytes.)
#[test]
fn every_byte_up_to_the_origin_counts() {
    client_data(|honest| {
        for at in 0..honest.find(",\"crossOrigin").unwrap() {
            for other in 0..128u8 {
                let mut changed = honest.as_bytes().to_vec();
                if changed[at] != other {
                    changed[at] = other;
                    assert!(check_client_data(&changed, &CHALLENGE, Some(&party())).is_err());
                }
            }
        }
        honest.to_owned()
    })
    .unwrap();
}

#[test]
fn authenticator_data_is_in_one_form() {
    let form = "the authenticator data is not in the form of an assertion";
    let data = |flags: u8, more: &[u8]| {
        let hash = Sha256::digest("example.org");
        [&hash[..], &[flags, 0, 0, 0, 9], more].concat()
    };
    let check = |data: &[u8]| check_authenticator_data(data, Some(&party()));
    for flags in 0..=u8::MAX {
        let understood = flags & 0x62 == 0 && flags & 0x18 != 0x10;
        let expected = match (understood, flags & 1) {
            (false, _) => Err(form),
            (true, 0) => Err("no user was present"),
            _ => Ok(()),
        };
        let more = if flags & 0x80 != 0 { &[0xa0][..] } else { &[] };
        assert_eq!(check(&data(flags, more)), expected, "{flags:x}");
        // Refused: extensions without the flag, the flag without extensions, extensions that are no map.
        let more = if flags & 0x80 != 0 { &[][..] } else { &[0xa0] };
        assert_eq!(check(&data(flags, more)), Err(form));
        assert_eq!(check(&data(flags, &[0x80])), Err(form));
    }
    for length in 0..37 {
        assert_eq!(check(&data(1, &[])[..length]), Err(form));
    }
    let mut other = data(1, &[]);
    other[31] ^= 1;
    assert_eq!(
        check(&other),
        Err("the authenticator data is for another relying party")
    );
    let strict = RelyingParty {
        user_verification: true,
        ..party()
    };
    let verdict = |flags| check_authenticator_data(&data(flags, &[]), Some(&strict));
    assert_eq!(verdict(1), Err("the user was not verified"));
    assert_eq!(verdict(5), Ok(()));
}
