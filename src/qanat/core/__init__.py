"""Arithmetic on small arrays: no files, clock, logging, globals or engine."""
