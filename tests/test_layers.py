"""The contracts of imports in pyproject.toml leave no module out, and a wrong import breaks one."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "qanat"
CONTRACTS = {
    contract["id"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}
MODULES = {
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
    for path in SOURCE.rglob("*.py")
    if path.stem != "__init__"
}
# The place for each heavy library.
HOMES = {
    "duckdb": ("qanat.pool.on_duckdb",),
    "click": ("qanat.cli",),
    "testing": ("qanat.testing",),
    "scipy": ("qanat.er", "qanat.testing"),
    "h5py": ("qanat.datasets.hdf5",),
    "psycopg": ("qanat.pool.on_postgres",),
    "pyspark": ("qanat.pool.on_spark",),
    "sqlglot": ("qanat.pool.translated",),
}
WRONG = {
    "samplers.adaptive": "qanat.samplers.oasis",
    "samplers.oasis": "qanat.samplers.adaptive",
    "design": "duckdb",
    "evaluation": "click",
    "answers": "rich",
    "core.measures": "scipy",
    "simulation": "pytest",
    "datasets.people": "hypothesis",
    "datasets.base": "h5py",
    "er.matching": "qanat.simulation",
    "pool.on_engine": "pyspark",
    "pool.queries": "sqlglot",
    "pool.open": "qanat.simulation",
    "cli.demo": "qanat.core.chance",
}


@pytest.mark.parametrize("contract", HOMES)
def test_a_library_is_forbidden_to_all_but_its_home(contract: str) -> None:
    """A module that is new is a module that the contract knows."""
    forbidden = CONTRACTS[contract]["source_modules"]
    is_bound = {module: any(f"{module}.".startswith(f"{name}.") for name in forbidden) for module in MODULES}
    homes = tuple(f"{home}." for home in HOMES[contract])
    is_home = {module: f"{module}.".startswith(homes) for module in MODULES}
    assert [module for module in MODULES if is_bound[module] == is_home[module]] == []


def test_no_sampler_is_left_out() -> None:
    """Every method is one of those that do not know each other."""
    methods = {module for module in MODULES if module.startswith("qanat.samplers.")} - {"qanat.samplers.base"}
    assert set(CONTRACTS["samplers"]["modules"]) == methods


def test_a_wrong_import_is_found(tmp_path: Path) -> None:
    """Imports planted in a copy of the source are all reported."""
    shutil.copytree(SOURCE, tmp_path / "qanat", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module, imported in WRONG.items():
        with (tmp_path / "qanat" / f"{module.replace('.', '/')}.py").open("a") as file:
            file.write(f"\nimport {imported}\n")
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    planted = [f"qanat.{module} -> {imported}" for module, imported in WRONG.items()]
    assert [wrong for wrong in planted if wrong not in done.stdout] == [], done.stdout
