//! The claims of a block. A claim says "at this slot my key gives this output, and here is the proof".
//!
//! The message of a proof (alpha) is not in the block. It is computed from the slot and the epoch nonce.
//! Before Babbage, a constant is XORed into it, so that the two proofs of one block have different messages.

use klero_leader::LeaderValue;

use crate::chain::hash::blake2b_256;
use crate::chain::header::{Cert, Lottery, Vrf};
use crate::chain::nonce::Nonce;

/// The hash of the number 0 as eight bytes. It is XORed into the message of an eta proof.
const ETA: [u8; 32] = [
    0x81, 0xe4, 0x7a, 0x19, 0xe6, 0xb2, 0x9b, 0x0a, 0x65, 0xb9, 0x59, 0x17, 0x62, 0xce, 0x51, 0x43,
    0xed, 0x30, 0xd0, 0x26, 0x1e, 0x5d, 0x24, 0xa3, 0x20, 0x17, 0x52, 0x50, 0x6b, 0x20, 0xf1, 0x5c,
];

/// The hash of the number 1 as eight bytes. It is XORed into the message of a leader proof.
const LEADER: [u8; 32] = [
    0x12, 0xdd, 0x0a, 0x6a, 0x7d, 0x0e, 0x22, 0x2a, 0x97, 0x92, 0x6d, 0xa0, 0x3a, 0xdb, 0x5a, 0x77,
    0x68, 0xd3, 0x1c, 0xc7, 0xc5, 0xc2, 0xbd, 0x68, 0x28, 0xe1, 0x4a, 0x7d, 0x25, 0xfa, 0x3a, 0x60,
];

/// The hash of the slot and the nonce.
fn base(slot: u64, eta0: Nonce) -> [u8; 32] {
    *blake2b_256(&[&slot.to_be_bytes(), eta0.as_bytes()])
}

/// The purpose of a proof in a header.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display, strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub enum ClaimKind {
    /// A TPraos proof whose output feeds the nonce.
    Eta,
    /// A TPraos proof that shows the right to make the block.
    Leader,
    /// A Praos proof, which serves both purposes.
    Praos,
}

impl ClaimKind {
    /// True if the output of a proof of this kind enters the nonces. If such a proof is invalid, the nonces
    /// are in doubt.
    pub fn feeds_nonce(self) -> bool {
        self != ClaimKind::Leader
    }

    /// The message of the proof made at `slot` in an epoch with nonce `eta0`.
    pub fn alpha(self, slot: u64, eta0: Nonce) -> [u8; 32] {
        self.alpha_from(base(slot, eta0))
    }

    /// The message of a proof. `base` is the hash of the slot and the nonce.
    fn alpha_from(self, mut base: [u8; 32]) -> [u8; 32] {
        let constant = match self {
            ClaimKind::Eta => ETA,
            ClaimKind::Leader => LEADER,
            ClaimKind::Praos => return base,
        };
        for (byte, mask) in base.iter_mut().zip(constant) {
            *byte ^= mask;
        }
        base
    }

    /// The leader value of `output`, which is the output of a proof of this kind. The value has no meaning
    /// for [`ClaimKind::Eta`], whose output only feeds the nonce.
    #[must_use]
    pub fn leader_value(self, output: &[u8; 64]) -> LeaderValue {
        match self {
            ClaimKind::Praos => LeaderValue::of_praos(output),
            ClaimKind::Eta | ClaimKind::Leader => LeaderValue::TPraos(*output),
        }
    }

    /// The name: `eta`, `leader` or `praos`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A claim that owns all its bytes, so that any thread can verify it. It must be verified under the suite of
/// Praos.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The purpose of this proof.
    pub kind: ClaimKind,
    /// The VRF public key of the header.
    pub key: [u8; 32],
    /// The message.
    pub alpha: [u8; 32],
    /// The proof: Γ (32 bytes), c (16), s (32).
    pub proof: [u8; 80],
    /// The output that the header claims.
    pub output: [u8; 64],
}

impl Claim {
    /// Borrows the claim in the form that the verifier accepts.
    pub fn as_claim(&self) -> klero::Claim<'_> {
        klero::Claim {
            key: &self.key,
            alpha: &self.alpha,
            proof: &self.proof,
            output: Some(&self.output),
        }
    }
}

impl Lottery {
    /// Returns the claims of a header with this lottery ticket at `slot`, in an epoch with nonce `eta0`.
    /// There is either one claim of [`ClaimKind::Praos`], or one of [`ClaimKind::Eta`] and one of
    /// [`ClaimKind::Leader`].
    #[must_use]
    pub fn claims(&self, slot: u64, eta0: Nonce) -> Vec<Claim> {
        let base = base(slot, eta0);
        let claim = |kind: ClaimKind, cert: &Cert| Claim {
            kind,
            key: self.vrf_key,
            alpha: kind.alpha_from(base),
            proof: cert.proof,
            output: cert.output,
        };
        match &self.vrf {
            Vrf::TPraos { eta, leader } => {
                vec![claim(ClaimKind::Eta, eta), claim(ClaimKind::Leader, leader)]
            }
            Vrf::Praos(cert) => vec![claim(ClaimKind::Praos, cert)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_tpraos() {
        for (kind, n, constant) in [(ClaimKind::Eta, 0u64, ETA), (ClaimKind::Leader, 1, LEADER)] {
            assert_eq!(constant, *blake2b_256(&[&n.to_be_bytes()]));
            let praos = ClaimKind::Praos.alpha(17, Nonce::Neutral);
            let mask = praos.iter().zip(kind.alpha(17, Nonce::Neutral));
            assert!(mask.map(|(a, b)| a ^ b).eq(constant));
        }
    }

    #[test]
    fn the_neutral_nonce_adds_no_bytes() {
        assert_eq!(
            ClaimKind::Praos.alpha(1, Nonce::Neutral),
            *blake2b_256(&[&1u64.to_be_bytes()])
        );
    }
}
