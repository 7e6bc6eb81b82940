/* Every token of vectors/tokens: number, reason and rights. Tokens spoiled byte by byte, answers
   with too little room, and what no correct program does. */
#include "klero.h"
#include "support.h"

/* The layout that the library reads. */
#define WORDS(n) ((n) * sizeof(void *))
typedef char a_field_is_four_words[sizeof(klero_token_field) == WORDS(4) ? 1 : -1];
typedef char an_answer_is_five_words[sizeof(klero_token_answer) == WORDS(5) ? 1 : -1];
typedef char challenge_size[sizeof(klero_token_challenge) == WORDS(4) + 8 ? 1 : -1];
typedef char access_size[sizeof(klero_token_access) == WORDS(14) + 16 ? 1 : -1];

#define MOST 16

/* A line of what `vectors.py tokens` writes, and the memory that it is read into. */
static char line[32768];
static klero_token_verifier *verifier;
static klero_token_access access;
static klero_token_field fields[MOST];
static uint8_t *memory[4 * MOST];
static size_t used;

static klero_bytes bytes(const char *text) {
    klero_bytes read = { NULL, 0 };
    if (strcmp(text, "-") == 0)
        return read;
    CHECK(used < sizeof memory / sizeof memory[0]);
    /* No bytes are not the same as none. */
    memory[used] = strcmp(text, ".") == 0 ? (uint8_t *)malloc(1) : unhex(text, &read.size);
    read.data = memory[used++];
    return read;
}

/* Cuts a text at the first of these characters, and returns what follows it. */
static char *cut(char *text, char at) {
    char *end = strchr(text, at);
    if (end == NULL)
        return NULL;
    *end = 0;
    return end + 1;
}

static void read_roots(char *text) {
    CHECK(klero_token_verifier_new(&verifier) == 0);
    while (text != NULL) {
        char *next = cut(text, ','), *key = cut(text, '=');
        CHECK(klero_token_verifier_add_root(verifier, (uint32_t)strtoul(text, NULL, 10), key) == 0);
        text = next;
    }
}

static void read_party(char *id) {
    const char *origins[MOST];
    char *verification, *origin;
    size_t count = 0;
    if (strcmp(id, "-") == 0)
        return;
    verification = cut(id, ';');
    for (origin = cut(verification, ';'); origin != NULL; origin = cut(origin, ';'))
        origins[count++] = origin;
    CHECK(klero_token_verifier_set_relying_party(verifier, id, origins, count,
                                                 *verification == '1') == 0);
}

static void read_access(char **words) {
    char *text = words[0], *audience, *time;
    memset(&access, 0, sizeof access);
    access.form = KLERO_TOKEN_BEARER;
    if (strcmp(text, "-") != 0) {
        audience = cut(text, ':');
        time = cut(audience, ':');
        access.form = KLERO_TOKEN_SEALED;
        access.challenge.nonce = bytes(text);
        access.challenge.audience = bytes(audience);
        access.challenge.time = strtoull(time, NULL, 10);
    }
    access.audience = bytes(words[2]);
    access.path = bytes(words[3]);
    access.method = bytes(words[4]);
    access.fields = fields;
    for (text = words[5]; text != NULL && strcmp(text, "-") != 0;) {
        char *next = cut(text, ','), *value = cut(text, ':');
        CHECK(access.field_count < MOST);
        fields[access.field_count].name = bytes(text);
        fields[access.field_count++].value = bytes(value);
        text = next;
    }
    access.revocation =
        strcmp(words[6], "-") == 0 ? KLERO_TOKEN_NONE_REVOKED : KLERO_TOKEN_REVOKED;
    access.revoked = (const uint8_t(*)[32])bytes(words[6]).data;
    access.revoked_count = strlen(words[6]) / 64;
}

/* Checks a token with an answer of exactly this room. */
static int check(const uint8_t *token, size_t size, uint64_t now, klero_token_answer *answer,
                 size_t rights_room, size_t reason_room) {
    answer->rights = (uint8_t *)exact(rights_room);
    answer->rights_room = rights_room;
    answer->rights_size = 77;
    answer->reason = (char *)exact(reason_room);
    answer->reason_room = reason_room;
    return klero_token_check(verifier, token, size, now, &access, answer);
}

static void free_answer(klero_token_answer *answer) {
    free(answer->rights);
    free(answer->reason);
}

