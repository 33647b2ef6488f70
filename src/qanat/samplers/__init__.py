"""Ways to choose the pairs to label: one module for each, by the name that users give it."""

from typing import Any, Final

from qanat.samplers import adaptive, importance, oasis, passive, stratified
from qanat.samplers.base import Sampler

SAMPLERS: Final[dict[str, Sampler[Any, Any]]] = {
    "adaptive": adaptive,
    "passive": passive,
    "stratified": stratified,
    "importance": importance,
    "oasis": oasis,
}

__all__ = ["SAMPLERS", "Sampler", "adaptive", "importance", "oasis", "passive", "stratified"]
