"""All tests of vectors/headers.json through libklero, by ctypes: headers.py LIBRARY

`headers.py cases` prints them in JSON, a line for each, with all that a call is given."""

import ctypes as c
import hashlib
import json
import pathlib
import sys

FILE = json.loads((pathlib.Path(__file__).parent / "../../../vectors/headers.json").read_text())
# The names that faults have, and words of their message, where a rule of the file is none.
RULES = {
    None: ("", ""),
    "vrf-proof": ("invalid-proof", ""),
    "vrf-output": ("invalid-proof", "output mismatch"),
    "leader-value": ("leader-value no-leader", ""),
    "kes-before-start": ("kes-period", ""),
    "kes-after-end": ("kes-period", ""),
    "opcert-signature": ("invalid-certificate", ""),
    "kes-signature": ("invalid-kes", ""),
    "opcert-number-too-small": ("certificate-number", "used before"),
    "opcert-number-too-large": ("certificate-number", "at most one more"),
    # It depends on earlier headers, which no check remembers.
    "two-vrf-keys": ("", ""),
}
TURNS = {"lottery": "", "reserved": "reserved-slot", "delegate": "wrong-delegate"}
# What else is wrong with an honest header in another slot.
MOVED = "invalid-proof invalid-kes no-leader leader-value"


def cases():
    shelley = FILE["testGroups"][0]
    for group in FILE["testGroups"]:
        for test in group["tests"]:
            if group["type"] == "headers":
                rule = test.get("broken")
                names, words = RULES.get(rule, (rule, ""))
                yield header(group, test, test["header"]) | {"names": names, "words": words, "also": ""}
            elif group["type"] == "overlay":
                delegates = shelley["delegates"][: group["delegates"]]
                honest = shelley["tests"][0]["header"]
                moved = f"{honest[:16]}{shelley['firstSlot'] + test['slot']:08x}{honest[24:]}"
                expected = {"names": TURNS[test["turn"]], "also": MOVED}
                expected["words"] = delegates[test["delegate"]]["delegate"] if "delegate" in test else ""
                yield header(shelley | group | {"delegates": delegates}, shelley["tests"][0], moved) | expected
            else:
                stake = {"stake": int(test["stake"]), "total": int(test["total"]), "f": ratio(group["f"])}
                yield stake | {"value": test["value"], "leads": test["leads"]}


def header(group, test, digits):
    """What a header is judged by."""
    numerator, denominator = ratio(group["f"])
    genesis = {
        "activeSlotsCoeff": {"numerator": numerator, "denominator": denominator},
        "epochLength": group["epochLength"],
        "genDelegs": {delegate["genesisKey"]: delegate for delegate in group["delegates"]},
        "maxKESEvolutions": group["maxKesEvolutions"],
        "securityParam": 2160,
        "slotsPerKESPeriod": group["slotsPerKesPeriod"],
    }
    stake = FILE["stakes"][test["stake"]]
    # The second string of 32 bytes is the issuer's key.
    key = bytes.fromhex(digits.split("5820", 2)[-1][:64])
    return {
        "genesis": json.dumps(genesis),
        "starts": {tag: 0 if tag <= group["tag"] else group["epoch"] + 1 for tag in range(3, 8)},
        "epoch": group["epoch"],
        "d": ratio(group["d"]),
        "nonce": group["nonce"],
        "total": int(stake["total"]),
        "pools": [{"vrf": "", **pool, "stake": int(pool["stake"])} for pool in stake["pools"]],
        "tag": test["tag"],
        "header": digits,
        "issuer": hashlib.blake2b(key, digest_size=28).hexdigest(),
        "last": test["lastNumber"],
    }


def ratio(text):
    return [int(part) for part in text.split("/")]


def structure(**members):
    return type("Structure", (c.Structure,), {"_fields_": list(members.items())})


U64, SIZE = c.c_uint64, c.c_size_t
Start = structure(tag=c.c_uint8, epoch=U64)
Pool = structure(pool=c.c_uint8 * 28, stake=U64, vrf=c.c_char_p)
Stake = structure(epoch=U64, pools=c.POINTER(Pool), count=SIZE, total=U64, d=U64 * 2)
Nonce = structure(epoch=U64, nonce=c.c_uint8 * 32)
Header = structure(tag=c.c_uint8, data=c.c_char_p, size=SIZE)
Fault = structure(name=c.c_char_p, message=c.c_char_p)
Verdict = structure(
    faults=c.POINTER(Fault), count=SIZE, slot=U64, decoded=c.c_int, by_stake=c.c_int, experimental=c.c_int
)
Threshold = structure(margin=c.c_double, last=c.c_uint8 * 64, size=SIZE)


def judge(klero, case):
    """Judges a header alone."""
    genesis, bytes_of = case["genesis"].encode(), bytes.fromhex
    starts = (Start * 5)(*case["starts"].items())
    pools = [
        (tuple(bytes_of(pool["pool"])), pool["stake"], bytes_of(pool["vrf"]) or None) for pool in case["pools"]
    ]
    stake = Stake(case["epoch"], (Pool * len(pools))(*pools), len(pools), case["total"], tuple(case["d"]))
    check, counters, verdict = c.c_void_p(), c.c_void_p(), Verdict()
    assert not klero.klero_header_check_from_genesis(
        genesis, SIZE(len(genesis)), starts, SIZE(5), c.byref(stake), SIZE(1), c.byref(check)
    )
    assert not klero.klero_header_counters_new(check, 1, None, SIZE(0), c.byref(counters))
    if case["last"] is not None:
        assert not klero.klero_header_counters_set(counters, bytes_of(case["issuer"]), U64(case["last"]))
    passed = Header(case["tag"], bytes_of(case["header"]), len(case["header"]) // 2)
    nonce = c.byref(Nonce(case["epoch"], tuple(bytes_of(case["nonce"]))))
    status = klero.klero_verify_headers(check, c.byref(passed), SIZE(1), nonce, SIZE(1), counters, c.byref(verdict))
    faults = [(fault.name.decode(), fault.message.decode()) for fault in verdict.faults[: verdict.count]]
    for name, message in faults:
        assert name in case["names"].split() and case["words"] in message or name in case["also"].split(), faults
    assert bool(case["names"]) == any(name in case["names"].split() for name, _ in faults)
    decoded = case["names"] != "bad-header"
    assert (status, verdict.decoded, verdict.by_stake) == (201 if faults else 0, decoded, decoded)
    assert (verdict.slot > 0, verdict.experimental) == (decoded, 0)
    klero.klero_header_counters_free(counters)
    klero.klero_header_check_free(check)


def judge_value(klero, case):
    """A value of 64 bytes is an output; one of 32 bytes is the hash of one that is not known."""
    threshold, value = Threshold(), bytes.fromhex(case["value"])
    is_output = len(value) == 64
    numbers = map(U64, (case["stake"], case["total"], *case["f"]))
    status = klero.klero_leads(1 if is_output else 2, value.ljust(64), *numbers, c.byref(threshold))
    last = bytes(threshold.last)[: threshold.size]
    assert len(last) in (0, len(value)) and (value <= last) == case["leads"]
    assert not is_output or status == (0 if case["leads"] else 202)


all_cases = list(cases())
assert len(all_cases) == FILE["numberOfTests"]
if sys.argv[1] == "cases":
    print(*map(json.dumps, all_cases), sep="\n")
else:
    klero = c.CDLL(sys.argv[1])
    for case in all_cases:
        judge(klero, case) if "header" in case else judge_value(klero, case)
    print(f"headers: {len(all_cases)} tests: ok")
