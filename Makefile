# Everything that one does with this checkout. `make` lists it.
SHELL := /bin/sh
.DEFAULT_GOAL := help
export PIP_DISABLE_PIP_VERSION_CHECK := 1
PIP := .venv/bin/python -m pip install -qq --require-hashes
LOCAL := PYTHONPATH=platform .venv/bin/python -m loci.local
LOCK := var/uv/bin/uv pip compile -q pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --custom-compile-command 'make lock'
TEST_ENV := LOCI_TEST_DB=off $(LOCAL) env --

# a shim that names a Python which is not there answers to `which` but does not run
FIND_PYTHON = for name in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$name && break; \
	done

.PHONY: help run stop test lint types contracts docs bench format lock clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

run: .venv/.run ## start Loci on this machine (PORT=8000); Ctrl-C stops it
	@$(LOCAL) run

stop: .venv/.run ## stop a Loci that runs elsewhere, or what a killed one left behind
	@$(LOCAL) stop

test: .venv/.dev ## run the tests (ARGS="-k name -n 2")
	@.venv/bin/python -m pytest $(ARGS)

lint: .venv/.dev ## check style and formatting
	@.venv/bin/ruff check . && .venv/bin/ruff format --check .

types: .venv/.dev ## check types
	@$(TEST_ENV) .venv/bin/mypy

contracts: .venv/.dev ## check which room imports which
	@PYTHONPATH=.:platform:sdk/python .venv/bin/lint-imports

docs: .venv/.dev ## build the documentation as a site in var/site; a broken link fails
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --quiet --clean

bench: .venv/.dev ## measure quality and speed (ARGS=--help)
	@PYTHONPATH=platform .venv/bin/python -m tests.bench $(ARGS)

format: .venv/.dev ## format the code and fix what can be fixed
	@.venv/bin/ruff check --fix . ; .venv/bin/ruff format .

lock: ## write the lock files anew after a change of dependencies; what is pinned stays
	@[ -x var/uv/bin/uv ] || { $$($(FIND_PYTHON)) -m venv var/uv && var/uv/bin/pip install -qq uv; }
	@$(LOCK) -o requirements.lock && $(LOCK) --extra dev -o requirements-dev.lock

clean: ## remove .venv and caches; the data in var/ stay
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis dist
	@find . -name __pycache__ -type d -not -path './var/*' -prune -exec rm -rf {} +

.venv/bin/python:
	@[ -w . ] || { echo "$(CURDIR) cannot be written to: Loci keeps its .venv/ and var/ there." >&2; exit 1; }
	@python=$$($(FIND_PYTHON)); \
	[ -n "$$python" ] || { echo "Loci needs Python 3.11 or newer with its venv module (Debian: apt install python3-venv), or PYTHON=/path make run." >&2; exit 1; }; \
	$$python -m venv --clear .venv || { rm -rf .venv; exit 1; }

.venv/.run: requirements.lock | .venv/bin/python
	@echo "Installing what Loci needs into .venv/ (a minute or two) …"
	@start=$$(date +%s); $(PIP) -r requirements.lock && touch $@ && echo "Installed in $$(($$(date +%s) - start)) s."

# the development lock holds all of requirements.lock
.venv/.dev: requirements-dev.lock requirements-clients.lock requirements.lock sdk/python/pyproject.toml | .venv/bin/python
	@echo "Installing what tests and checks need into .venv/ (a minute or two) …"
	@start=$$(date +%s); $(PIP) -r requirements-dev.lock && $(PIP) --no-deps -r requirements-clients.lock && touch .venv/.run $@ && echo "Installed in $$(($$(date +%s) - start)) s."
	@.venv/bin/python -m pip install -q --no-index --no-deps --no-build-isolation -e . >.venv/editable.log 2>&1 || \
	echo "The command \`loci-server\` was not installed (.venv/editable.log); python manage.py does the same."
	@.venv/bin/python -m pip install -q --no-index --no-deps --no-build-isolation -e sdk/python >.venv/editable-sdk.log 2>&1 || \
	echo "The command \`loci\` was not installed (.venv/editable-sdk.log); PYTHONPATH=sdk/python python -m loci_client does the same."
