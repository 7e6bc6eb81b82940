/* What no correct program does, and what it may: numbers, words, NULL, sizes, names. */
#include "klero.h"
#include "support.h"

/* The layout that the library reads. */
typedef char bytes_are_two_words[sizeof(klero_bytes) == 2 * sizeof(void *) ? 1 : -1];
typedef char a_request_is_three_words[sizeof(klero_request) == 3 * sizeof(void *) ? 1 : -1];
typedef char a_claim_is_eight_words[sizeof(klero_claim) == 8 * sizeof(void *) ? 1 : -1];
typedef char a_header_is_three_words[sizeof(klero_header) == 3 * sizeof(void *) ? 1 : -1];
typedef char verdict_size[sizeof(klero_header_verdict) == 2 * sizeof(void *) + 24 ? 1 : -1];

static const uint8_t seed[32] = { 7 };

static void words(void) {
    int number, known = 0;
    const char *unknown = klero_reason(1234);
    CHECK(strcmp(klero_version(), KLERO_VERSION) == 0);
    CHECK(strcmp(unknown, "unknown reason") == 0);
    CHECK(strcmp(klero_reason(0), "valid") == 0);
    CHECK(strcmp(klero_reason(KLERO_CHALLENGE_MISMATCH), "challenge mismatch") == 0);
    for (number = -200; number <= 300; number++) {
        CHECK(klero_reason(number) != NULL);
        known += klero_reason(number) != unknown;
    }
    CHECK(known == 1 + 15 + 3 + 2 + 22);
}

static void names(void) {
    size_t i;
    klero_verifier *verifier = NULL;
    for (i = 0; klero_suite_name(i) != NULL; i++)
        CHECK(klero_proof_size(klero_suite_name(i)) >= 80);
    CHECK(i == 14 && klero_suite_name((size_t)-1) == NULL);
    CHECK(klero_proof_size("praos") == 80 && klero_proof_size("PRAOS_144") == 144);
    CHECK(klero_proof_size("praos ") == 0 && klero_proof_size("") == 0);
    CHECK(klero_proof_size("\xff\xfe") == 0 && klero_proof_size(NULL) == 0);
    for (i = 0; klero_backend_name(i) != NULL; i++)
        ;
    CHECK(i >= 1 && strcmp(klero_backend_name(i - 1), "portable") == 0);

    CHECK(klero_verifier_new("nonsense", &verifier) == KLERO_UNKNOWN_SUITE && verifier == NULL);
    CHECK(klero_verifier_new(NULL, &verifier) == KLERO_NULL && verifier == NULL);
    CHECK(klero_verifier_new("praos", NULL) == KLERO_NULL);
    CHECK(klero_verifier_new("draft03", &verifier) == 0);
    CHECK(klero_verifier_set_backend(verifier, "avx1024") == KLERO_UNKNOWN_BACKEND);
    CHECK(klero_verifier_set_backend(verifier, NULL) == KLERO_NULL);
    CHECK(klero_verifier_set_backend(NULL, "portable") == KLERO_NULL);
    CHECK(klero_verifier_set_method(verifier, 3) == KLERO_UNKNOWN_METHOD);
    CHECK(klero_verifier_set_method(verifier, -1) == KLERO_UNKNOWN_METHOD);
    CHECK(klero_verifier_set_method(NULL, KLERO_SUM) == KLERO_NULL);
    CHECK(klero_verifier_set_kept_keys(NULL, 1) == KLERO_NULL);
    klero_verifier_free(verifier);
    klero_verifier_free(NULL);
}

