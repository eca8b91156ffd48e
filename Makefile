# Thin: each target creates .venv when it is missing and installs what it needs, once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml drivers/null/pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help serve test check bench docs clean

help:  ## what can be done
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "opencompany-memory needs Python 3.11 or newer; run: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.serve: $(VENV)/.made $(SOURCES)
	@echo "installing (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[server]' -e drivers/null
	@touch $@

$(VENV)/.dev: $(VENV)/.made $(SOURCES)
	@echo "installing what the tests need (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[server,dev]' -e drivers/null
	@touch $@ $(VENV)/.serve

$(VENV)/.bench: $(VENV)/.dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

serve: $(VENV)/.serve  ## boot on what the environment selects, the built-in store by default, and listen
	@$(BIN)/opencompany serve $(ARGS)

test: $(VENV)/.dev  ## run every test
	@$(BIN)/python -m pytest -n 2 $(ARGS)

check: $(VENV)/.dev  ## ruff, mypy --strict, import arrows, generated docs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m docs.generate --check

bench: $(VENV)/.bench  ## run the benchmarks and write benchmarks/RESULTS.md
	@$(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/.dev  ## write the generated parts of docs/ anew
	@$(BIN)/python -m docs.generate

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
