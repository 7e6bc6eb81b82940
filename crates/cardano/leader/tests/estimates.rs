//! Compares the verdicts of [`Leaders`], which estimates thresholds, with the exact thresholds.

use klero_leader::{
    ActiveSlots, Distribution, LeaderValue, Leaders, NoLeader, PoolId, Threshold, VrfKeyHash,
};

/// Values around a number: the number itself, and the numbers that differ from it in one bit.
fn around(value: [u8; 32]) -> impl Iterator<Item = [u8; 32]> {
    let others = (0..256).map(move |bit| {
        let mut other = value;
        other[bit / 8] ^= 1 << (bit % 8);
        other
    });
    others.chain([value])
}

/// Values that exceed a number by 1/2^8, 1/2^16 or 1/2^24 of it, if they fit into 32 bytes.
fn above(value: [u8; 32]) -> impl Iterator<Item = [u8; 32]> {
    let leading = u128::from_be_bytes(*value.first_chunk().unwrap());
    [8, 16, 24].into_iter().filter_map(move |bits| {
        let mut other = value;
        let more = leading.checked_add(leading >> bits)?;
        other[..16].copy_from_slice(&more.to_be_bytes());
        Some(other)
    })
}

/// The leader values to test: the smallest, the largest, a random one, and those around the threshold.
fn values(exact: &Threshold, random: [u8; 32]) -> Vec<[u8; 32]> {
    let mut values = vec![[0; 32], [0xff; 32], random];
    if let Some(last) = exact.last_praos() {
        values.extend(around(last));
        values.extend(above(last));
    }
    values
}

/// True if the pool leads with this value. Panics if `leaders` and the exact threshold disagree.
fn leads(leaders: &Leaders, pool: &PoolId, exact: &Threshold, value: &LeaderValue) -> bool {
    let vrf = VrfKeyHash::new([2; 32]);
    match leaders.judge(pool, &vrf, value) {
        Ok(lead) => {
            assert!(exact.leads(value), "{value}");
            let margin = exact.margin(value);
            assert!((lead.margin - margin).abs() <= 1e-8 * margin, "{value}");
            true
        }
        Err(NoLeader::ValueTooLarge(why)) => {
            assert!(!exact.leads(value), "{value}");
            assert_eq!(why.margin(), exact.margin(value));
            false
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn verdicts_are_those_of_the_exact_thresholds() {
    let mut random = fastrand::Rng::with_seed(7);
    let slots = [
        (1, 20),
        (1, 2),
        (9, 10),
        (999, 1000),
        (999_999_999_999_999, 1_000_000_000_000_000),
        (u64::MAX - 1, u64::MAX),
        (1, 1_000_000),
        (1, 10_000_000),
        (1, 1),
    ];
    let mut count = [0, 0];
    for (numerator, denominator) in slots {
        let slots = ActiveSlots::new(numerator, denominator).unwrap();
        for total in [1, 1000, 22_000_000_000_000_000, u64::MAX] {
            let stakes = [0, 1, total / 1_000_000, total / 3, total];
            for stake in stakes.into_iter().chain([random.u64(0..=total)]) {
                let pool = PoolId::new([1; 28]);
                let mut builder = Distribution::builder();
                builder.pool(pool, stake, None).unwrap();
                builder.total(total);
                let distribution = builder.build().unwrap();
                let leaders = Leaders::new(&distribution, &slots);
                let exact = Threshold::new(distribution.pool(&pool).unwrap().stake, &slots);
                let any = random.u128(..).to_be_bytes().repeat(2).try_into().unwrap();
                for value in values(&exact, any) {
                    let mut long = [0; 64];
                    long[..32].copy_from_slice(&value);
                    for value in [LeaderValue::Praos(value), LeaderValue::TPraos(long)] {
                        let leads = leads(&leaders, &pool, &exact, &value);
                        count[usize::from(leads)] += 1;
                    }
                }
            }
        }
    }
    assert!(count.iter().all(|&count| count > 10_000), "{count:?}");
}

#[test]
fn fractions_of_values() {
    let mut random = fastrand::Rng::with_seed(8);
    for zeros in 0..=32 {
        let mut value = [0; 32];
        random.fill(&mut value[zeros..]);
        let slow = value
            .iter()
            .rev()
            .fold(0.0, |rest, &byte| (rest + f64::from(byte)) / 256.0);
        let fast = LeaderValue::Praos(value).fraction();
        assert!((slow - fast).abs() <= slow * 1e-15, "{slow} {fast}");
    }
}
