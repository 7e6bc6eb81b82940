//! When slots begin.

use std::time::Duration;

use serde_json::Value;

use crate::chain::network::facts::Network;

/// What is known of the lengths of slots, and of the time from which they count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    system_start: Option<String>,
    slot: Option<Duration>,
    byron_slot: Option<Duration>,
}

impl Times {
    /// From `systemStart` and `slotLength` of a Shelley genesis file. No check of a chain depends on
    /// them, so one that cannot be read is as good as none.
    pub(super) fn of_genesis(system_start: Option<Value>, slot_length: Option<Value>) -> Times {
        let slot = slot_length.as_ref().and_then(Value::as_f64);
        Times {
            system_start: match system_start {
                Some(Value::String(text)) => Some(text),
                _ => None,
            },
            // The ledger counts in microseconds, too.
            slot: slot
                .filter(|seconds| *seconds > 0.0)
                .map(|seconds| (seconds * 1e6).round() as u64)
                .map(Duration::from_micros),
            byron_slot: None,
        }
    }

    /// The same with the length of a Byron slot, which no Shelley genesis file has.
    pub(super) fn with_byron(self, slot: Duration) -> Times {
        Times {
            byron_slot: Some(slot),
            ..self
        }
    }
}

impl Network {
    /// When the network began, as its Shelley genesis file writes it (`systemStart`).
    ///
    /// ```
    /// let mainnet = klero_cardano::Network::mainnet();
    /// assert_eq!(mainnet.system_start(), Some("2017-09-23T21:44:51Z"));
    /// ```
    #[must_use]
    pub fn system_start(&self) -> Option<&str> {
        self.times.system_start.as_deref()
    }

    /// How long after the [start of the network](Self::system_start) a slot begins. `None` where the
    /// length of slots is not known: the Shelley genesis file does not name that of Byron, which only the
    /// public networks have built in.
    ///
    /// ```
    /// use std::time::Duration;
    /// let preprod = klero_cardano::Network::preprod();
    /// assert_eq!(preprod.since_start(86_400), Some(Duration::from_secs(20 * 86_400)));
    /// assert_eq!(preprod.since_start(86_401), Some(Duration::from_secs(20 * 86_400 + 1)));
    /// ```
    #[must_use]
    pub fn since_start(&self, slot: u64) -> Option<Duration> {
        let of_byron = slot.min(self.shelley_slot());
        let byron = match of_byron {
            0 => 0,
            _ => self.times.byron_slot?.as_micros() * u128::from(of_byron),
        };
        let shelley = self.times.slot?.as_micros() * u128::from(slot - of_byron);
        let micros = u64::try_from(byron.checked_add(shelley)?).ok()?;
        Some(Duration::from_micros(micros))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::network::facts::EraStarts;
    use crate::chain::network::tests::custom;

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
            // 2020-07-29, and 20 days after the first of June.
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
        // Byron's slots have another length.
        assert_eq!(with(begun, 1).since_start(700), None);
        assert_eq!(with(begun, 1).since_start(0), Some(Duration::ZERO));
        // What cannot be read is not known.
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
}
