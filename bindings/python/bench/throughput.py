"""Measures tables in Python against the command and against the bare function.

    python bench/throughput.py [--rows 1000000] [--rounds 5]

Compares with the command that `cargo build --release` makes in the root of the checkout. Makes a
table of proofs, and verifies the table in several ways, one after the other in each round, so
that changes of the machine's speed touch all of them. Each way runs in a process of its own, whose
CPU time of all threads is what the system counted for it.

command     klero batch verify, from a Parquet file with binary columns to another
file        the same in Python: pyarrow reads and writes the file, klero.verify_table is between
memory      klero.verify_table on a pyarrow table in memory: the bare function
duckdb      DuckDB scans the table, klero.verify_table verifies, and DuckDB counts verdicts
polars      the same with a lazy frame of polars

The last three report the time of verifying alone, without the time to start and load the table.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import klero

ROOT = Path(__file__).resolve().parents[3]
SUITE = "praos"


def file(source: Path, target: Path) -> int:
    parquet = pq.ParquetFile(source)
    reader = pa.RecordBatchReader.from_batches(parquet.schema_arrow, parquet.iter_batches())
    verdicts = klero.verify_table(reader, suite=SUITE).to_reader()
    valid = 0
    with pq.ParquetWriter(target, verdicts.schema) as writer:
        for batch in verdicts:
            writer.write_batch(batch)
            valid += batch.num_rows
    return valid


def memory(table: pa.Table) -> int:
    return int(klero.verify_table(table, suite=SUITE).to_pyarrow().num_rows)


def in_duckdb(table: pa.Table) -> int:
    # One connection runs one query at a time.
    connection = duckdb.connect()
    reader = connection.cursor()
    reader.register("claims", table)
    verdicts = klero.verify_table(reader.sql("select * from claims"), suite=SUITE)
    connection.register("verdicts", verdicts)
    found = connection.execute("select count(verdict) from verdicts").fetchone()
    assert found is not None
    return int(found[0])


def in_polars(frame: pl.DataFrame) -> int:
    batches = frame.lazy().collect_batches()
    verdicts = pl.scan_arrow_c_stream(klero.verify_table(batches, suite=SUITE))
    return int(verdicts.select(pl.col("verdict").count()).collect(engine="streaming").item())


def cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def child(way: str, source: Path, target: Path) -> None:
    """Runs one way in this process, and prints its rows, wall and CPU time."""
    if way == "file":
        # The whole process counts, as it does for the command: the parent measures it.
        print(json.dumps([file(source, target), None, None]))
        return
    table = pq.read_table(source)
    given = pl.DataFrame(table) if way == "polars" else table
    ways: dict[str, Callable[[Any], int]] = {"memory": memory, "duckdb": in_duckdb, "polars": in_polars}
    wall, used = time.perf_counter(), cpu()
    rows = ways[way](given)
    print(json.dumps([rows, time.perf_counter() - wall, cpu() - used]))


def measure(command: list[str | Path], rows: int) -> tuple[float, float]:
    """Wall and CPU seconds: those that the process prints, or those of the whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if run.stdout.startswith("["):
        counted, own_wall, own_cpu = json.loads(run.stdout)
        assert counted == rows, (counted, rows)
        if own_wall is not None:
            return own_wall, own_cpu
    return wall, used


def sample(rows: int, path: Path) -> None:
    """A Parquet file of proofs by 32 keys, in binary columns."""
    writer = None
    for start in range(0, rows, 1 << 16):
        numbers = range(start, min(rows, start + (1 << 16)))
        requests = {
            "alpha": [number.to_bytes(8, "big") for number in numbers],
            "seed": [(number % 32).to_bytes(32, "big") for number in numbers],
        }
        proved = klero.prove_table(pa.table(requests), suite=SUITE).to_pyarrow()
        claims = proved.select(["key", "alpha", "proof"])
        writer = writer or pq.ParquetWriter(path, claims.schema)
        writer.write_table(claims)
    if writer is not None:
        writer.close()


def show(rows: int, times: dict[str, list[tuple[float, float]]]) -> None:
    print(f"{rows:,} claims of {SUITE}, {os.cpu_count()} processors; CPU time is of all threads")
    print(f"{'':10}{'wall s':>18}{'CPU s':>18}{'CPU us/row':>12}{'claims/s':>12}")
    print(f"{'':10}{'min':>9}{'median':>9}{'min':>9}{'median':>9}{'median':>12}{'median':>12}")
    median = {}
    for way, measured in times.items():
        walls, cpus = zip(*measured)
        median[way] = statistics.median(walls), statistics.median(cpus)
        wall, used = median[way]
        print(
            f"{way:10}{min(walls):9.3f}{wall:9.3f}{min(cpus):9.3f}{used:9.3f}"
            f"{used / rows * 1e6:12.2f}{rows / wall:12,.0f}"
        )
    if "command" in median:
        ratio = median["command"][0] / median["file"][0]
        print(f"throughput of file / command: {ratio:.1%} (the goal is 90 % or more)")
    for way in ("duckdb", "polars"):
        ratio = median[way][1] / median["memory"][1] - 1
        print(f"CPU time a row, {way} against memory: {ratio:+.1%} (the goal is 15 % or less)")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures tables in Python.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--command", type=Path, default=ROOT / "target" / "release" / "klero")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        way, source, target = arguments.child
        child(way, Path(source), Path(target))
        return
    with tempfile.TemporaryDirectory() as temporary:
        source, target = Path(temporary, "claims.parquet"), Path(temporary, "verdicts.parquet")
        sample(arguments.rows, source)
        ways: dict[str, list[str | Path]] = {}
        if arguments.command.exists():
            ways["command"] = [
                arguments.command, "batch", "verify", "--suite", SUITE, source, "--out", target,
            ]  # fmt: skip
        else:
            print(f"LEFT OUT: the command, because there is no {arguments.command}")
        for way in ("file", "memory", "duckdb", "polars"):
            ways[way] = [sys.executable, __file__, "--child", way, source, target]
        times: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for _ in range(arguments.rounds):
            for way, command in ways.items():
                times[way].append(measure(command, arguments.rows))
    show(arguments.rows, times)


if __name__ == "__main__":
    main()
