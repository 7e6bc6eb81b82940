//! The numbers of items that the stages process together, chosen by measurement. None of them changes a
//! verdict or a proof.

/// The number of claims in a group that is verified one by one. A group of this size fills every vector, and
/// its data stay in the second-level cache. On Zen 4 and Cascade Lake, 32 and 128 claims are 1 to 2 % slower.
pub(crate) const VERIFY_GROUP: usize = 64;

/// The number of claims in a group that one sum verifies. With 2048, a sum has reached its best rate (with
/// 512, it is 5 to 10 % slower). A group takes little memory (about 6.5 MB), however large the batch is.
pub(crate) const SUM_GROUP: usize = 2048;

/// The number of claims in the smallest part that is summed after a sum has failed. For so few claims, a sum
/// saves only a little time. The bound on the probability of a wrong verdict depends on this number.
pub(crate) const LEAST_PART: usize = 64;

/// The number of bytes that one call hashes when weights are hashed from the claims of a sum. This number
/// fills every lane of the hash, and the bytes stay in the second-level cache.
pub(crate) const HASHED_TOGETHER: usize = 1 << 16;

/// The number of proofs that are made together, chosen like the number of claims verified one by one.
pub(crate) const PROVE_GROUP: usize = 64;

/// The greatest number of counters that try-and-increment tries for one input in one round. More would save
/// rounds, but hashing the additional counters would take longer than these rounds.
pub(crate) const MOST_TRIES: usize = 3;
