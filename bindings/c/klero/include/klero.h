/*
 * Klero: ECVRF on edwards25519 in every form in use.
 *
 * A verifiable random function maps an input alpha to an output of 64 bytes that only the owner
 * of a secret key can compute and everyone can check. Prove makes a proof and the output, verify
 * checks a proof and gives the output, evaluate gives the output without a proof. Each exists
 * for one item and for many.
 *
 * A service can also check the tokens that its clients send; see "Tokens". A Cardano node can check
 * the headers of its peers; see "Headers of Cardano". All of it is in one header, so that a program
 * includes one file and a package installs one.
 *
 * What holds for every function:
 *
 * Returned numbers. 0: the claim, the token or the header is valid, or the work is done. Positive:
 *   the reason why it is not. Negative: a misuse, or a failure of the machine. klero_reason() has the words.
 *   Unless a function says otherwise, it writes nothing if it returns anything but 0.
 * Sizes are in bytes. A parameter written `seed[32]` points to 32 bytes.
 * NULL. A pointer to no bytes or no items (a size or a count of 0) may be NULL. Elsewhere NULL is
 *   KLERO_NULL, unless the function says what it means.
 * Overlap. Functions for one item take outputs that overlap their inputs. Functions for many
 *   items do not: what they write overlaps nothing that they read.
 * Threads. Any number of threads may call any functions at once, and share verifiers, keys and
 *   inputs, as long as nobody changes or frees what another uses. Between calls there is no state
 *   but what handles hold, and no thread: a child of fork() goes on with the handles that it has
 *   got, if no other thread was inside a call at that time. Nothing may be called from a signal
 *   handler: most calls allocate memory.
 * Time. A function that uses a secret key takes a time that does not depend on the key. It may
 *   depend on alpha and the public key. Verifying takes any time: nothing there is secret.
 * Floating point. Rounding mode, exception masks and flags may have any value. They change
 *   neither results nor their own values.
 * Defects and memory. No panic of the library leaves it: a call that meets a defect of its own
 *   returns KLERO_INTERNAL, after a message on standard error; what a function for many items had
 *   written by then is of no use. Where memory runs out, the process is aborted, as Rust programs
 *   are. Verifying takes 6.5 MB for each thread, however many claims there are.
 */
#ifndef KLERO_H
#define KLERO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version that this header belongs to; klero_version() is that of the library. Programs of
   one soname (libklero.so.0) run with every library of that soname from their version on. */
#define KLERO_VERSION "0.1.0"

#if defined(__GNUC__)
#define KLERO_CHECK __attribute__((warn_unused_result))
#else
#define KLERO_CHECK
#endif

enum {
    /* The seed that a secret key is derived from. */
    KLERO_SEED_SIZE = 32,
    KLERO_PUBLIC_KEY_SIZE = 32,
    /* Of any suite: klero_proof_size() gives 80, 128 or 144. */
    KLERO_LARGEST_PROOF_SIZE = 144,
    KLERO_OUTPUT_SIZE = 64
};

enum {
    /* The claim is valid; the work is done. */
    KLERO_VALID = 0,

    /* Why a claim is invalid. Checks run in this order, so a claim always has the same reason,
       alone or among others. */
    KLERO_KEY_LENGTH = 1,
    KLERO_KEY_NOT_CANONICAL = 2,
    KLERO_KEY_NOT_ON_CURVE = 3,
    KLERO_KEY_SMALL_ORDER = 4,
    KLERO_PROOF_LENGTH = 5,
    KLERO_GAMMA_NOT_CANONICAL = 6,
    KLERO_GAMMA_NOT_ON_CURVE = 7,
    KLERO_SCALAR_NOT_CANONICAL = 8,
    KLERO_NO_CURVE_POINT = 9,
    KLERO_CHALLENGE_MISMATCH = 10,
    KLERO_U_MISMATCH = 11,
    KLERO_V_MISMATCH = 12,
    KLERO_OUTPUT_LENGTH = 13,
    KLERO_OUTPUT_MISMATCH = 14,
    /* A reason that later versions may add. Take every positive number for a reason. */
    KLERO_OTHERWISE_INVALID = 99,

