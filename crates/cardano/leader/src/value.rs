//! Leader values.

use core::fmt;

use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};

/// The big-endian number that decides, together with a pool's stake, if the pool leads a slot. The fraction p
/// is value / 2^512 or value / 2^256, depending on its length.
///
/// ```
/// use klero_leader::LeaderValue;
/// let value = LeaderValue::Praos([0x40; 32]);
/// assert!((value.fraction() - 0.25).abs() < 0.01);
/// assert_eq!(value.to_string(), "40".repeat(32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeaderValue {
    /// The value from Shelley to Alonzo: the output of the leader proof itself.
    TPraos([u8; 64]),
    /// From Babbage on: BLAKE2b-256 of `"L"` followed by the VRF output ([`of_praos`](Self::of_praos)).
    Praos([u8; 32]),
}

impl LeaderValue {
    /// The leader value of a VRF output of Babbage or later (`vrfLeaderValue` of
    /// `Ouroboros.Consensus.Protocol.Praos.VRF`).
    #[must_use]
    pub fn of_praos(output: &[u8; 64]) -> LeaderValue {
        let hash = Blake2b::<U32>::new()
            .chain_update(b"L")
            .chain_update(output);
        LeaderValue::Praos(hash.finalize().into())
    }

    /// The 64 or 32 bytes, most significant first.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            LeaderValue::TPraos(bytes) => bytes,
            LeaderValue::Praos(bytes) => bytes,
        }
    }

    /// The fraction p, which is in [0, 1], to the precision of an `f64`. It is meant for reports and
    /// estimates.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        let bytes = self.as_bytes();
        let Some(first) = bytes.iter().position(|byte| *byte != 0) else {
            return 0.0;
        };
        // Eight bytes from the first nonzero byte on have at least 57 significant bits, and an `f64` has 53.
        let mut leading = [0; 8];
        let shown = bytes.len().min(first + 8) - first;
        leading[..shown].copy_from_slice(&bytes[first..first + shown]);
        libm::ldexp(u64::from_be_bytes(leading) as f64, -8 * (first as i32 + 8))
    }
}

/// Writes hexadecimal digits.
impl fmt::Display for LeaderValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", base16ct::HexDisplay(self.as_bytes()))
    }
}
