"""Verdicts, proofs and outputs on a cluster are those of one machine, and none gets lost."""

import doctest
import os
import re
import resource
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import lit
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

import klero
import klero.spark

Batches = Iterator[pa.RecordBatch]
Run = Callable[[Batches], Batches]
Claims = tuple[str, pa.Table]

PAGE = Path(__file__).parents[3] / "docs/spark.md"
#: Memory that a Python worker may take beyond what it has at its first batch, in KiB.
GROWTH = 64 * 1024
#: And in all.
MEMORY = 256 * 1024


def check(verified: pa.Table, expected: pa.Table) -> None:
    """Every claim has come back once, with the right verdict."""
    ids = Counter(verified["id"].to_pylist())
    assert ids == Counter(expected["id"].to_pylist())
    verdicts = dict(zip(expected["id"].to_pylist(), expected["expected"].to_pylist()))
    for row in verified.select(["id", "verdict", "output"]).to_pylist():
        assert row["verdict"] == verdicts[row["id"]], row["id"]
        if row["verdict"] == "valid":
            assert len(row["output"]) == 64


def test_every_claim_gets_the_right_verdict(
    spark: SparkSession, claims: Claims, tmp_path: Path
) -> None:
    directory, expected = claims
    verified = klero.spark.verify_table(spark.read.parquet(directory))
    assert verified.rdd.getNumPartitions() == 64
    verified.write.parquet(f"{tmp_path}/verified")
    check(pq.read_table(tmp_path / "verified"), expected)


def test_no_claim_is_lost_or_doubled_when_executors_are_killed(
    spark: SparkSession, claims: Claims, tmp_path: Path
) -> None:
    directory, expected = claims
    verified = klero.spark.verify_table(spark.read.parquet(directory))
    # A task's verdicts are exchanged by key, and its executor's share is gone if it dies later.
    exchanged = (
        verified.mapInArrow(killer(tmp_path, "no batch is verified", 0), verified.schema)
        .mapInArrow(killer(tmp_path, "some batches are verified", 2), verified.schema)
        .repartition("id")
    )
    written = exchanged.mapInArrow(killer(tmp_path, "verdicts are exchanged", 1), verified.schema)
    written.write.parquet(f"{tmp_path}/verified")
    assert len({marker.read_text() for marker in tmp_path.glob("*.killed")}) == 3
    check(pq.read_table(tmp_path / "verified"), expected)


def killer(directory: Path, moment: str, after: int) -> Run:
    """Passes batches on, and kills the executor after a number of them: the first task that comes
    so far creates the marker file, and no other one does."""
    marker = directory / f"{moment}.killed"

    def run(batches: Batches) -> Batches:
        for passed, batch in enumerate(batches):
            if passed == after:
                try:
                    marker.touch(exist_ok=False)
                except FileExistsError:
                    pass
                else:
                    # This process is a child of Spark's Python daemon, a child of the executor.
                    daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
                    executor = daemon.rpartition(")")[2].split()[1]
                    marker.write_text(executor)
                    os.kill(int(executor), signal.SIGKILL)
                    signal.pause()
            yield batch

    return run


class Watched:
    """A data frame whose mapInArrow wraps the function that the executors run."""

    def __init__(self, df: DataFrame, wrap: Callable[[Run], Run]) -> None:
        self.schema = df.schema
        self._df, self._wrap = df, wrap

    def mapInArrow(self, run: Run, schema: StructType) -> DataFrame:
        return self._df.mapInArrow(self._wrap(run), schema)


def test_memory_of_a_worker_does_not_grow_with_the_partition(
    spark: SparkSession, claims: Claims, tmp_path: Path
) -> None:
    directory, expected = claims

    def measured(run: Run) -> Run:
        def measure(batches: Batches) -> Batches:
            first = None
            for batch in run(batches):
                first = first or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                yield batch
            last = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            (tmp_path / f"{os.getpid()}.kib").write_text(f"{first} {last}")

        return measure

    one_partition = Watched(spark.read.parquet(directory).coalesce(1), measured)
    verified = klero.spark.verify_table(cast(DataFrame, one_partition))
    assert verified.count() == expected.num_rows
    [file] = tmp_path.glob("*.kib")
    first, last = map(int, file.read_text().split())
    print(f"memory of the worker: {first} KiB after the first batch, {last} KiB at the end")
    assert last - first < GROWTH
    assert last < MEMORY


