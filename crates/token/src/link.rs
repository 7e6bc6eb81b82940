//! Links: what a scheme adds to a token for each block and for a seal; and what stands behind the
//! last of them.

use alloc::vec::Vec;

use zeroize::Zeroizing;

/// Keys and signatures of a link: up to 97 bytes. What is committed stands before the signature,
/// which covers it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    bytes: [u8; Self::LONGEST],
    committed: usize,
    length: usize,
}

impl Link {
    const LONGEST: usize = 97;

    /// A link. Together the parts have at most 97 bytes.
    pub(crate) fn new(committed: &[u8], signature: &[u8]) -> Self {
        let mut bytes = [0; Self::LONGEST];
        let (front, back) = bytes.split_at_mut(committed.len());
        front.copy_from_slice(committed);
        back[..signature.len()].copy_from_slice(signature);
        Self {
            bytes,
            committed: committed.len(),
            length: committed.len() + signature.len(),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(crate) fn committed(&self) -> &[u8] {
        &self.bytes[..self.committed]
    }

    pub(crate) fn signature(&self) -> &[u8] {
        &self.bytes[self.committed..self.length]
    }
}

/// What only a bearer knows.
pub(crate) type Secret = Zeroizing<Vec<u8>>;

/// What stands behind the blocks, and who may use the token because of it.
#[derive(Clone)]
pub(crate) enum End {
    /// Whoever has this secret.
    Bearer(Secret),
    /// Whoever answers the challenge that the seal is over. What is left of the secret is public.
    /// Behind the seal of a passkey it is what the passkey signed.
    Sealed { seal: Link, rest: Secret },
    /// Whoever has the device with the last key, once it has sealed the token.
    Held,
}

impl End {
    /// The bytes behind the last link.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bearer(bytes) | Self::Sealed { rest: bytes, .. } => bytes,
            Self::Held => &[],
        }
    }

    pub(crate) fn is_sealed(&self) -> bool {
        matches!(self, Self::Sealed { .. })
    }
}
