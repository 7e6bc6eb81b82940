/* Threads that share a verifier and a key, each of which starts more; and a child of fork(). */
#define _POSIX_C_SOURCE 200112L
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "claims.h"

#define THREADS 8
#define ROUNDS 6

static klero_verifier *verifiers[MOST_SUITES];
static klero_secret_key *key;
static uint8_t expected[80];

static void *work(void *argument) {
    size_t round, g, index = *(size_t *)argument;
    uint8_t proof[80];
    for (round = 0; round < ROUNDS; round++) {
        for (g = 0; g < group_count; g++)
            check_together(verifiers[g], &groups[g], groups[g].count, (index + round) % 4);
        CHECK(klero_prove(key, (const uint8_t *)"alpha", 5, proof, 80, NULL) == 0);
        CHECK(memcmp(proof, expected, 80) == 0);
    }
    return NULL;
}

int main(int argc, char **argv) {
    const char *path = arguments(argc, argv);
    static const uint8_t seed[32] = { 7 };
    size_t g, i, indices[THREADS];
    pthread_t threads[THREADS];
    pid_t child;
    int status;
    load_claims(path);
    for (g = 0; g < group_count; g++)
        CHECK(klero_verifier_new(groups[g].suite, &verifiers[g]) == 0);
    CHECK(klero_secret_key_from_seed("praos", seed, &key) == 0);
    CHECK(klero_prove(key, (const uint8_t *)"alpha", 5, expected, 80, NULL) == 0);

    for (i = 0; i < THREADS; i++) {
        indices[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &indices[i]) == 0);
    }
    for (i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);

    /* The parent has used all its threads; the child has none of them. */
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        work(&indices[3]);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);

    for (g = 0; g < group_count; g++)
        klero_verifier_free(verifiers[g]);
    klero_secret_key_free(key);
    free_claims();
    puts("threads: ok");
    return 0;
}
