//! Stake as `cardano-cli` prints it.

use klero_leader::{TotalSource, stake_snapshot};

const ONE: &str = "pool1qp2xfc2eml6ut7xvy20rlvc7vwxej0a5c07emt4v3nr3xju7rw0";
const TWO: &str = "fc79a939d5986c6565fc5e21bb5dd292261ac5da564c30385b3bb8d4";

/// The example from the pull request that introduced this form of the answer, and a second pool.
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
    let epochs = stake_snapshot(&json, 250).unwrap();
    assert_eq!(epochs.len(), 3);
    for (epoch, total, stake) in [
        (249, 24_453_012_636_354_912, 0),
        (251, 24_525_857_119_151_547, 1),
        (250, 24_463_445_965_412_728, 2),
    ] {
        let distribution = &epochs[&epoch];
        assert_eq!(distribution.total(), total);
        assert_eq!(distribution.total_source(), TotalSource::Given);
        assert_eq!(distribution.pools().len(), 2);
        for (pool, expected) in [(ONE, stake), (TWO, 8_595_693_050 + stake)] {
            let pool = distribution.pool(&pool.parse().unwrap()).unwrap();
            assert_eq!(pool.stake.pool(), expected);
        }
    }
}

/// A snapshot is left out if it has no stake, or would decide in an epoch below 0 or above 2^64 - 1.
#[test]
fn snapshots_that_are_left_out() {
    for (asked, [go, set], found) in [
        (0, [1, 0], vec![1]),
        (7, [0, 2], vec![7, 8]),
        (u64::MAX, [1, 0], vec![u64::MAX - 1]),
    ] {
        let amounts = format!(r#"{{"stakeMark": 3, "stakeSet": {set}, "stakeGo": {go}}}"#);
        let json = format!(r#"{{"pools": {{"{ONE}": {amounts}}}, "total": {amounts}}}"#);
        let epochs = stake_snapshot(&json, asked).unwrap();
        assert_eq!(epochs.into_keys().collect::<Vec<_>>(), found);
    }
}

#[test]
fn bad_stake_snapshots() {
    let amounts = |set: &str| format!(r#"{{"stakeMark": 1, "stakeSet": {set}, "stakeGo": 1}}"#);
    let of = |pools: &str| format!(r#"{{"pools": {pools}, "total": {}}}"#, amounts("9"));
    let one = amounts("1");
    for (json, message) in [
        (
            "{".into(),
            "EOF while parsing an object at line 1 column 1; expected",
        ),
        ("{}".into(), "missing field `pools` at line 1 column 2"),
        (r#"{"pools": {}}"#.into(), "missing field `total`"),
        (of("[]"), "expected an object with a field for each pool"),
        (
            of(&format!(r#"{{"x": {one}}}"#)),
            "pool \"x\": not hexadecimal",
        ),
        (
            of(&format!(r#"{{"{ONE}": {one}, "{ONE}": {one}}}"#)),
            "is there twice",
        ),
        // Tools whose only numbers are floating-point numbers write amounts in this way.
        (
            of(&format!(r#"{{"{ONE}": {}}}"#, amounts("2.4e16"))),
            "invalid type: floating point `2.4e+16`, expected u64",
        ),
        (
            of(&format!(r#"{{"{ONE}": {}}}"#, amounts("10"))),
            "has 10 lovelace, above the total of 9",
        ),
    ] {
        let error = stake_snapshot(&json, 250).unwrap_err();
        assert!(error.to_string().contains(message), "{json}: {error}");
    }
}

#[test]
fn other_answers_are_named() {
    let mithril =
        format!(r#"[{{"pool_id": "{ONE}", "stake": 5}}, {{"pool_id": "{TWO}", "stake": 6}}]"#);
    for (text, named) in [
        (
            r#"{"activeStakeGo": 9, "activeStakeMark": 9, "activeStakeSet": 9,
                "poolStakeGo": 1, "poolStakeMark": 2, "poolStakeSet": 3}"#,
            "before cardano-node#4279, which names no pool: ask with a newer one",
        ),
        (
            "pools:\n  07:\n    stakeGo: 1\n",
            "this is YAML: ask with --output-json",
        ),
        ("---\npools: {}\n", "this is YAML"),
        (
            &format!(r#"{{"{TWO}": {{"numerator": 1, "denominator": 1000}}}}"#),
            "`query stake-distribution`",
        ),
        (
            &format!(r#"{{"{ONE}": 6.25e-2}}"#),
            "`query stake-distribution`",
        ),
        (&mithril, "as Mithril lists it"),
        (
            &format!(r#"{{"epoch": 5, "stake_distribution": {{"{ONE}": 5}}}}"#),
            "as Mithril lists it",
        ),
        (
            &format!(r#"{{"epoch": 5, "signers": {mithril}}}"#),
            "as Mithril lists it",
        ),
        (
            "PoolId   Stake frac\n----\npool1   2.9e-3\n",
            "expected what `cardano-cli query stake-snapshot` prints",
        ),
    ] {
        let error = stake_snapshot(text, 250).unwrap_err().to_string();
        assert!(error.contains(named), "{text}: {error}");
    }
}
