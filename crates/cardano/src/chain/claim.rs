//! What a block claims: "at this slot my key gives this output, and here is the proof".
//!
//! The message a proof is about (alpha) is not in the block. It is made from the slot and the
//! epoch nonce; before Babbage a constant is XORed in, so that the two proofs of one block are
//! about different messages.

use core::fmt;

use pallas_crypto::hash::Hash;

use crate::chain::hash::blake2b_256;
use crate::chain::header::{Cert, Lottery, Vrf};
use crate::chain::nonce::Nonce;

/// What a proof in a header is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClaimKind {
    /// TPraos: feeds the nonce.
    Eta,
    /// TPraos: shows the right to make the block.
    Leader,
    /// Praos: both.
    Praos,
}

impl ClaimKind {
    /// Whether the output enters the nonces, so that an invalid proof leaves them in doubt.
    pub fn feeds_nonce(self) -> bool {
        self != ClaimKind::Leader
    }

    /// The message of the proof made at `slot` in an epoch with nonce `eta0`.
    ///
    /// ```
    /// use klero_cardano::{ClaimKind, Nonce};
    /// let alpha = ClaimKind::Praos.alpha(259_215, Nonce::Neutral);
    /// assert_ne!(alpha, ClaimKind::Eta.alpha(259_215, Nonce::Neutral));
    /// ```
    pub fn alpha(self, slot: u64, eta0: Nonce) -> [u8; 32] {
        let mut alpha = *blake2b_256(&[&slot.to_be_bytes(), eta0.as_bytes()]);
        let constant = match self {
            ClaimKind::Eta => 0u64,
            ClaimKind::Leader => 1,
            ClaimKind::Praos => return alpha,
        };
        let constant: Hash<32> = blake2b_256(&[&constant.to_be_bytes()]);
        for (byte, mask) in alpha.iter_mut().zip(constant.iter()) {
            *byte ^= mask;
        }
        alpha
    }

    /// `eta`, `leader` or `praos`.
    pub fn name(self) -> &'static str {
        match self {
            ClaimKind::Eta => "eta",
            ClaimKind::Leader => "leader",
            ClaimKind::Praos => "praos",
        }
    }
}

impl fmt::Display for ClaimKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A claim with all its bytes, ready to be verified by any thread, under the suite of Praos.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What the proof is for.
    pub kind: ClaimKind,
    /// The VRF public key of the header.
    pub key: [u8; 32],
    /// The message.
    pub alpha: [u8; 32],
    /// The proof: Γ (32 bytes), c (16), s (32).
    pub proof: [u8; 80],
    /// The output the header claims.
    pub output: [u8; 64],
}

impl Claim {
    /// The claim as the verifier takes it.
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
    /// What the header of this ticket claims at a slot of an epoch with this nonce: one claim of
    /// [`ClaimKind::Praos`], or one of [`ClaimKind::Eta`] and one of [`ClaimKind::Leader`].
    ///
    /// ```
    /// use klero_cardano::{Cert, ClaimKind, Lottery, Nonce, Vrf};
    /// let cert = Cert { output: [3; 64], proof: [4; 80] };
    /// let lottery = Lottery { issuer_key: [1; 32], vrf_key: [2; 32], vrf: Vrf::Praos(cert) };
    /// let claims = lottery.claims(259_215, Nonce::Neutral);
    /// assert_eq!((claims.len(), claims[0].kind), (1, ClaimKind::Praos));
    /// assert_eq!(claims[0].alpha, ClaimKind::Praos.alpha(259_215, Nonce::Neutral));
    /// ```
    pub fn claims(&self, slot: u64, eta0: Nonce) -> Vec<Claim> {
        let claim = |kind: ClaimKind, cert: &Cert| Claim {
            kind,
            key: self.vrf_key,
            alpha: kind.alpha(slot, eta0),
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
        // alpha = base XOR constant, so the constants are what sets the kinds apart.
        let base = ClaimKind::Praos.alpha(17, Nonce::Neutral);
        let constant = |kind: ClaimKind| {
            let alpha = kind.alpha(17, Nonce::Neutral);
            hex::encode(
                base.iter()
                    .zip(alpha)
                    .map(|(a, b)| a ^ b)
                    .collect::<Vec<u8>>(),
            )
        };
        assert_eq!(
            constant(ClaimKind::Eta),
            "81e47a19e6b29b0a65b9591762ce5143ed30d0261e5d24a3201752506b20f15c"
        );
        assert_eq!(
            constant(ClaimKind::Leader),
            "12dd0a6a7d0e222a97926da03adb5a7768d31cc7c5c2bd6828e14a7d25fa3a60"
        );
    }

    #[test]
    fn the_neutral_nonce_adds_no_bytes() {
        assert_eq!(
            ClaimKind::Praos.alpha(1, Nonce::Neutral),
            *blake2b_256(&[&1u64.to_be_bytes()])
        );
    }
}
