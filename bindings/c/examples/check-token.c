/* A service that checks the token of a request: check-token METHOD PATH TOKEN */
#include <klero.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* As `klero token keygen` prints it. */
static const char issuer[] = "chain:rxjSjNC76ORT5NFtUK47aL_tDWzeIX7pt4y3jWEJPO0";

static klero_bytes text(const char *from) {
    return (klero_bytes){ (const uint8_t *)from, strlen(from) };
}

int main(int argc, char **argv) {
    static uint8_t rights[KLERO_TOKEN_LARGEST];
    char reason[KLERO_TOKEN_REASON_SIZE] = "";
    klero_token_answer answer = {
        .rights = rights,
        .rights_room = sizeof rights,
        .reason = reason,
        .reason_room = sizeof reason,
    };
    klero_token_verifier *verifier;
    int status;
    if (argc != 4 || klero_token_verifier_new(&verifier) != 0) /* once, when the service starts */
        return 1;
    status = klero_token_verifier_add_root(verifier, 0, issuer);
    if (status == 0) {
        klero_token_access access = {
            .form = KLERO_TOKEN_BEARER,             /* no challenge was set */
            .revocation = KLERO_TOKEN_NONE_REVOKED, /* true in an example */
            .method = text(argv[1]),
            .path = text(argv[2]),
        };
        status = klero_token_check(verifier, (const uint8_t *)argv[3], strlen(argv[3]),
                                   (uint64_t)time(NULL), &access, &answer);
    }
    klero_token_verifier_free(verifier);
    switch (status) {
    case 0:
        printf("200: %.*s\n", (int)answer.rights_size, (const char *)rights);
        return 0;
    case KLERO_TOKEN_INVALID:
        printf("401: %s\n", reason);
        return 0;
    case KLERO_TOKEN_REFUSED:
        printf("403: %s\n", reason);
        return 0;
    case KLERO_TOKEN_REQUEST:
        printf("400: %s\n", reason);
        return 0;
    default:
        printf("500: %s\n", klero_reason(status));
        return 1;
    }
}