    /* Why a token gives no rights: in HTTP, the statuses 401, 403 and 400. */
    /* It is no token, is not signed as it must be, or does not answer the challenge. */
    KLERO_TOKEN_INVALID = 101,
    /* It is valid, but a caveat does not hold or a block is revoked. */
    KLERO_TOKEN_REFUSED = 102,
    /* A text of the request is not UTF-8, or has a zero byte. */
    KLERO_TOKEN_REQUEST = 103,

    /* Headers of Cardano. */
    /* A header is invalid: its verdict has the faults. */
    KLERO_HEADER_INVALID = 201,
    /* The pool does not lead: the leader value is too large for its stake. */
    KLERO_NO_LEADER = 202,

    /* A pointer is NULL that must not be. */
    KLERO_NULL = -1,
    /* A size or a count is not the expected one, or larger than the address space. */
    KLERO_SIZE = -2,
    /* No suite has this name. */
    KLERO_UNKNOWN_SUITE = -3,
    /* No backend of this processor has this name. */
    KLERO_UNKNOWN_BACKEND = -4,
    /* No method has this number. */
    KLERO_UNKNOWN_METHOD = -5,
    /* The last 32 of 64 bytes are not the public key of the seed in the first 32. */
    KLERO_HALVES_DIFFER = -6,
    /* The keys of one call belong to different suites. */
    KLERO_MIXED_SUITES = -7,
    /* The operating system supplied no random bytes. */
    KLERO_NO_RANDOMNESS = -8,
    /* A fault of the processor or the memory while proving. */
    KLERO_FAULT = -9,
    /* A text of the program is not UTF-8, or has a zero byte. */
    KLERO_NOT_TEXT = -10,
    /* Not the text of an issuer's public key. */
    KLERO_NOT_A_ROOT = -11,
    /* The access does not say which tokens it takes, or what is revoked; or contradicts itself. */
    KLERO_TOKEN_UNSAID = -12,
    /* No public network has this name. */
    KLERO_UNKNOWN_NETWORK = -13,
    /* Not a Shelley genesis file with all that is needed, or eras that begin in another order. */
    KLERO_BAD_GENESIS = -14,
    /* No era since Shelley has this tag. */
    KLERO_UNKNOWN_ERA = -15,
    /* No protocol has this number. */
    KLERO_UNKNOWN_PROTOCOL = -16,
    /* A ratio that is not from 0 to 1; or, of f, one with which no pool can lead. */
    KLERO_BAD_RATIO = -17,
    /* A pool is there twice, or stake is above the total, or the total is zero. */
    KLERO_BAD_STAKE = -18,
    /* The stake or the nonce of an epoch, or the start of an era, is given twice. */
    KLERO_GIVEN_TWICE = -19,
    /* The counters are of another network than the check. */
    KLERO_OTHER_NETWORK = -20,
    /* Not the bytes of saved counters, or changed since they were saved. */
    KLERO_BAD_COUNTERS = -21,
    /* A defect of this library. */
    KLERO_INTERNAL = -99
};

/* What a returned number means, in words: a string that lives as long as the library. Never
   NULL: "unknown reason" for a number that this version does not return. */
const char *klero_reason(int number);

/* The version of the library, such as "0.1.0". */
const char *klero_version(void);

/* ---- Suites and backends ----------------------------------------------------------------- */

/*
 * A suite is a form of ECVRF; it is known by its name:
 *
 *   "praos"            Cardano block headers
 *   "praos-original"   Algorand, and Cardano nodes before 2023
 *   "rfc9381-tai"      key transparency (akd, Signal)
 *   "rfc9381-ell2"     something new
 *   "rfc9381-ell2-bc"  something new, for large batches
 *
 * and the others that klero_suite_name() lists. Upper case, underscores for hyphens and some
 * older names are understood too.
 */