static void keys(void) {
    klero_secret_key *key = NULL, *other;
    uint8_t bytes[64], public_key[32];
    CHECK(klero_secret_key_from_seed("nonsense", seed, &key) == KLERO_UNKNOWN_SUITE);
    CHECK(klero_secret_key_from_seed("praos", NULL, &key) == KLERO_NULL);
    CHECK(klero_secret_key_from_libsodium("praos", NULL, &key) == KLERO_NULL);
    CHECK(klero_secret_key_generate(NULL, &key) == KLERO_NULL);
    CHECK(key == NULL);
    CHECK(klero_secret_key_generate("praos", NULL) == KLERO_NULL);
    CHECK(klero_secret_key_public_key(NULL, public_key) == KLERO_NULL);
    CHECK(klero_secret_key_to_libsodium(NULL, bytes) == KLERO_NULL);
    CHECK(klero_secret_key_suite(NULL) == NULL);

    CHECK(klero_secret_key_generate("praos", &key) == 0);
    CHECK(klero_secret_key_generate("praos", &other) == 0);
    CHECK(klero_secret_key_public_key(key, NULL) == KLERO_NULL);
    CHECK(klero_secret_key_to_libsodium(key, NULL) == KLERO_NULL);
    CHECK(klero_secret_key_to_libsodium(key, bytes) == 0);
    CHECK(klero_secret_key_public_key(other, public_key) == 0);
    CHECK(memcmp(bytes + 32, public_key, 32) != 0);
    klero_secret_key_free(other);
    bytes[63] ^= 1;
    other = NULL;
    CHECK(klero_secret_key_from_libsodium("praos", bytes, &other) == KLERO_HALVES_DIFFER);
    CHECK(other == NULL);
    klero_secret_key_free(key);
    klero_secret_key_free(NULL);

    memset(public_key, 0, 32);
    CHECK(klero_check_public_key(public_key, 32) == KLERO_KEY_SMALL_ORDER);
    CHECK(klero_check_public_key(public_key, 31) == KLERO_KEY_LENGTH);
    CHECK(klero_check_public_key(NULL, 0) == KLERO_KEY_LENGTH);
    CHECK(klero_check_public_key(NULL, 32) == KLERO_NULL);
}

static void integers(void) {
    /* From vectors/outputs/below.json. */
    static const uint8_t random[64] = {
        0x4c, 0x62, 0x68, 0x6b, 0xec, 0x8c, 0x81, 0xc4, 0xe8, 0x49, 0xb8, 0x11, 0x49, 0x35, 0xfd, 0x3c,
        0xe1, 0xc8, 0xf9, 0xb0, 0x58, 0xe6, 0xfd, 0x3e, 0x94, 0x76, 0xa5, 0x5b, 0x00, 0x24, 0x41, 0xe8,
        0x36, 0xc1, 0xf2, 0x68, 0xc2, 0x86, 0x75, 0x73, 0xb0, 0x91, 0x78, 0x7b, 0xd0, 0x1e, 0x86, 0xc0,
        0x3e, 0x09, 0x02, 0xb4, 0xe8, 0xe0, 0x25, 0x9c, 0xd3, 0x84, 0x33, 0x0f, 0xc9, 0xc4, 0xa2, 0x0c,
    };
    uint8_t output[64];
    uint64_t below = 7;
    CHECK(klero_output_below(NULL, 2, &below) == KLERO_NULL);
    CHECK(klero_output_below(random, 2, NULL) == KLERO_NULL);
    CHECK(klero_output_below(random, 0, &below) == KLERO_SIZE && below == 7);
    CHECK(klero_output_below(random, UINT64_C(18131323657820740949), &below) == 0);
    CHECK(below == UINT64_C(5409962440700414225));
    memset(output, 0xff, sizeof output);
    CHECK(klero_output_below(output, 1, &below) == 0 && below == 0);
    CHECK(klero_output_below(output, UINT64_MAX, &below) == 0 && below == UINT64_MAX - 1);
    memset(output, 0, sizeof output);
    CHECK(klero_output_below(output, UINT64_MAX, &below) == 0 && below == 0);
    output[0] = 0x80;
    CHECK(klero_output_below(output, 10, &below) == 0 && below == 5);
}

