# Each target makes the virtual environment it needs; nothing has to be installed first but Python >= 3.11.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
JOBS   ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 3 / 2)# many tests wait for a browser or a clock

.PHONY: help demo live test quick check compiled bench docs clean

help:            ## this list
	@awk -F':.*## ' '/^[a-z%-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/core.stamp: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/core.stamp     ## play the main job in this terminal
	$(BIN)/shuffler demo

$(VENV)/live.stamp: $(VENV)/core.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[live]'
	touch $@

live: $(VENV)/live.stamp     ## the whole bench in your browser, until Ctrl-C
	$(BIN)/shuffler live

test: $(VENV)/dev.stamp      ## every test, every proof at its small size
	$(BIN)/python -m pytest -n $(JOBS) --maxschedchunk 2 -q

quick: $(VENV)/dev.stamp     ## the tests that take milliseconds
	$(BIN)/python -m pytest -n $(JOBS) -q -m 'not slow and not needs'

check: $(VENV)/dev.stamp     ## style, types, then every test
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) test

compiled: $(VENV)/dev.stamp  ## the wheel with compiled modules, and the quick tests of what it compiles, in build/compiled
	$(BIN)/python -m proofs.compiled_build

bench: $(VENV)/dev.stamp     ## product against peers, ratios into docs/benchmarks.md
	$(BIN)/python -m benchmarks

docs: $(VENV)/dev.stamp      ## everything under docs/ that is rendered from the code
	$(BIN)/python -m proofs.pages

proof-%: $(VENV)/dev.stamp   ## a full-size proof; its record goes to docs/evidence/
	$(BIN)/python -m proofs.$(subst -,_,$*)

clean:           ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache *.egg-info
