/* A service that proves many inputs with several keys, and a client that verifies them all. */
#include <klero.h>
#include <stdio.h>
#include <stdlib.h>

#define KEYS 3
#define INPUTS 10000

static const char suite[] = "rfc9381-ell2-bc"; /* large batches verify fastest */

static void check(int status) {
    if (status != 0) {
        fprintf(stderr, "%s\n", klero_reason(status));
        exit(1);
    }
}

int main(void) {
    static uint32_t inputs[INPUTS];
    static klero_request requests[INPUTS];
    static klero_claim claims[INPUTS];
    static uint8_t outputs[INPUTS][KLERO_OUTPUT_SIZE];
    static int verdicts[INPUTS];
    uint8_t public_keys[KEYS][KLERO_PUBLIC_KEY_SIZE];
    klero_secret_key *keys[KEYS];
    klero_verifier *verifier;
    size_t proof_size = klero_proof_size(suite);
    uint8_t *proofs = malloc(INPUTS * proof_size);
    if (proofs == NULL)
        return 1;

    for (int i = 0; i < KEYS; i++) {
        check(klero_secret_key_generate(suite, &keys[i]));
        check(klero_secret_key_public_key(keys[i], public_keys[i]));
    }
    for (int i = 0; i < INPUTS; i++) {
        inputs[i] = i;
        requests[i].key = keys[i % KEYS];
        requests[i].alpha = (klero_bytes){ (const uint8_t *)&inputs[i], sizeof inputs[i] };
    }
    /* On all processors: that is the last argument. */
    check(klero_prove_many(requests, INPUTS, proofs, INPUTS * proof_size, outputs, 0));

    for (int i = 0; i < INPUTS; i++)
        claims[i] = (klero_claim){
            .key = { public_keys[i % KEYS], KLERO_PUBLIC_KEY_SIZE },
            .alpha = requests[i].alpha,
            .proof = { proofs + i * proof_size, proof_size },
            .output = { outputs[i], KLERO_OUTPUT_SIZE }, /* this is claimed as well */
        };
    check(klero_verifier_new(suite, &verifier));
    check(klero_verify_many(verifier, claims, INPUTS, verdicts, NULL, 0));
    puts("all are valid");

    outputs[5000][0] ^= 1;
    claims[7000].key.data = public_keys[7001 % KEYS];
    if (klero_verify_many(verifier, claims, INPUTS, verdicts, NULL, 0) != 0)
        for (int i = 0; i < INPUTS; i++)
            if (verdicts[i] != 0)
                printf("claim %d: %s\n", i, klero_reason(verdicts[i]));

    klero_verifier_free(verifier);
    for (int i = 0; i < KEYS; i++)
        klero_secret_key_free(keys[i]);
    free(proofs);
    return 0;
}
