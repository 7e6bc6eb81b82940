//! The times of slots.

use std::time::SystemTime;

use jiff::Timestamp;
use klero_cardano::Network;

/// The time at which slot 0 of a network began, or why it is not known.
pub fn start(network: &Network) -> Result<SystemTime, &'static str> {
    let text = network
        .system_start()
        .ok_or("the genesis file has no systemStart")?;
    let start: Timestamp = text
        .parse()
        .map_err(|_| "systemStart in the genesis file is no time such as 2026-01-01T00:00:00Z")?;
    if network.since_start(network.shelley_slot()).is_none() {
        return Err(match network.shelley_slot() {
            0 => "the genesis file has no slotLength",
            _ => "the length of Byron's slots is not in the Shelley genesis file",
        });
    }
    Ok(start.into())
}

/// The time at which a slot begins, in UTC; `None` beyond the year 9999.
pub fn time(network: &Network, start: SystemTime, slot: u64) -> Option<String> {
    let since = network.since_start(slot)?;
    let time = Timestamp::try_from(start.checked_add(since)?).ok()?;
    Some(time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_the_public_networks() {
        for (network, slot, time) in [
            (Network::mainnet(), 4_492_800, "2020-07-29T21:44:51Z"),
            (Network::mainnet(), 133_660_800, "2024-09-01T21:44:51Z"),
            (Network::preprod(), 86_400, "2022-06-21T00:00:00Z"),
            (Network::preview(), 0, "2022-10-25T00:00:00Z"),
        ] {
            let time_of = |slot| super::time(&network, start(&network).unwrap(), slot);
            assert_eq!(time_of(slot).as_deref(), Some(time));
            assert_eq!(time_of(u64::MAX), None);
        }
    }
}
