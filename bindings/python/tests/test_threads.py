"""Threads, the GIL, forks and interrupts."""

import multiprocessing
import os
import re
import threading
import time

import pyarrow as pa
import pytest
from conftest import NEWEST, run_python

import klero

KEY = klero.SecretKey.from_seed("praos", bytes(32))
VERIFIER = klero.Verifier("praos", keep_keys=100)


def claims(count: int) -> pa.Table:
    alphas = [number.to_bytes(4, "big") for number in range(count)]
    return pa.table(klero.prove_table(pa.table({"alpha": alphas}), key=KEY))


def work() -> int:
    """Uses every way to share work among threads. Returns the valid rows."""
    alphas = [bytes([number]) for number in range(200)]
    proofs = KEY.prove_many(alphas)
    many = [(KEY.public_key, alpha, proof) for alpha, (proof, _) in zip(alphas, proofs)]
    outputs = KEY.evaluate_many(alphas)
    assert klero.verify_many(many, suite="praos") == outputs
    assert VERIFIER.verify_many(many) == outputs
    table = pa.table(klero.verify_table(claims(20_000), suite="praos"))
    return sum(verdict == "valid" for verdict in table["verdict"].to_pylist())


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_does_not_hang() -> None:
    assert work() == 20_000
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.apply_async(work).get(timeout=120) == 20_000


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_table_of_another_process_is_refused() -> None:
    reader = klero.verify_table(claims(100_000), suite="praos").to_reader()
    reader.read_next_batch()
    child = os.fork()
    if child == 0:
        try:
            reader.read_all()
        except pa.ArrowInvalid as error:
            os._exit(0 if "another process" in str(error) else 1)
        os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert sum(batch.num_rows for batch in reader) > 0


def test_other_threads_run_meanwhile() -> None:
    table, done, ticks = claims(60_000), threading.Event(), 0

    def verify() -> None:
        try:
            pa.table(klero.verify_table(table, suite="praos", threads=1))
        finally:
            done.set()

    thread = threading.Thread(target=verify)
    thread.start()
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks > 20


def test_results_do_not_depend_on_threads() -> None:
    table = claims(30_000)
    expected = pa.table(klero.verify_table(table, suite="praos", threads=1))
    for threads in (2, 5, None):
        assert pa.table(klero.verify_table(table, suite="praos", threads=threads)) == expected


@pytest.mark.parametrize("threads", [0, -1, 1 << 16, 10**30])
def test_a_wrong_number_of_threads_is_refused(threads: int) -> None:
    expected = f"threads: expected 1 to 65535, got {threads}"
    with pytest.raises(ValueError, match=expected):
        klero.verify_table(claims(1), suite="praos", threads=threads)
    with pytest.raises(ValueError, match=expected):
        KEY.prove_many([b""], threads=threads)
    with pytest.raises(TypeError, match="threads: expected 1 to 65535, got str"):
        KEY.prove_many([b""], threads="two")  # type: ignore[arg-type]


def test_few_claims_stay_on_the_calling_thread() -> None:
    alphas = [number.to_bytes(4, "big") for number in range(64)]
    of_all, of_this = time.process_time(), time.thread_time()
    for _ in range(200):
        KEY.evaluate_many(alphas, threads=2)
    of_this = time.thread_time() - of_this
    of_all = time.process_time() - of_all
    assert of_all - of_this < 0.02 * of_this


