/* What holds for both forks: each set of names on the vectors of the suite that it means. */
#ifndef FORK_H
#define FORK_H

/* As the programs include it; pkg-config puts our directory before that of libsodium. */
#include <sodium.h>

#include "support.h"

struct calls {
    const char *names, *suite;
    size_t proof_size;
    int (*prove)(unsigned char *, const unsigned char *, const unsigned char *,
                 unsigned long long);
    int (*verify)(unsigned char *, const unsigned char *, const unsigned char *,
                  const unsigned char *, unsigned long long);
    int (*proof_to_hash)(unsigned char *, const unsigned char *);
};

struct keypairs {
    int (*keypair)(unsigned char *, unsigned char *);
    int (*from_seed)(unsigned char *, unsigned char *, const unsigned char *);
    int (*is_valid_key)(const unsigned char *);
    void (*sk_to_pk)(unsigned char *, const unsigned char *);
    void (*sk_to_seed)(unsigned char *, const unsigned char *);
};

static const struct calls *calls;
static size_t verified, proven;

static void check_vector(const struct vector *vector) {
    unsigned char *output = exact(64), *proof = exact(calls->proof_size), *sk = exact(64);
    if (strcmp(vector->suite, calls->suite) != 0 || vector->proof_size != calls->proof_size)
        goto end;

    /* Verifying writes the output if and only if the proof is valid. */
    CHECK(calls->verify(output, vector->key, vector->proof, vector->alpha, vector->alpha_size)
          == (vector->valid ? 0 : -1));
    CHECK(is_untouched(output, 64) != vector->valid);
    verified++;
    if (vector->valid) {
        memset(proof, 0xa5, calls->proof_size);
        CHECK(calls->proof_to_hash(proof, vector->proof) == 0);
        CHECK(memcmp(proof, output, 64) == 0);
        memcpy(proof, vector->proof, calls->proof_size);
        proof[calls->proof_size - 40] ^= 1;
        memset(output, 0xa5, 64);
        CHECK(calls->verify(output, vector->key, proof, vector->alpha, vector->alpha_size) == -1);
        CHECK(is_untouched(output, 64));
    }
    if (!vector->has_seed)
        goto end;

    /* Both halves of the secret key, in the same memory as the places of the answers. */
    CHECK(crypto_vrf_keypair_from_seed(output, sk, vector->seed) == 0);
    CHECK(memcmp(output, vector->key, 32) == 0);
    memset(proof, 0xa5, calls->proof_size);
    CHECK(calls->prove(proof, sk, vector->alpha, vector->alpha_size) == 0);
    CHECK(memcmp(proof, vector->proof, calls->proof_size) == 0);
    CHECK(calls->proof_to_hash(output, proof) == 0);
    CHECK(memcmp(output, vector->output, 64) == 0);
    CHECK(calls->verify(output, vector->key, proof, vector->alpha, vector->alpha_size) == 0);
    CHECK(memcmp(output, vector->output, 64) == 0);
    proven++;

    /* A wrong public half would give the key away. */
    sk[32 + proven % 32] ^= 1;
    memset(proof, 0xa5, calls->proof_size);
    CHECK(calls->prove(proof, sk, vector->alpha, vector->alpha_size) == -1);
    CHECK(is_untouched(proof, calls->proof_size));
end:
    free(output);
    free(proof);
    free(sk);
}

