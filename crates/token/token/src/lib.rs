#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![warn(unreachable_pub, unnameable_types)]

extern crate alloc;

// Read `token` and `block` first. For what a signature covers, read `state`, `verify` and `chain`. `caveat`
// and `access` decide which requests a token allows. `statement`, `device` and `webauthn` are for keys of
// third parties and keys in devices. `chain` is one scheme, and `aggregate` is the other.
mod access;
mod aggregate;
mod algorithms;
mod block;
mod caveat;
mod chain;
mod challenge;
mod codec;
mod device;
mod equation;
mod error;
mod factors;
mod hedge;
mod key;
mod limits;
mod path;
mod revocation;
mod ristretto;
mod roots;
mod scheme;
mod signature;
mod signed;
mod state;
mod statement;
mod token;
mod verify;
mod webauthn;

pub use access::{Access, Reason, Refused, Rights};
pub use block::Block;
pub use caveat::Caveat;
pub use challenge::Challenge;
pub use device::{Minting, Sealing};
pub use error::{Error, Place};
pub use key::{PublicKey, SecretKey};
pub use limits::Limits;
pub use path::normal_path;
pub use revocation::{RevocationId, Revoked};
pub use roots::RootKeys;
pub use scheme::{KeyKind, Kind, Scheme};
pub use signature::Signature;
pub use statement::{Request, Statement};
pub use token::Token;
pub use verify::Verified;
pub use webauthn::RelyingParty;