/* What the vector says, with much room and with little. */
static int check_vector(const char *text, uint64_t now, char **expected) {
    klero_token_answer answer;
    int status = atoi(expected[0]);
    size_t reason_size, rights_size, size = strcmp(text, ".") == 0 ? 0 : strlen(text);
    uint8_t *reason = unhex(expected[1], &reason_size), *rights = unhex(expected[2], &rights_size);
    uint8_t *token = (uint8_t *)exact(size);
    if (size > 0)
        memcpy(token, text, size);
    CHECK(check(token, size, now, &answer, rights_size + 1, KLERO_TOKEN_REASON_SIZE) == status);
    CHECK(answer.rights_size == rights_size);
    CHECK(rights_size == 0 || memcmp(answer.rights, rights, rights_size) == 0);
    CHECK(is_untouched(answer.rights + rights_size, 1));
    CHECK(reason_size == 0 || memcmp(answer.reason, reason, reason_size) == 0);
    CHECK(strlen(answer.reason) == reason_size);
    free_answer(&answer);

    CHECK(check(token, size, now, &answer, rights_size, reason_size + 1) == status);
    CHECK(strlen(answer.reason) == reason_size);
    free_answer(&answer);
    if (rights_size > 1) {
        CHECK(check(token, size, now, &answer, rights_size - 1, 1) == KLERO_SIZE);
        CHECK(answer.rights_size == rights_size && is_untouched(answer.rights, rights_size - 1));
        CHECK(answer.reason[0] == 0);
        free_answer(&answer);
    }
    if (reason_size > 0) {
        CHECK(check(token, size, now, &answer, 0, reason_size) == status);
        CHECK(strlen(answer.reason) == reason_size - 1);
        CHECK(memcmp(answer.reason, reason, reason_size - 1) == 0);
        free_answer(&answer);
    }
    /* Neither rights nor reason are wanted. */
    CHECK(check(token, size, now, &answer, 0, 0) == status && answer.rights_size == rights_size);
    free(token);
    free(rights);
    free(reason);
    return status;
}

/* No byte of a good token may be one that is not base64url, nor may the token end or go on. */
static void spoil(const char *text, uint64_t now) {
    static const uint8_t others[] = { 0, ' ', '=', '+', 0x80, 0xff };
    klero_token_answer answer;
    size_t i, size = strlen(text), step = briefly ? 97 : 5;
    uint8_t *token = (uint8_t *)exact(size + 1);
    memcpy(token, text, size);
    for (i = 0; i < size; i += step) {
        uint8_t was = token[i];
        token[i] = others[i % sizeof others];
        CHECK(check(token, size, now, &answer, 9, 999) == KLERO_TOKEN_INVALID);
        CHECK(strcmp(answer.reason, "the text is not base64url without padding") == 0);
        CHECK(answer.rights_size == 0 && is_untouched(answer.rights, 9));
        free_answer(&answer);
        token[i] = was;
        CHECK(check(token, i, now, &answer, 0, 0) == KLERO_TOKEN_INVALID);
    }
    token[size] = 0;
    CHECK(check(token, size + 1, now, &answer, 0, 0) == KLERO_TOKEN_INVALID);
    free(token);
}

static void each_token(const char *path) {
    static char *words[13];
    size_t counts[3] = { 0, 0, 0 }, i;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        int status;
        CHECK(cut(line, '\n') != NULL);
        words[0] = line;
        for (i = 1; i < 13; i++)
            CHECK((words[i] = cut(words[i - 1], ' ')) != NULL);
        read_roots(words[0]);
        read_party(words[1]);
        read_access(words + 3);
        status = check_vector(words[2], strtoull(words[4], NULL, 10), words + 10);
        if (status == 0)
            spoil(words[2], strtoull(words[4], NULL, 10));
        counts[status == 0 ? 0 : status == KLERO_TOKEN_INVALID ? 1 : 2]++;
        klero_token_verifier_free(verifier);
        while (used > 0)
            free(memory[--used]);
    }
    fclose(file);
    CHECK(briefly || (counts[0] >= 60 && counts[1] >= 180 && counts[2] >= 110));
    printf("tokens: %lu allowed, %lu invalid, %lu refused: ok\n", (unsigned long)counts[0],
           (unsigned long)counts[1], (unsigned long)counts[2]);
}

