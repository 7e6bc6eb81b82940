"""The vectors of vectors/*.json as lines, for C, which reads no JSON; with the word `tokens`, those of
vectors/tokens.

The JSON says what is valid. Why anything is not, the Rust libraries say, through the examples that the tests
of the npm package ask as well.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys

VECTORS = pathlib.Path(__file__).parent / "../../../vectors"

# KLERO_TOKEN_INVALID and KLERO_TOKEN_REFUSED.
INVALID, REFUSED = 101, 102


def ask(package, example, questions):
    """The answers of an example."""
    command = ["cargo", "run", "--quiet", "--release", "--locked", "--package", package, "--example", example]
    asked = subprocess.run(command, input=json.dumps(questions), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(asked.stdout)


def field(digits):
    """A field in hex: `-` stands for what is absent, and `.` for no bytes."""
    return "-" if digits is None else digits or "."


def text(words):
    """The field of a text."""
    return field(None if words is None else words.encode().hex())


def ecvrf():
    """Writes lines of nine fields: suite, seed, public key, alpha, proof, output, whether it is valid (1 or
    0), `valid` or the reason with a hyphen for all between its letters, and the file."""
    # ecvrf.json and headers.json, with their schemas, have other forms.
    files = [file for file in VECTORS.glob("*.json") if not file.name.startswith(("ecvrf", "headers"))]
    vectors = {file.name: json.loads(file.read_text()) for file in sorted(files)}
    verdicts = ask("klero-js", "verdicts", vectors)
    for name in vectors:
        for vector, verdict in zip(vectors[name], verdicts[name], strict=True):
            reason = "valid"
            if verdict.startswith("invalid: "):
                reason = re.sub("[^A-Za-z]+", "-", verdict.removeprefix("invalid: ")).strip("-")
            digits = [field(vector.get(part)) for part in ("sk", "pk", "alpha", "pi", "beta")]
            print(vector["suite"], *digits, int(vector["valid"]), reason, name)


def tokens():
    """Writes lines of thirteen fields: root keys (`NUMBER=KEY`, between commas), relying party
    (`ID;USER_VERIFICATION`, and origins, between semicolons), the token's text, challenge (nonce and audience
    in hex and the time, between colons), now, then in hex audience, path, method, fields (`NAME:VALUE`,
    between commas) and ids of revoked blocks; the number that a call returns, and in hex the reason and the
    rights."""
    for name in ("aggregate", "chain", "passkeys"):
        file = json.loads((VECTORS / f"tokens/{name}.json").read_text())
        # A caller in C does not choose limits.
        vectors = [vector for vector in file["tokens"] if "limits" not in vector]
        # A token without a request is verified only.
        asked = [(vector, question(file, vector), {}) for vector in vectors]
        for vector in vectors:
            for check in vector.get("checks") or [{"access": {}}]:
                asked.append((vector, question(file, vector) | {"access": {"now": 0} | check["access"]}, check))
        answers = ask("klero-js-token", "token_verdicts", [question for _, question, _ in asked])
        for (vector, question_of, check), answer in zip(asked, answers, strict=True):
            place = f"{name}.json: {vector['name']}: {answer}"
            if "access" not in question_of:
                assert answer.startswith("[") == vector["valid"], place
                continue
            # C accepts no opaque blocks.
            granted = check.get("granted", False) and not check.get("opaque_accepted", False)
            is_granted = answer.startswith("granted: ")
            assert is_granted == granted or "granted" not in check, place
            status = 0 if is_granted else REFUSED if vector["valid"] else INVALID
            reason, rights = ("", answer.removeprefix("granted: ")) if is_granted else (answer, "")
            print(*fields(question_of), status, text(reason), field(rights))


def question(file, vector):
    """Asks whether the token is valid."""
    texts = {key["public"]: key["text"] for key in file["keys"]}
    token = base64.urlsafe_b64encode(bytes.fromhex(vector["token"])).decode().rstrip("=")
    roots = [[int(number), texts[key]] for number, key in vector.get("roots", file["roots"]).items()]
    asked = {"token": token, "roots": roots}
    if "challenge" in vector:
        asked["challenge"] = vector["challenge"]
    if "relying_party" in vector:
        party = dict(vector["relying_party"])
        asked["relyingParty"] = party | {"userVerification": party["user_verification"]}
    return asked


def fields(asked):
    """The fields of a question."""
    party, challenge, access = asked.get("relyingParty"), asked.get("challenge"), asked["access"]
    if party is not None:
        party = ";".join([party["id"], str(int(party["userVerification"])), *party["origins"]])
    if challenge is not None:
        challenge = f"{field(challenge['nonce'])}:{text(challenge['audience'])}:{challenge['time']}"
    pairs = [f"{text(name)}:{text(value)}" for name, value in access.get("fields", [])]
    return [
        ",".join(f"{number}={key}" for number, key in asked["roots"]),
        party or "-",
        field(asked["token"]),
        challenge or "-",
        access["now"],
        *(text(access.get(part)) for part in ("audience", "path", "method")),
        ",".join(pairs) or "-",
        "".join(access.get("revoked", [])) or "-",
    ]


tokens() if sys.argv[1:] == ["tokens"] else ecvrf()
