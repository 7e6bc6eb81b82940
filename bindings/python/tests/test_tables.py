"""Tables: every vector through every library, type and shape; errors; streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import NEWEST, Case, run_python
from hypothesis import given, settings
from hypothesis import strategies as st

import klero

KEY = klero.SecretKey.from_seed("praos", bytes(32))


def table(columns: dict[str, list[Any]], **types: pa.DataType) -> pa.Table:
    default = {name: pa.binary() for name in ("key", "alpha", "proof", "output", "seed")}
    default["suite"] = pa.string()
    types = {**default, **types}
    arrays = {
        name: pa.array(values, types.get(name, pa.binary())) for name, values in columns.items()
    }
    return pa.table(arrays)


def as_hex(values: list[Any]) -> list[Any]:
    return [None if value is None else value.hex() for value in values]


def verdicts_of(result: Any, **arguments: Any) -> list[str]:
    verdicts: list[str] = pa.table(klero.verify_table(result, **arguments))["verdict"].to_pylist()
    return verdicts


BYTES = ("key", "alpha", "proof", "output")
TYPES = {
    "binary": (pa.binary(), False),
    "large_binary": (pa.large_binary(), False),
    "binary_view": (pa.binary_view(), False),
    "string": (pa.string(), True),
    "large_string": (pa.large_string(), True),
    "string_view": (pa.string_view(), True),
    "dictionary of binary": (pa.dictionary(pa.int32(), pa.binary()), False),
    "dictionary of string": (pa.dictionary(pa.int16(), pa.string()), True),
}


@pytest.mark.parametrize("name", TYPES)
def test_every_type_of_column_gets_the_verdicts_of_one_by_one(
    name: str, columns: dict[str, list[Any]], verdicts: list[str]
) -> None:
    data_type, is_text = TYPES[name]
    if is_text:
        columns = {**columns, **{name: as_hex(columns[name]) for name in BYTES}}
    claims = table(columns, **dict.fromkeys(BYTES, data_type))
    result = pa.table(klero.verify_table(claims))
    assert result["verdict"].to_pylist() == verdicts
    assert result.drop_columns(["output", "verdict"]) == claims.drop_columns(["output"])


def test_fixed_size_columns(columns: dict[str, list[Any]], cases: list[Case]) -> None:
    key_32 = [index for index, case in enumerate(cases) if len(case.key) == 32]
    assert len(key_32) > 500
    chosen = {name: [values[index] for index in key_32] for name, values in columns.items()}
    claims = table(chosen, key=pa.binary(32), output=pa.binary(64))
    plain = table(chosen)
    assert verdicts_of(claims) == verdicts_of(plain)
    with pytest.raises(klero.TableError, match='"output" has values of 32 bytes, expected 64'):
        klero.verify_table(table({**chosen, "output": [None] * len(key_32)}, output=pa.binary(32)))


@pytest.mark.parametrize("threads", [1, 2, None])
def test_each_suite_as_an_argument(
    threads: int | None, columns: dict[str, list[Any]], cases: list[Case], verdicts: list[str]
) -> None:
    for suite in klero.suites():
        rows = [index for index, case in enumerate(cases) if case.suite == suite.name]
        chosen = {
            name: [values[index] for index in rows]
            for name, values in columns.items()
            if name != "suite"
        }
        found = verdicts_of(table(chosen), suite=suite, threads=threads)
        assert found == [verdicts[index] for index in rows]


@NEWEST
def test_every_library_reads_and_is_read(
    columns: dict[str, list[Any]], verdicts: list[str]
) -> None:
    claims = table(columns)
    relation = duckdb.connect().from_arrow(claims)
    tables: dict[str, Any] = {
        "pyarrow.Table": claims,
        "pyarrow.RecordBatch": claims.combine_chunks().to_batches()[0],
        "pyarrow.RecordBatchReader": claims.to_reader(max_chunksize=7),
        "polars": pl.DataFrame(claims),
        "pandas": claims.to_pandas(),
        "pandas with Arrow types": claims.to_pandas(types_mapper=pd.ArrowDtype),
        "duckdb": relation,
        "klero": klero.verify_table(claims),
    }
    for name, given_table in tables.items():
        assert verdicts_of(given_table) == verdicts, name
    assert klero.verify_table(claims).to_pyarrow()["verdict"].to_pylist() == verdicts
    assert pl.DataFrame(klero.verify_table(claims))["verdict"].to_list() == verdicts
    assert klero.verify_table(claims).to_polars()["verdict"].to_list() == verdicts
    assert klero.verify_table(claims).to_pandas()["verdict"].to_list() == verdicts
    frame = pd.DataFrame.from_arrow(klero.verify_table(claims))  # type: ignore[attr-defined]
    assert frame["verdict"].to_list() == verdicts
    result = klero.verify_table(claims)  # noqa: F841 - DuckDB finds it by its name
    selected = duckdb.sql("select verdict from result")
    assert selected is not None
    found = selected.fetchall()
    assert [verdict for (verdict,) in found] == verdicts


def test_batches_without_a_stream_are_taken(columns: dict[str, list[Any]]) -> None:
    batch = table(columns).combine_chunks().to_batches()[0]

    class OnlyArray:
        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return batch.__arrow_c_array__()

    assert verdicts_of(OnlyArray()) == verdicts_of(batch)


@settings(max_examples=25, deadline=None)
@given(sizes=st.lists(st.integers(0, 40), max_size=12), offset=st.integers(0, 500))
def test_chunks_and_slices_change_nothing(
    columns: dict[str, list[Any]], verdicts: list[str], sizes: list[int], offset: int
) -> None:
    claims = table(columns).slice(offset)
    batch, chunks = claims.combine_chunks().to_batches()[0], []
    for size in sizes:
        chunks.append(batch.slice(0, size))
        batch = batch.slice(size)
    chunked = pa.Table.from_batches(chunks, claims.schema)
    assert verdicts_of(chunked) == verdicts[offset : offset + sum(sizes)]


def test_an_empty_table_has_the_columns_of_a_full_one(columns: dict[str, list[Any]]) -> None:
    claims = table(columns)
    empty = pa.table(klero.verify_table(claims.slice(0, 0)))
    assert empty.num_rows == 0
    assert empty.schema == pa.table(klero.verify_table(claims)).schema
    slots = pa.table({"alpha": pa.array([], pa.string())})
    assert pa.table(klero.prove_table(slots, key=KEY)).schema.names == [
        "alpha", "key", "proof", "output", "verdict",
    ]  # fmt: skip
    assert pa.schema(klero.prove_table(slots, key=KEY)) == pa.table(
        klero.prove_table(slots, key=KEY)
    ).schema


def test_what_is_wrong_with_a_row_is_its_verdict() -> None:
    proof, output = KEY.prove(b"a")
    claims = table(
        {
            "key": [KEY.public_key, None, b"short", KEY.public_key, KEY.public_key],
            "alpha": [b"a", b"a", b"a", None, b"a"],
            "proof": [proof] * 5,
            "output": [None, None, None, None, bytes(64)],
        }
    )
    result = pa.table(klero.verify_table(claims, suite="praos"))
    verdicts = result["verdict"].to_pylist()
    assert verdicts[:3] == [
        "valid",
        "invalid: key is missing",
        "invalid: public key has 5 bytes, expected 32",
    ]
    assert verdicts[3].startswith("invalid: alpha is missing")
    assert verdicts[4] == "invalid: output mismatch: the proof is for another output"
    assert result["output"].to_pylist() == [output, None, None, None, bytes(64)]
    text = pa.table({"key": ["0"], "alpha": ["xy"], "proof": [""]})
    assert verdicts_of(text, suite="praos") == ["invalid: key is not hex: an odd number of digits"]


def test_columns_of_other_names() -> None:
    slots = pa.table({"input": [b"a", b"b"], "keep": [1, 2]})
    columns: klero.Columns = {
        "key": "pool", "alpha": "input", "proof": "pi", "output": "beta", "suite": "form", "verdict": "ok",
    }  # fmt: skip
    proved = pa.table(klero.prove_table(slots, key=KEY, columns=columns))
    assert proved.column_names == ["input", "keep", "pool", "pi", "beta", "ok"]
    assert pa.table(klero.verify_table(proved, suite="praos", columns=columns)) == proved
    seeds = pa.table({"input": [b"a"], "secret": [bytes(32)], "form": ["praos"]})
    del columns["verdict"]
    evaluated = pa.table(klero.evaluate_table(seeds, columns={**columns, "seed": "secret"}))
    assert evaluated.column_names == ["input", "form", "pool", "beta", "verdict"]
    assert evaluated["beta"].to_pylist() == [KEY.evaluate(b"a")]
    unknown: Any = {"alfa": "input"}
    calls: list[Any] = [klero.verify_table, klero.prove_table, klero.evaluate_table]
    for call in calls:
        with pytest.raises(ValueError, match='columns: "alfa" is none of key, alpha, proof, output'):
            call(slots, suite="praos", columns=unknown)


def test_every_secret_vector_is_proved(cases: list[Case]) -> None:
    secret = [case for case in cases if case.seed is not None]
    # Some seeds come in several suites, which is refused in one table.
    for suite in klero.suites():
        members = [case for case in secret if case.suite == suite.name]
        requests = table(
            {
                "alpha": [case.alpha for case in members],
                "seed": [case.seed for case in members],
            }
        )
        proved = pa.table(klero.prove_table(requests, suite=suite))
        for name in ("key", "proof", "output"):
            assert proved[name].to_pylist() == [getattr(case, name) for case in members]
        evaluated = pa.table(klero.evaluate_table(requests, suite=suite))
        assert evaluated["output"] == proved["output"]
        assert "seed" not in proved.column_names and "proof" not in evaluated.column_names


@pytest.mark.parametrize("task", [klero.prove_table, klero.evaluate_table])
def test_a_seed_in_two_suites_gives_nothing(task: Any) -> None:
    rows = 30_000
    seeds = [number.to_bytes(32, "big") for number in range(rows)]
    suites = ["draft10-tai"] * rows
    seeds[-1], suites[-1] = seeds[4], "rfc9381-tai"
    requests = table({"alpha": [b""] * rows, "seed": seeds, "suite": suites})
    with pytest.raises(klero.TableError, match=f"rows 5 and {rows} use one seed with two suites"):
        task(requests)


def test_tables_that_cannot_be_used_are_refused_at_once() -> None:
    good = {"key": [b""], "alpha": [b""], "proof": [b""]}
    refused: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"key": [b""], "alpha": [b""]}, {"suite": "praos"}, 'no column "proof".*found key, alpha'),
        ({**good, "key": [1]}, {"suite": "praos"}, 'column "key" has type Int64'),
        (good, {}, 'no suite: expected a suite for the table or a column "suite"'),
        (good, {"suite": "praos", "columns": {"alpha": "proof"}}, 'two columns are named "proof"'),
        (good, {"suite": "no"}, "no"),
    ]
    for columns, arguments, message in refused:
        with pytest.raises(ValueError, match=message):
            klero.verify_table(pa.table(columns), **arguments)
    twice = pa.Table.from_arrays([pa.array([b""])] * 4, ["key", "alpha", "proof", "key"])
    with pytest.raises(klero.TableError, match="appears twice"):
        klero.verify_table(twice, suite="praos")
    seeds = pa.table({"alpha": [b""], "seed": [bytes(32)]})
    with pytest.raises(klero.TableError, match='column "seed" and a key was given'):
        klero.prove_table(seeds, key=KEY)
    with pytest.raises(TypeError, match="a key has its suite"):
        klero.prove_table(seeds, key=KEY, suite="praos")
    with pytest.raises(klero.TableError, match='no column "seed"'):
        klero.prove_table(pa.table({"alpha": [b""]}), suite="praos")


def test_what_is_no_table_is_refused() -> None:
    for wrong in (None, [b"a"], {"key": [b""]}, b"", 7, pl.LazyFrame({"key": [b""]})):
        with pytest.raises(TypeError, match="Arrow PyCapsule interface.*got"):
            klero.verify_table(wrong, suite="praos")  # type: ignore[arg-type]
    with pytest.raises(klero.TableError, match="one column of type"):
        klero.verify_table(pa.chunked_array([[1, 2]]), suite="praos")
    rows = pa.array([{"alpha": b"a"}, None], pa.struct({"alpha": pa.binary()}))
    with pytest.raises(klero.TableError, match="from row 1 on.*a whole row is null"):
        klero.evaluate_table(rows, key=KEY).to_pyarrow()

    class Wrong:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return "no capsule"

    with pytest.raises(TypeError):
        klero.verify_table(Wrong(), suite="praos")


def test_a_table_is_read_once() -> None:
    result = klero.evaluate_table(pa.table({"alpha": [b"a"]}), key=KEY)
    assert repr(result) == "<klero.Table of alpha, key, output, verdict>"
    result.to_pyarrow()
    with pytest.raises(klero.TableError, match="can be read once"):
        pa.table(result)


def stream(batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(pa.schema({"alpha": pa.binary()}), batches)


@NEWEST
def test_an_error_of_the_source_reaches_the_reader() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"alpha": [b"a"] * 10})
        raise LookupError("the disk is gone")

    with pytest.raises(klero.TableError, match="from row 11 on.*the disk is gone"):
        klero.evaluate_table(stream(batches()), key=KEY).to_pyarrow()
    with pytest.raises(pa.ArrowInvalid, match="from row 11 on.*the disk is gone"):
        pa.table(klero.evaluate_table(stream(batches()), key=KEY))
    with pytest.raises(Exception, match="the disk is gone"):
        pl.DataFrame(klero.evaluate_table(stream(batches()), key=KEY))
    # What came before the error is not lost.
    reader = klero.evaluate_table(stream(batches()), key=KEY).to_reader()
    assert reader.read_next_batch().num_rows == 10


def test_little_is_read_ahead() -> None:
    read = 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal read
        for read in range(1, 1000):
            yield pa.record_batch({"alpha": [b"a"]})

    reader = klero.evaluate_table(stream(batches()), key=KEY, threads=2).to_reader()
    assert read == 0
    reader.read_next_batch()
    assert read <= 4
    reader.read_next_batch()
    assert read <= 5


def test_long_batches_are_divided() -> None:
    rows = (1 << 20) + 5
    long = pa.table({"alpha": pa.array([b"a"]).take(pa.array([0] * rows, pa.int32()))})
    reader = klero.evaluate_table(long, key=KEY).to_reader()
    # A batch of more than 2^20 rows cannot be read whole.
    assert reader.read_next_batch().num_rows <= 1 << 20


def test_a_stream_larger_than_memory() -> None:
    """Half a gigabyte passes through a process that may hold far less of it."""
    program = """
    import resource
    import pyarrow as pa
    import klero

    schema = pa.schema({"alpha": pa.string(), "pad": pa.binary()})
    def batches():
        for number in range(256):
            yield pa.record_batch(
                {"alpha": ["00", "xy"], "pad": [bytes(1 << 20)] * 2}, schema=schema
            )

    key = klero.SecretKey.generate("praos")
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

    before = peak()
    source = pa.RecordBatchReader.from_batches(schema, batches())
    invalid = rows = 0
    for batch in klero.evaluate_table(source, key=key, threads=2).to_reader():
        rows += batch.num_rows
        invalid += batch["verdict"].to_pylist().count("valid")
    print(rows, invalid, peak() - before < 100 << 20)
    """
    run = run_python(program)
    assert run.stdout == "512 256 True\n", run.stderr


def test_json_and_other_columns_pass_through() -> None:
    data = {"alpha": [b"a", b"b"], "list": [[1], None], "time": [None, 3]}
    slots = pa.table(
        {
            "alpha": pa.array(data["alpha"], pa.binary()),
            "list": pa.array(data["list"], pa.list_(pa.int8())),
            "time": pa.array(data["time"], pa.timestamp("us", "UTC")),
        },
        metadata={"a": "b"},
    )
    result = pa.table(klero.prove_table(slots, key=KEY))
    assert result.select(slots.column_names) == slots
    assert result.schema.metadata == {b"a": b"b"}