static void proofs(void) {
    klero_secret_key *key, *foreign;
    klero_request requests[2];
    uint8_t proof[160], output[2][64];
    memset(proof, 0xa5, sizeof proof);
    memset(output, 0xa5, sizeof output);
    CHECK(klero_secret_key_from_seed("praos", seed, &key) == 0);
    CHECK(klero_secret_key_from_seed("draft13", seed, &foreign) == 0);
    memset(requests, 0, sizeof requests);
    requests[0].key = requests[1].key = key;

    CHECK(klero_prove(NULL, seed, 32, proof, 80, output[0]) == KLERO_NULL);
    CHECK(klero_prove(key, NULL, 1, proof, 80, output[0]) == KLERO_NULL);
    CHECK(klero_prove(key, seed, (size_t)-1, proof, 80, output[0]) == KLERO_SIZE);
    CHECK(klero_prove(key, seed, 32, NULL, 80, output[0]) == KLERO_NULL);
    CHECK(klero_prove(key, seed, 32, proof, 79, output[0]) == KLERO_SIZE);
    CHECK(klero_prove(key, seed, 32, proof, 81, output[0]) == KLERO_SIZE);
    CHECK(klero_prove_checked(key, seed, 32, proof, 0, output[0]) == KLERO_SIZE);
    CHECK(klero_evaluate(key, seed, 32, NULL) == KLERO_NULL);
    CHECK(klero_evaluate(NULL, seed, 32, output[0]) == KLERO_NULL);

    CHECK(klero_prove_many(requests, 2, proof, 159, output, 1) == KLERO_SIZE);
    CHECK(klero_prove_many(requests, 2, NULL, 160, output, 1) == KLERO_NULL);
    CHECK(klero_prove_many(NULL, 2, proof, 160, output, 1) == KLERO_NULL);
    CHECK(klero_prove_many(requests, (size_t)-1 / 2, proof, 160, output, 1) == KLERO_SIZE);
    CHECK(klero_prove_many(NULL, 0, proof, 80, output, 1) == KLERO_SIZE);
    requests[1].key = NULL;
    CHECK(klero_prove_many(requests, 2, proof, 160, output, 1) == KLERO_NULL);
    CHECK(klero_evaluate_many(requests, 2, output, 1) == KLERO_NULL);
    requests[1].key = foreign;
    CHECK(klero_prove_many(requests, 2, proof, 160, output, 1) == KLERO_MIXED_SUITES);
    CHECK(klero_evaluate_many(requests, 2, output, 1) == KLERO_MIXED_SUITES);
    requests[1].key = key;
    requests[1].alpha.size = 1;
    CHECK(klero_prove_many(requests, 2, proof, 160, output, 1) == KLERO_NULL);
    requests[1].alpha.size = 0;
    CHECK(klero_evaluate_many(requests, 2, NULL, 1) == KLERO_NULL);
    CHECK(is_untouched(proof, sizeof proof) && is_untouched(output, sizeof output));

    CHECK(klero_prove_many(NULL, 0, NULL, 0, NULL, 1) == 0);
    CHECK(klero_evaluate_many(NULL, 0, NULL, 0) == 0);
    CHECK(klero_prove_many(requests, 2, proof, 160, output, (size_t)-1) == 0);
    CHECK(memcmp(proof, proof + 80, 80) == 0 && memcmp(output[0], output[1], 64) == 0);
    /* One input and the places of its answers may overlap. */
    CHECK(klero_prove(key, proof, 80, proof, 80, proof + 80) == 0);
    CHECK(klero_evaluate(key, output[0], 64, output[0]) == 0);
    klero_secret_key_free(key);
    klero_secret_key_free(foreign);
}