def test_items_of_every_number_keep_their_order() -> None:
    # One share, shares of the least size, of a size between, and of the largest.
    alphas = [number.to_bytes(4, "big") for number in range(9000)]
    outputs = KEY.evaluate_many(alphas, threads=1)
    assert outputs[::1000] == [KEY.evaluate(alpha) for alpha in alphas[::1000]]
    for count in (0, 1, 63, 64, 65, 129, 2048, 2049, 4097, 9000):
        for threads in (1, 2, 3, 65535):
            assert KEY.evaluate_many(alphas[:count], threads=threads) == outputs[:count]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "call",
    [
        "klero.verify_many([claim] * count, suite='praos', threads=threads)",
        "verifier.verify_many([claim] * count, threads=threads)",
        "key.prove_many([b''] * count, threads=threads)",
        "key.evaluate_many([b''] * count, threads=threads)",
    ],
)
def test_an_interrupt_ends_a_call(call: str, threads: int) -> None:
    # The signal comes when a fortieth of the work is done, and the call must end with less than
    # half of it. Measured in the processor's time: other programs take none of that.
    program = f"""
    import os, signal, threading, time
    import klero

    signal.signal(signal.SIGINT, signal.default_int_handler)
    threads = {threads}
    key = klero.SecretKey.generate("praos")
    proof, output = key.prove(b"")
    claim = (key.public_key, b"", proof)
    verifier = klero.Verifier("praos", keep_keys=10)

    def work(count):
        return {call}

    def cost(count, of):
        start = of()
        assert len(work(count)) == count
        return of() - start

    wall = cost(20_000, time.monotonic)
    part = cost(20_000, time.process_time)
    interrupt = threading.Timer(wall, os.kill, (os.getpid(), signal.SIGINT))
    start = time.process_time()
    interrupt.start()
    try:
        work(800_000)
    except KeyboardInterrupt:
        used = (time.process_time() - start) / part
        assert used < 20, f"it did {{used / 40:.0%}} of the work"
        work(20_000)
        print("interrupted")
    """
    run = run_python(program)
    assert run.stdout == "interrupted\n", run.stderr


@pytest.mark.parametrize(
    "call",
    [
        "klero.verify_many(itertools.repeat((b'', b'', b'')), suite='praos')",
        "key.prove_many(itertools.repeat(b''))",
    ],
)
def test_an_interrupt_ends_the_reading_of_items_without_end(call: str) -> None:
    # A timer of the system, because no other thread of Python runs meanwhile.
    program = f"""
    import itertools, resource, signal
    import klero

    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    key = klero.SecretKey.generate("praos")
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted")
    """
    run = run_python(program)
    assert run.stdout == "interrupted\n", run.stderr


@pytest.mark.parametrize(
    ("use", "error"),
    [
        ("out.to_pyarrow()", "KeyboardInterrupt"),
        ("out.to_polars()", "KeyboardInterrupt"),
        # An exception cannot pass the C interface: the reader's own says what happened.
        ("pa.table(out)", "ArrowInvalid"),
        ("list(out.to_reader())", "ArrowInvalid"),
        pytest.param("pl.DataFrame(out)", "ComputeError", marks=NEWEST),
        # DuckDB sees the signal itself, or the reader's exception, whichever comes first.
        pytest.param(
            "duckdb.sql('select count(*) from out').fetchall()", "Error|Exception", marks=NEWEST
        ),
    ],
)
def test_an_interrupt_ends_a_table(use: str, error: str) -> None:
    # Minutes of work in one batch. The signal comes when the source has passed it on.
    program = f"""
    import os, signal, threading
    import duckdb
    import polars as pl
    import pyarrow as pa
    import klero

    signal.signal(signal.SIGINT, signal.default_int_handler)
    schema = pa.schema({{"alpha": pa.binary()}})
    def batches():
        row = pa.array([b"x"]).take(pa.array([0] * 10_000_000, pa.int32()))
        interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        yield pa.record_batch([row], schema=schema)

    key = klero.SecretKey.generate("praos")
    source = pa.RecordBatchReader.from_batches(schema, batches())
    out = klero.evaluate_table(source, key=key)
    try:
        {use}
    except BaseException as error:
        assert "interrupt" in repr(error).lower(), error
        print(type(error).__name__)
    """
    run = run_python(program)
    assert re.search(error, run.stdout), run.stderr
    assert run.returncode == 0
