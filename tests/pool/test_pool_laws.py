"""The laws of pools, on every engine that there is: DuckDB, PostgreSQL and Spark, all of them real."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qanat
from qanat.errors import BadInput
from qanat.pool import on_engine, queries
from qanat.pool.on_engine import EnginePool
from qanat.pool.open import open_pool
from qanat.testing import PoolLaws
from qanat.testing.pool_laws import METHODS, columns_of


class TestMemory(PoolLaws):
    """The reference keeps its own laws."""

    def opened(self, columns):
        """Return the pool of these columns."""
        return open_pool(columns)


class TestDuckDB(PoolLaws):
    """A Parquet file, scanned by DuckDB."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path):
        self.path = tmp_path / "pairs.parquet"

    def opened(self, columns):
        """Return the pool of these columns."""
        parquet(self.path, columns)
        return open_pool(self.path, engine="duckdb")


class TestDuckDBInParts(TestDuckDB):
    """The same where bins hold too many pairs to count score by score, and where they are finer."""

    @pytest.fixture(autouse=True, params=[queries.FINE, queries.FINER])
    def _few(self, monkeypatch, request):
        monkeypatch.setattr(on_engine, "MOST_SCORES", 10)
        monkeypatch.setattr(on_engine, "PARTS", 16)
        monkeypatch.setattr(queries, "MANY", 0 if request.param == queries.FINER else 10**9)


class TestPostgres(PoolLaws):
    """A table of a PostgreSQL server that the tests start."""

    @pytest.fixture(autouse=True)
    def _address(self, postgres):
        self.url = postgres

    def opened(self, columns):
        """Return the pool of these columns."""
        return in_postgres(self.url, columns, "left_id bigint, right_id text")


def in_postgres(url, columns, ids, **settings):
    """Return the pool of these columns in a new table of the server."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS pairs")
        connection.execute(f"CREATE TABLE pairs ({ids}, score double precision, prediction boolean)")
        with connection.cursor().copy("COPY pairs FROM STDIN") as copy:
            for row in zip(*(values.tolist() for values in columns.values()), strict=True):
                copy.write_row(row)
    return open_pool(url, table="pairs", **settings)


class TestSpark(PoolLaws):
    """A data frame of a local Spark session."""

    kinds = ("probabilities", "saturated at both ends", "ten distinct", "one pair")

    @pytest.fixture(autouse=True)
    def _session(self, spark):
        self.spark = spark

    def opened(self, columns):
        """Return the pool of these columns."""
        rows = list(zip(*(values.tolist() for values in columns.values()), strict=True))
        frame = self.spark.createDataFrame(
            rows, "left_id bigint, right_id string, score double, prediction boolean"
        )
        return open_pool(frame)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """Start a server on a free port of this machine, as a user that is not root, and return its address."""
    program = postgres_programs()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Not in a folder of pytest's, which the next runs beside this one would remove.
    with TemporaryDirectory(prefix="qanat-postgres-") as folder:
        if os.getuid() == 0:
            shutil.chown(folder, "postgres")
        server(program / "initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "postgres")
        options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder}"
        control = ("-D", f"{folder}/data", "-l", f"{folder}/log")
        server(program / "pg_ctl", "-w", *control, "-o", options, "start")
        yield f"postgresql://postgres:secret@127.0.0.1:{port}/postgres"
        server(program / "pg_ctl", *control, "-m", "fast", "stop")


def postgres_programs() -> Path:
    """Return the folder of the server's programs."""
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = [str(known[-1])] if known else [shutil.which("initdb")]
    assert found[0], "PostgreSQL is not installed: scripts/system.sh says how"
    return Path(str(found[0])).parent


def server(*command: str | Path) -> None:
    """Run a program of the server, which refuses to be root."""
    become = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    subprocess.run([*become, *map(str, command)], check=True, capture_output=True, cwd="/", timeout=60)


