//! How many items go through the stages together: the numbers that were measured. None of
//! them changes a result.

/// Claims verified one by one. Measured on Zen 4 and Cascade Lake: every vector is full, and
/// what passes between the stages stays in the second cache; 32 and 128 are 1 to 2 % slower.
pub(crate) const VERIFY_GROUP: usize = 64;

/// Claims verified by one sum. The sum has reached its best rate (512 is 5 to 10 % slower),
/// and a group takes little memory (about 6.5 MB) however many claims there are.
pub(crate) const SUM_GROUP: usize = 2048;

/// The claims of the smallest part that is summed after a sum has failed: it takes less time than
/// each of them alone, but not much less. The bound on the error of a sum counts on it.
pub(crate) const LEAST_PART: usize = 64;

/// Bytes of a sum's claims that are hashed by one call: enough for every lane of the hash, and they
/// stay in the second cache.
pub(crate) const HASHED_TOGETHER: usize = 1 << 16;

/// Proofs made together: as for claims verified one by one.
pub(crate) const PROVE_GROUP: usize = 64;

/// Counters that try-and-increment tries for one input in one round. More cost more hashes
/// than they save rounds.
pub(crate) const MOST_TRIES: usize = 3;
