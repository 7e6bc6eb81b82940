/* Every claim of vectors/ by itself and with others, on every backend, by every method; every
   proof of vectors/ made again. */
#include "claims.h"

/* All proofs of one suite, made in one call. */
static klero_request requests[MOST_CLAIMS];
static klero_secret_key *keys[MOST_CLAIMS];
static uint8_t expected_proofs[MOST_CLAIMS * KLERO_LARGEST_PROOF_SIZE];
static uint8_t expected_outputs[MOST_CLAIMS][64];
static const char *suite;
static size_t count, total;

/* The proof that the vector names. */
static void prove_one(const struct vector *vector) {
    size_t size = klero_proof_size(vector->suite);
    uint8_t *proof = (uint8_t *)exact(size), *output = (uint8_t *)exact(64);
    uint8_t public_key[32], both[64];
    klero_secret_key *key, *same;
    klero_verifier *verifier;
    if (!vector->has_seed || strcmp(vector->suite, suite) != 0) {
        free(proof);
        free(output);
        return;
    }
    CHECK(klero_secret_key_from_seed(vector->suite, vector->seed, &key) == 0);
    CHECK(strcmp(klero_secret_key_suite(key), vector->suite) == 0);
    CHECK(klero_secret_key_public_key(key, public_key) == 0);
    CHECK(memcmp(public_key, vector->key, 32) == 0);
    CHECK(klero_check_public_key(public_key, 32) == 0);
    CHECK(klero_secret_key_to_libsodium(key, both) == 0);
    CHECK(memcmp(both, vector->seed, 32) == 0 && memcmp(both + 32, vector->key, 32) == 0);
    CHECK(klero_secret_key_from_libsodium(vector->suite, both, &same) == 0);

#define MADE                                                                                     \
    CHECK(size == vector->proof_size && memcmp(proof, vector->proof, size) == 0);                \
    CHECK(memcmp(output, vector->output, 64) == 0);                                              \
    memset(proof, 0, size);                                                                      \
    memset(output, 0, 64)
    CHECK(klero_prove(key, vector->alpha, vector->alpha_size, proof, size, output) == 0);
    MADE;
    CHECK(klero_prove_checked(same, vector->alpha, vector->alpha_size, proof, size, output) == 0);
    MADE;
    CHECK(klero_prove(same, vector->alpha, vector->alpha_size, proof, size, NULL) == 0);
    CHECK(klero_evaluate(same, vector->alpha, vector->alpha_size, output) == 0);
    MADE;
    CHECK(klero_verifier_new(vector->suite, &verifier) == 0);
    CHECK(klero_proof_to_hash(verifier, vector->proof, vector->proof_size, output) == 0);
    CHECK(memcmp(output, vector->output, 64) == 0);
    CHECK(klero_proof_to_hash(verifier, vector->proof, 79, output) == KLERO_PROOF_LENGTH);
    klero_verifier_free(verifier);
    klero_secret_key_free(same);
    free(proof);
    free(output);

    keys[count] = key;
    requests[count].key = key;
    requests[count].alpha = copy_of(vector->alpha, vector->alpha_size);
    memcpy(expected_proofs + count * size, vector->proof, size);
    memcpy(expected_outputs[count++], vector->output, 64);
}

static void prove_many(size_t threads) {
    size_t size = count * klero_proof_size(suite);
    uint8_t *proofs = (uint8_t *)exact(size);
    uint8_t(*outputs)[64] = (uint8_t(*)[64])exact(count * 64);
    CHECK(klero_prove_many(requests, count, proofs, size, outputs, threads) == 0);
    CHECK(memcmp(proofs, expected_proofs, size) == 0);
    CHECK(memcmp(outputs, expected_outputs, count * 64) == 0);
    memset(outputs, 0, count * 64);
    CHECK(klero_evaluate_many(requests, count, outputs, threads) == 0);
    CHECK(memcmp(outputs, expected_outputs, count * 64) == 0);
    memset(proofs, 0, size);
    CHECK(klero_prove_many(requests, count, proofs, size, NULL, threads) == 0);
    CHECK(memcmp(proofs, expected_proofs, size) == 0);
    free(proofs);
    free(outputs);
}

static void prove_suite(const char *path) {
    size_t i;
    count = 0;
    each_vector(path, prove_one);
    total += count;
    /* Enough for several shares: the same requests again. */
    while (!briefly && count > 0 && count < 150) {
        size_t size = klero_proof_size(suite), more = count;
        for (i = 0; i < more; i++) {
            keys[count] = NULL;
            requests[count] = requests[i];
            memcpy(expected_proofs + count * size, expected_proofs + i * size, size);
            memcpy(expected_outputs[count++], expected_outputs[i], 64);
        }
    }
    if (count > 0)
        for (i = 0; i < 4; i++)
            prove_many(i);
    for (i = 0; i < count; i++) {
        if (keys[i] != NULL)
            free((void *)requests[i].alpha.data);
        klero_secret_key_free(keys[i]);
    }
}

static void verify_group(const klero_verifier *verifier, const struct group *group) {
    static const size_t sizes[] = { 0, 1, 2, 7, 64, 65, MOST_CLAIMS };
    size_t s, threads;
    for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t size = sizes[s] < group->count ? sizes[s] : group->count;
        for (threads = briefly ? 2 : 0; threads < (briefly ? 3 : 4); threads++)
            check_together(verifier, group, size, threads);
    }
}

int main(int argc, char **argv) {
    const char *path = arguments(argc, argv);
    size_t g, b, claims = 0;
    int method;
    load_claims(path);
    for (g = 0; g < group_count; g++) {
        klero_verifier *verifier;
        CHECK(klero_verifier_new(groups[g].suite, &verifier) == 0);
        verify_group(verifier, &groups[g]);
        CHECK(klero_verifier_set_kept_keys(verifier, 5) == 0);
        verify_group(verifier, &groups[g]);
        for (b = 0; !briefly && klero_backend_name(b) != NULL; b++)
            for (method = KLERO_AUTO; method <= KLERO_ONE_BY_ONE; method++) {
                CHECK(klero_verifier_set_backend(verifier, klero_backend_name(b)) == 0);
                CHECK(klero_verifier_set_method(verifier, method) == 0);
                check_together(verifier, &groups[g], groups[g].count, 1);
            }
        klero_verifier_free(verifier);
        claims += groups[g].count;
    }
    free_claims();
    for (g = 0; (suite = klero_suite_name(g)) != NULL; g++)
        prove_suite(path);
    CHECK(briefly || (g == group_count && total >= 220));
    printf("vectors: %lu claims of %lu suites, %lu proofs: ok\n", (unsigned long)claims,
           (unsigned long)group_count, (unsigned long)total);
    return 0;
}
