"""Pools to try things on, whose truth is known: one module for each, with its origin.

A dataset knows nothing of samplers or studies: it gives records, and the columns that qanat.open_pool takes.
"""
