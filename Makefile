# Everything sets itself up: `make demo` and `make test` need only Python 3.11+ with pip, and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# an activated environment, or settings of pip's, of the caller's must not leak into ours; without bytecode on disk, each of
# the programs that tests start would compile all that it imports, which takes longer than most of them
unexport PYTHONPATH VIRTUAL_ENV PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-bounds test-oldest lint bench docs deploy-docs dist clean

demo: $(VENV)/.core
	$(BIN)/wayfolk demo

# three workers for two cores: dozens of tests wait for programs and pages that they have started
test: $(VENV)/.test
	$(BIN)/python -m pytest -n 3
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -m plain

test-bounds: $(VENV)/.test
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2

# with the oldest versions of all dependencies that pyproject.toml allows; OLDEST names other tests. Old packages call what
# newer ones, which they depend on, have deprecated since: such warnings are none of ours
OLDEST ?= tests/compile tests/kernels tests/test_dependencies.py
test-oldest: build/oldest/.ready
	build/oldest/bin/python -m pytest -n 2 -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning $(OLDEST)

lint: $(VENV)/.dev
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/.dev
	$(BIN)/python docs/make_pages.py
	$(BIN)/mkdocs build --strict

# the branch gh-pages of `origin` gets the built pages
deploy-docs: docs
	$(BIN)/mkdocs gh-deploy --strict --force

# an sdist and a wheel in dist/, checked, and tried in an environment that has nothing else. Where there is a common level of
# processors, the wheel has machine code: a wheel without it is installed first, and compiles all kernels
dist: $(VENV)/.dist
	rm -rf dist build/empty build/machine_code
	$(BIN)/python -m build
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: dist/*.whl
	cd build && empty/bin/python ../.ci/machine_code.py $(CURDIR)/build/machine_code
	if [ -d build/machine_code ]; then \
		build/empty/bin/python -m pip uninstall --quiet --yes wayfolk && rm dist/*.whl && \
		WAYFOLK_MACHINE_CODE=$(CURDIR)/build/machine_code $(BIN)/python -m build --wheel && \
		build/empty/bin/python -m pip install --quiet --disable-pip-version-check --no-deps dist/*.whl; \
	fi
	$(BIN)/twine check --strict dist/*
	cd build && empty/bin/wayfolk list search && empty/bin/python ../.ci/try_wheel.py

clean:
	rm -rf $(VENV) site build dist .pytest_cache .mypy_cache .ruff_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Wayfolk needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[play]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[test]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[test,dev]'
	@touch $@

$(VENV)/.dist: pyproject.toml | $(BIN)/python
	$(PIP) 'build>=1.2' 'twine>=6.1'
	@touch $@

$(VENV)/.bench: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[peers,lab]'
	@touch $@

build/oldest/.ready: pyproject.toml .ci/oldest.py
	$(PYTHON) .ci/oldest.py > /dev/null
	$(PYTHON) -m venv --clear build/oldest
	$(PYTHON) .ci/oldest.py > build/oldest/constraints.txt
	build/oldest/bin/python -m pip install --quiet --disable-pip-version-check --no-compile \
		--constraint build/oldest/constraints.txt -e '.[test]'
	@touch $@
