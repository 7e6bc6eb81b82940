/* Checks a file of headers: check-headers NETWORK FILE
   Each line is the tag of a block of the era, a space, and the header in hex. */
#include <klero.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024 /* headers that are checked together */

static void check(int status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", klero_reason(status));
        exit(1);
    }
}

/* Reads a line; 0 at the end of the file. */
static int read_header(FILE *file, klero_header *header) {
    static char line[2 * 65536];
    char *hex;
    uint8_t *bytes;
    size_t size;
    if (fgets(line, sizeof line, file) == NULL)
        return 0;
    header->tag = (uint8_t)strtoul(line, &hex, 10);
    hex += *hex == ' ';
    size = strspn(hex, "0123456789abcdef") / 2;
    bytes = malloc(size);
    for (size_t i = 0; i < size && bytes != NULL; i++)
        sscanf(hex + 2 * i, "%2hhx", &bytes[i]);
    header->bytes = (klero_bytes){ bytes, size };
    return 1;
}

int main(int argc, char **argv) {
    static klero_header headers[BATCH];
    static klero_header_verdict verdicts[BATCH];
    klero_header_check *of_network;
    klero_header_counters *counters;
    size_t count, valid = 0, invalid = 0;
    FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;
    if (file == NULL)
        return 1;
    check(klero_header_check_new(argv[1], NULL, 0, &of_network)); /* once, when the node starts */
    /* The file begins anywhere. A node would save its counters, and go on with them. */
    check(klero_header_counters_new(of_network, 0, NULL, 0, &counters));

    do {
        for (count = 0; count < BATCH && read_header(file, &headers[count]);)
            count++;
        /* Their nonces are built in. */
        check(klero_verify_headers(of_network, headers, count, NULL, 0, counters, verdicts));
        for (size_t i = 0; i < count; i++) {
            const klero_header_verdict *verdict = &verdicts[i];
            verdict->fault_count == 0 ? valid++ : invalid++;
            for (size_t j = 0; j < verdict->fault_count; j++)
                printf("header %zu, slot %llu: %s: %s\n", valid + invalid,
                       (unsigned long long)verdict->slot, verdict->faults[j].name,
                       verdict->faults[j].message);
            free((void *)headers[i].bytes.data);
        }
    } while (count > 0);
    klero_header_counters_free(counters);
    klero_header_check_free(of_network);
    fclose(file);
    printf("%zu valid, %zu invalid\n", valid, invalid);
    return 0;
}