/* Every vector and hostile claim of the suite. */
static void check_calls(const char *path, const struct calls *with, size_t claims, size_t proofs) {
    unsigned char proof[128], output[64], sk[64], pk[32];
    static const unsigned char seed[32] = { 9 };
    verified = proven = 0;
    calls = with;
    each_vector(path, check_vector);
    printf("%s: %lu claims, %lu proofs of %s\n", calls->names, (unsigned long)verified,
           (unsigned long)proven, calls->suite);
    CHECK(briefly || (verified >= claims && proven >= proofs));

    /* A message of no bytes may be NULL, and nothing else. */
    CHECK(crypto_vrf_keypair_from_seed(pk, sk, seed) == 0);
    CHECK(calls->prove(proof, sk, NULL, 0) == 0);
    CHECK(calls->verify(output, pk, proof, NULL, 0) == 0);
    memset(output, 0xa5, 64);
    CHECK(calls->prove(proof, sk, NULL, 1) == -1);
    CHECK(calls->prove(NULL, sk, seed, 1) == -1 && calls->prove(proof, NULL, seed, 1) == -1);
    CHECK(calls->verify(output, pk, proof, NULL, 1) == -1);
    CHECK(calls->verify(output, pk, proof, seed, (unsigned long long)-1) == -1);
    CHECK(calls->verify(output, NULL, proof, NULL, 0) == -1);
    CHECK(calls->verify(output, pk, NULL, NULL, 0) == -1);
    CHECK(calls->verify(NULL, pk, proof, NULL, 0) == -1);
    CHECK(calls->proof_to_hash(output, NULL) == -1 && calls->proof_to_hash(NULL, proof) == -1);

    /* A Gamma that is no point. */
    memset(proof, 0xff, 32);
    CHECK(calls->proof_to_hash(output, proof) == -1);
    CHECK(is_untouched(output, 64));
}

/* Both forks have these names. */
static const struct keypairs keypairs[] = {
    { crypto_vrf_keypair, crypto_vrf_keypair_from_seed, crypto_vrf_is_valid_key,
      crypto_vrf_sk_to_pk, crypto_vrf_sk_to_seed },
    { crypto_vrf_keypair, crypto_vrf_seed_keypair, crypto_vrf_is_valid_key, crypto_vrf_sk_to_pk,
      crypto_vrf_sk_to_seed },
    { crypto_vrf_ietfdraft03_keypair, crypto_vrf_ietfdraft03_keypair_from_seed,
      crypto_vrf_ietfdraft03_is_valid_key, crypto_vrf_ietfdraft03_sk_to_pk,
      crypto_vrf_ietfdraft03_sk_to_seed },
};

static void check_keypairs(const struct keypairs *keys) {
    unsigned char pk[32], sk[64], other[64], half[32];
    static const unsigned char small[32] = { 1 };
    CHECK(keys->keypair(pk, sk) == 0 && keys->keypair(half, other) == 0);
    CHECK(memcmp(sk, other, 32) != 0);
    CHECK(keys->is_valid_key(pk) == 1 && keys->is_valid_key(half) == 1);
    keys->sk_to_pk(half, sk);
    CHECK(memcmp(half, pk, 32) == 0);
    keys->sk_to_seed(half, sk);
    CHECK(memcmp(half, sk, 32) == 0);
    CHECK(keys->from_seed(pk, other, half) == 0 && memcmp(other, sk, 64) == 0);
    /* The seed may lie where the secret key is written. */
    memcpy(other + 16, half, 32);
    CHECK(keys->from_seed(pk, other, other + 16) == 0 && memcmp(other, sk, 64) == 0);
    keys->sk_to_pk(other + 20, other);
    CHECK(memcmp(other + 20, pk, 32) == 0);

    CHECK(keys->is_valid_key(small) == 0 && keys->is_valid_key(NULL) == 0);
    memset(half, 0xff, 32);
    CHECK(keys->is_valid_key(half) == 0);
    CHECK(keys->keypair(NULL, sk) == -1 && keys->keypair(pk, NULL) == -1);
    CHECK(keys->from_seed(pk, sk, NULL) == -1 && keys->from_seed(NULL, sk, small) == -1);
    keys->sk_to_pk(NULL, sk);
    keys->sk_to_seed(half, NULL);
}

/* What the functions of a prefix say about sizes, against the macros. */
#define CHECK_SIZES(prefix)                                                                      \
    CHECK(prefix##seedbytes() == 32 && prefix##SEEDBYTES == 32);                                 \
    CHECK(prefix##publickeybytes() == 32 && prefix##PUBLICKEYBYTES == 32);                       \
    CHECK(prefix##secretkeybytes() == 64 && prefix##SECRETKEYBYTES == 64);                       \
    CHECK(prefix##outputbytes() == 64 && prefix##OUTPUTBYTES == 64)

#endif
