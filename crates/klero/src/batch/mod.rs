//! Verification of a group of claims, stage by stage (RFC 9381, section 5.3).
//!
//! A group is a table: one row for each claim, and a column for each kind of value (keys, Γ, s, H).
//! A stage reads columns and writes columns, and it handles the whole group before the next
//! stage begins. A claim that fails keeps its row; the column of failures holds the reason,
//! and what later stages compute in the row has no meaning. One claim alone is a group of
//! one: there is no other verifier, and so no other verdict.
//!
//! * [`table`]: from bytes to points and scalars, and the hash to the curve
//! * [`kept`]: public keys that outlive a call
//! * [`one_by_one`]: U and V of each claim, and the comparison
//! * [`sum`]: the equations of all claims added up, for proofs that carry U and V
//! * [`weights`]: the random weights of a sum
//! * [`products`]: weights times scalars

pub(crate) mod kept;
pub(crate) mod one_by_one;
mod products;
pub(crate) mod sum;
pub(crate) mod table;
pub(crate) mod weights;
