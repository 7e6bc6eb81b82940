/* A lottery: each player proves a number that nobody could choose, and the lowest wins. */
#include <klero.h>
#include <stdio.h>
#include <string.h>

#define PLAYERS 1000
#define PROOF_SIZE 80 /* klero_proof_size("rfc9381-ell2") */

static const char draw[] = "the draw of 7 June";

/* What a player sends in. */
struct ticket {
    uint8_t public_key[KLERO_PUBLIC_KEY_SIZE];
    uint8_t proof[PROOF_SIZE];
};

static int buy(struct ticket *ticket, uint32_t player) {
    /* A player has one key for many draws: klero_secret_key_generate(). These keys are the same
       each time that the example runs, and not secret. */
    uint8_t seed[KLERO_SEED_SIZE] = { 0 };
    klero_secret_key *key;
    int status;
    memcpy(seed, &player, sizeof player);
    status = klero_secret_key_from_seed("rfc9381-ell2", seed, &key);
    if (status != 0)
        return status;
    status = klero_secret_key_public_key(key, ticket->public_key);
    if (status == 0)
        status = klero_prove(key, (const uint8_t *)draw, strlen(draw), ticket->proof, PROOF_SIZE, NULL);
    klero_secret_key_free(key); /* wipes it */
    return status;
}

int main(void) {
    static struct ticket tickets[PLAYERS];
    static klero_claim claims[PLAYERS];
    static int verdicts[PLAYERS];
    static uint8_t outputs[PLAYERS][KLERO_OUTPUT_SIZE];
    klero_verifier *verifier;
    int status, winner = -1;

    for (uint32_t i = 0; i < PLAYERS; i++) {
        status = buy(&tickets[i], i);
        if (status != 0) {
            fprintf(stderr, "player %u: %s\n", (unsigned)i, klero_reason(status));
            return 1;
        }
    }
    /* Player 77 would like another number. */
    tickets[77].proof[40] ^= 1;

    for (int i = 0; i < PLAYERS; i++) {
        claims[i].key = (klero_bytes){ tickets[i].public_key, KLERO_PUBLIC_KEY_SIZE };
        claims[i].alpha = (klero_bytes){ (const uint8_t *)draw, strlen(draw) };
        claims[i].proof = (klero_bytes){ tickets[i].proof, PROOF_SIZE };
    }
    status = klero_verifier_new("rfc9381-ell2", &verifier);
    if (status == 0)
        status = klero_verify_many(verifier, claims, PLAYERS, verdicts, outputs, 0);
    klero_verifier_free(verifier);
    if (status < 0) {
        fprintf(stderr, "%s\n", klero_reason(status));
        return 1;
    }

    for (int i = 0; i < PLAYERS; i++) {
        if (verdicts[i] != 0)
            printf("player %d is out: %s\n", i, klero_reason(verdicts[i]));
        else if (winner < 0 || memcmp(outputs[i], outputs[winner], KLERO_OUTPUT_SIZE) < 0)
            winner = i;
    }
    printf("player %d wins with %02x%02x%02x%02x\n", winner, outputs[winner][0], outputs[winner][1],
           outputs[winner][2], outputs[winner][3]);
    return 0;
}
