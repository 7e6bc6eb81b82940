//! When slots begin.

use std::time::Duration;

use serde_json::Value;

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

    /// When the network began.
    pub(super) fn system_start(&self) -> Option<&str> {
        self.system_start.as_deref()
    }

    /// How long after the start a slot begins; those before `shelley` are Byron's.
    pub(super) fn since_start(&self, slot: u64, shelley: u64) -> Option<Duration> {
        let of_byron = slot.min(shelley);
        let byron = match of_byron {
            0 => 0,
            _ => self.byron_slot?.as_micros() * u128::from(of_byron),
        };
        let shelley = self.slot?.as_micros() * u128::from(slot - of_byron);
        let micros = u64::try_from(byron.checked_add(shelley)?).ok()?;
        Some(Duration::from_micros(micros))
    }
}
