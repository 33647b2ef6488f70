"""qanat tells how good an entity resolution is, from a few hundred labels."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qanat.design import settings
    from qanat.errors import BadInput, BadLabel, BadSetting, QanatError
    from qanat.evaluation import Evaluation, evaluate
    from qanat.planning import Plan, plan
    from qanat.pool import InMemoryPool, open_pool
    from qanat.pool.outside import with_outside
    from qanat.pool.records import open_records
    from qanat.simulation import Simulation, simulate

__version__ = "0.1.0"

# Where each public name lives. It is imported when first used, so that `import qanat` and the command line
# do not wait for NumPy.
_HOME = {
    "BadInput": "qanat.errors",
    "BadLabel": "qanat.errors",
    "BadSetting": "qanat.errors",
    "Evaluation": "qanat.evaluation",
    "InMemoryPool": "qanat.pool",
    "Plan": "qanat.planning",
    "QanatError": "qanat.errors",
    "Simulation": "qanat.simulation",
    "evaluate": "qanat.evaluation",
    "open_pool": "qanat.pool",
    "open_records": "qanat.pool.records",
    "plan": "qanat.planning",
    "settings": "qanat.design",
    "simulate": "qanat.simulation",
    "with_outside": "qanat.pool.outside",
}

__all__ = [
    "BadInput",
    "BadLabel",
    "BadSetting",
    "Evaluation",
    "InMemoryPool",
    "Plan",
    "QanatError",
    "Simulation",
    "evaluate",
    "open_pool",
    "open_records",
    "plan",
    "settings",
    "simulate",
    "with_outside",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'qanat' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