/* The name of the suite of this index, from 0: those in use, then experimental ones. NULL from
   the number of suites on. */
const char *klero_suite_name(size_t index);

/* The size of the suite's proofs: 80, 128 or 144. 0 if no suite has this name. */
size_t klero_proof_size(const char *suite);

/* The name of a backend, the vector arithmetic that this processor can run, from 0: the fastest,
   which is used, comes first; "portable" is the last. NULL from their number on. */
const char *klero_backend_name(size_t index);

/* ---- Secret keys ------------------------------------------------------------------------- */

/*
 * A secret key: a seed, what is derived from it once, and the suite that it belongs to. It
 * proves in that suite only: two proofs of one alpha in two suites can give the key away. For
 * the same reason no seed serves two suites, or a suite and Ed25519 signatures.
 */
typedef struct klero_secret_key klero_secret_key;

/* A new key from the operating system's random source.
   KLERO_UNKNOWN_SUITE, KLERO_NO_RANDOMNESS. */
KLERO_CHECK int klero_secret_key_generate(const char *suite, klero_secret_key **key);

/* The key of a seed of 32 secret, uniformly random bytes, which the library copies. Constant
   time.
   KLERO_UNKNOWN_SUITE. */
KLERO_CHECK int klero_secret_key_from_seed(const char *suite, const uint8_t seed[32],
                                           klero_secret_key **key);

/* The key of libsodium's 64 bytes, seed and then public key. Constant time.
   KLERO_UNKNOWN_SUITE; KLERO_HALVES_DIFFER: proving with a wrong public half would give the
   secret key away. */
KLERO_CHECK int klero_secret_key_from_libsodium(const char *suite, const uint8_t bytes[64],
                                                klero_secret_key **key);

/* Writes libsodium's 64 bytes, of which the first 32 are the seed: to save a key. They are
   secret, and wiping them is up to the program. */
KLERO_CHECK int klero_secret_key_to_libsodium(const klero_secret_key *key, uint8_t bytes[64]);

/* Writes the public key, 32 bytes. */
KLERO_CHECK int klero_secret_key_public_key(const klero_secret_key *key, uint8_t public_key[32]);

/* The name of the key's suite; NULL for NULL. */
const char *klero_secret_key_suite(const klero_secret_key *key);

/* Wipes the key and frees it. NULL is nothing to free. A key is freed once, and not used after
   that. */
void klero_secret_key_free(klero_secret_key *key);

/* Whether verifiers accept the public key, such as when it is registered: 0, or the reason why
   every proof for it is invalid. A size other than 32 is such a reason. */
KLERO_CHECK int klero_check_public_key(const uint8_t *public_key, size_t size);

/* ---- Proving and evaluating -------------------------------------------------------------- */

/* Bytes that the program owns. */
typedef struct klero_bytes {
    const uint8_t *data; /* may be NULL if size is 0 */
    size_t size;
} klero_bytes;

/* An input, and the key to prove or evaluate it with. */
typedef struct klero_request {
    const klero_secret_key *key;
    klero_bytes alpha;
} klero_request;

/* Proves: writes the proof, and the output if that is not NULL. Deterministic. `proof_size` is
   the room that the program has for the proof.
   KLERO_SIZE if that is not klero_proof_size() of the key's suite. */
KLERO_CHECK int klero_prove(const klero_secret_key *key, const uint8_t *alpha, size_t alpha_size,
                            uint8_t *proof, size_t proof_size, uint8_t output[64]);

/* klero_prove(), which makes the proof twice, compares and verifies: for machines in which an
   attacker may cause faults, in three times the time.
   KLERO_FAULT if the proofs differ; one of them could give the key away. */
KLERO_CHECK int klero_prove_checked(const klero_secret_key *key, const uint8_t *alpha,
                                    size_t alpha_size, uint8_t *proof, size_t proof_size,
                                    uint8_t output[64]);

