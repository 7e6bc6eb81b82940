//! Tests of the times at which slots begin.

use std::time::Duration;

use super::custom;
use crate::chain::network::Network;
use crate::chain::network::facts::EraStarts;

fn with(more: &str, shelley: u64) -> Network {
    let json =
        format!(r#"{{"activeSlotsCoeff": 0.3, "securityParam": 7, "epochLength": 250{more}}}"#);
    let starts = EraStarts {
        shelley,
        ..EraStarts::default()
    };
    custom(&json, starts).unwrap()
}

#[test]
fn public_networks() {
    for (network, start, slot, days) in [
        // Shelley began on 2020-07-29 on mainnet and on 2022-06-21 on preprod.
        (Network::mainnet(), "2017-09-23T21:44:51Z", 4_492_800, 1040),
        (Network::preprod(), "2022-06-01T00:00:00Z", 86_400, 20),
        (Network::preview(), "2022-10-25T00:00:00Z", 0, 0),
    ] {
        assert_eq!(network.system_start(), Some(start));
        let begun = Duration::from_secs(86_400 * days);
        assert_eq!(network.since_start(slot), Some(begun));
        let later = network.since_start(slot + 432_000).unwrap();
        assert_eq!(later - begun, Duration::from_secs(432_000));
        assert_eq!(network.since_start(u64::MAX), None);
    }
    let of_byron = Network::mainnet().since_start(21_600);
    assert_eq!(of_byron, Some(Duration::from_secs(5 * 86_400)));
}

#[test]
fn networks_of_files() {
    let begun = r#", "systemStart": "2026-01-01T00:00:00Z", "slotLength": 0.2"#;
    let network = with(begun, 0);
    assert_eq!(network.system_start(), Some("2026-01-01T00:00:00Z"));
    assert_eq!(network.since_start(7), Some(Duration::from_millis(1400)));
    // The length of Byron's slots is not known.
    assert_eq!(with(begun, 1).since_start(700), None);
    assert_eq!(with(begun, 1).since_start(0), Some(Duration::ZERO));
    // A value that cannot be read is treated as unknown.
    for more in [
        "",
        r#", "slotLength": "1""#,
        r#", "slotLength": 0"#,
        r#", "slotLength": -1"#,
        r#", "systemStart": 5, "slotLength": null"#,
    ] {
        let network = with(more, 0);
        assert_eq!(
            (network.system_start(), network.since_start(1)),
            (None, None)
        );
    }
    let endless = with(r#", "slotLength": 1e300"#, 0);
    assert_eq!(endless.since_start(2), None);
}
