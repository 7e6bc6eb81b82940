//! Attenuable tokens: blocks of bytes that a holder can add to offline and nobody can
//! take away.
//!
//! An issuer *mints* a token of one block, signed by its root key. Whoever holds the token
//! can *append* a block that narrows what it allows, without asking anyone, and pass the
//! result on; the one who gets it cannot come back to the wider token. A verifier who
//! knows the root public key *verifies* all blocks and their order. What the blocks mean
//! is up to the application: payloads are opaque bytes here.
//!
//! Only the first block comes from the issuer: take rights from it alone, and let every later
//! block, which anyone may have written who held the token, only take away.
//!
//! A token is a bearer's: who sees it can show it. To be safe from replay, the verifier
//! sets a [`Challenge`] and the holder *seals* the token to it.
//!
//! ```
//! use klero_token::{Challenge, Chain, Limits, RootKeys, SecretKey, Unverified, Verified};
//!
//! // The issuer.
//! let root = SecretKey::<Chain>::generate()?;
//! let token = Verified::mint(&root, 0, b"account 17: all")?;
//!
//! // The holder narrows it, and seals it to the challenge of the verifier.
//! let token = token.append(b"read only")?;
//! // The nonce: 16 fresh random bytes.
//! let challenge = Challenge { nonce: &[7; 16], audience: "api.example.org", time: 1_800_000_000 };
//! let text = token.seal(&challenge)?.to_text()?;
//!
//! // The verifier.
//! let roots = RootKeys::from(*root.public_key());
//! let token = Unverified::<Chain>::from_text(&text, &Limits::default())?;
//! let token = token.verify(&roots, Some(&challenge))?;
//! let said: Vec<_> = token.blocks().iter().map(|block| block.payload()).collect();
//! assert_eq!(said, [&b"account 17: all"[..], b"read only"]);
//! # Ok::<(), klero_token::Error>(())
//! ```
//!
//! There are three schemes: [`Chain`] of plain Ed25519 signatures, [`Aggregate`], smaller
//! and faster, and `Bls` (feature `bls`), smallest from five blocks on and slow. A key
//! is good for one scheme, and its type says which.
//!
//! Without the features `bls` and `hazmat` the crate needs no standard library, only `alloc`.
//! Each block has a fresh key, so it needs random bytes: where the crate `getrandom` does not
//! know the platform, the program supplies them as a custom backend of that crate.

#![cfg_attr(not(any(test, feature = "hazmat")), no_std)]

extern crate alloc;

mod aggregate;
mod block;
#[cfg(feature = "bls")]
mod bls;
mod chain;
mod challenge;
mod codec;
mod ed25519;
mod error;
#[cfg(feature = "hazmat")]
pub mod hazmat;
mod key;
mod limits;
mod prefix;
mod ristretto;
mod scheme;
mod third_party;
mod token;

pub use aggregate::Aggregate;
pub use block::{Block, Kind, RevocationId};
#[cfg(feature = "bls")]
pub use bls::Bls;
pub use chain::Chain;
pub use challenge::Challenge;
pub use codec::{scheme_of, scheme_of_text};
pub use error::{Error, KeyFault, Place};
pub use key::{PublicKey, RootKeys, SecretKey};
pub use limits::Limits;
pub use scheme::Scheme;
pub use third_party::{Request, Statement};
pub use token::{Unverified, Verified};