/* Writes the output without a proof, the same that klero_prove() writes, in less than half the
   time. */
KLERO_CHECK int klero_evaluate(const klero_secret_key *key, const uint8_t *alpha,
                               size_t alpha_size, uint8_t output[64]);

/* Writes an integer below `n` that an output gives, such as the number of the winner of a lottery:
   floor(output * n / 2^512), where the 64 bytes are a number in big-endian order. Each integer has
   probability 1/n, with a relative error below 2^-448.
   KLERO_SIZE if `n` is 0. */
KLERO_CHECK int klero_output_below(const uint8_t output[64], uint64_t n, uint64_t *below);

/* Proves many requests, with one key or with several of one suite. Writes the proofs one after
   the other, and the outputs of 64 bytes as well unless `outputs` is NULL; all are those of
   klero_prove(). For `threads`, see klero_verify_many().
   KLERO_SIZE if `proofs_size` is not `count` times klero_proof_size(); KLERO_MIXED_SUITES. */
KLERO_CHECK int klero_prove_many(const klero_request *requests, size_t count, uint8_t *proofs,
                                 size_t proofs_size, uint8_t (*outputs)[64], size_t threads);

/* Evaluates many requests. Writes the outputs.
   KLERO_MIXED_SUITES. */
KLERO_CHECK int klero_evaluate_many(const klero_request *requests, size_t count,
                                    uint8_t (*outputs)[64], size_t threads);

/* ---- Verifying --------------------------------------------------------------------------- */

/*
 * "This proof proves that the key maps alpha to the output." The bytes may be anything, of any
 * size: the verdict says what is wrong with them. A claim about the proof alone leaves `output`
 * zero.
 */
typedef struct klero_claim {
    klero_bytes key;    /* the public key, 32 bytes */
    klero_bytes alpha;  /* the input */
    klero_bytes proof;  /* 80, 128 or 144 bytes, depending on the suite */
    klero_bytes output; /* 64 bytes, or { NULL, 0 } */
} klero_claim;

/* Verifies claims of one suite. Made once, used many times, shared between threads. */
typedef struct klero_verifier klero_verifier;

/* How many claims are verified. No verdict depends on it. */
enum {
    /* By a sum where one pays: for many proofs of 128 or 144 bytes. */
    KLERO_AUTO = 0,
    /* By a sum wherever the proofs allow one. */
    KLERO_SUM = 1,
    /* Each claim by itself, side by side in the lanes of a vector. */
    KLERO_ONE_BY_ONE = 2
};

/* A verifier for a suite.
   KLERO_UNKNOWN_SUITE. */
KLERO_CHECK int klero_verifier_new(const char *suite, klero_verifier **verifier);

/* Uses this backend instead of the fastest. No verdict depends on it. While this is called, no
   other thread uses the verifier.
   KLERO_UNKNOWN_BACKEND. */
KLERO_CHECK int klero_verifier_set_backend(klero_verifier *verifier, const char *backend);

/* Uses this method instead of KLERO_AUTO. While this is called, no other thread uses the
   verifier.
   KLERO_UNKNOWN_METHOD. */
KLERO_CHECK int klero_verifier_set_method(klero_verifier *verifier, int method);

/* Keeps up to `count` public keys between calls, 4.3 KB each; 0 keeps none, as a new verifier does.
   Where keys come back, klero_verify_many() takes 13 to 20 % less time for claims that it verifies
   one by one. klero_verify() gains nothing. No verdict depends on it. While this is called, no
   other thread uses the verifier. */
KLERO_CHECK int klero_verifier_set_kept_keys(klero_verifier *verifier, size_t count);

/* Frees the verifier. NULL is nothing to free. A verifier is freed once, and not used after
   that. */
void klero_verifier_free(klero_verifier *verifier);

/* Verifies one claim: 0 if it is valid, and then writes the output that it proves unless
   `output` is NULL; else the reason. */
