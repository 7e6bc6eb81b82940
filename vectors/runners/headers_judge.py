"""A plain judge of the tests of headers.json, written from docs/header-vectors.md.

It verifies VRF proofs by Klero and Ed25519 by `cryptography`; the rest is here. The checks stand in the
order of the page. Nothing is fast.
"""

from fractions import Fraction
from hashlib import blake2b

import klero
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def validate(context, test):
    """The first rule that the header of the test breaks, or None."""
    return next(broken_rules(context, test), None)


def broken_rules(context, test):
    """Every rule that the header breaks, as far as one can be judged without the ones before."""
    try:
        header = Header(bytes.fromhex(test["header"]), praos=test["tag"] >= 6)
    except Malformed:
        yield "bad-header"
        return
    in_epoch = 0 <= header.slot - context["firstSlot"] < context["epochLength"]
    if not in_epoch or test["tag"] != context["tag"]:
        yield "era"
    yield from broken_by_vrf(context, header)
    yield from broken_by_issuer(context, test, header)
    yield from broken_by_certificate(context, test, header)


def broken_by_vrf(context, header):
    seed = hash256(be64(header.slot) + bytes.fromhex(context["nonce"]))
    masks = [bytes(32)] if header.praos else [hash256(be64(0)), hash256(be64(1))]
    for (output, proof), mask in zip(header.vrf, masks):
        alpha = bytes(a ^ b for a, b in zip(seed, mask))
        try:
            if klero.verify(header.vrf_key, alpha, proof, suite="praos") != output:
                yield "vrf-output"
        except klero.InvalidProof:
            yield "vrf-proof"


def broken_by_issuer(context, test, header):
    issuer, vrf = hash224(header.cold_key).hex(), hash256(header.vrf_key).hex()
    slot, delegates = header.slot - context["firstSlot"], context["delegates"]
    of, which = turn(context["d"], context["f"], len(delegates), slot)
    if of == "reserved":
        yield "reserved-slot"
    elif of == "delegate":
        if (delegates[which]["delegate"], delegates[which]["vrf"]) != (issuer, vrf):
            yield "wrong-delegate"
    else:
        yield from broken_by_pool(context, test, header, issuer, vrf)


def broken_by_pool(context, test, header, issuer, vrf):
    pool = next((pool for pool in context["stake"]["pools"] if pool["pool"] == issuer), None)
    if pool is None:
        yield "unknown-pool"
        return
    if pool.get("vrf", vrf) != vrf:
        yield "other-vrf-key"
    if "vrf" not in pool and test.get("vrfSeen", vrf) != vrf:
        yield "two-vrf-keys"
    output = header.vrf[-1][0]
    value = hash256(b"L" + output) if header.praos else output
    if not leads(context["f"], int(pool["stake"]), int(context["stake"]["total"]), value):
        yield "leader-value"


def broken_by_certificate(context, test, header):
    evolution = header.slot // context["slotsPerKesPeriod"] - header.first_period
    if evolution < 0:
        yield "kes-before-start"
    elif evolution >= context["maxKesEvolutions"]:
        yield "kes-after-end"
    elif not sum_kes(6, header.hot_key, evolution, header.body, header.kes_signature):
        yield "kes-signature"
    signed = header.hot_key + be64(header.number) + be64(header.first_period)
    if not ed25519(header.cold_key, signed, header.certificate):
        yield "opcert-signature"
    last = test["lastNumber"] or 0
    if header.number < last:
        yield "opcert-number-too-small"
    if header.praos and header.number > last + 1:
        yield "opcert-number-too-large"


# The lottery and the overlay. Numbers are integers of units of 10^-34.

ONE = 10**34
EPSILON = 10**10


