# Every check that CI runs, and the jobs that take longer. `make BIN=/path/to/venv/bin check` uses
# another virtual environment than .venv.

BIN ?= .venv/bin
PYTHON ?= python3.11

.PHONY: install check test static lint format types layers fix soak bench schema docs

install: ## make .venv, with everything that the targets below need
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]'

check: static test ## every check; the schema and the docs are compared by tests

static: lint format types layers

test:
	$(BIN)/pytest

lint:
	$(BIN)/ruff check

format:
	$(BIN)/ruff format --check

types:
	$(BIN)/pyright --pythonpath $(BIN)/python

layers:
	$(BIN)/lint-imports --no-cache

fix: ## mend what can be mended without thinking
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

soak: ## the long forms of the tests: many minutes
	WORKFLOW_TEST_SOAK=1 $(BIN)/pytest -m "" -n 0 -o faulthandler_timeout=0

bench: ## the table of bench/README.md, measured here
	$(BIN)/python -m bench

schema: ## write schema.graphql anew
	$(BIN)/workflow-service schema > schema.graphql.new
	mv schema.graphql.new schema.graphql

docs: ## write docs/lifecycle.md anew
	$(BIN)/python -m tests.architecture.lifecycle > docs/lifecycle.md.new
	mv docs/lifecycle.md.new docs/lifecycle.md
