//! What a verifier must say: what is revoked, and for whom the challenge was.

use std::cell::Cell;

use klero_token::{
    Access, Challenge, Place, Reason, Refused, RevocationId, Revoked, RootKeys, Scheme, SecretKey,
    Unverified, Verified,
};

const CHALLENGE: Challenge<'_> = Challenge {
    nonce: &[7; 16],
    audience: "shop",
    time: 1_800_000_000,
};

/// Three blocks, the last one opaque.
fn token(scheme: Scheme) -> (Verified, RootKeys) {
    let root = SecretKey::from_seed(scheme, &[1; 32]);
    let caveats = ["method GET".parse().unwrap()];
    let token = Verified::mint(&root, 0, b"all", &[]).unwrap();
    let token = token.narrow(&caveats).unwrap().append(b"x").unwrap();
    (token, (*root.public_key()).into())
}

fn arrived(token: &Verified) -> Unverified {
    token.clone().into_unverified()
}

/// A refusal as the library shows it.
fn said(refused: Refused) -> (Place, String, Reason) {
    (refused.place, refused.caveat, refused.reason)
}

#[test]
fn a_revoked_block_refuses_whatever_else_holds() {
    for scheme in Scheme::ALL {
        let (token, roots) = token(scheme);
        let ids = token.revocation_ids();
        for token in [arrived(&token).verify(&roots, None).unwrap(), token] {
            let check = |revoked: Revoked<'_>| {
                let access = Access {
                    method: Some("GET"),
                    ..Access::at(0, revoked)
                };
                let verdict = token.check_with(&access, |_| true);
                verdict.map(|rights| rights.to_vec()).map_err(said)
            };
            assert_eq!(check(Revoked::none()), Ok(b"all".to_vec()));
            assert_eq!(
                check(Revoked::ids(&[RevocationId([0; 32])])),
                Ok(b"all".to_vec())
            );
            for (i, id) in ids.iter().enumerate() {
                let refused = Err((Place::Block(i), id.to_string(), Reason::Revoked));
                assert_eq!(check(Revoked::ids(&[*id])), refused);
                assert_eq!(check(Revoked::by(&|asked| asked == id)), refused);
                // The first block counts.
                assert_eq!(check(Revoked::ids(&ids[i..])), refused);
            }
            // The function is asked about each block, in order.
            let asked = Cell::new(0);
            let count = |id: &RevocationId| {
                assert_eq!(*id, ids[asked.replace(asked.get() + 1)]);
                false
            };
            assert!(check(Revoked::by(&count)).is_ok());
            assert_eq!(asked.get(), ids.len());
        }
    }
}

/// Nothing that is narrowed, sealed or stated escapes, and the revocation comes before all else.
#[test]
fn what_is_made_of_a_revoked_token_is_revoked() {
    for scheme in Scheme::ALL {
        let (token, roots) = token(scheme);
        let ids = [token.revocation_ids()[1]];
        let sealed = token.narrow(&[]).unwrap().seal(&CHALLENGE).unwrap();
        let sealed = arrived(&sealed).verify(&roots, Some(&CHALLENGE)).unwrap();
        let refused = sealed
            .check(&Access::at(0, Revoked::ids(&ids)))
            .unwrap_err();
        assert_eq!(
            (refused.place, refused.reason),
            (Place::Block(1), Reason::Revoked)
        );
        assert_eq!(
            refused.to_string(),
            format!("block 1: {}: the block is revoked", ids[0])
        );
        assert_eq!(refused.parsed, None);
    }
}

#[test]
fn a_seal_is_for_the_audience_of_its_challenge() {
    for scheme in Scheme::ALL {
        let (token, roots) = token(scheme);
        let sealed = token.seal(&CHALLENGE).unwrap();
        let verified = arrived(&sealed).verify(&roots, Some(&CHALLENGE)).unwrap();
        // Sealed here, verified, and copied.
        for token in [sealed, verified.clone(), verified] {
            let check = |audience| {
                let access = Access {
                    audience,
                    method: Some("GET"),
                    ..Access::at(0, Revoked::none())
                };
                let verdict = token.check_with(&access, |_| true);
                verdict.map(drop).map_err(said)
            };
            let refused = |reason| Err((Place::Seal, "audience shop".to_owned(), reason));
            assert_eq!(check(Some("shop")), Ok(()));
            assert_eq!(check(Some("bank")), refused(Reason::Unmet));
            assert_eq!(check(Some("Shop")), refused(Reason::Unmet));
            assert_eq!(check(None), refused(Reason::Missing));
        }
    }
    // One that was verified together with others.
    let (token, roots) = token(Scheme::Chain);
    let sealed = arrived(&token.seal(&CHALLENGE).unwrap());
    let tokens = [(arrived(&token), None), (sealed, Some(CHALLENGE))];
    let verdicts = Unverified::verify_many(tokens, &roots);
    let places = verdicts.into_iter().map(|token| {
        let access = Access::at(0, Revoked::none());
        token.unwrap().check(&access).unwrap_err().place
    });
    assert_eq!(
        places.collect::<Vec<_>>(),
        [Place::Block(1), Place::Seal],
        "the one has no seal, and refuses for another reason"
    );
}

#[test]
fn what_is_shown_of_revocations_has_no_ids() {
    let shown = format!("{:?}", Revoked::ids(&[RevocationId([7; 32])]));
    assert_eq!(shown, "Revoked(1 ids)");
    assert_eq!(
        format!("{:?}", Revoked::by(&|_| true)),
        "Revoked(by a function)"
    );
}
