# Everything a fresh checkout needs: Python 3.10 or newer with its headers, g++ 12 or newer, make.
#   make run        the main example: compiles a C++ operator, trains with it, exports, compares
#   make test       the tests            (ARGS="-k name" and the like go to pytest)
#   make sanitize   tests and fuzzers with AddressSanitizer and UndefinedBehaviorSanitizer
#   make stubs      popir/_device/*.pyi, what editors and type checkers know of the extension, and
#                   the symbol of the headers
#   make lint       formatters, linters, type checker
#   make bench      measurements against other runtimes
PYTHON ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALLED := $(VENV)/.installed
TESTING := $(VENV)/.testing
TOOLS := $(VENV)/.tools

CXX_FILES = $(shell git ls-files -- '*.cpp' '*.hpp')

.PHONY: run test sanitize stubs lint lint-types lint-cpp lint-python format bench clean
.DELETE_ON_ERROR:

run: $(INSTALLED)
	$(BIN)/python models/run.py $(ARGS)

# Three processes on two cores: one that waits leaves its core to another.
test: $(INSTALLED) $(TESTING)
	$(BIN)/python -m pytest -n3 --dist worksteal --durations=15 $(ARGS)

sanitize: $(INSTALLED) $(TESTING)
	$(BIN)/python -m tests.sanitize $(ARGS)

stubs: $(INSTALLED) $(TOOLS)
	$(BIN)/python -m tools.device_stubs
	$(BIN)/python -m tools.sdk_digest

# Each of the two slow ones, of types and of C++, takes one core for half a minute.
lint: $(INSTALLED) $(TOOLS)
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint-types lint-cpp lint-python

lint-types:
	$(BIN)/pyright --pythonpath $(BIN)/python

lint-cpp:
	$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)

lint-python:
	$(BIN)/ruff format --check
	$(BIN)/ruff check

format: $(TOOLS)
	$(BIN)/clang-format -i $(CXX_FILES)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: $(INSTALLED) $(TESTING)
	$(BIN)/python -m bench $(ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	rm -rf popir/include popir/lib popir/share popir/bin popir/enable.sh popir/_device*.so

# Installed in place, so that an edit of Python code needs no further step; one of C++ code does.
# Without -v pip is silent while that compiles.
$(INSTALLED): $(BIN)/pip pyproject.toml setup.py constraints.txt $(shell find cpp -type f -not -name '*.pyc')
	$(PIP) install -v --constraint constraints.txt --editable '.[models]'
	touch $@

# Of these packages' files most are never imported; those that are get compiled then.
$(TESTING): $(BIN)/pip pyproject.toml constraints.txt
	$(PIP) install --no-compile --constraint constraints.txt --group test
	touch $@

$(TOOLS): $(BIN)/pip pyproject.toml
	$(PIP) install --no-compile --group dev
	touch $@

.venv: $(INSTALLED)

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo 'popir needs Python 3.10 or newer; set PYTHON, as in: make PYTHON=python3.12 run' >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || { \
	  echo 'This Python cannot make virtual environments; on Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig as s; sys.exit(not os.path.exists(s.get_path("include") + "/Python.h"))' || { \
	  echo 'This Python has no headers; on Debian and Ubuntu: apt install python3-dev' >&2; exit 1; }
	@command -v $${CXX:-g++} >/dev/null || { \
	  echo 'popir needs g++ 12 or newer; on Debian and Ubuntu: apt install g++' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --quiet --upgrade 'pip>=25.1'
	touch $@
