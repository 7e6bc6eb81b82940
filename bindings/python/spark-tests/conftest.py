"""A cluster of two executors on this machine, and claims in Parquet files."""

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark.sql import SparkSession

import klero

VECTORS = Path(__file__).parents[3] / "vectors"
CLAIMS = int(os.environ.get("KLERO_SPARK_CLAIMS", 200_000))
FILES = 64


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Two executors, each a process of its own with one thread, as on two machines."""
    home = Path(pyspark.__file__).parent
    scratch = tmp_path_factory.mktemp("spark")
    os.environ.update(
        SPARK_HOME=str(home),
        SPARK_SCALA_VERSION="2.13",
        SPARK_LOCAL_IP="127.0.0.1",
        SPARK_WORKER_DIR=str(scratch / "work"),
        PYSPARK_PYTHON=sys.executable,
    )
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("klero")
        .config("spark.executor.memory", "1g")
        .config("spark.ui.enabled", False)
        .config("spark.ui.showConsoleProgress", False)
        .config("spark.local.dir", scratch / "local")
        .config("spark.sql.warehouse.dir", scratch / "warehouse")
        .config("spark.sql.shuffle.partitions", 4)
        .config("spark.sql.adaptive.enabled", False)
        # Several batches in a file, so that an executor can die between two of them.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 1000)
        # One task for each file.
        .config("spark.sql.files.openCostInBytes", "128m")
        .config("spark.sql.parquet.compression.codec", "uncompressed")
        # An executor that was killed does not come back.
        .config("spark.shuffle.io.maxRetries", 1)
        .config("spark.shuffle.io.retryWait", "1s")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def claims(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, pa.Table]:
    """A directory of claims in 64 Parquet files, and the right verdicts by the column `id`.

    One in a thousand is a claim of `vectors/` that is invalid, or a row that cannot be read; each
    of them comes at least once.
    """
    directory = tmp_path_factory.mktemp("claims")
    odd = list(odd_claims())
    every = min(1000, CLAIMS // len(odd))
    suites = [suite.name for suite in klero.suites()]
    verdicts = []
    for file in range(FILES):
        ids = list(range(file * CLAIMS // FILES, (file + 1) * CLAIMS // FILES))
        rows = honest_claims(ids, suites[file % len(suites)]).to_pylist()
        for row in rows:
            if row["id"] % every == 0:
                claim, row["expected"] = odd[row["id"] // every % len(odd)]
                row |= claim
        table = pa.Table.from_pylist(rows, SCHEMA)
        verdicts.append(table.select(["id", "expected"]))
        table = table.drop_columns("expected")
        # Proofs are random bytes: they do not compress.
        pq.write_table(table, directory / f"{file:02}.parquet", compression="none")
    return str(directory), pa.concat_tables(verdicts)


SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "suite": pa.string(),
        **dict.fromkeys(("key", "alpha", "proof", "output"), pa.binary()),
        "expected": pa.string(),
    }
)


def honest_claims(ids: list[int], suite: str) -> pa.Table:
    """A claim for each id, every tenth by the same key."""
    seeds = [hashlib.sha256(f"{suite} {i % 10}".encode()).digest() for i in ids]
    alphas = [i.to_bytes(8, "big") for i in ids]
    table = pa.table({"id": ids, "alpha": alphas, "seed": seeds})
    proved = klero.prove_table(table, suite=suite).to_pyarrow()
    proved = proved.append_column("suite", pa.array([suite] * len(ids)))
    return proved.rename_columns({"verdict": "expected"}).select(SCHEMA.names)


def odd_claims() -> Iterator[tuple[dict[str, bytes | str | None], str]]:
    """Claims that are not valid, each with its verdict."""
    # ecvrf.json and headers.json have other layouts.
    files = [file for file in sorted(VECTORS.glob("*.json")) if not file.name.startswith(("ecvrf", "headers"))]
    vectors = [vector for file in files for vector in json.loads(file.read_text())]
    for vector in vectors:
        if vector["valid"]:
            continue
        key, alpha, proof = (bytes.fromhex(vector[name]) for name in ("pk", "alpha", "pi"))
        with pytest.raises(klero.InvalidProof) as invalid:
            klero.verify(key, alpha, proof, suite=vector["suite"])
        claim = {"key": key, "alpha": alpha, "proof": proof, "output": None}
        yield claim | {"suite": vector["suite"]}, f"invalid: {invalid.value.reason}"
    yield {"key": None}, "invalid: key is missing"
    yield {"key": bytes(31)}, "invalid: public key has 31 bytes, expected 32"
    yield {"suite": None}, "invalid: suite is missing, and the whole table has none"
    yield {"suite": "praos", "proof": bytes(7)}, "invalid: proof has 7 bytes, expected 80"
    yield {"output": bytes(64)}, "invalid: output mismatch: the proof is for another output"