static const char root[] = "chain:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w";

static void verifiers(void) {
    const char *origins[2] = { "https://example.org", NULL };
    klero_token_verifier *made = NULL;
    CHECK(klero_token_verifier_new(NULL) == KLERO_NULL);
    CHECK(klero_token_verifier_new(&made) == 0);
#define ROOT(text) klero_token_verifier_add_root(made, 0, text)
    CHECK(klero_token_verifier_add_root(NULL, 0, root) == KLERO_NULL);
    CHECK(ROOT(NULL) == KLERO_NULL);
    CHECK(ROOT("") == KLERO_NOT_A_ROOT && ROOT("chain:") == KLERO_NOT_A_ROOT);
    CHECK(ROOT("\xff\xfe") == KLERO_NOT_A_ROOT && ROOT(root + 6) == KLERO_NOT_A_ROOT);
    CHECK(ROOT("chain:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") == KLERO_NOT_A_ROOT);
    CHECK(ROOT("ed25519:O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik") == KLERO_NOT_A_ROOT);
    CHECK(ROOT(root) == 0 && ROOT(root) == 0);
#undef ROOT
#define PARTY(id, count) klero_token_verifier_set_relying_party(made, id, origins, count, 1)
    CHECK(klero_token_verifier_set_relying_party(NULL, "a", origins, 1, 1) == KLERO_NULL);
    CHECK(klero_token_verifier_set_relying_party(made, "a", NULL, 1, 1) == KLERO_NULL);
    CHECK(klero_token_verifier_set_relying_party(made, "a", NULL, 0, 1) == KLERO_SIZE);
    CHECK(PARTY(NULL, 1) == KLERO_NULL && PARTY("a", 2) == KLERO_NULL);
    CHECK(PARTY("a", (size_t)-1) == KLERO_SIZE && PARTY("\xff", 1) == KLERO_NOT_TEXT);
    origins[1] = "https://\xff";
    CHECK(PARTY("a", 2) == KLERO_NOT_TEXT);
    CHECK(PARTY("example.org", 1) == 0);
#undef PARTY
    klero_token_verifier_free(made);
    klero_token_verifier_free(NULL);
}

/* Checks "x", which is no token, and returns the number; the reason is this one. */
static int misuse(const char *reason) {
    klero_token_answer answer;
    int status = check((const uint8_t *)"x", 1, 0, &answer, 3, 100);
    if (strcmp(answer.reason, reason) != 0)
        fprintf(stderr, "reason: %s\n", answer.reason);
    CHECK(strcmp(answer.reason, reason) == 0);
    CHECK(answer.rights_size == 0 && is_untouched(answer.rights, 3));
    free_answer(&answer);
    return status;
}

