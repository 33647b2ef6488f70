# make demo     everything from nothing to the main job on a generated problem
# make check    everything from nothing to a green light: format, lint, types, layers, tests
# make paper    the paper's tables and figures again, beside the printed numbers
.PHONY: demo check paper constraints clean

PYTHON ?= python3.11
BIN := .venv/bin

demo: .venv/.ready
	@$(BIN)/qanat demo

check: .venv/.ready-dev
	@scripts/check.sh $(FORCE)

paper: .venv/.ready-dev
	@$(BIN)/python -m paper.make

.venv/.ready: pyproject.toml constraints.txt scripts/environment.sh
	@scripts/environment.sh $(PYTHON)
	@touch $@

.venv/.ready-dev: .venv/.ready scripts/system.sh
	@scripts/system.sh
	@scripts/environment.sh $(PYTHON) --group dev
	@touch $@

# Every package pinned by version, for every Python that is supported; no address of any registry in it.
constraints: .venv/.ready-dev
	@$(BIN)/uv pip compile --quiet --universal --no-header --no-annotate --no-emit-index-url \
		--no-emit-find-links --group dev pyproject.toml --upgrade --output-file constraints.txt

clean:
	rm -rf .venv dist .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis
