"""Audits of a forged chain, and of a real one where there is one."""

import json
import os
import shutil
import signal
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import ROOT

import klero

REAL = ROOT.parent / "shared" / "chain" / "preview"


def test_a_forged_chain_is_all_valid(chain: Path) -> None:
    audit = klero.audit(chain)
    assert audit.verdict is None and audit.progress == 0 and audit.tip is None
    epochs = list(audit)
    assert (list(audit), audit.findings, audit.progress) == ([], [], 1.0)
    assert [epoch.number for epoch in epochs] == sorted(epoch.number for epoch in epochs)
    assert sum(epoch.blocks for epoch in epochs) == 3021
    assert sum(epoch.proofs for epoch in epochs) == sum(epoch.valid for epoch in epochs) == 4018
    assert epochs[-1].eras == "Conway" and epochs[0].byron_blocks == epochs[0].blocks
    table = pa.table(audit.table())
    for name in table.column_names:
        assert table[name].to_pylist() == [getattr(epoch, name) for epoch in epochs]
    assert audit.tip is not None and len(audit.tip[1]) == 32
    assert audit.run() == "all valid"
    assert all(epoch.all_invalid == 0 for epoch in epochs)
    signed = sum(epoch.blocks - epoch.byron_blocks for epoch in epochs)
    for name in ("kes", "certificates", "bodies"):
        assert sum(getattr(epoch, name) for epoch in epochs) == signed


def test_stake_says_who_may_lead(chain: Path, tmp_path: Path) -> None:
    rows = [f"9,{digit * 28},{stake}\n" for digit, stake in [("07", 1000), ("08", 2000)]]

    def table(name: str, *lines: str) -> Path:
        path = tmp_path / name
        path.write_text("".join(lines))
        return path

    stake = table("stake.csv", "epoch,pool_id,stake\n", *rows)
    audit = klero.audit(chain, stake=stake)
    epochs = {epoch.number: epoch for epoch in audit}
    # Nobody of this chain has that stake.
    assert audit.verdict == "something is wrong"
    assert {finding["finding"] for finding in audit.findings} == {"unknown-pool"}
    assert sum(finding["count"] for finding in audit.findings) == epochs[9].blocks
    assert epochs[9].leaders == 0 and epochs[9].narrowest_margin is None
    assert klero.audit(chain).run() == "all valid"
    with pytest.raises(ValueError, match="column .epoch., and an epoch was given"):
        klero.audit(chain, stake=stake, stake_epoch=9)
    with pytest.raises(ValueError, match="a number from 0 to 1"):
        klero.audit(chain, stake=stake, decentralization={4: "2"})
    with pytest.raises(ValueError, match="no column .pool."):
        klero.audit(chain, stake=table("bad.csv", "epoch,stake\n9,5\n"))
    twice = table("twice.csv", "epoch,pool_id,stake\n", *rows, *rows)
    with pytest.raises(ValueError, match="row 3: epoch 9: pool .* is there twice"):
        klero.audit(chain, stake=twice)
    with pytest.raises(ValueError, match="belongs to stake"):
        klero.audit(chain, stake_epoch=3)


def test_an_audit_makes_the_checks_that_it_is_asked_for(chain: Path) -> None:
    audit = klero.audit(chain, only=["vrf"])
    epochs = list(audit)
    assert audit.verdict == "all valid" and audit.tip is not None and audit.tied_slot is None
    assert audit.experimental is False
    assert sum(epoch.valid for epoch in epochs) == 4018
    assert sum(epoch.kes + epoch.certificates + epoch.bodies for epoch in epochs) == 0
    with pytest.raises(ValueError, match="expected some of vrf, kes, certificates, bodies"):
        klero.audit(chain, only=["stake"])
    assert klero.audit(chain, require_anchor=True).run() == "not all checked"
    slot, block = audit.tip[0], audit.tip[1].hex()
    for expect in ([f"tip={slot}:{block}"], [f"{slot}:{block}"]):
        tied = klero.audit(chain, expect=expect, require_anchor=True)
        assert tied.run() == "all valid" and tied.tied_slot == slot
    other = "07" * 32
    for expect in ([f"tip={slot}:{other}"], [f"{slot}:{block}", f"{slot}:{other}"]):
        audit = klero.audit(chain, expect=expect)
        assert audit.run() == "something is wrong"
        assert [finding["finding"] for finding in audit.findings] == ["expected-block"]
    assert klero.audit(chain, expect=[f"{slot + 1}:{block}"]).run() == "not all checked"


def test_nonces_are_compared_with_those_of_the_chain(chain: Path, tmp_path: Path) -> None:
    epochs = list(klero.audit(chain))
    nonce = epochs[7].nonce
    assert nonce is not None
    state = tmp_path / "state.json"
    audit = klero.audit(chain, expect=[f"7={nonce}"], state=state)
    assert audit.run() == "all valid"
    assert audit.tied_slot is not None
    audit = klero.audit(chain, expect=[f"8={nonce}"])
    assert audit.run() == "something is wrong"
    assert [finding["finding"] for finding in audit.findings] == ["epoch-nonce"]
    file = tmp_path / "nonces.json"
    file.write_text(json.dumps([{"epoch_no": number, "nonce": nonce} for number in (7, 900)]))
    audit = klero.audit(chain, expect=[file], require_anchor=True)
    assert audit.run() == "all valid" and audit.tied_slot is not None
    file.write_text("[7]")
    with pytest.raises(klero.AuditError, match="nonces.json: entry 1: expected .{"):
        klero.audit(chain, expect=[str(file)])


def test_what_is_wrong_is_found(chain: Path, tmp_path: Path) -> None:
    shutil.copytree(chain, tmp_path / "db")
    file = sorted((tmp_path / "db" / "immutable").glob("*.chunk"))[-1]
    damaged = bytearray(file.read_bytes())
    damaged[-10] ^= 1
    file.write_bytes(damaged)
    audit = klero.audit(tmp_path / "db", state=tmp_path / "state.json")
    assert audit.run() == "something is wrong"
    # The damage is in the signature of the last block.
    (finding, signature) = audit.findings
    assert (signature["finding"], signature["slot"]) == ("invalid-kes", finding["slot"])
    assert (finding["finding"], finding["severity"], finding["count"]) == ("crc", "fault", 1)
    assert finding["header"] == "unproven" and "CRC-32" in finding["reason"]
    assert len(bytes.fromhex(finding["hash"])) == 32 and finding["last"] is None
    assert {"crc", "invalid-kes"} <= set(klero.FINDINGS)


def test_an_audit_goes_on_from_its_state(chain: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    assert klero.audit(chain, state=state).run() == "all valid"
    again = klero.audit(chain, state=state)
    # The epoch that has not ended.
    assert len(list(again)) == 1 and again.verdict == "all valid"


def test_threads_take_turns(chain: Path) -> None:
    for _ in range(20):
        audit = klero.audit(chain)
        numbers: list[int] = []
        errors: list[BaseException] = []

        def iterate() -> None:
            try:
                numbers.extend(epoch.number for epoch in audit)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=iterate) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (errors, audit.verdict) == ([], "all valid")
        assert sorted(numbers) == pa.table(audit.table())["number"].to_pylist()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_an_audit_is_an_error_in_a_forked_child(chain: Path) -> None:
    audit = klero.audit(chain)
    next(audit)
    child = os.fork()
    if child == 0:
        try:
            next(audit)
        except klero.AuditError as error:
            os._exit(0 if "another process" in str(error) else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert audit.run() == "all valid"


def test_arguments_that_say_nothing_are_refused(chain: Path) -> None:
    with pytest.raises(ValueError, match="shelley_genesis"):
        klero.audit(chain, era_starts={"shelley": 5})
    with pytest.raises(ValueError, match="shelley_genesis"):
        klero.audit(chain, byron_k=7)


def test_an_audit_that_cannot_start_is_not_done(chain: Path) -> None:
    audit = klero.audit(chain, network="mainnet")
    with pytest.raises(klero.AuditError):
        list(audit)
    assert audit.progress == 0 and audit.verdict is None and "failed" in repr(audit)


def test_an_audit_is_stopped_in_good_order(chain: Path) -> None:
    audit = klero.audit(chain, threads=1)
    audit.stop()
    list(audit)
    assert audit.verdict == "interrupted"
    assert audit.progress < 1 and "interrupted" in repr(audit)


def test_an_interrupt_ends_an_audit_in_good_order(chain: Path) -> None:
    audit = klero.audit(chain, threads=1)
    next(audit)
    interrupt = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        interrupt.start()
        while interrupt.is_alive():
            next(audit, None)
    assert audit.verdict in ("interrupted", "all valid")


def test_an_audit_may_be_dropped(chain: Path) -> None:
    audit = klero.audit(chain)
    next(audit)
    del audit


def test_what_cannot_be_audited_is_refused(tmp_path: Path, chain: Path) -> None:
    for network in ("preview", None):
        with pytest.raises(klero.AuditError, match="nowhere: No such file or directory"):
            klero.audit(tmp_path / "nowhere", network=network)
    with pytest.raises(ValueError, match='network "no": expected mainnet'):
        klero.audit(chain, network="no")
    with pytest.raises(ValueError, match="expected one of them"):
        klero.audit(chain, network="preview", shelley_genesis=chain / "shelley-genesis.json")
    with pytest.raises(klero.AuditError, match="^expect: expected 64 hexadecimal digits"):
        klero.audit(chain, expect=["3=07"])
    with pytest.raises(klero.AuditError):
        klero.audit(chain, network="mainnet").run()
    with pytest.raises(ValueError, match='era_starts: "x" is not one of'):
        klero.audit(chain, shelley_genesis=chain / "shelley-genesis.json", era_starts={"x": 1})


def test_a_real_chain(capsys: pytest.CaptureFixture[str]) -> None:
    if not REAL.is_dir():
        with capsys.disabled():
            print("\nSKIPPED: a real chain, which needs ../shared/chain/preview")
        pytest.skip("no real chain")
    audit = klero.audit(REAL, network="preview")
    epochs = list(audit)
    assert audit.verdict == "all valid", audit.findings
    assert sum(epoch.valid for epoch in epochs) > 10_000
    assert sum(epoch.invalid for epoch in epochs) == 0