static void accesses(void) {
    static const uint8_t nonce[16] = { 7 };
    static const char not_base64[] = "the text is not base64url without padding";
    static const char unsaid[] =
        "the access does not say which tokens it takes or what is revoked, or contradicts itself";
    static const char null[] = "a pointer is NULL that must not be";
    static const char size[] = "a size in bytes or a count is not the expected one";
    klero_bytes text = { (const uint8_t *)"/a\0b\xff", 5 };
    CHECK(klero_token_verifier_new(&verifier) == 0);
    memset(&access, 0, sizeof access);
    CHECK(misuse(unsaid) == KLERO_TOKEN_UNSAID);
    access.form = KLERO_TOKEN_BEARER;
    CHECK(misuse(unsaid) == KLERO_TOKEN_UNSAID);
    access.form = 0;
    access.revocation = KLERO_TOKEN_NONE_REVOKED;
    CHECK(misuse(unsaid) == KLERO_TOKEN_UNSAID);
    access.form = 3;
    CHECK(misuse(unsaid) == KLERO_TOKEN_UNSAID);
    access.form = KLERO_TOKEN_SEALED;
    CHECK(misuse(not_base64) == KLERO_TOKEN_INVALID);
    access.challenge.nonce.size = 16;
    CHECK(misuse(null) == KLERO_NULL);
    access.challenge.nonce.data = nonce;
    CHECK(misuse(not_base64) == KLERO_TOKEN_INVALID);
    access.challenge.audience = text;
    CHECK(misuse("challenge: byte 4 is not UTF-8") == KLERO_NOT_TEXT);
    access.form = KLERO_TOKEN_BEARER;
    CHECK(misuse(unsaid) == KLERO_TOKEN_UNSAID);
    memset(&access.challenge, 0, sizeof access.challenge);
    CHECK(misuse(not_base64) == KLERO_TOKEN_INVALID);

    access.revoked_count = 1;
    CHECK(misuse(null) == KLERO_NULL);
    access.revoked = (const uint8_t(*)[32])root;
    CHECK(misuse(unsaid) == KLERO_TOKEN_UNSAID);
    access.revocation = KLERO_TOKEN_REVOKED;
    CHECK(misuse(not_base64) == KLERO_TOKEN_INVALID);
    access.revoked_count = (size_t)-1;
    CHECK(misuse(size) == KLERO_SIZE);
    access.revoked_count = 0;
    access.revoked = NULL;

    access.path = text;
    CHECK(misuse("path: byte 4 is not UTF-8") == KLERO_TOKEN_REQUEST);
    access.path.size = 4;
    CHECK(misuse("path: byte 2 is zero") == KLERO_TOKEN_REQUEST);
    access.path.data = NULL;
    CHECK(misuse(null) == KLERO_NULL);
    access.path.size = 0;
    access.method = text;
    CHECK(misuse("method: byte 4 is not UTF-8") == KLERO_TOKEN_REQUEST);
    access.method.size = (size_t)-1;
    CHECK(misuse(size) == KLERO_SIZE);
    memset(&access.method, 0, sizeof access.method);
    access.audience = text;
    CHECK(misuse("audience: byte 4 is not UTF-8") == KLERO_TOKEN_REQUEST);
    memset(&access.audience, 0, sizeof access.audience);

    access.field_count = 2;
    CHECK(misuse(null) == KLERO_NULL);
    access.fields = fields;
    memset(fields, 0, sizeof fields);
    CHECK(misuse(not_base64) == KLERO_TOKEN_INVALID);
    fields[1].value = text;
    CHECK(misuse("fields[1].value: byte 4 is not UTF-8") == KLERO_TOKEN_REQUEST);
    fields[0].name = text;
    CHECK(misuse("fields[0].name: byte 4 is not UTF-8") == KLERO_TOKEN_REQUEST);
    access.field_count = (size_t)-1;
    CHECK(misuse(size) == KLERO_SIZE);
    klero_token_verifier_free(verifier);
}

static void pointers(void) {
    static uint8_t large[200000];
    const uint8_t *token = (const uint8_t *)"x";
    klero_token_answer answer;
    memset(&answer, 0, sizeof answer);
    memset(&access, 0, sizeof access);
    access.form = KLERO_TOKEN_BEARER;
    access.revocation = KLERO_TOKEN_NONE_REVOKED;
    CHECK(klero_token_verifier_new(&verifier) == 0);
    CHECK(klero_token_check(verifier, token, 1, 0, &access, NULL) == KLERO_NULL);
    CHECK(klero_token_check(NULL, token, 1, 0, &access, &answer) == KLERO_NULL);
    CHECK(klero_token_check(verifier, token, 1, 0, NULL, &answer) == KLERO_NULL);
    CHECK(klero_token_check(verifier, NULL, 1, 0, &access, &answer) == KLERO_NULL);
    CHECK(klero_token_check(verifier, token, (size_t)-1, 0, &access, &answer) == KLERO_SIZE);
    CHECK(klero_token_check(verifier, NULL, 0, 0, &access, &answer) == KLERO_TOKEN_INVALID);
    answer.rights_room = 1;
    CHECK(klero_token_check(verifier, token, 1, 0, &access, &answer) == KLERO_NULL);
    answer.rights_room = 0;
    answer.reason_room = 1;
    CHECK(klero_token_check(verifier, token, 1, 0, &access, &answer) == KLERO_NULL);

    memset(large, 'A', sizeof large);
    CHECK(check(large, sizeof large, 0, &answer, 0, 100) == KLERO_TOKEN_INVALID);
    CHECK(strcmp(answer.reason, "the token has 150000 bytes, the limit is 65536") == 0);
    free_answer(&answer);
    klero_token_verifier_free(verifier);
}

int main(int argc, char **argv) {
    each_token(arguments(argc, argv));
    verifiers();
    accesses();
    pointers();
    return 0;
}
