/* Every name of IntersectMBO's fork, with the vectors of cardano-base and the others. */
#include "fork.h"

#define MOST 5000

static const struct calls sets[] = {
    { "crypto_vrf", "draft13", 80, crypto_vrf_prove, crypto_vrf_verify, crypto_vrf_proof_to_hash },
    { "crypto_vrf_ietfdraft03", "praos", 80, crypto_vrf_ietfdraft03_prove,
      crypto_vrf_ietfdraft03_verify, crypto_vrf_ietfdraft03_proof_to_hash },
    { "crypto_vrf_ietfdraft13", "draft13", 80, crypto_vrf_ietfdraft13_prove,
      crypto_vrf_ietfdraft13_verify, crypto_vrf_ietfdraft13_proof_to_hash },
    { "crypto_vrf_ietfdraft13_*_batchcompat", "draft13-bc", 128,
      crypto_vrf_ietfdraft13_prove_batchcompat, crypto_vrf_ietfdraft13_verify_batchcompat,
      crypto_vrf_ietfdraft13_proof_to_hash_batchcompat },
};

/* The claims of a batch: `MOST` proofs, some of them alike. */
static unsigned char pk[32], proofs[64][128], expected[64][64], messages[64], outputs[MOST][64];
static unsigned char *output[MOST];
static const unsigned char *key[MOST], *proof[MOST], *message[MOST];
static unsigned long long length[MOST];

static void check_batch(size_t count) {
    size_t i, bad;
    unsigned char spoiled[128];
    memset(outputs, 0xa5, sizeof outputs);
    CHECK(crypto_vrf_ietfdraft13_batch_verify(output, key, proof, message, length, count) == 0);
    for (i = 0; i < count; i++)
        CHECK(memcmp(outputs[i], expected[i % 64], 64) == 0);
    CHECK(is_untouched(outputs[count], sizeof outputs - count * 64));

    /* One that is not valid: at the beginning, in the middle, at the end. */
    memset(outputs, 0xa5, sizeof outputs);
    for (i = 0; i < 3 && count > 0; i++) {
        bad = i * (count - 1) / 2;
        memcpy(spoiled, proof[bad], 128);
        spoiled[100] ^= 1;
        proof[bad] = spoiled;
        CHECK(crypto_vrf_ietfdraft13_batch_verify(output, key, proof, message, length, count)
              == -1);
        proof[bad] = NULL;
        CHECK(crypto_vrf_ietfdraft13_batch_verify(output, key, proof, message, length, count)
              == -1);
        proof[bad] = proofs[bad % 64];
    }
    CHECK(is_untouched(outputs, sizeof outputs));
}

/* A claim in a batch has the verdict that it has alone. */
static void check_alone_and_together(const struct vector *vector) {
    int valid;
    unsigned char result[64];
    unsigned char *to = result;
    const unsigned char *vector_key = vector->key, *vector_proof = vector->proof;
    const unsigned char *alpha = vector->alpha;
    unsigned long long alpha_size = vector->alpha_size;
    if (strcmp(vector->suite, "draft13-bc") != 0)
        return;
    valid = crypto_vrf_ietfdraft13_batch_verify(&to, &vector_key, &vector_proof, &alpha,
                                                &alpha_size, 1);
    CHECK(valid == (vector->valid ? 0 : -1));
    key[1] = vector->key;
    proof[1] = vector->proof;
    message[1] = vector->alpha;
    length[1] = vector->alpha_size;
    CHECK(crypto_vrf_ietfdraft13_batch_verify(output, key, proof, message, length, 70) == valid);
    key[1] = pk;
    proof[1] = proofs[1];
    message[1] = messages + 1;
    length[1] = 1;
}

int main(int argc, char **argv) {
    const char *path = arguments(argc, argv);
    static const size_t counts[] = { 0, 1, 7, 1024, MOST };
    unsigned char sk[64], seed[32] = { 3 };
    size_t i, most;
    most = briefly ? 3 : 5;
    CHECK(sodium_init() >= 0); /* of the plain libsodium */

    CHECK_SIZES(crypto_vrf_);
    CHECK_SIZES(crypto_vrf_ietfdraft03_);
    CHECK_SIZES(crypto_vrf_ietfdraft13_);
    CHECK(crypto_vrf_bytes() == 80 && crypto_vrf_proofbytes() == crypto_vrf_PROOFBYTES);
    CHECK(crypto_vrf_ietfdraft03_bytes() == 80 && crypto_vrf_ietfdraft03_BYTES == 80);
    CHECK(crypto_vrf_ietfdraft03_proofbytes() == 80);
    CHECK(crypto_vrf_ietfdraft13_bytes() == 80 && crypto_vrf_ietfdraft13_BYTES == 80);
    CHECK(crypto_vrf_ietfdraft13_bytes_batchcompat() == 128);
    CHECK(crypto_vrf_ietfdraft13_BYTES_BATCHCOMPAT == 128);
    CHECK(strcmp(crypto_vrf_primitive(), "ietfdraft13") == 0);
    CHECK(strcmp(crypto_vrf_PRIMITIVE, "ietfdraft13") == 0);

    for (i = 0; i < sizeof keypairs / sizeof keypairs[0]; i++)
        check_keypairs(&keypairs[i]);
    check_calls(path, &sets[0], 22, 6);
    check_calls(path, &sets[1], 55, 39);
    check_calls(path, &sets[2], 22, 6);
    check_calls(path, &sets[3], 40, 13);

    CHECK(crypto_vrf_seed_keypair(pk, sk, seed) == 0);
    for (i = 0; i < 64; i++) {
        messages[i] = (unsigned char)i;
        CHECK(crypto_vrf_ietfdraft13_prove_batchcompat(proofs[i], sk, messages + i, 1) == 0);
        CHECK(crypto_vrf_ietfdraft13_proof_to_hash_batchcompat(expected[i], proofs[i]) == 0);
    }
    for (i = 0; i < MOST; i++) {
        output[i] = outputs[i];
        key[i] = pk;
        proof[i] = proofs[i % 64];
        message[i] = messages + i % 64;
        length[i] = 1;
    }
    CHECK(crypto_vrf_ietfdraft13_batch_verify(NULL, NULL, NULL, NULL, NULL, 0) == 0);
    CHECK(crypto_vrf_ietfdraft13_batch_verify(NULL, key, proof, message, length, 1) == -1);
    CHECK(crypto_vrf_ietfdraft13_batch_verify(output, key, proof, message, length, (size_t)-1)
          == -1);
    for (i = 0; i < most; i++)
        check_batch(counts[i]);
    each_vector(path, check_alone_and_together);
    puts("cardano: ok");
    return 0;
}