@pytest.mark.parametrize("function", ["prove_table", "evaluate_table"])
def test_a_key_gives_the_bytes_of_one_machine(spark: SparkSession, function: str) -> None:
    key = klero.SecretKey.generate("rfc9381-ell2")
    envelope = key.to_envelope()
    slots = pa.table({"id": range(5000), "alpha": [i.to_bytes(4, "big") for i in range(5000)]})
    here = getattr(klero, function)(slots, key=key).to_pyarrow()
    df = spark.createDataFrame(slots).repartition(4)
    there = getattr(klero.spark, function)
    for secret in (key, lambda: klero.SecretKey.from_encoded(envelope)):
        table = there(df, key=secret).toArrow()
        assert table.sort_by("id").to_pylist() == here.to_pylist()


@pytest.mark.parametrize("function", ["prove_table", "evaluate_table"])
def test_seeds_give_the_bytes_of_one_machine(spark: SparkSession, function: str) -> None:
    seeds = [bytes([i % 7]) * 32 for i in range(1000)]
    rows = pa.table({"id": range(1000), "seed": seeds, "alpha": [b"slot 7"] * 1000})
    rows = rows.append_column("suite", pa.array(["praos", "praos", "draft13", None] * 250))
    here = getattr(klero, function)(rows, suite="praos").to_pyarrow()
    df = spark.createDataFrame(rows).repartition(4)
    there = getattr(klero.spark, function)(df, suite="praos").toArrow().sort_by("id")
    assert there.to_pylist() == here.to_pylist()
    verdicts = there["verdict"].to_pylist()
    assert [verdict == "valid" for verdict in verdicts] == [True, True, False, True] * 250


def test_one_key_or_one_suite_is_needed(spark: SparkSession) -> None:
    df = spark.createDataFrame(
        [(bytes(32), b"", "praos")], "seed binary, alpha binary, suite string"
    )
    for function in (klero.spark.prove_table, klero.spark.evaluate_table):
        with pytest.raises(ValueError, match="neither key nor suite was given"):
            function(df)
        with pytest.raises(TypeError, match="key and suite were given"):
            function(df, key=klero.SecretKey.generate("praos"), suite="praos")
        with pytest.raises(TypeError, match="or a function that gives one, got bytes"):
            function(df, key=bytes(32))  # type: ignore[arg-type]


def test_the_secret_is_not_shown(spark: SparkSession) -> None:
    seed = b"a secret of thirty-two bytes 123"
    key = klero.SecretKey.from_seed("praos", seed)
    df = spark.createDataFrame([(b"slot 7",)], "alpha binary")
    proved = klero.spark.prove_table(df, key=key)
    plan = proved._jdf.queryExecution().toString()
    assert "MapInArrow" in plan
    for text in (repr(proved), plan):
        assert "a secret" not in text and seed.hex() not in text


def test_seeds_that_are_read_are_not_shown(spark: SparkSession, tmp_path: Path) -> None:
    seed = b"a secret of thirty-two bytes 123"
    rows = pa.table({"seed": [seed], "alpha": [b"slot 7"]})
    pq.write_table(rows, tmp_path / "seeds.parquet", compression="none")
    seeds = spark.read.parquet(f"{tmp_path}/seeds.parquet")
    evaluated = klero.spark.evaluate_table(seeds, suite="praos")
    assert [row.verdict for row in evaluated.collect()] == ["valid"]
    plan = evaluated._jdf.queryExecution().toString()
    assert "MapInArrow" in plan
    assert "a secret" not in plan and seed.hex() not in plan.lower()


@pytest.mark.parametrize("function", ["prove_table", "evaluate_table"])
def test_a_row_without_an_answer_has_nulls(spark: SparkSession, function: str) -> None:
    fields = [StructField("alpha", BinaryType())]
    fields += [StructField(name, BinaryType(), False) for name in ("output", "proof", "key", "id")]
    rows = [(alpha, b"old", b"old", b"old", b"row") for alpha in (b"slot 7", None)]
    df = spark.createDataFrame(rows, StructType(fields))
    secret = klero.SecretKey.generate("praos")
    answer = getattr(klero.spark, function)(df, key=secret)
    assert answer.schema["id"] == df.schema["id"]
    assert answer.where("output is null").count() == 1
    [proved, missing] = answer.collect()
    assert (bytes(proved.output), proved.verdict) == (secret.evaluate(b"slot 7"), "valid")
    assert missing.output is None and missing.verdict.startswith("invalid: alpha is missing")
    # evaluate_table writes no proofs.
    assert missing.proof == (None if function == "prove_table" else b"old")


