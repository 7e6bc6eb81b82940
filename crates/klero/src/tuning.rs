//! The numbers of items that go through the stages together, as measured. None of them changes a
//! verdict or a proof.

/// The number of claims in a group verified one by one. Measured on Zen 4 and Cascade Lake: every vector is
/// full, and the data between stages stays in the second-level cache; 32 and 128 are 1 to 2 % slower.
pub(crate) const VERIFY_GROUP: usize = 64;

/// The number of claims in a group verified by one sum. The sum has reached its best rate (512 is 5 to 10 %
/// slower), and a group takes little memory (about 6.5 MB) however many claims there are.
pub(crate) const SUM_GROUP: usize = 2048;

/// The number of claims in the smallest part that is summed after a sum has failed: the sum takes less time
/// than these claims one by one, but not much less. The bound on the error of a sum depends on this number.
pub(crate) const LEAST_PART: usize = 64;

/// The number of bytes of a sum's claims that one call hashes: enough for every lane of the hash, and they
/// stay in the second-level cache.
pub(crate) const HASHED_TOGETHER: usize = 1 << 16;

/// The number of proofs in a group made together, chosen as for claims verified one by one.
pub(crate) const PROVE_GROUP: usize = 64;

/// The most counters that try-and-increment tries for one input in one round. More would cost more
/// time for hashes than they save in rounds.
pub(crate) const MOST_TRIES: usize = 3;
