"""A simple entity resolution, that of the paper: from two tables to a pool of scored pairs.

It is there to make pools whose truth is known. Needs `pip install qanat[er]`.
"""

from qanat.er.matching import Recipe, Summary, scored_pairs, write_pool
from qanat.er.tables import read_matches, read_records

__all__ = ["Recipe", "Summary", "read_matches", "read_records", "scored_pairs", "write_pool"]
