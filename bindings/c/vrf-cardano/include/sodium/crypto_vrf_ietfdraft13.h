/*
 * draft-irtf-cfrg-vrf-13, in 80 bytes or batch compatible in 128.
 *
 * A seed and a public key have 32 bytes, a secret key 64 (seed, then public key), an output 64,
 * and a proof 80, or 128 where the name ends in batchcompat. Functions return 0 if all is well
 * and -1 if not, and then have written nothing. A message may be NULL if it has no bytes; other
 * pointers are not NULL (it is answered with -1). All are safe to call from any threads at
 * once. Proving takes a time that does not depend on the secret key.
 *
 * No function needs sodium_init().
 */
#ifndef KLERO_CRYPTO_VRF_IETFDRAFT13_H
#define KLERO_CRYPTO_VRF_IETFDRAFT13_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define crypto_vrf_ietfdraft13_BYTES 80U
#define crypto_vrf_ietfdraft13_BYTES_BATCHCOMPAT 128U
#define crypto_vrf_ietfdraft13_SEEDBYTES 32U
#define crypto_vrf_ietfdraft13_PUBLICKEYBYTES 32U
#define crypto_vrf_ietfdraft13_SECRETKEYBYTES 64U
#define crypto_vrf_ietfdraft13_OUTPUTBYTES 64U

size_t crypto_vrf_ietfdraft13_bytes(void);
size_t crypto_vrf_ietfdraft13_bytes_batchcompat(void);
size_t crypto_vrf_ietfdraft13_publickeybytes(void);
size_t crypto_vrf_ietfdraft13_secretkeybytes(void);
size_t crypto_vrf_ietfdraft13_seedbytes(void);
size_t crypto_vrf_ietfdraft13_outputbytes(void);

/* Makes a proof. -1 if the second half of the secret key is not the public key of the first: such
   a proof would give the key away. */
int crypto_vrf_ietfdraft13_prove(unsigned char *proof, const unsigned char *sk, const unsigned char
        *m, unsigned long long mlen);
int crypto_vrf_ietfdraft13_prove_batchcompat(unsigned char *proof, const unsigned char *sk, const
        unsigned char *m, unsigned long long mlen);

/* Verifies a proof, and writes its output if it is valid. */
int crypto_vrf_ietfdraft13_verify(unsigned char *output, const unsigned char *pk,
        const unsigned char *proof, const unsigned char *m, unsigned long long mlen);
int crypto_vrf_ietfdraft13_verify_batchcompat(unsigned char *output, const unsigned char *pk, const
        unsigned char *proof, const unsigned char *m, unsigned long long mlen);

/* Writes the output of a proof that is NOT VERIFIED. -1 if it does not decode. */
int crypto_vrf_ietfdraft13_proof_to_hash(unsigned char *hash, const unsigned char *proof);
int crypto_vrf_ietfdraft13_proof_to_hash_batchcompat(unsigned char *hash, const unsigned char
        *proof);

/* Verifies any number of proofs of 128 bytes, each as verify_batchcompat does. 0 if all are valid,
   and then writes their outputs; -1 if one is not. The arguments are arrays of `num` pointers
   (and lengths). */
int crypto_vrf_ietfdraft13_batch_verify(unsigned char **output, const unsigned char **pk,
        const unsigned char **proof, const unsigned char **msg, const unsigned long long *msglen,
        size_t num);

#ifdef __cplusplus
}
#endif

#endif
