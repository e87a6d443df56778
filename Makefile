# The only set-up a newcomer needs: Python 3.11 with pip, make and git. `make PYTHON=python3.12 test` takes another Python.
PYTHON ?= python3
MEMBERS := $(patsubst %/pyproject.toml,%,$(wildcard core/pyproject.toml host_*/pyproject.toml grader_*/pyproject.toml plugins/*/pyproject.toml))
VENV := .venv/bin/python
PIP := -m pip --disable-pip-version-check -qq

.PHONY: set-up demo test agents check bench lock clean torture

set-up: .venv/stamp                  # all that the other targets need, in .venv

demo: .venv/stamp                    # the suite `organization`, rehearsed by the reference agent
	@.venv/bin/skilltrial demo

test: .venv/stamp agents             # every test; those of real agent programs too where there are Node and npm (TESTS=tests: some)
	$(VENV) -m pytest -n 2 --dist worksteal $(TESTS)

agents:                              # the agent programs and the MCP client of the tests, at their pinned versions
	@if ! command -v node >/dev/null || ! command -v npm >/dev/null; \
	then echo "no Node with npm: the tests of real agent programs are skipped"; \
	else $(MAKE) --no-print-directory hosts/node_modules/stamp tests/client/node_modules/stamp || { \
		[ -z "$$CI" ] && echo "they can't be installed: the tests of real agent programs are skipped"; }; fi

hosts/node_modules/stamp: hosts/package.json hosts/package-lock.json hosts/.npmrc
	@echo "installing the agent programs of the tests in hosts/node_modules (once, some 1.4 GB)"
	@cd hosts && npm ci --silent
	@touch $@

tests/client/node_modules/stamp: tests/client/package.json tests/client/package-lock.json tests/client/.npmrc
	@cd tests/client && npm ci --silent
	@touch $@

check: .venv/stamp                   # lint, types, and whether the lock covers what is declared
	$(VENV) -m ruff check .
	$(VENV) -m mypy $(MEMBERS:=/src) .ci
	MYPYPATH=.ci $(VENV) -m mypy --explicit-package-bases tests bench $(wildcard $(MEMBERS:=/tests))
	$(VENV) .ci/lock.py --check

bench: .venv/stamp                   # what it costs, against hand-written floors: `make bench BENCH=--quick` is shorter
	@$(VENV) -m bench $(BENCH)

torture: .venv/stamp                 # runs that are killed, some thousand times in all, and taken up again
	SKILLTRIAL_ROUNDS=270 $(VENV) -m pytest -n 2 tests/test_killed_and_resumed.py

lock: .venv/stamp                    # requirements.lock again, from what the members declare
	$(VENV) .ci/lock.py

clean:                               # away with what can be made again
	rm -rf .venv bench/others/.venv-* hosts/node_modules tests/client/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis

# From nothing each time, so that what left the lock also leaves the environment. Without ensurepip, which some
# systems pack separately: the pip at hand brings the pinned one. `-e` and hashes exclude each other, hence two steps.
.venv/stamp: requirements.lock $(MEMBERS:=/pyproject.toml)
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("skilltrial needs Python 3.11 or newer, and $(PYTHON) is %d.%d: name another with make PYTHON=python3.11" % sys.version_info[:2])'
	@echo "setting up .venv (once, under a minute)"
	@$(PYTHON) -m venv --clear --without-pip .venv
	@$(PYTHON) $(PIP) --python $(VENV) install --require-hashes --no-deps -r requirements.lock
	@$(VENV) $(PIP) install --no-deps --no-build-isolation $(addprefix -e ./,$(MEMBERS))
	@touch $@
