//! Links: what a scheme adds to a token for each block and for a seal.

/// Keys and signatures of a link: up to 96 bytes. What is committed stands before the signature,
/// which covers it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Link {
    bytes: [u8; Self::LONGEST],
    committed: usize,
    length: usize,
}

/// The lengths of the two parts of a link.
#[derive(Clone, Copy)]
pub struct Lengths {
    pub(crate) committed: usize,
    pub(crate) signature: usize,
}

impl Link {
    const LONGEST: usize = 96;

    /// A link. Together the parts have at most 96 bytes.
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
