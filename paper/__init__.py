"""The paper's tables and figures, made again: `python -m paper.make` writes results, figures and README.md.

A part is a module named after a table or figure: it measures rows, which are kept as Parquet under results,
and tells of them in Markdown; a figure is drawn from the rows. What is printed in the paper, and how far ours
may lie from it, is in expected.toml.
"""
