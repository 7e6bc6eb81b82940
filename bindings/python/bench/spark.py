"""CPU time of Spark's Python workers a claim, beside that of the bare function.

    python bench/spark.py [CLAIMS [SUITE]] [--keys 1000]

The claims are by many keys, each of which comes back in every task, as the pools of a chain do.
Keys that come back are kept, which saves up to a fifth of the time: with one key the figures are
lower, and with a key for each claim (--keys CLAIMS) they are higher.

Each task verifies its partition as `klero.spark.verify_table` does, and then the same batches
again in the same process, without Spark. The first task of a process warms it up and is not
counted.
"""

import argparse
import hashlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

import klero
import klero.spark

Batches = Iterator[pa.RecordBatch]
Run = Callable[[Batches], Batches]
#: Two tasks run at a time.
TASKS = 16


class Watched:
    """A data frame that leaves a record of each task in a directory."""

    def __init__(self, df: DataFrame, directory: Path, suite: str) -> None:
        self.schema = df.schema
        self._df, self._directory, self._suite = df, directory, suite

    def mapInArrow(self, run: Run, schema: StructType) -> DataFrame:
        return self._df.mapInArrow(measured(run, self._directory, self._suite), schema)


def measured(run: Run, directory: Path, suite: str) -> Run:
    def measure(batches: Batches) -> Batches:
        kept = []

        def keep() -> Batches:
            for batch in batches:
                kept.append(batch)
                yield batch

        start = time.process_time()
        # Spark reads and writes batches between two steps of this loop.
        yield from run(keep())
        spark = time.process_time() - start

        table = pa.Table.from_batches(kept)
        start = time.process_time()
        klero.verify_table(table, suite=suite, threads=1).to_pyarrow()
        bare = time.process_time() - start
        record = {"pid": os.getpid(), "rows": table.num_rows, "spark": spark, "bare": bare}
        (directory / f"{uuid4()}.json").write_text(json.dumps(record))

    return measure


def main(claims: int, suite: str, keys: int) -> None:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.showConsoleProgress", False)
        # One task for each file.
        .config("spark.sql.files.openCostInBytes", "128m")
        .getOrCreate()
    )
    with tempfile.TemporaryDirectory() as scratch:
        files, records = Path(scratch) / "claims", Path(scratch) / "records"
        files.mkdir()
        records.mkdir()
        claims_of(claims, suite, keys, files)
        df = Watched(spark.read.parquet(str(files)), records, suite)
        verified = klero.spark.verify_table(cast(DataFrame, df), suite=suite)
        verified.write.format("noop").mode("overwrite").save()
        # In the order in which they ended.
        ended = sorted(records.iterdir(), key=lambda file: file.stat().st_mtime_ns)
        tasks = [json.loads(file.read_text()) for file in ended]
    spark.stop()
    print(f"{claims} claims of {suite} by {min(keys, claims)} keys")
    report(tasks)


def claims_of(claims: int, suite: str, keys: int, directory: Path) -> None:
    for task in range(TASKS):
        ids = range(task * claims // TASKS, (task + 1) * claims // TASKS)
        seeds = [hashlib.sha256(b"key %d" % (i % keys)).digest() for i in ids]
        table = pa.table({"alpha": [i.to_bytes(8, "big") for i in ids], "seed": seeds})
        table = klero.prove_table(table, suite=suite).to_pyarrow().drop_columns("verdict")
        pq.write_table(table, directory / f"{task}.parquet", compression="none")


def report(tasks: list[dict[str, Any]]) -> None:
    warm: set[int] = set()
    counted = []
    for task in tasks:
        if task["pid"] in warm:
            counted.append(task)
        warm.add(task["pid"])
    rows = sum(task["rows"] for task in counted)
    for way in ("spark", "bare"):
        total = sum(task[way] for task in counted)
        print(f"{way}: {total / rows * 1e6:.2f} us of CPU time a claim")
    ratio = statistics.median(task["spark"] / task["bare"] for task in counted)
    print(f"spark takes {100 * (ratio - 1):+.1f} % (median of {len(counted)} tasks, {rows} claims)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("claims", type=int, nargs="?", default=1_000_000)
    parser.add_argument("suite", nargs="?", default="praos")
    parser.add_argument("--keys", type=int, default=1000)
    main(**vars(parser.parse_args()))