static void claims(void) {
    klero_secret_key *key;
    klero_verifier *verifier;
    klero_claim claim[2];
    uint8_t public_key[32], proof[80], output[64], outputs[2][64];
    int verdicts[2];
    CHECK(klero_secret_key_from_seed("praos", seed, &key) == 0);
    CHECK(klero_secret_key_public_key(key, public_key) == 0);
    CHECK(klero_prove(key, NULL, 0, proof, 80, output) == 0);
    klero_secret_key_free(key);
    CHECK(klero_verifier_new("praos", &verifier) == 0);
    memset(claim, 0, sizeof claim);
    claim[0].key.data = public_key;
    claim[0].key.size = 32;
    claim[0].proof.data = proof;
    claim[0].proof.size = 80;
    claim[1] = claim[0];
    memset(verdicts, 0xa5, sizeof verdicts);
    memset(outputs, 0xa5, sizeof outputs);

    CHECK(klero_verify(NULL, &claim[0], outputs[0]) == KLERO_NULL);
    CHECK(klero_verify(verifier, NULL, outputs[0]) == KLERO_NULL);
    claim[1].alpha.size = 1;
    CHECK(klero_verify(verifier, &claim[1], outputs[0]) == KLERO_NULL);
    CHECK(klero_verify_many(verifier, claim, 2, verdicts, outputs, 1) == KLERO_NULL);
    claim[1].alpha.size = 0;
    claim[1].output.size = 64;
    CHECK(klero_verify_many(verifier, claim, 2, verdicts, outputs, 1) == KLERO_NULL);
    claim[1].output.size = 0;
    claim[1].key.size = (size_t)-1;
    CHECK(klero_verify_many(verifier, claim, 2, verdicts, outputs, 1) == KLERO_SIZE);
    claim[1].key.size = 32;
    CHECK(klero_verify_many(NULL, claim, 2, verdicts, outputs, 1) == KLERO_NULL);
    CHECK(klero_verify_many(verifier, NULL, 2, verdicts, outputs, 1) == KLERO_NULL);
    CHECK(klero_verify_many(verifier, claim, 2, NULL, outputs, 1) == KLERO_NULL);
    CHECK(klero_verify_many(verifier, claim, (size_t)-1, verdicts, outputs, 1) == KLERO_SIZE);
    CHECK(klero_verify_many(verifier, claim, (size_t)-1 / 64, verdicts, outputs, 1)
          == KLERO_SIZE);
    CHECK(klero_verify_many(NULL, NULL, 0, NULL, NULL, 1) == KLERO_NULL);
    CHECK(is_untouched(verdicts, sizeof verdicts) && is_untouched(outputs, sizeof outputs));

    CHECK(klero_verify_many(verifier, NULL, 0, NULL, NULL, 0) == 0);
    CHECK(klero_verify_many(verifier, claim, 2, verdicts, outputs, (size_t)-1) == 0);
    CHECK(memcmp(outputs[1], output, 64) == 0);
    /* No bytes, but an output that is claimed. */
    claim[0].output.data = output;
    CHECK(klero_verify(verifier, &claim[0], NULL) == KLERO_OUTPUT_LENGTH);
    /* One claim and the place of its output may overlap. */
    CHECK(klero_verify(verifier, &claim[1], proof) == 0 && memcmp(proof, output, 64) == 0);

    memset(output, 0xa5, 64);
    CHECK(klero_proof_to_hash(NULL, proof, 80, output) == KLERO_NULL);
    CHECK(klero_proof_to_hash(verifier, NULL, 80, output) == KLERO_NULL);
    CHECK(klero_proof_to_hash(verifier, proof, 80, NULL) == KLERO_NULL);
    CHECK(klero_proof_to_hash(verifier, NULL, 0, output) == KLERO_PROOF_LENGTH);
    CHECK(is_untouched(output, 64));
    klero_verifier_free(verifier);
}

