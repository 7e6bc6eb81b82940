//! Tests of walks that resume after a block. The database must contain this block.

use klero_cardano::{Era, Immutable, Resume, Start, Walk, WalkError};

use crate::walk::{rich, walk};

#[test]
fn a_walk_goes_on_from_any_block() {
    let chain = rich();
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let end = whole.blocks.len();
    for cut in (0..end).step_by(7).chain([end - 1]) {
        let point = Resume::after(&whole.blocks[cut]).unwrap();
        let rest = walk(&chain.dir, network, Start::After(Box::new(point)));
        assert_eq!(
            (rest.faults, rest.warnings),
            (vec![], 0),
            "after block {cut}"
        );
        assert_eq!(rest.blocks.len(), end - cut - 1, "after block {cut}");
        for (expected, block) in whole.blocks[cut + 1..].iter().zip(&rest.blocks) {
            assert_eq!(
                (&expected.place, &expected.claims),
                (&block.place, &block.claims)
            );
            assert_eq!(expected.nonces, block.nonces);
            assert!(block.linked, "after block {cut}");
        }
    }
}

/// A resume point is refused if its last block has a wrong number or era.
#[test]
fn the_last_block_of_a_point_has_its_number_and_era() {
    let chain = rich();
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let block = &whole.blocks[whole.blocks.len() / 2];
    let point = Resume::after(block).unwrap();
    let refusal = |change: fn(&mut Resume)| {
        let mut other = point.clone();
        change(&mut other);
        let db = Immutable::open(chain.dir.path()).unwrap();
        let start = Start::After(Box::new(other));
        match Walk::new(&db, network.clone(), start) {
            Err(WalkError::Resume(reason)) => reason,
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("accepted"),
        }
    };
    let (number, era) = (block.place.number, block.place.era);
    let has = format!("the database has block {number} of {era} there, expected ");
    for (change, expected) in [
        (
            (|point| point.last.number += 5) as fn(&mut Resume),
            format!("{has}{} of {era}", number + 5),
        ),
        (
            |point| point.last.era = Era::Mary,
            format!("{has}{number} of Mary"),
        ),
    ] {
        let error = refusal(change);
        assert!(error.ends_with(&expected), "{error}");
    }
}