def test_the_schema_is_known_without_a_job(spark: SparkSession) -> None:
    fields = "id long not null, k binary, alpha binary, proof string, at timestamp, n decimal(9,2)"
    df = spark.createDataFrame([], fields)
    df = df.select("*", lit("").alias("note", metadata={"comment": "kept"}))
    tracker = spark.sparkContext.statusTracker()
    group = "the schema"
    spark.sparkContext.setJobGroup(group, group)
    columns: klero.Columns = {"key": "k", "verdict": "says"}
    verified = klero.spark.verify_table(df, suite="praos", columns=columns)
    assert verified.columns == ["id", "k", "alpha", "proof", "at", "n", "note"] + [
        "output",
        "says",
    ]
    assert verified.schema.fields[:7] == df.schema.fields
    assert verified.schema["says"].dataType == StringType()
    assert tracker.getJobIdsForGroup(group) == []
    # No rows are no error either.
    assert verified.collect() == []


def test_text_and_hex_columns(spark: SparkSession) -> None:
    key = klero.SecretKey.generate("praos")
    proof, output = key.prove(b"slot 7")
    row = (key.public_key.hex(), b"slot 7".hex(), proof.hex())
    df = spark.createDataFrame([row], "key string, alpha string, proof string")
    [answer] = klero.spark.verify_table(df, suite="praos").collect()
    assert (answer.verdict, answer.output) == ("valid", output.hex())
    proved = klero.spark.prove_table(df.select("alpha"), key=key)
    assert proved.schema["proof"] == StructField("proof", StringType())
    assert [row.proof for row in proved.collect()] == [proof.hex()]
    binary = klero.spark.prove_table(df.selectExpr("unhex(alpha) alpha"), key=key)
    assert binary.schema["proof"].dataType == BinaryType()


def test_a_wrong_column_is_an_error_of_the_call(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, b"")], "key long, alpha binary")
    with pytest.raises(klero.TableError, match="proof"):
        klero.spark.verify_table(df, suite="praos")
    with pytest.raises(klero.TableError, match="alpha"):
        klero.spark.evaluate_table(df.drop("alpha"), suite="praos")
    with pytest.raises(klero.TableError, match="key"):
        klero.spark.verify_table(df.selectExpr("*", "alpha AS proof"), suite="praos")
    twice = df.selectExpr("alpha", "1 AS a", "2 AS a")
    with pytest.raises(klero.TableError, match='"a" appears twice'):
        klero.spark.evaluate_table(twice, key=klero.SecretKey.generate("praos"))
    with pytest.raises(ValueError, match="no such suite"):
        klero.spark.verify_table(df, suite="nonsense")


def test_examples_of_the_functions(spark: SparkSession) -> None:
    result = doctest.testmod(klero.spark, extraglobs={"spark": spark})
    assert result.attempted > 10 and result.failed == 0


def test_the_page(spark: SparkSession, claims: Claims, tmp_path: Path) -> None:
    """Runs the page's blocks of code, with its paths in a directory of this test."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len(blocks) >= 4
    (tmp_path / "claims").symlink_to(claims[0])
    (tmp_path / "vrf.skey").write_text(klero.SecretKey.generate("praos").to_envelope())
    rows = pa.table({"seed": [bytes([7]) * 32] * 2, "alpha": [b"slot 7", b"slot 8"]})
    pq.write_table(rows, tmp_path / "seeds", compression="none")
    names: dict[str, Any] = {"spark": spark}
    for block in blocks:
        here = block.replace("hdfs:///", f"{tmp_path}/").replace("/run/secrets", str(tmp_path))
        exec(here, names)
    proved = pq.read_table(tmp_path / "proved")
    assert proved["verdict"].to_pylist() == ["valid"] * 1000
    check(pq.read_table(tmp_path / "verified"), claims[1])
    outputs = klero.evaluate_table(rows, suite="rfc9381-ell2").to_pyarrow()
    assert names["outputs"].toArrow().to_pylist() == outputs.to_pylist()
