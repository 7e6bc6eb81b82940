//! Evidence that a database belongs to another network: its magic, or its first block.

use crate::chain::era::Era;
use crate::chain::header::{Header, Place};
use crate::chain::network::{Network, built_ins};
use crate::walk::start::WalkError;

/// Rejects a network if its magic differs from the magic that the node wrote.
pub(super) fn check_magic(network: &Network, magic: Option<u32>) -> Result<(), WalkError> {
    match (magic, network.magic()) {
        (Some(found), Some(expected)) if found != expected => Err(WalkError::Network {
            network: network.name().to_owned(),
            expected,
            found,
            looks_like: only(built_ins().filter(|other| other.magic() == Some(found))),
        }),
        _ => Ok(()),
    }
}

/// Rejects a network if the database's first block cannot belong to it. `header` is the header of that block,
/// `chunk` is the number of the block's chunk, and `magic` is the magic that the node wrote.
pub(super) fn check_first_block(
    network: &Network,
    magic: Option<u32>,
    header: &Header,
    chunk: u64,
) -> Result<(), WalkError> {
    let Some(mut evidence) = evidence_against(network, header, chunk) else {
        return Ok(());
    };
    if let Some(doubt) = network.genesis_doubt() {
        evidence += &format!("; {doubt}");
    }
    Err(WalkError::OtherNetwork {
        network: network.name().to_owned(),
        evidence,
        looks_like: only(built_ins().filter(|other| {
            magic.is_none_or(|magic| other.magic() == Some(magic))
                && evidence_against(other, header, chunk).is_none()
        })),
    })
}

/// The name of the only network in `networks`; `None` if there are none or several.
fn only(mut networks: impl Iterator<Item = Network>) -> Option<String> {
    let first = networks.next()?;
    networks.next().is_none().then(|| first.name().to_owned())
}

/// The reason why the first block of a database, in `chunk`, cannot belong to a network; `None` if it can.
fn evidence_against(network: &Network, header: &Header, chunk: u64) -> Option<String> {
    let Place { era, slot, .. } = header.place;
    let epoch = network.epoch(slot);
    let first = network.chunk_start(chunk);
    let in_chunk = slot.checked_sub(first);
    match (header.magic, network.magic()) {
        (Some(found), Some(expected)) if found != expected => Some(format!(
            "its first block is of network magic {found}, expected {expected}"
        )),
        _ if !network.admits(era, epoch) => {
            let admitted = Era::ALL.iter().filter(|era| network.admits(**era, epoch));
            let of_epoch = match admitted.collect::<Vec<_>>()[..] {
                [only] => format!("of {only}"),
                _ => format!("not of {era}"),
            };
            Some(format!(
                "its first block is of {era} at slot {slot}, but epoch {epoch} of {} is {of_epoch}",
                network.name()
            ))
        }
        _ if in_chunk.is_none_or(|n| n >= network.chunk_size()) => Some(format!(
            "its first block is of slot {slot}, but chunk {chunk:05} has {} slots from {first} on",
            network.chunk_size()
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_magic_names_the_network_it_belongs_to() {
        let mainnet = Network::mainnet();
        assert!(check_magic(&mainnet, None).is_ok());
        assert!(check_magic(&mainnet, mainnet.magic()).is_ok());
        for (magic, name) in [(1, Some("preprod")), (2, Some("preview")), (508, None)] {
            let Err(WalkError::Network { looks_like, .. }) = check_magic(&mainnet, Some(magic))
            else {
                panic!("magic {magic} is not mainnet's")
            };
            assert_eq!(looks_like.as_deref(), name);
        }
    }
}