static void headers(void) {
    klero_header_stake stake = { 1, NULL, 1, 0, 0, 0 };
    klero_header_nonce nonces[2] = { { 5, { 0 } }, { 5, { 0 } } };
    klero_header header = { 6, { NULL, 1 } };
    klero_header_check *check = NULL;
    klero_header_counters *counters = NULL;
    klero_header_verdict verdict;
    klero_leader_threshold threshold;
    uint8_t saved[82], output[64] = { 0 };
    size_t size = 77;
    memset(&verdict, 0xa5, sizeof verdict);
    memset(saved, 0xa5, sizeof saved);
    CHECK(klero_header_check_new(NULL, NULL, 0, &check) == KLERO_NULL);
    CHECK(klero_header_check_new("preview", NULL, 1, &check) == KLERO_NULL);
    CHECK(klero_header_check_new("preview", &stake, 1, &check) == KLERO_NULL);
    CHECK(klero_header_check_new("preview", NULL, 0, NULL) == KLERO_NULL);
    CHECK(klero_header_check_new("\xff", NULL, 0, &check) == KLERO_UNKNOWN_NETWORK);
    CHECK(klero_header_check_from_genesis(NULL, 1, NULL, 0, NULL, 0, &check) == KLERO_NULL);
    CHECK(klero_header_check_from_genesis(seed, 1, NULL, 1, NULL, 0, &check) == KLERO_NULL);
    CHECK(check == NULL && klero_header_check_new("preview", NULL, 0, &check) == 0);

    CHECK(klero_header_counters_new(NULL, 0, NULL, 0, &counters) == KLERO_NULL);
    CHECK(klero_header_counters_new(check, 0, NULL, 1, &counters) == KLERO_NULL);
    CHECK(klero_header_counters_new(check, 0, saved, 0, &counters) == KLERO_BAD_COUNTERS);
    CHECK(klero_header_counters_new(check, 0, NULL, 0, NULL) == KLERO_NULL);
    CHECK(klero_verify_headers(check, NULL, 0, NULL, 0, NULL, NULL) == KLERO_NULL);
    CHECK(counters == NULL && klero_header_counters_new(check, 0, NULL, 0, &counters) == 0);
    CHECK(klero_header_counters_set(NULL, seed, 1) == KLERO_NULL);
    CHECK(klero_header_counters_set(counters, NULL, 1) == KLERO_NULL);
    CHECK(klero_header_counters_save(NULL, saved, 82, &size) == KLERO_NULL);
    CHECK(klero_header_counters_save(counters, NULL, 82, &size) == KLERO_NULL);
    CHECK(klero_header_counters_save(counters, saved, 82, NULL) == KLERO_NULL && size == 77);
    CHECK(klero_header_counters_save(counters, saved, 81, &size) == KLERO_SIZE && size == 82);
    CHECK(is_untouched(saved, 82) && klero_header_counters_save(counters, saved, 82, &size) == 0);

    CHECK(klero_verify_headers(NULL, NULL, 0, NULL, 0, counters, NULL) == KLERO_NULL);
    CHECK(klero_verify_headers(check, NULL, 1, NULL, 0, counters, &verdict) == KLERO_NULL);
    CHECK(klero_verify_headers(check, &header, 1, NULL, 0, counters, &verdict) == KLERO_NULL);
    header.bytes.size = 0;
    CHECK(klero_verify_headers(check, &header, 1, NULL, 0, counters, NULL) == KLERO_NULL);
    CHECK(klero_verify_headers(check, &header, 1, NULL, 1, counters, &verdict) == KLERO_NULL);
    CHECK(klero_verify_headers(check, &header, 1, nonces, 2, counters, &verdict) == KLERO_GIVEN_TWICE);
    CHECK(klero_verify_headers(check, &header, (size_t)-1, NULL, 0, counters, &verdict) == KLERO_SIZE);
    CHECK(is_untouched(&verdict, sizeof verdict));
    CHECK(klero_verify_headers(check, NULL, 0, NULL, 0, counters, NULL) == 0);
    CHECK(klero_verify_headers(check, &header, 1, nonces, 1, counters, &verdict)
          == KLERO_HEADER_INVALID);
    CHECK(verdict.fault_count == 1 && strcmp(verdict.faults->name, "bad-header") == 0);
    klero_header_check_free(check);
    klero_header_check_free(NULL);
    CHECK(strstr(verdict.faults->message, "header at byte 0") != NULL);
    klero_header_counters_free(counters);
    klero_header_counters_free(NULL);

    CHECK(klero_leads(KLERO_PRAOS, NULL, 1, 1, 1, 20, NULL) == KLERO_NULL);
    CHECK(klero_leads(0, output, 1, 1, 1, 20, NULL) == KLERO_UNKNOWN_PROTOCOL);
    CHECK(klero_leads(KLERO_TPRAOS, output, 1, 1, 1, 20, NULL) == 0);
    /* BLAKE2b-256 of "L" and 64 zeros. */
    CHECK(klero_leads(KLERO_PRAOS, output, 1, 1, 1, 20, &threshold) == KLERO_NO_LEADER);
    CHECK(threshold.margin > 4.5971 && threshold.margin < 4.5972);
    CHECK(threshold.last_size == 32 && threshold.last[0] == 0x0c);
}

int main(void) {
    words();
    names();
    keys();
    integers();
    proofs();
    claims();
    headers();
    puts("misuse: ok");
    return 0;
}
