//! The facts that a verifier must state even without caveats: revoked blocks, and the audience of a seal.

use std::cell::Cell;

use klero_token::{Access, Caveat, Reason, Refused, RevocationId, Revoked, Scheme, Token};

use crate::support::{CHALLENGE, again, minted, roots, verified};

const SHOP: Access<'_> = Access {
    now: 0,
    audience: Some("shop"),
    path: None,
    method: None,
    fields: &[],
    revoked: Revoked::none(),
};

/// Every token that is made from a revoked token is refused, and revocation is checked before everything
/// else.
#[test]
fn a_revoked_block_refuses_whatever_is_made_of_the_token() {
    for scheme in Scheme::ALL {
        let token = minted(scheme).append(b"x").unwrap();
        let arrived = verified(&again(&token));
        let sealed = token.narrow(&[]).unwrap().seal(&CHALLENGE).unwrap();
        let sealed = again(&sealed).verify(&roots(scheme), Some(&CHALLENGE));
        for token in [verified(&token), arrived, sealed.unwrap()] {
            let check =
                |revoked: Revoked<'_>| token.check_with(&Access { revoked, ..SHOP }, |_| true);
            let ids = token.revocation_ids();
            for (block, id) in ids.iter().enumerate() {
                let by = |asked: &_| asked == id;
                // If several blocks are revoked, the first block is reported.
                for revoked in [Revoked::by(&by), Revoked::ids(&ids[block..])] {
                    let refused = check(revoked).unwrap_err();
                    let said = format!("block {block}: {id}: the block is revoked");
                    assert_eq!(refused.to_string(), said);
                    assert_eq!((refused.parsed, refused.reason), (None, Reason::Revoked));
                }
            }
            // The function is called once for each block, from the first block to the last.
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

#[test]
fn a_seal_is_for_the_audience_of_its_challenge() {
    for scheme in Scheme::ALL {
        let (bearer, roots) = (minted(scheme), roots(scheme));
        let sealed = bearer.seal(&CHALLENGE).unwrap();
        let alone = again(&sealed).verify(&roots, Some(&CHALLENGE)).unwrap();
        let group = [(again(&bearer), None), (again(&sealed), Some(CHALLENGE))];
        let mut group = Token::verify_many(group, &roots);
        let in_group = group.pop().unwrap().unwrap();
        // A verified token, its copy, and a token that was verified together with an unsealed token.
        for token in [alone.clone(), alone, in_group] {
            for (audience, reason) in [
                (Some("shop"), None),
                (Some("bank"), Some(Reason::Unmet)),
                (Some("Shop"), Some(Reason::Unmet)),
                (None, Some(Reason::Missing)),
            ] {
                let refused = reason.map(|reason| Refused {
                    block: None,
                    caveat: "audience shop".into(),
                    parsed: Some(Box::new(Caveat::Audience("shop".into()))),
                    reason,
                    stated: Some(match audience {
                        Some(audience) => format!("the request's audience is {audience}"),
                        None => "the request states no audience".into(),
                    }),
                });
                assert_eq!(token.check(&Access { audience, ..SHOP }).err(), refused);
            }
        }
        let bearer = group.pop().unwrap().unwrap();
        let audience = None;
        assert!(bearer.check(&Access { audience, ..SHOP }).is_ok());
    }
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
