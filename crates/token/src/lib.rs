#![doc = include_str!("../README.md")]
#![cfg_attr(not(any(test, feature = "hazmat")), no_std)]

extern crate alloc;

mod aggregate;
mod block;
#[cfg(feature = "bls")]
mod bls;
mod chain;
mod challenge;
mod codec;
mod equation;
mod error;
#[cfg(feature = "hazmat")]
pub mod hazmat;
mod key;
mod kind;
mod limits;
mod prefix;
mod ristretto;
mod scheme;
mod third_party;
mod token;

pub use aggregate::Aggregate;
pub use block::{Block, RevocationId};
#[cfg(feature = "bls")]
pub use bls::Bls;
pub use chain::Chain;
pub use challenge::Challenge;
pub use codec::{scheme_of, scheme_of_text};
pub use error::{Error, KeyFault, Place};
pub use key::{PublicKey, RootKeys, SecretKey};
pub use kind::Kind;
pub use limits::Limits;
pub use scheme::Scheme;
pub use third_party::{Request, Statement};
pub use token::{Unverified, Verified};
