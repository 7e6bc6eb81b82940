/*
 * sodium.h as the fork has it: that of the plain libsodium, and the VRF.
 */
#ifndef KLERO_VRF_ALGORAND_SODIUM_H
#define KLERO_VRF_ALGORAND_SODIUM_H

/* #include_next is an extension that GCC and Clang have. */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include_next <sodium.h>

#include "sodium/crypto_vrf.h"

#endif
