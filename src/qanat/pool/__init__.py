"""Where the pairs live. A pool answers in counts; its pairs stay where they are."""

from qanat.pool.in_memory import InMemoryPool
from qanat.pool.open import open_pool

__all__ = ["InMemoryPool", "open_pool"]