KLERO_CHECK int klero_verify(const klero_verifier *verifier, const klero_claim *claim,
                             uint8_t output[64]);

/*
 * Verifies many claims. Writes one verdict for each, in order and the same that klero_verify()
 * returns; and, unless `outputs` is NULL, the outputs of those that are valid. The outputs of
 * the others are left alone.
 *
 * Returns 0 only if every claim is valid (of no claims, all are). A positive number is the verdict
 * of the first that is not. With a negative number nothing was written, but for KLERO_INTERNAL:
 * then every verdict is KLERO_INTERNAL too.
 *
 * `threads` is the number of threads that share the work. 1: the calling thread alone; 0: one
 * for each processor. The others are started for this call and end with it; if they cannot be
 * started, those that run do all the work.
 */
KLERO_CHECK int klero_verify_many(const klero_verifier *verifier, const klero_claim *claims,
                                  size_t count, int *verdicts, uint8_t (*outputs)[64],
                                  size_t threads);

/* Writes the output of a proof that is NOT VERIFIED, of the verifier's suite: for proofs known
   to be valid, such as one's own. Returns the reason if the proof does not decode. */
KLERO_CHECK int klero_proof_to_hash(const klero_verifier *verifier, const uint8_t *proof,
                                    size_t proof_size, uint8_t output[64]);

/* ---- Tokens ------------------------------------------------------------------------------ */

/*
 * A token is a text that an issuer signed and its holders narrowed by caveats. A service checks
 * it with the issuer's public key. Tokens are minted, narrowed and sealed elsewhere: by the
 * command `klero token`, in Python, JavaScript or Rust. No secret enters here but the tokens
 * themselves, which are not kept.
 */

/* Whose tokens a service takes: root keys, and for whom it accepts passkeys. Made once, used many
   times, shared between threads. */
typedef struct klero_token_verifier klero_token_verifier;

/* A verifier without root keys, for which every token is invalid. */
KLERO_CHECK int klero_token_verifier_new(klero_token_verifier **verifier);

/* Adds an issuer's public key, as `klero token public-key` prints it: "chain:..." or
   "aggregate:...". Tokens name their root key by `number`, which is 0 unless the issuer chose
   another. A key of the same scheme that had this number is replaced. While this is called, no
   other thread uses the verifier.
   KLERO_NOT_A_ROOT: also for a third party's key, and one that no verifier accepts. */
KLERO_CHECK int klero_token_verifier_add_root(klero_token_verifier *verifier, uint32_t number,
                                              const char *key);

/* Accepts what passkeys of this relying party signed: `id` is the domain that they belong to,
   such as "example.org", and `origins` are the pages that may ask for it, such as
   "https://example.org", without a slash at the end. Unless `user_verification` is 0, the passkey
   must have verified its user. Without this, a token that a passkey holds or made a statement in
   is invalid. While this is called, no other thread uses the verifier.
   KLERO_SIZE if there are no origins; KLERO_NOT_TEXT. */
KLERO_CHECK int klero_token_verifier_set_relying_party(klero_token_verifier *verifier,
                                                       const char *id,
                                                       const char *const *origins, size_t count,
                                                       int user_verification);

/* Frees the verifier. NULL is nothing to free. A verifier is freed once, and not used after
   that. */
void klero_token_verifier_free(klero_token_verifier *verifier);

/* A challenge that the service set: a nonce of 16 or more random bytes that it uses once, its own
   name, and when it made the challenge, in seconds since 1970. */
typedef struct klero_token_challenge {
    klero_bytes nonce;
    klero_bytes audience; /* UTF-8 */
    uint64_t time;
} klero_token_challenge;

/* Something that the application says of a request, for caveats such as `account = 17`. UTF-8. */
typedef struct klero_token_field {
    klero_bytes name;
    klero_bytes value;
} klero_token_field;

/* Which tokens are taken. There is no default. */
enum {
    /* Those that are not sealed: whoever sees one can use it. */
    KLERO_TOKEN_BEARER = 1,
    /* Those that are sealed to the challenge. */
    KLERO_TOKEN_SEALED = 2
};

