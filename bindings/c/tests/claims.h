/* The vectors as claims of libklero, grouped by suite, with the number that each returns. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "klero.h"
#include "support.h"

#define MOST_SUITES 32
#define MOST_CLAIMS 512

struct group {
    char suite[32];
    size_t count;
    klero_claim claims[MOST_CLAIMS];
    int expected[MOST_CLAIMS];
    /* The output that klero_verify() writes. */
    uint8_t outputs[MOST_CLAIMS][64];
};

static struct group groups[MOST_SUITES];
static size_t group_count;

/* The words of the library in Rust, as vectors.py writes them. */
static const struct {
    const char *reason;
    int number;
} REASONS[] = {
    { "valid", KLERO_VALID },
    { "public-key-has-bytes-expected", KLERO_KEY_LENGTH },
    { "public-key-is-not-canonical-y", KLERO_KEY_NOT_CANONICAL },
    { "public-key-is-not-a-point-of-the-curve", KLERO_KEY_NOT_ON_CURVE },
    { "public-key-has-small-order", KLERO_KEY_SMALL_ORDER },
    { "proof-has-bytes-expected", KLERO_PROOF_LENGTH },
    { "Gamma-is-not-canonical-y", KLERO_GAMMA_NOT_CANONICAL },
    { "Gamma-is-not-a-point-of-the-curve", KLERO_GAMMA_NOT_ON_CURVE },
    { "s-is-not-canonical-s-L", KLERO_SCALAR_NOT_CANONICAL },
    { "alpha-hashes-to-no-point-of-the-curve", KLERO_NO_CURVE_POINT },
    { "challenge-mismatch", KLERO_CHALLENGE_MISMATCH },
    { "U-mismatch", KLERO_U_MISMATCH },
    { "V-mismatch", KLERO_V_MISMATCH },
    { "output-has-bytes-expected", KLERO_OUTPUT_LENGTH },
    { "output-mismatch-the-proof-is-for-another-output", KLERO_OUTPUT_MISMATCH },
};

static inline int number_of(const char *reason) {
    size_t i;
    for (i = 0; i < sizeof REASONS / sizeof REASONS[0]; i++)
        if (strcmp(REASONS[i].reason, reason) == 0)
            return REASONS[i].number;
    fprintf(stderr, "no number stands for %s\n", reason);
    exit(1);
}

static inline klero_bytes copy_of(const uint8_t *data, size_t size) {
    klero_bytes copy;
    uint8_t *bytes = (uint8_t *)exact(size);
    if (size > 0)
        memcpy(bytes, data, size);
    copy.data = bytes;
    copy.size = size;
    return copy;
}

/* Adds a claim that was checked by the crate in Rust (or whose reason is plain to see). */
static inline void add_claim(const char *suite, klero_bytes key, klero_bytes alpha,
                             klero_bytes proof, klero_bytes output, int expected) {
    struct group *group = groups;
    while (group < groups + group_count && strcmp(group->suite, suite) != 0)
        group++;
    if (group == groups + group_count) {
        CHECK(group_count++ < MOST_SUITES);
        strcpy(group->suite, suite);
    }
    CHECK(group->count < MOST_CLAIMS);
    group->claims[group->count].key = key;
    group->claims[group->count].alpha = alpha;
    group->claims[group->count].proof = proof;
    group->claims[group->count].output = output;
    group->expected[group->count++] = expected;
}

/* The claim of a vector; and if it is valid, the same claim spoiled in every way that a size can
   be wrong. */
