/* A program that changed the floating-point environment gets the same verdicts, and finds its
   environment as it was. */
#include "claims.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

/* All exceptions masked; flush to zero and denormals are zero; unmasked; with flags set. */
static const unsigned environments[] = {
    0x1f80, 0x9fc0, 0x3f80, 0x5f80, 0x7f80, 0xffc0, 0x0000, 0x8040, 0x6000, 0x1fbf,
};

static void under(unsigned environment, const char *suite) {
    static const uint8_t seed[32] = { 7 };
    klero_secret_key *key;
    klero_verifier *verifier;
    uint8_t proofs[3][KLERO_LARGEST_PROOF_SIZE], public_key[32], output[64];
    klero_claim claim;
    const klero_header_pool pool = { { 1 }, 3, NULL };
    const klero_header_stake stake = { 5, &pool, 1, 7, 0, 0 };
    klero_header_check *check;
    klero_leader_threshold threshold;
    size_t size = klero_proof_size(suite);
    int verdict, made = 0;
    memset(&claim, 0, sizeof claim);

    _mm_setcsr(environment);
    made |= klero_secret_key_from_seed(suite, seed, &key);
    made |= klero_secret_key_public_key(key, public_key);
    made |= klero_prove(key, seed, 32, proofs[0], size, output);
    made |= klero_evaluate(key, seed, 32, output);
    made |= klero_verifier_new(suite, &verifier);
    claim.key.data = public_key;
    claim.key.size = 32;
    claim.alpha.data = seed;
    claim.alpha.size = 32;
    claim.proof.data = proofs[0];
    claim.proof.size = size;
    claim.output.data = output;
    claim.output.size = 64;
    verdict = klero_verify(verifier, &claim, NULL);
    claim.alpha.size = 31;
    made |= klero_verify(verifier, &claim, NULL) > 0 ? 0 : -1;
    /* Stake is estimated in floating point. */
    made |= klero_header_check_new("preview", &stake, 1, &check);
    made |= klero_leads(KLERO_TPRAOS, output, 3, 7, 1, 20, &threshold) < 0;
    klero_header_check_free(check);
    made |= _mm_getcsr() == environment ? 0 : -1;
    _mm_setcsr(0x1f80);

    CHECK(made == 0 && verdict == 0 && threshold.last_size == 64 && threshold.last[0] == 0x05);
    klero_secret_key_free(key);
    klero_verifier_free(verifier);
}

int main(int argc, char **argv) {
    const char *path = arguments(argc, argv);
    size_t e, g;
    load_claims(path);
    for (e = 0; e < sizeof environments / sizeof environments[0]; e++)
        for (g = 0; g < group_count; g++) {
            klero_verifier *verifier;
            static int verdicts[MOST_CLAIMS];
            size_t threads;
            unsigned after;
            int result;
            under(environments[e], groups[g].suite);
            CHECK(klero_verifier_new(groups[g].suite, &verifier) == 0);
            for (threads = 1; threads < 3; threads++) {
                _mm_setcsr(environments[e]);
                result = klero_verify_many(verifier, groups[g].claims, groups[g].count, verdicts,
                                           NULL, threads);
                after = _mm_getcsr();
                _mm_setcsr(0x1f80);
                CHECK(after == environments[e] && result >= 0);
                CHECK(memcmp(verdicts, groups[g].expected, groups[g].count * sizeof(int)) == 0);
            }
            klero_verifier_free(verifier);
        }
    free_claims();
    puts("mxcsr: ok");
    return 0;
}
#else
int main(void) {
    puts("mxcsr: SKIPPED, only x86-64 has this register");
    return 0;
}
#endif