/* What is revoked. There is no default. */
enum {
    /* Nothing: true in tests, and where tokens live so short that none is ever revoked. */
    KLERO_TOKEN_NONE_REVOKED = 1,
    /* The blocks with these ids. */
    KLERO_TOKEN_REVOKED = 2
};

/*
 * Which tokens are taken, and what the request is about. Zero all of it, and say what is known: a
 * caveat on something that is left { NULL, 0 } refuses. Texts are UTF-8 without zero bytes.
 */
typedef struct klero_token_access {
    /* KLERO_TOKEN_BEARER or KLERO_TOKEN_SEALED. */
    int form;
    /* KLERO_TOKEN_NONE_REVOKED or KLERO_TOKEN_REVOKED. */
    int revocation;
    /* With KLERO_TOKEN_SEALED the challenge, else zero. */
    klero_token_challenge challenge;
    /* With KLERO_TOKEN_REVOKED the ids, of which there may be none, else zero. Each block of the
       token is compared with all of them: give those of tokens that have not expired. */
    const uint8_t (*revoked)[32];
    size_t revoked_count;
    /* The name of the service. A sealed token needs it, and it must be that of the challenge. */
    klero_bytes audience;
    /* The path of the request as it arrived, without the query. The library normalizes it. */
    klero_bytes path;
    klero_bytes method;
    /* Of two with one name, both must have the value. */
    const klero_token_field *fields;
    size_t field_count;
} klero_token_access;

/* Room for an answer. */
typedef struct klero_token_answer {
    /* In: room for the rights that the issuer signed in the first block, bytes whose meaning is
       up to the application. KLERO_TOKEN_LARGEST is enough for those of any token. NULL, and
       a room of 0, if they are not wanted. */
    uint8_t *rights;
    size_t rights_room;
    /* Out: the size of the rights; 0 if there are none. */
    size_t rights_size;
    /* In: room for a string that says why there are no rights. It is cut at the end of the room.
       NULL, and a room of 0, if it is not wanted. */
    char *reason;
    size_t reason_room;
} klero_token_answer;

enum {
    /* The size of the largest token in bytes, before base64url; a larger one is invalid, and so
       is one of more than 64 signatures or 256 caveats. */
    KLERO_TOKEN_LARGEST = 65536,
    /* Room for any reason. */
    KLERO_TOKEN_REASON_SIZE = 2048
};

/*
 * Whether a token allows a request at the time `now`, in seconds since 1970. The token is the
 * text that a client sent, of any bytes and any size. 0 if it is valid, no block of it is revoked
 * and all of its caveats hold: only then the rights are written. A block of bytes that only an
 * application understands refuses the request.
 *
 * KLERO_TOKEN_INVALID (of every token, if the nonce of the challenge is empty),
 * KLERO_TOKEN_REFUSED, KLERO_TOKEN_REQUEST; KLERO_TOKEN_UNSAID; KLERO_SIZE if the rights do not
 * fit, and then `rights_size` says how much room they need; KLERO_NOT_TEXT for the audience of
 * the challenge.
 *
 * The reason is written whatever is returned, unless `answer` is NULL or one of its pointers is
 * NULL and its room is not 0: no words if it is 0, else such as "block 1: method GET: it does not hold". What others
 * wrote is escaped in it, so that it may stand in a log.
 */
KLERO_CHECK int klero_token_check(const klero_token_verifier *verifier, const uint8_t *token,
                                  size_t token_size, uint64_t now,
                                  const klero_token_access *access, klero_token_answer *answer);

/* ---- Headers of Cardano ------------------------------------------------------------------ */

/*
 * A header of a block is judged by what it contains: VRF proofs, KES signature, operational
 * certificate with its period and number, leader value, era. The program adds what is not in it:
 * stake, nonces of epochs, certificate numbers of the chain before. How headers are linked (hash,
 * number, slot) is not checked, and neither are bodies.
 */

