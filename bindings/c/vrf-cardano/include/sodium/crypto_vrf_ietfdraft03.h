/*
 * draft-irtf-cfrg-vrf-03 with the rules of Cardano's nodes (IntersectMBO's libsodium).
 *
 * A seed and a public key have 32 bytes, a secret key 64 (seed, then public key), an output 64,
 * and a proof 80. Functions return 0 if all is well and -1 if not, and then have written
 * nothing. A message may be NULL if it has no bytes; other pointers are not NULL (it is
 * answered with -1). All are safe to call from any threads at once. Proving takes a time that
 * does not depend on the secret key.
 *
 * No function needs sodium_init().
 */
#ifndef KLERO_CRYPTO_VRF_IETFDRAFT03_H
#define KLERO_CRYPTO_VRF_IETFDRAFT03_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define crypto_vrf_ietfdraft03_BYTES 80U
#define crypto_vrf_ietfdraft03_PROOFBYTES 80U
#define crypto_vrf_ietfdraft03_SEEDBYTES 32U
#define crypto_vrf_ietfdraft03_PUBLICKEYBYTES 32U
#define crypto_vrf_ietfdraft03_SECRETKEYBYTES 64U
#define crypto_vrf_ietfdraft03_OUTPUTBYTES 64U

size_t crypto_vrf_ietfdraft03_bytes(void);
size_t crypto_vrf_ietfdraft03_proofbytes(void);
size_t crypto_vrf_ietfdraft03_publickeybytes(void);
size_t crypto_vrf_ietfdraft03_secretkeybytes(void);
size_t crypto_vrf_ietfdraft03_seedbytes(void);
size_t crypto_vrf_ietfdraft03_outputbytes(void);

/* A new pair of keys, from the operating system's random source. */
int crypto_vrf_ietfdraft03_keypair(unsigned char *pk, unsigned char *sk);

/* The pair of keys of a seed. */
int crypto_vrf_ietfdraft03_keypair_from_seed(unsigned char *pk, unsigned char *sk,
        const unsigned char *seed);

/* 1 if the public key is a canonical point of the curve and not of small order; else 0. */
int crypto_vrf_ietfdraft03_is_valid_key(const unsigned char *pk);

/* Makes a proof. -1 if the second half of the secret key is not the public key of the first: such
   a proof would give the key away. */
int crypto_vrf_ietfdraft03_prove(unsigned char *proof, const unsigned char *sk, const unsigned char
        *m, unsigned long long mlen);

/* Verifies a proof, and writes its output if it is valid. */
int crypto_vrf_ietfdraft03_verify(unsigned char *output, const unsigned char *pk,
        const unsigned char *proof, const unsigned char *m, unsigned long long mlen);

/* Writes the output of a proof that is NOT VERIFIED. -1 if it does not decode. */
int crypto_vrf_ietfdraft03_proof_to_hash(unsigned char *hash, const unsigned char *proof);

/* Copies of the two halves of a secret key. */
void crypto_vrf_ietfdraft03_sk_to_pk(unsigned char *pk, const unsigned char *skpk);
void crypto_vrf_ietfdraft03_sk_to_seed(unsigned char *seed, const unsigned char *skpk);

#ifdef __cplusplus
}
#endif

#endif
