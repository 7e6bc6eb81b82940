//! The eras whose headers are made.

/// An era of Cardano.
#[derive(Clone, Copy)]
pub struct Era {
    /// Its name.
    pub name: &'static str,
    /// The tag of its blocks.
    pub tag: u8,
    /// The major number of the protocol version with which it began, on mainnet.
    pub protocol_major: u8,
}

impl Era {
    /// The eras whose headers have VRF proofs, in their order.
    pub const ALL: [Self; 6] = [SHELLEY, ALLEGRA, MARY, ALONZO, BABBAGE, CONWAY];

    const fn new(name: &'static str, tag: u8, protocol_major: u8) -> Self {
        Self {
            name,
            tag,
            protocol_major,
        }
    }
}

pub const SHELLEY: Era = Era::new("Shelley", 2, 2);
pub const ALLEGRA: Era = Era::new("Allegra", 3, 3);
pub const MARY: Era = Era::new("Mary", 4, 4);
pub const ALONZO: Era = Era::new("Alonzo", 5, 5);
pub const BABBAGE: Era = Era::new("Babbage", 6, 7);
pub const CONWAY: Era = Era::new("Conway", 7, 9);