/* The first epoch of an era, which is known by the tag of its blocks: 2 Shelley, 3 Allegra,
   4 Mary, 5 Alonzo, 6 Babbage, 7 Conway, 8 Dijkstra (experimental). */
typedef struct klero_era_start {
    uint8_t tag;
    uint64_t epoch;
} klero_era_start;

/* A pool with its stake in lovelace. */
typedef struct klero_header_pool {
    uint8_t pool[28]; /* BLAKE2b-224 of its cold key */
    uint64_t stake;
    const uint8_t *vrf; /* BLAKE2b-256 of its VRF key, 32 bytes; NULL if that is not known */
} klero_header_pool;

/* The stake that decides in an epoch. */
typedef struct klero_header_stake {
    uint64_t epoch;
    const klero_header_pool *pools;
    size_t pool_count;
    uint64_t total; /* the total active stake; 0 if it is the sum over the pools */
    /* The share d of the slots that is the overlay of the genesis delegates, in an epoch before
       Babbage; 0/0 if that is not known. */
    uint64_t d_numerator, d_denominator;
} klero_header_stake;

/* A check for the headers of one network. Made once, used many times, shared between threads. It
   keeps keys and certificates that it has seen, at most 20 MB, and some 150 bytes of each pool. */
typedef struct klero_header_check klero_header_check;

/* A check for "mainnet", "preprod" or "preview", with the nonces of all epochs until this version
   was made. In the epochs of `stakes`, of which there may be none, it also checks who may lead; with
   any stake also the turns of genesis delegates, in all epochs before Babbage whose d is known.
   KLERO_UNKNOWN_NETWORK; KLERO_GIVEN_TWICE, KLERO_BAD_STAKE, KLERO_BAD_RATIO. */
KLERO_CHECK int klero_header_check_new(const char *network, const klero_header_stake *stakes,
                                       size_t stake_count, klero_header_check **check);

/* A check for another network, from the bytes of its Shelley genesis file exactly as the nodes
   have them, since their hash identifies the network. Shelley begins in epoch 0 unless it is among
   `starts`. Of the eras that are, a header must be in an epoch of its own. The security parameter
   of Byron, if there were blocks of it, is taken to be the one in this file.
   Also KLERO_UNKNOWN_ERA, KLERO_BAD_GENESIS. */
KLERO_CHECK int klero_header_check_from_genesis(const uint8_t *genesis, size_t genesis_size,
                                                const klero_era_start *starts, size_t start_count,
                                                const klero_header_stake *stakes,
                                                size_t stake_count, klero_header_check **check);

/* Frees the check. NULL is nothing to free. It is freed once, and not used after that; counters
   outlive it. */
void klero_header_check_free(klero_header_check *check);

/* The last certificate number of each issuer, some 60 bytes each, at one block of one chain. Only
   one thread uses counters at a time. */
typedef struct klero_header_counters klero_header_counters;

/* Counters for the network of the check, as they were saved. With NULL, they are those of no
   issuer: with `since_first_block` the next block is the first one since Byron, and each issuer
   begins at 0; without (0), it is any, and the first number of an issuer is not judged.
   KLERO_BAD_COUNTERS; KLERO_OTHER_NETWORK. */
KLERO_CHECK int klero_header_counters_new(const klero_header_check *check, int since_first_block,
                                          const uint8_t *saved, size_t size,
                                          klero_header_counters **counters);

/* Sets the number of an issuer (BLAKE2b-224 of the cold key), such as a node's state has it, and ends
   the doubt about it. */
KLERO_CHECK int klero_header_counters_set(klero_header_counters *counters,
                                          const uint8_t issuer[28], uint64_t number);

/* Writes the counters as bytes, to go on with them later or when a fork is left. `*size` becomes
   their number: 82, and 37 for each issuer.
   KLERO_SIZE if there is less room; then only `*size` is written. */
