/* Every name of Algorand's fork, with draft-03 proofs and the claims that only its rules accept. */
#include "fork.h"

/* Both sets of names mean draft-03; a prover of either suite makes the same proofs. */
#define SETS(suite)                                                                              \
    { "crypto_vrf", suite, 80, crypto_vrf_prove, crypto_vrf_verify, crypto_vrf_proof_to_hash },  \
    { "crypto_vrf_ietfdraft03", suite, 80, crypto_vrf_ietfdraft03_prove,                         \
      crypto_vrf_ietfdraft03_verify, crypto_vrf_ietfdraft03_proof_to_hash }

static const struct calls original[] = { SETS("praos-original") };
static const struct calls draft03[] = { SETS("praos") };

static size_t s_plus_l;

/* Proofs of vectors/ for honest keys, and the same with s + L: this fork accepts those too. */
static void check_draft03(const struct vector *vector) {
    static const unsigned char order[32] = {
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
        0,    0x10,
    };
    unsigned char proof[80], output[64];
    unsigned carry = 0;
    size_t i;
    if (strcmp(vector->suite, "praos") != 0 || !vector->has_seed)
        return;
    check_vector(vector);
    memcpy(proof, vector->proof, 80);
    for (i = 0; i < 32; i++) {
        carry += (unsigned)proof[48 + i] + order[i];
        proof[48 + i] = (unsigned char)carry;
        carry >>= 8;
    }
    CHECK(calls->verify(output, vector->key, proof, vector->alpha, vector->alpha_size) == 0);
    CHECK(memcmp(output, vector->output, 64) == 0);
    s_plus_l++;
}

int main(int argc, char **argv) {
    const char *path = arguments(argc, argv);
    size_t i;
    CHECK(sodium_init() >= 0); /* of the plain libsodium */

    CHECK_SIZES(crypto_vrf_);
    CHECK_SIZES(crypto_vrf_ietfdraft03_);
    CHECK(crypto_vrf_bytes() == 80 && crypto_vrf_proofbytes() == crypto_vrf_PROOFBYTES);
    CHECK(crypto_vrf_ietfdraft03_bytes() == 80);
    CHECK(crypto_vrf_ietfdraft03_proofbytes() == crypto_vrf_ietfdraft03_PROOFBYTES);
    CHECK(strcmp(crypto_vrf_primitive(), "ietfdraft03") == 0);
    CHECK(strcmp(crypto_vrf_PRIMITIVE, "ietfdraft03") == 0);

    for (i = 0; i < sizeof keypairs / sizeof keypairs[0]; i++)
        check_keypairs(&keypairs[i]);
    for (i = 0; i < 2; i++) {
        check_calls(path, &original[i], 16, 0);
        proven = s_plus_l = 0;
        calls = &draft03[i];
        each_vector(path, check_draft03);
        printf("%s: %lu proofs, with s and with s + L\n", calls->names, (unsigned long)s_plus_l);
        CHECK((briefly || proven >= 31) && s_plus_l == proven);
    }
    puts("algorand: ok");
    return 0;
}