@pytest.fixture(scope="module")
def spark():
    """Start a session in one process, that talks to nobody else."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]")
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "1",
        }.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def parquet(path, columns):
    """Write columns to a Parquet file."""
    with duckdb.connect() as connection:
        connection.register("columns", columns)
        connection.table("columns").write_parquet(str(path))


scores = st.one_of(
    st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=40),
    st.lists(st.floats(0, 1), min_size=1, max_size=40),
    st.lists(st.sampled_from([0.0, 1.0, 0.5, 0.9999999999999999]), min_size=1, max_size=40),
)


@given(scores, st.sampled_from(METHODS), st.data())
def test_any_scores_give_the_strata_of_memory(score, method, data):
    """Whatever the scores are, an engine cuts them as counting every score does."""
    called = data.draw(st.lists(st.booleans(), min_size=len(score), max_size=len(score)))
    called[score.index(max(score))] = True
    columns = {
        "left_id": np.arange(len(score)),
        "right_id": np.arange(len(score)),
        "score": np.array(score),
        "prediction": np.array(called),
    }
    engine, memory = open_pool(pa.table(columns), engine="duckdb"), open_pool(columns)
    assert isinstance(engine, EnginePool)
    ours, theirs = engine.stratify(*method), memory.stratify(*method)
    np.testing.assert_array_equal(ours.edges, theirs.edges)
    np.testing.assert_array_equal(ours.strata.size, theirs.strata.size)
    assert list(engine.prefix(ours, 3, 1).pairs) == list(memory.prefix(theirs, 3, 1).pairs)


@pytest.mark.parametrize(
    "source", ["parquet", "csv", "csv.gz", "jsonl", "folder", "pattern", "table", "arrow", "pandas", "polars"]
)
def test_every_source_is_the_same_pool(tmp_path, source):
    """Files of every kind, many of them, a table of a database, frames: the same facts, strata and pairs."""
    columns = columns_of("probabilities")
    memory = open_pool(columns)
    pool = opened_as(source, tmp_path, columns)
    assert isinstance(pool, EnginePool)
    assert pool.facts == memory.facts
    ours, theirs = pool.stratify("log-rank", 20), memory.stratify("log-rank", 20)
    assert list(pool.prefix(ours, 10, 2).pairs) == list(memory.prefix(theirs, 10, 2).pairs)


def opened_as(source, folder, columns):
    """Return the pool of these columns in a source of this kind."""
    table = pa.table(columns)
    if source in {"arrow", "pandas", "polars"}:
        frame = {
            "arrow": lambda: table,
            "pandas": lambda: pd.DataFrame(columns),
            "polars": lambda: pl.from_arrow(table),
        }
        return open_pool(frame[source](), engine="duckdb")
    with duckdb.connect(str(folder / "base.duckdb")) as connection:
        connection.register("columns", table)
        if source == "table":
            connection.execute("CREATE TABLE pairs AS FROM columns")
        elif source in {"folder", "pattern"}:
            (folder / "parts").mkdir()
            for part in range(3):
                connection.sql(f"FROM columns LIMIT 1000 OFFSET {1000 * part}").write_parquet(
                    f"{folder}/parts/{part}.parquet"
                )
        elif source == "jsonl":
            connection.execute(f"COPY columns TO '{folder}/pairs.jsonl' (FORMAT json)")
        else:
            connection.execute(f"COPY columns TO '{folder}/pairs.{source}'")
    if source == "table":
        return open_pool(folder / "base.duckdb", table="pairs", engine="duckdb")
    path = {"folder": folder / "parts", "pattern": f"{folder}/parts/*.parquet"}.get(
        source, folder / f"pairs.{source}"
    )
    return open_pool(path, engine="duckdb")


class Noted:
    """An oracle that notes which pairs it is asked about."""

    def __init__(self, asked, truth):
        self.asked, self.truth = asked, truth

    def __call__(self, pair):
        self.asked.append(pair)
        return tuple(pair) in self.truth


def test_an_evaluation_asks_the_same_pairs_of_every_engine(tmp_path):
    """The default method, and one that draws with replacement, run on a pool that stays in its engine."""
    columns = columns_of("probabilities")
    parquet(tmp_path / "pairs.parquet", columns)
    truth = {
        pair for pair in zip(map(str, columns["left_id"]), columns["right_id"], strict=True) if int(pair[0]) % 2
    }
    asked: dict[str, list[object]] = {"memory": [], "duckdb": []}
    for engine, pairs in asked.items():
        pool = open_pool(tmp_path / "pairs.parquet", engine=engine)
        result = qanat.evaluate(pool, Noted(pairs, truth), budget=250)
        assert result.labels == 250
    assert asked["memory"] == asked["duckdb"]
    assert qanat.evaluate(pool, lambda pair: tuple(pair) in truth, sampler="oasis", budget=50).labels == 50


def repeated_pairs():
    """Return columns in which pairs come up to four times, in both orders, with equal and other scores."""
    chance = np.random.default_rng(3)
    left, right = chance.integers(0, 12, (2, 400))
    right = np.where(left == right, right + 1, right)
    score = np.round(chance.random(400), 1)
    return {
        "left_id": left,
        "right_id": right,
        "score": score,
        "prediction": (score > 0.5) ^ (chance.random(400) < 0.2),
    }


@pytest.mark.parametrize("one_table", [False, True])
def test_the_highest_of_repeated_pairs_is_kept_alike(tmp_path, postgres, one_table):
    """Every engine keeps the same rows: of each pair one, that scores highest."""
    columns = repeated_pairs()
    wanted: dict[tuple[int, int], float] = {}
    for left, right, score in zip(
        *(columns[name].tolist() for name in ("left_id", "right_id", "score")), strict=True
    ):
        pair = (min(left, right), max(left, right)) if one_table else (left, right)
        wanted[pair] = max(wanted.get(pair, 0.0), score)
    settings = {"duplicates": "keep-highest", "one_table": one_table}
    parquet(tmp_path / "pairs.parquet", columns)
    memory = open_pool(columns, **settings)
    assert sorted(memory.score) == sorted(wanted.values())
    for pool in (
        open_pool(tmp_path / "pairs.parquet", engine="duckdb", **settings),
        in_postgres(postgres, columns, "left_id bigint, right_id bigint", **settings),
    ):
        assert pool.facts == memory.facts
        assert pool.dropped == memory.dropped == 400 - len(wanted)
        ours, theirs = pool.stratify("log-rank", 10), memory.stratify("log-rank", 10)
        assert list(pool.prefix(ours, 500, 1).pairs) == list(memory.prefix(theirs, 500, 1).pairs)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_repeated_pairs_are_searched_for_when_asked(tmp_path, engine):
    """All pairs are searched; both orders are one pair in one table only; a record has no pair with itself."""
    columns = columns_of("probabilities")
    columns |= {"right_id": np.arange(3000), "left_id": np.arange(3000) + 3000}
    for name, value in {"right_id": 3007, "left_id": 7}.items():
        columns[name] = np.append(columns[name], value)
    columns |= {name: np.append(columns[name], columns[name][:1]) for name in ("score", "prediction")}
    parquet(tmp_path / "pairs.parquet", columns)
    path = tmp_path / "pairs.parquet"
    assert len(open_pool(path, engine=engine, duplicates="refuse")) == 3001
    with pytest.raises(BadInput, match=r"the pair \S+ and \S+ 2 times: expected each pair once"):
        open_pool(path, engine=engine, duplicates="refuse", one_table=True)
    columns["left_id"][4] = columns["right_id"][4]
    parquet(path, columns)
    with pytest.raises(BadInput, match="with itself: drop them"):
        open_pool(path, engine=engine, one_table=True)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_pair_that_is_there_twice_is_refused(tmp_path, engine):
    """A repeated pair would count as two: it is named when it is drawn upon, with what to do."""
    columns = {name: np.append(values, values[:1]) for name, values in columns_of("probabilities").items()}
    parquet(tmp_path / "pairs.parquet", columns)
    pool = open_pool(tmp_path / "pairs.parquet", engine=engine)
    with pytest.raises(BadInput, match="The pool has the pair 0 and r0-é 2 times: expected each pair once"):
        qanat.evaluate(pool, lambda _: False, budget=10)


@pytest.mark.parametrize("bins", [7, 60, 997])
def test_scores_on_the_edge_of_a_bin_are_counted_as_in_memory(tmp_path, bins):
    """Where dividing by the width of a bin rounds to its neighbour, the edge itself decides."""
    edges = np.linspace(-3.7, 1.9, bins + 1)
    score = np.concatenate([edges, np.nextafter(edges[1:], -9), np.nextafter(edges[:-1], 9)])
    ids = np.arange(len(score))
    columns = {"left_id": ids, "right_id": ids, "score": score, "prediction": score > 0}
    parquet(tmp_path / "pairs.parquet", columns)
    engine = open_pool(tmp_path / "pairs.parquet", engine="duckdb").histogram(bins)
    np.testing.assert_array_equal(engine.pairs, open_pool(columns).histogram(bins).pairs)


def test_a_pool_that_shrinks_is_refused(tmp_path):
    """A file that lost pairs after it was opened is said to have changed, instead of being asked for ever."""
    columns = columns_of("probabilities")
    parquet(tmp_path / "pairs.parquet", columns)
    pool = open_pool(tmp_path / "pairs.parquet", engine="duckdb")
    cut = pool.stratify("log-rank", 10)
    parquet(tmp_path / "pairs.parquet", {name: values[:100] for name, values in columns.items()})
    with pytest.raises(BadInput, match=r"fewer pairs than when it was opened, 3,000 then.*Open it again"):
        pool.prefix(cut, 50, 1)


def test_a_long_evaluation_fetches_more_pairs(tmp_path, monkeypatch):
    """Where the first pairs of a cell are used up, longer prefixes continue them; no pair is asked twice."""
    monkeypatch.setattr("qanat.deck.FIRST", 3)
    columns = columns_of("weights")
    parquet(tmp_path / "pairs.parquet", columns)
    asked: list[object] = []
    pool = open_pool(tmp_path / "pairs.parquet", engine="duckdb")
    qanat.evaluate(pool, Noted(asked, set()), budget=400)
    memory: list[object] = []
    monkeypatch.setattr("qanat.deck.FIRST", 5000)
    qanat.evaluate(open_pool(columns), Noted(memory, set()), budget=400)
    assert asked == memory
    assert len(set(asked)) == 400


def test_a_database_that_cannot_be_reached_is_named_without_its_password():
    """The address is told, the password is not."""
    with pytest.raises(BadInput) as refused:
        open_pool("postgresql://someone:secret@127.0.0.1:1/base", table="pairs")
    assert "postgresql://127.0.0.1:1/base, table pairs, cannot be read" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_table_that_is_not_there_is_told(postgres):
    """What the server says is told in one line."""
    with pytest.raises(BadInput, match='table nowhere, cannot be read: relation "nowhere" does not exist'):
        open_pool(postgres, table="nowhere")
    with pytest.raises(BadInput, match="no table is named: expected one"):
        open_pool(postgres)
