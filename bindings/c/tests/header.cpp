// The headers are C++ as well.
#include "klero.h"

#include <cstdio>
#include <cstring>

int main() {
    klero_verifier *verifier = nullptr;
    if (klero_verifier_new("praos", &verifier) != KLERO_VALID)
        return 1;
    const klero_claim claim = {};
    const int verdict = klero_verify(verifier, &claim, nullptr);
    klero_verifier_free(verifier);
    if (verdict != KLERO_KEY_LENGTH)
        return 1;
    std::puts("header: ok");
    return 0;
}
