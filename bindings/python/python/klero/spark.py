"""Apache Spark: tables of claims on many machines.

Each function takes a data frame and gives a data frame, and starts no job: rows are verified,
proved or evaluated when Spark runs the plan, a batch at a time, on as many threads as
``spark.task.cpus`` gives to a task. The columns and their names are those of the functions of the
same name in `klero`, and so are the errors: a column that is missing or has the wrong type is a
TableError from the call itself. So are two columns of one name, which Spark cannot pass to Python.

Executors need this package too, with pyspark, pandas and pyarrow (``klero[spark]``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Union

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

import klero

__all__ = ["evaluate_table", "prove_table", "verify_table"]

#: A secret key, or a function that gives one and runs on the executors.
Key = Union[klero.SecretKey, Callable[[], klero.SecretKey]]


def verify_table(
    df: DataFrame,
    *,
    suite: str | klero.Suite | None = None,
    columns: klero.Columns | None = None,
) -> DataFrame:
    """Verifies the claims of a data frame: gives the same one with ``verdict`` and ``output``.

    As `klero.verify_table`. Every executor gives a row the same verdict, so that a task that
    Spark runs again changes nothing.

    >>> import klero, klero.spark
    >>> key = klero.SecretKey.generate("praos")
    >>> proof, output = key.prove(b"slot 7")
    >>> claims = spark.createDataFrame(
    ...     [(key.public_key, b"slot 7", proof), (key.public_key, b"slot 8", proof)],
    ...     "key binary, alpha binary, proof binary",
    ... )
    >>> verified = klero.spark.verify_table(claims, suite="praos")
    >>> sorted(row.verdict for row in verified.select("verdict").collect())
    ['invalid: challenge mismatch', 'valid']
    """
    return _map(df, _Work("verify_table", suite, None, columns), ["output", "verdict"])


def prove_table(
    df: DataFrame,
    *,
    key: Key | None = None,
    suite: str | klero.Suite | None = None,
    columns: klero.Columns | None = None,
) -> DataFrame:
    """Proves the rows of a data frame: gives the same one with ``key``, ``proof``, ``output`` and
    ``verdict``, and without ``seed``.

    As `klero.prove_table`, but for the secrets.

    ``key`` is one secret key for all rows, or a function without arguments that gives it. The
    function runs once in each task, on the executor, and no secret passes through Spark. A
    `klero.SecretKey` itself is part of the plan: its bytes go to every executor, in the clear
    unless ``spark.network.crypto.enabled`` is set, and whoever controls the driver or an executor
    can read it.

    Without ``key``, each row has a seed in the column ``seed``, and ``suite`` is required: one
    seed in two suites would reveal it, and no executor sees the whole table. A row whose column
    ``suite`` names another suite is not proved, and its verdict says so. Read the seeds from a
    file or another source: Spark shows literals, and expressions over them, in its plans.

    Raises ValueError if there is neither key nor suite, and TypeError if there are both.

    >>> import klero, klero.spark
    >>> def key():
    ...     return klero.SecretKey.from_seed("praos", bytes(32))  # read it from a file or a vault
    >>> slots = spark.createDataFrame([(b"slot 7",)], "alpha binary")
    >>> proved = klero.spark.prove_table(slots, key=key)
    >>> proved.columns
    ['alpha', 'key', 'proof', 'output', 'verdict']
    >>> bytes(proved.first().output) == key().evaluate(b"slot 7")
    True
    """
    work = _Work("prove_table", suite, _secret(key, suite), columns)
    return _map(df, work, ["key", "proof", "output", "verdict"])


def evaluate_table(
    df: DataFrame,
    *,
    key: Key | None = None,
    suite: str | klero.Suite | None = None,
    columns: klero.Columns | None = None,
) -> DataFrame:
    """Evaluates the rows of a data frame: gives the same one with ``key``, ``output`` and
    ``verdict``, and without ``seed``.

    As `klero.evaluate_table`. Keys, suites and errors are those of `prove_table` here.

    >>> import klero, klero.spark
    >>> seeds = spark.createDataFrame([(bytes(32), b"slot 7")], "seed binary, alpha binary")
    >>> evaluated = klero.spark.evaluate_table(seeds, suite="praos")
    >>> evaluated.columns
    ['alpha', 'key', 'output', 'verdict']
    """
    work = _Work("evaluate_table", suite, _secret(key, suite), columns)
    return _map(df, work, ["key", "output", "verdict"])


def _map(df: DataFrame, work: _Work, written: list[str]) -> DataFrame:
    return df.mapInArrow(work.run, work.schema(df.schema, written))


def _secret(
    key: Key | None, suite: str | klero.Suite | None
) -> Callable[[], klero.SecretKey] | None:
    if key is None and suite is None:
        raise ValueError(
            "neither key nor suite was given: expected key, or suite for the seeds in a column; "
            "on Spark one call proves in one suite, because no executor sees whether another one "
            "uses the same seed"
        )
    if isinstance(key, klero.SecretKey):
        return _Travelling(key)
    if key is not None and not callable(key):
        # Not what was given: it may be secret.
        name = type(key).__name__
        raise TypeError(f"key: expected a SecretKey, or a function that gives one, got {name}")
    return key


class _Travelling:
    """A secret key that goes to the executors with the plan. Only pickling shows its bytes."""

    def __init__(self, key: klero.SecretKey) -> None:
        self._key = key

    def __call__(self) -> klero.SecretKey:
        return self._key

    def __getstate__(self) -> tuple[str, bytes]:
        return self._key.suite, self._key.to_seed()

    def __setstate__(self, state: tuple[str, bytes]) -> None:
        self._key = klero.SecretKey.from_seed(*state)


class _Work:
    """What is done with each partition."""

    def __init__(
        self,
        function: str,
        suite: str | klero.Suite | None,
        secret: Callable[[], klero.SecretKey] | None,
        columns: klero.Columns | None,
    ) -> None:
        self._function = function
        self._suite = None if suite is None else str(suite)
        self._secret = secret
        self._columns: dict[str, Any] = dict(columns or {})

    def schema(self, schema: StructType, written: list[str]) -> StructType:
        """The schema of the answers to partitions of this one: that of the answer to no rows.
        The columns ``written`` are new, even where they replace one of ``schema``: a row without
        an answer has null there, whatever was there before."""
        written = [self._columns.get(column, column) for column in written]
        for name, count in Counter(schema.names).items():
            # Spark passes columns to Python by name.
            if count > 1:
                raise klero.TableError(f'column "{name}" appears twice, expected different names')
        arrow = to_arrow_schema(schema, timezone="UTC")
        # Any key will do, and perhaps only the executors can have the right one.
        key = None if self._secret is None else klero.SecretKey.generate("praos")
        answer = self._table(arrow.empty_table(), key, threads=1).to_pyarrow().schema
        # Arrow knows less of a column than Spark: one that passes through keeps Spark's field.
        kept = {field.name: field for field in schema.fields if field.name not in written}
        return StructType([kept.get(field.name, field) for field in from_arrow_schema(answer)])

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The answers to one partition."""
        first = next(batches, None)
        if first is None:
            return
        table = pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
        key = None if self._secret is None else self._secret()
        task = TaskContext.get()
        yield from self._table(table, key, threads=1 if task is None else task.cpus()).to_reader()

    def _table(self, table: Any, key: klero.SecretKey | None, threads: int) -> klero.Table:
        function = getattr(klero, self._function)
        keyed = {} if key is None else {"key": key}
        answer: klero.Table = function(
            table, suite=self._suite, columns=self._columns, threads=threads, **keyed
        )
        return answer