def leads(f, stake, total, value):
    """Whether a pool with this stake leads with the leader value, 32 or 64 bytes."""
    f = Fraction(f)
    if f == 1:
        return True
    largest = 256 ** len(value)
    reciprocal = largest * ONE // (largest - int.from_bytes(value, "big"))
    coefficient = f.numerator * ONE // f.denominator
    x = -times(stake * ONE // total, log(ONE - coefficient))
    partial, term = ONE, x
    for number in range(2, 1002):
        partial, term = partial + term, times(term, x) // number
        if reciprocal >= partial + 3 * term:
            return False
        if reciprocal < partial - 3 * term:
            return True
    return False


def log(x):
    """ln x for 0 < x < 1: n + ln(x / e^n), where e^n is the largest power that is not above x."""
    n = floor_log(x)
    rest = over(x, power(E, n)) - ONE
    return n * ONE + log_plus_one(rest)


def floor_log(x):
    low, high = -1, 1
    lower, upper = over(ONE, E), E
    while not lower <= x <= upper:
        low, high, lower, upper = 2 * low, 2 * high, times(lower, lower), times(upper, upper)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if x < power(E, middle) else (middle, high)
    return low


def log_plus_one(x):
    """ln(1 + x) = x/(1 + x/(2 + x/(3 + 4x/(4 + 4x/(5 + ..., until two convergents are closer than 10^-24."""
    a, b, last_a, last_b = 0, ONE, ONE, 0
    last = None
    for n in range(1, 1001):
        factor = x * max(1, n // 2) ** 2
        a, last_a = n * a + times(factor, last_a), a
        b, last_b = n * b + times(factor, last_b), b
        convergent = over(a, b)
        if last is not None and abs(convergent - last) < EPSILON:
            break
        last = convergent
    return convergent


def euler():
    """e by its series, as long as terms are 10^-24 or more."""
    total = term = ONE
    number = 1
    while (term := term // number) >= EPSILON:
        total, number = total + term, number + 1
    return total


def power(x, n):
    if n < 0:
        return over(ONE, power(x, -n))
    if n == 0:
        return ONE
    if n % 2 == 1:
        return times(x, power(x, n - 1))
    root = power(x, n // 2)
    return times(root, root)


def times(x, y):
    return x * y // ONE


def over(x, y):
    return x * ONE // y


E = euler()


def turn(d, f, delegates, slot):
    """("lottery", None), ("reserved", None), or ("delegate", which one)."""
    d, n = Fraction(d), Fraction(f).denominator // Fraction(f).numerator
    if d == 0:
        return "lottery", None
    k = -(-slot * d.numerator // d.denominator)
    if k * d.denominator // d.numerator != slot:
        return "lottery", None
    return ("delegate", k // n % delegates) if k % n == 0 else ("reserved", None)


# Signatures and hashes.

L = 2**252 + 27742317777372353535851937790883648493
P = 2**255 - 19
# The y of the points of order 1, 2, 4 and 8, and those that are p more.
EIGHTH = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SMALL_ORDER = {0, 1, P - 1, P, P + 1, EIGHTH, P - EIGHTH}


def ed25519(key, message, signature):
    """By libsodium's rules: s below L, no key or R of small order, and a key in its one encoding."""
    if y(key) >= P or y(key) in SMALL_ORDER or y(signature[:32]) in SMALL_ORDER:
        return False
    if int.from_bytes(signature[32:], "little") >= L:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def y(point):
    return int.from_bytes(point, "little") % 2**255


def sum_kes(depth, key, evolution, message, signature):
    """A signature of the depth above ends with the keys of its two halves, which its key is the hash of."""
    if depth == 0:
        return evolution == 0 and ed25519(key, message, signature)
    inner, left, right = signature[:-64], signature[-64:-32], signature[-32:]
    if hash256(left + right) != key:
        return False
    half = 2 ** (depth - 1)
    if evolution < half:
        return sum_kes(depth - 1, left, evolution, message, inner)
    return sum_kes(depth - 1, right, evolution - half, message, inner)


def be64(number):
    return number.to_bytes(8, "big")


def hash256(data):
    return blake2b(data, digest_size=32).digest()


def hash224(data):
    return blake2b(data, digest_size=28).digest()


# Headers in CBOR.


class Malformed(Exception):
    pass


class Header:
    def __init__(self, encoded, praos):
        self.praos = praos
        reader = Reader(encoded)
        reader.array(2)
        begin = reader.at
        reader.array(10 if praos else 15)
        reader.number()
        self.slot = reader.number()
        reader.hash_or_null()
        self.cold_key, self.vrf_key = reader.bytes(32), reader.bytes(32)
        self.vrf = [reader.vrf() for _ in range(1 if praos else 2)]
        reader.number()
        reader.bytes(32)
        if praos:
            reader.array(4)
        self.hot_key, self.number = reader.bytes(32), reader.number()
        self.first_period, self.certificate = reader.number(), reader.bytes(64)
        if praos:
            reader.array(2)
        reader.number()
        reader.number()
        self.body = encoded[begin : reader.at]
        self.kes_signature = reader.bytes(448)
        if reader.at != len(encoded):
            raise Malformed


class Reader:
    def __init__(self, encoded):
        self.encoded, self.at = encoded, 0

    def take(self, length):
        self.at += length
        if self.at > len(self.encoded):
            raise Malformed
        return self.encoded[self.at - length : self.at]

    def head(self, kind):
        first = self.take(1)[0]
        if first >> 5 != kind or first & 31 > 27:
            raise Malformed
        short = first & 31
        return short if short < 24 else int.from_bytes(self.take(1 << (short - 24)), "big")

    def number(self):
        return self.head(0)

    def bytes(self, length):
        if self.head(2) != length:
            raise Malformed
        return self.take(length)

    def array(self, length):
        if self.head(4) != length:
            raise Malformed

    def hash_or_null(self):
        if self.encoded[self.at : self.at + 1] == b"\xf6":
            self.take(1)
        else:
            self.bytes(32)

    def vrf(self):
        self.array(2)
        return self.bytes(64), self.bytes(80)
