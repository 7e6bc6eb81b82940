/* What the tests share: checks, memory of an exact size, and the vectors. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                         \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);              \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

/* Memory of exactly this size, so that valgrind and AddressSanitizer see one byte too many. NULL
   for no bytes. */
static inline void *exact(size_t size) {
    void *memory;
    if (size == 0)
        return NULL;
    memory = malloc(size);
    CHECK(memory != NULL);
    memset(memory, 0xa5, size);
    return memory;
}

/* The arguments of a test: the file of vectors and, under valgrind, which is slow, a word that says
   that it is a sample. */
static int briefly;

static inline const char *arguments(int count, char **words) {
    CHECK(count > 1);
    briefly = count > 2;
    return words[1];
}

static inline int is_untouched(const void *memory, size_t size) {
    const uint8_t *bytes = (const uint8_t *)memory;
    size_t i;
    for (i = 0; i < size; i++)
        if (bytes[i] != 0xa5)
            return 0;
    return 1;
}

/* A line of what vectors.py writes. */
struct vector {
    char suite[32], reason[64], file[64];
    int valid;
    int has_seed, has_output;
    size_t seed_size, key_size, alpha_size, proof_size, output_size;
    uint8_t *seed, *key, *alpha, *proof, *output;
};

static inline uint8_t *unhex(const char *text, size_t *size) {
    uint8_t *bytes;
    size_t i;
    unsigned byte;
    *size = strcmp(text, "-") == 0 || strcmp(text, ".") == 0 ? 0 : strlen(text) / 2;
    bytes = (uint8_t *)exact(*size);
    for (i = 0; i < *size; i++) {
        CHECK(sscanf(text + 2 * i, "%2x", &byte) == 1);
        bytes[i] = (uint8_t)byte;
    }
    return bytes;
}

/* Calls `use` on every vector of the file, and returns their number. */
static inline size_t each_vector(const char *path, void (*use)(const struct vector *)) {
    static char line[4096], fields[5][2048];
    struct vector vector;
    size_t count = 0;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        CHECK(sscanf(line, "%31s %2047s %2047s %2047s %2047s %2047s %d %63s %63s", vector.suite,
                     fields[0], fields[1], fields[2], fields[3], fields[4], &vector.valid,
                     vector.reason, vector.file) == 9);
        vector.has_seed = strcmp(fields[0], "-") != 0;
        vector.has_output = strcmp(fields[4], "-") != 0;
        vector.seed = unhex(fields[0], &vector.seed_size);
        vector.key = unhex(fields[1], &vector.key_size);
        vector.alpha = unhex(fields[2], &vector.alpha_size);
        vector.proof = unhex(fields[3], &vector.proof_size);
        vector.output = unhex(fields[4], &vector.output_size);
        use(&vector);
        free(vector.seed);
        free(vector.key);
        free(vector.alpha);
        free(vector.proof);
        free(vector.output);
        count++;
    }
    fclose(file);
    return count;
}

#endif
