/* A machine that starts no threads and has no random bytes: the functions below stand in for those
   of the C library. */
#include <errno.h>
#include <pthread.h>
#include <sys/types.h>

#include "claims.h"

static int refused;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
    (void)thread, (void)attributes, (void)start, (void)argument;
    refused++;
    return EAGAIN;
}

ssize_t getrandom(void *buffer, size_t size, unsigned flags);
ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
    (void)buffer, (void)size, (void)flags;
    errno = EIO;
    return -1;
}

int main(int argc, char **argv) {
    size_t g;
    klero_secret_key *key = NULL;
    load_claims(arguments(argc, argv));
    for (g = 0; g < group_count; g++) {
        klero_verifier *verifier;
        CHECK(klero_verifier_new(groups[g].suite, &verifier) == 0);
        check_together(verifier, &groups[g], groups[g].count, 4);
        klero_verifier_free(verifier);
    }
    CHECK(refused > 0);
    CHECK(klero_secret_key_generate("praos", &key) == KLERO_NO_RANDOMNESS && key == NULL);
    free_claims();
    puts("machine: ok");
    return 0;
}
