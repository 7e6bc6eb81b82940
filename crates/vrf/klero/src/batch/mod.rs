//! Verification of a group of claims, stage by stage (RFC 9381, section 5.3).
//!
//! A group is a table. It has one row for each claim, and one column for each kind of value (keys, Γ, s, H).
//! A stage reads columns and writes columns, and it handles the whole group before the next stage begins. A
//! claim that fails keeps its row. The column of failures then holds the reason, and values that later stages
//! compute in the row have no meaning. A single claim is verified as a group of one. No special code for
//! single claims could give it another verdict.
//!
//! * [`table`]: decodes bytes to points and scalars, and hashes to the curve
//! * [`kept`]: keeps public keys from call to call
//! * [`one_by_one`]: computes U and V of each claim, and compares the result with the proof
//! * [`sum`]: adds up the equations of all claims, for proofs that carry U and V
//! * [`weights`]: draws the random weights of a sum
//! * [`products`]: multiplies weights by scalars

pub(crate) mod kept;
pub(crate) mod one_by_one;
mod products;
pub(crate) mod sum;
pub(crate) mod table;
pub(crate) mod weights;
