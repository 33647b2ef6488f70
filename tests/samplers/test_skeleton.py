"""The way to a new sampler is the way that the present ones took."""

import ast
import re
from pathlib import Path

import pytest

from qanat import testing
from qanat.samplers import SAMPLERS
from qanat.samplers.base import Sampler

FOLDER = Path(__file__).parents[2] / "src" / "qanat" / "samplers"
SKELETON = (FOLDER / "SKELETON.md").read_text()
# The names of a module, in the order of the numbered list.
NAMES = re.findall(r"^\d+\. \*\*`(?:class )?(\w+)", SKELETON, re.MULTILINE)


def test_the_skeleton_names_all_there_is() -> None:
    """Every member of the protocol and every class of laws is named."""
    members = {name for name in vars(Sampler) if not name.startswith("_")}
    assert members | {"State"} == set(NAMES)
    laws = {name for name in testing.__all__ if name.endswith(("Laws", "Complete"))} - {"PoolLaws"}
    assert [name for name in laws if name not in SKELETON] == []


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_sampler_follows_the_skeleton(sampler: str) -> None:
    """A method has these names in this order, whatever else lies between."""
    found = []
    for node in ast.parse((FOLDER / f"{sampler}.py").read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign):
            found += [target.id for target in node.targets if isinstance(target, ast.Name)]
    assert [name for name in found if name in NAMES] == NAMES
