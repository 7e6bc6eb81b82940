/* Written against a fork of libsodium: nothing here knows of Klero. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    static const unsigned char seed[crypto_vrf_SEEDBYTES] = { 7 };
    static const char round[] = "round 12";
    unsigned char pk[crypto_vrf_PUBLICKEYBYTES], sk[crypto_vrf_SECRETKEYBYTES];
    unsigned char proof[crypto_vrf_PROOFBYTES], output[crypto_vrf_OUTPUTBYTES];
    char hex[2 * sizeof output + 1];
    const unsigned char *message = (const unsigned char *)round;

    if (sodium_init() < 0)
        return 1;
    crypto_vrf_keypair_from_seed(pk, sk, seed);
    if (crypto_vrf_prove(proof, sk, message, strlen(round)) != 0)
        return 1;
    if (crypto_vrf_verify(output, pk, proof, message, strlen(round)) != 0)
        return 1;
    sodium_bin2hex(hex, sizeof hex, output, sizeof output); /* of the plain libsodium */
    printf("%s: %.16s\n", crypto_vrf_primitive(), hex);
    return 0;
}
