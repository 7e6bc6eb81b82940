//! Tests distributions of stake, and the verdicts on headers that follow from a distribution.

use klero_leader::{
    ActiveSlots, BadInput, Distribution, LeaderValue, Leaders, NoLeader, PoolId, Threshold,
    TotalSource, VrfKeyHash,
};

fn pool(n: u8) -> PoolId {
    PoolId::new([n; 28])
}

fn vrf(n: u8) -> VrfKeyHash {
    VrfKeyHash::new([n; 32])
}

/// A distribution of the pools 0, 1 ... with these stakes.
fn build(stakes: &[u64], total: Option<u64>) -> Result<Distribution, BadInput> {
    let mut builder = Distribution::builder();
    for (n, stake) in stakes.iter().enumerate() {
        builder.pool(pool(n as u8), *stake, None)?;
    }
    if let Some(total) = total {
        builder.total(total);
    }
    builder.build()
}

#[test]
fn totals_are_given_or_the_sum() {
    for (stakes, given, total) in [
        ([1, 2], None, 3),
        // The given total may be the sum.
        ([1, 2], Some(3), 3),
        ([1, 2], Some(300), 300),
        ([u64::MAX, 0], None, u64::MAX),
    ] {
        let source = given.map_or(TotalSource::Sum, |_| TotalSource::Given);
        let distribution = build(&stakes, given).unwrap();
        assert_eq!(distribution.total(), total);
        assert_eq!(distribution.total_source(), source);
        let stake = distribution.pool(&pool(1)).unwrap().stake;
        assert_eq!((stake.pool(), stake.total()), (stakes[1], total));
    }
}

#[test]
fn bad_distributions_say_what_is_wrong() {
    let second = pool(1);
    let none = "the total stake is 0 lovelace, expected more".to_owned();
    for (stakes, total, expected) in [
        (
            &[u64::MAX, 1][..],
            None,
            format!("the sum of stake is 2^64 lovelace or more from pool {second} on"),
        ),
        (
            &[1, 5],
            Some(4),
            format!("pool {second} has 5 lovelace, above the total of 4"),
        ),
        (
            &[3, 2],
            Some(4),
            "the pools have 5 lovelace together, above the total of 4".to_owned(),
        ),
        (&[], None, none.clone()),
        (&[0, 0], None, none.clone()),
        (&[0], Some(0), none.clone()),
        (&[1], Some(0), none),
    ] {
        assert_eq!(build(stakes, total).unwrap_err().to_string(), expected);
    }
    // A pool that was refused is not in the distribution.
    let mut builder = Distribution::builder();
    builder.pool(pool(1), 5, None).unwrap();
    let twice = builder.pool(pool(1), 6, None).unwrap_err().to_string();
    assert_eq!(twice, format!("pool {second} is there twice"));
    assert!(builder.pool(pool(2), u64::MAX, None).is_err());
    let distribution = builder.build().unwrap();
    assert_eq!((distribution.total(), distribution.pools().len()), (5, 1));
}

#[test]
fn every_verdict() {
    let f = ActiveSlots::new(1, 20).unwrap();
    let mut builder = Distribution::builder();
    builder.pool(pool(1), 10, Some(vrf(1))).unwrap();
    builder.pool(pool(2), 10, None).unwrap();
    builder.pool(pool(3), 0, None).unwrap();
    let leaders = Leaders::new(&builder.build().unwrap(), &f);
    let zero = LeaderValue::TPraos([0; 64]);

    assert_eq!(leaders.judge(&pool(1), &vrf(1), &zero).unwrap().margin, 0.0);
    // If no key is registered, any key is accepted.
    assert!(leaders.judge(&pool(2), &vrf(9), &zero).is_ok());
    let unknown = NoLeader::UnknownPool { pool: pool(4) };
    assert_eq!(leaders.judge(&pool(4), &vrf(1), &zero), Err(unknown));
    let other = NoLeader::OtherVrfKey {
        pool: pool(1),
        registered: vrf(1),
        used: vrf(2),
    };
    // If both the key and the value are wrong, the error is about the key.
    let all = LeaderValue::TPraos([0xff; 64]);
    assert_eq!(leaders.judge(&pool(1), &vrf(2), &all), Err(other));

    let Err(NoLeader::ValueTooLarge(error)) = leaders.judge(&pool(2), &vrf(9), &all) else {
        panic!("leads")
    };
    let stake = error.stake;
    assert_eq!((error.pool, stake.pool(), stake.total()), (pool(2), 10, 20));
    let last = Threshold::new(stake, &f).last_tpraos();
    assert_eq!(
        (error.value, error.last),
        (all, last.map(LeaderValue::TPraos))
    );
    let (margin, text) = (error.margin(), error.to_string());
    assert!((margin - 39.4935887).abs() < 1e-6, "{margin}");
    assert!(
        text.contains("39.4935") && text.contains("10 of 20 lovelace"),
        "{text}"
    );

    // Without stake, no value leads.
    let Err(NoLeader::ValueTooLarge(error)) = leaders.judge(&pool(3), &vrf(9), &zero) else {
        panic!("leads")
    };
    assert_eq!((error.last, error.margin()), (None, f64::INFINITY));
}

#[test]
fn margins_of_the_edges() {
    let f = ActiveSlots::new(1, 20).unwrap();
    for total in [1, 1000, u64::MAX] {
        let distribution = build(&[1], Some(total)).unwrap();
        let threshold = Threshold::new(distribution.pool(&pool(0)).unwrap().stake, &f);
        let last = threshold.last_praos().unwrap();
        assert_eq!(threshold.margin(&LeaderValue::Praos(last)), 1.0);
        let last = threshold.last_tpraos().unwrap();
        assert_eq!(threshold.margin(&LeaderValue::TPraos(last)), 1.0);
        assert_eq!(threshold.margin(&LeaderValue::TPraos([0; 64])), 0.0);
    }
}

#[test]
fn leaders_are_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Leaders>();
    shared::<Distribution>();
    shared::<ActiveSlots>();
}