KLERO_CHECK int klero_header_counters_save(const klero_header_counters *counters, uint8_t *bytes,
                                           size_t room, size_t *size);

/* Frees the counters. NULL is nothing to free. */
void klero_header_counters_free(klero_header_counters *counters);

/* A header as peers send it and blocks store it. */
typedef struct klero_header {
    uint8_t tag;       /* of a block of its era, see above. Peers number eras from one less: add 1. */
    klero_bytes bytes; /* CBOR: any bytes of any size. Above 65,535 it is not decoded. */
} klero_header;

/* The nonce of an epoch. No other length can be given. */
typedef struct klero_header_nonce {
    uint64_t epoch;
    uint8_t nonce[32];
} klero_header_nonce;

/* What is wrong with a header: a name that is the same in every language, such as "invalid-kes",
   and a message. */
typedef struct klero_header_fault {
    const char *name;
    const char *message;
} klero_header_fault;

/* What was found about a header. It is valid if it has no faults. */
typedef struct klero_header_verdict {
    const klero_header_fault *faults; /* in the order of the checks */
    size_t fault_count;
    uint64_t slot; /* 0 if the header could not be decoded */
    int decoded;
    /* 1 if the maker's right to lead was judged, by stake or by whose turn the slot is. With 0 the
       leader value was compared with f alone. */
    int judged_by_stake;
    /* 1 if the era is in flux: what was found may not hold once it begins. */
    int experimental;
} klero_header_verdict;

/*
 * Verifies headers on the calling thread, from eight on in the lanes of the processor. Writes a
 * verdict for each, in order: the one that it has alone, except for certificate numbers.
 * `nonces` are those of the epochs of the headers; where one is not named, it is the one that is
 * built in, and where none is, the header is invalid ("nonce-unknown").
 *
 * The headers move the counters in the order given, which should be that of one chain: a valid one
 * sets the number of its issuer, any other casts doubt on the upper bounds of all. Peers on
 * different chains have counters of their own.
 *
 * Returns 0 only if every header is valid (of no headers, all are), KLERO_HEADER_INVALID if any is
 * not. The counters hold the faults until they are used for other headers, or freed. With a
 * negative number nothing was written, but after KLERO_INTERNAL the counters are of no use.
 *
 * There may be any number of headers. Some 100 bytes are kept for each and for each fault; what
 * judging takes, some 10 MB, does not depend on their number.
 * KLERO_GIVEN_TWICE for two nonces of an epoch; KLERO_OTHER_NETWORK.
 */
KLERO_CHECK int klero_verify_headers(const klero_header_check *check, const klero_header *headers,
                                     size_t count, const klero_header_nonce *nonces,
                                     size_t nonce_count, klero_header_counters *counters,
                                     klero_header_verdict *verdicts);

/* The protocols that elect the makers of blocks by stake: of Shelley to Alonzo, and since. */
enum { KLERO_TPRAOS = 1, KLERO_PRAOS = 2 };

/* Where a pool stops to lead. */
typedef struct klero_leader_threshold {
    double margin;    /* leader value / last one that leads, for reports; infinite if none does */
    uint8_t last[64]; /* the last leader value that leads: 64 bytes in TPraos, 32 in Praos */
    size_t last_size; /* 0 if none leads */
} klero_leader_threshold;

/* The leader rule alone, exact to the last bit of what nodes compute: 0 if a pool with `stake` of
   `total` lovelace leads with the output of its VRF proof, where f is the active slots coefficient
   (1/20 on mainnet); else KLERO_NO_LEADER. In both cases it writes the threshold, unless that is
   NULL.
   KLERO_UNKNOWN_PROTOCOL, KLERO_BAD_RATIO, KLERO_BAD_STAKE. */
KLERO_CHECK int klero_leads(int protocol, const uint8_t output[64], uint64_t stake, uint64_t total,
                            uint64_t f_numerator, uint64_t f_denominator,
                            klero_leader_threshold *threshold);

#ifdef __cplusplus
}
#endif

#endif
