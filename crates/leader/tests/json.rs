//! What `cardano-cli` prints of stake.

use klero_leader::{
    Distribution, PoolId, Snapshot, TotalSource, stake_distribution, stake_snapshot,
};

const ONE: &str = "pool1qp2xfc2eml6ut7xvy20rlvc7vwxej0a5c07emt4v3nr3xju7rw0";
const TWO: &str = "fc79a939d5986c6565fc5e21bb5dd292261ac5da564c30385b3bb8d4";

fn stakes(distribution: &Distribution) -> Vec<(String, u64)> {
    let mut stakes: Vec<(String, u64)> = distribution
        .pools()
        .map(|(id, pool)| (id.to_string(), pool.stake.pool()))
        .collect();
    stakes.sort_by_key(|(_, stake)| *stake);
    stakes
}

/// The example of the pull request that gave the command its form, with another pool.
#[test]
fn stake_snapshots() {
    let json = format!(
        r#"{{
    "pools": {{
        "{TWO}": {{ "stakeGo": 8595693050, "stakeMark": 8595693051, "stakeSet": 8595693052 }},
        "{ONE}": {{ "stakeGo": 0, "stakeMark": 1, "stakeSet": 2 }}
    }},
    "total": {{
        "stakeGo": 24453012636354912,
        "stakeMark": 24525857119151547,
        "stakeSet": 24463445965412728
    }}
}}"#
    );
    let two = TWO.parse::<PoolId>().unwrap().to_string();
    for (snapshot, total, stake) in [
        (Snapshot::Go, 24_453_012_636_354_912, 0),
        (Snapshot::Mark, 24_525_857_119_151_547, 1),
        (Snapshot::Set, 24_463_445_965_412_728, 2),
    ] {
        let distribution = stake_snapshot(&json, snapshot).unwrap();
        assert_eq!(distribution.total(), total);
        assert_eq!(distribution.total_source(), TotalSource::Given);
        let expected = [
            (ONE.to_string(), stake),
            (two.clone(), 8_595_693_050 + stake),
        ];
        assert_eq!(stakes(&distribution), expected);
    }
}

#[test]
fn bad_stake_snapshots() {
    let total = r#""total": { "stakeMark": 9, "stakeSet": 9, "stakeGo": 9 }"#;
    let amounts = r#"{ "stakeMark": 1, "stakeSet": 1, "stakeGo": 1 }"#;
    let cases = [
        ("[]".into(), "expected struct StakeSnapshot"),
        ("{}".into(), "missing field `pools` at line 1 column 2"),
        (r#"{ "pools": {} }"#.into(), "missing field `total`"),
        // The form before 2023: one pool, and its name is not in it.
        (
            r#"{ "poolStakeSet": 1, "activeStakeSet": 2 }"#.into(),
            "missing field `pools`",
        ),
        (
            format!(r#"{{ "pools": [], {total} }}"#),
            "expected an object with a field for each pool",
        ),
        (
            format!(r#"{{ "pools": {{ "x": {amounts} }}, {total} }}"#),
            "pool \"x\": not hexadecimal",
        ),
        (
            format!(r#"{{ "pools": {{ "{ONE}": {amounts}, "{ONE}": {amounts} }}, {total} }}"#),
            "is there twice",
        ),
        // As a tool writes it that has only floating point.
        (
            format!(
                r#"{{ "pools": {{ "{ONE}": {{ "stakeMark": 2.4e16, "stakeSet": 1, "stakeGo": 1 }} }}, {total} }}"#
            ),
            "invalid type: floating point `2.4e+16`, expected u64",
        ),
        (
            format!(
                r#"{{ "pools": {{ "{ONE}": {{ "stakeMark": 1, "stakeSet": 10, "stakeGo": 1 }} }}, {total} }}"#
            ),
            "has 10 lovelace, above the total of 9",
        ),
    ];
    for (json, message) in cases {
        let error = stake_snapshot(&json, Snapshot::Set)
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{json}: {error}");
    }
}

/// Fractions of the supply in circulation become shares of the stake.
#[test]
fn stake_distributions() {
    let json = format!(
        r#"{{
    "{ONE}": {{ "denominator": 804418845711597, "numerator": 99499243654 }},
    "{TWO}": {{ "denominator": 268139615237199, "numerator": 1 }}
}}"#
    );
    let distribution = stake_distribution(&json).unwrap();
    let two = TWO.parse::<PoolId>().unwrap().to_string();
    // The denominators are 3 to 1.
    assert_eq!(
        stakes(&distribution),
        [(two, 3), (ONE.to_string(), 99_499_243_654)]
    );
    assert_eq!(distribution.total(), 99_499_243_657);
    assert_eq!(distribution.total_source(), TotalSource::Sum);
}

#[test]
fn bad_stake_distributions() {
    let with = |fraction: &str| format!(r#"{{ "{ONE}": {fraction} }}"#);
    let cases = [
        (with("6.25e-2"), "a decimal number has lost digits"),
        (
            with("\"1/16\""),
            "expected an object with numerator and denominator",
        ),
        (with(r#"{ "numerator": 1 }"#), "missing field `denominator`"),
        (
            with(r#"{ "numerator": 1, "denominator": 0 }"#),
            "the total stake is 0",
        ),
        (
            with(r#"{ "numerator": 2, "denominator": 1 }"#),
            "a stake of 2 lovelace is above",
        ),
        (
            with(r#"{ "numerator": 0, "denominator": 1 }"#),
            "the total stake is 0",
        ),
        (
            with(r#"{ "numerator": -1, "denominator": 1 }"#),
            "expected u64",
        ),
        ("{}".into(), "the total stake is 0"),
        (
            format!(
                r#"{{ "{ONE}": {{ "numerator": 1, "denominator": 18446744073709551615 }},
                "{TWO}": {{ "numerator": 1, "denominator": 2 }} }}"#
            ),
            "has none in common",
        ),
    ];
    for (json, message) in cases {
        let error = stake_distribution(&json).unwrap_err().to_string();
        assert!(error.contains(message), "{json}: {error}");
    }
}
