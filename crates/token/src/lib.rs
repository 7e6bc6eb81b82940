//! Attenuable tokens: blocks of bytes that a holder can add to offline and nobody can
//! take away.

#[cfg(feature = "hazmat")]
pub mod hazmat;