static inline void add_claims(const struct vector *vector) {
    static const klero_bytes absent = { NULL, 0 };
    int expected = number_of(vector->reason);
    CHECK((expected == 0) == vector->valid);
#define KEY(size) copy_of(vector->key, size)
#define ALPHA copy_of(vector->alpha, vector->alpha_size)
#define PROOF(size) copy_of(vector->proof, size)
    add_claim(vector->suite, KEY(32), ALPHA, PROOF(vector->proof_size), absent, expected);
    if (!vector->has_output)
        return;
    add_claim(vector->suite, KEY(32), ALPHA, PROOF(vector->proof_size),
              copy_of(vector->output, 64), KLERO_VALID);
    add_claim(vector->suite, KEY(31), ALPHA, PROOF(vector->proof_size), absent,
              KLERO_KEY_LENGTH);
    add_claim(vector->suite, KEY(0), ALPHA, PROOF(vector->proof_size), absent, KLERO_KEY_LENGTH);
    add_claim(vector->suite, KEY(32), ALPHA, PROOF(vector->proof_size - 1), absent,
              KLERO_PROOF_LENGTH);
    add_claim(vector->suite, KEY(32), ALPHA, PROOF(0), absent, KLERO_PROOF_LENGTH);
    add_claim(vector->suite, KEY(32), ALPHA, PROOF(vector->proof_size),
              copy_of(vector->output, 63), KLERO_OUTPUT_LENGTH);
    add_claim(vector->suite, KEY(32), ALPHA, PROOF(vector->proof_size),
              copy_of(vector->proof, 64), KLERO_OUTPUT_MISMATCH);
#undef KEY
#undef ALPHA
#undef PROOF
}

/* Loads all claims, and verifies each by itself: the verdicts are as expected. */
static inline void load_claims(const char *path) {
    size_t i, g, total = each_vector(path, add_claims);
    uint8_t *output = (uint8_t *)exact(64);
    CHECK(briefly || total >= 555);
    for (g = 0; g < group_count; g++) {
        klero_verifier *verifier;
        CHECK(klero_verifier_new(groups[g].suite, &verifier) == 0);
        for (i = 0; i < groups[g].count; i++) {
            memset(output, 0xa5, 64);
            CHECK(klero_verify(verifier, &groups[g].claims[i], output) == groups[g].expected[i]);
            CHECK(klero_verify(verifier, &groups[g].claims[i], NULL) == groups[g].expected[i]);
            CHECK((groups[g].expected[i] != 0) == is_untouched(output, 64));
            memcpy(groups[g].outputs[i], output, 64);
        }
        klero_verifier_free(verifier);
    }
    free(output);
}

/* Verifies the first `count` claims of the group together. */
static inline void check_together(const klero_verifier *verifier, const struct group *group,
                                  size_t count, size_t threads) {
    int *verdicts = (int *)exact(count * sizeof(int));
    uint8_t(*outputs)[64] = (uint8_t(*)[64])exact(count * 64);
    klero_claim *claims = (klero_claim *)exact(count * sizeof(klero_claim));
    int first = 0;
    size_t i;
    CHECK(count <= group->count);
    for (i = count; i-- > 0;)
        if (group->expected[i] != 0)
            first = group->expected[i];
    if (count > 0)
        memcpy(claims, group->claims, count * sizeof(klero_claim));
    CHECK(klero_verify_many(verifier, claims, count, verdicts, outputs, threads) == first);
    for (i = 0; i < count; i++) {
        CHECK(verdicts[i] == group->expected[i]);
        CHECK(memcmp(outputs[i], group->outputs[i], 64) == 0);
    }
    CHECK(klero_verify_many(verifier, claims, count, verdicts, NULL, threads) == first);
    if (count > 0)
        CHECK(memcmp(verdicts, group->expected, count * sizeof(int)) == 0);
    free(claims);
    free(outputs);
    free(verdicts);
}

static inline void free_claims(void) {
    size_t i, g;
    for (g = 0; g < group_count; g++)
        for (i = 0; i < groups[g].count; i++) {
            free((void *)groups[g].claims[i].key.data);
            free((void *)groups[g].claims[i].alpha.data);
            free((void *)groups[g].claims[i].proof.data);
            free((void *)groups[g].claims[i].output.data);
        }
}

#endif
