# Every task of the project. `make demo` and `make test` set up what they need on a fresh machine.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test long browser chaos attacks soak bench bench-ledger bench-wire bench-engine node go compiled protos contract requirements lint format

setup: .venv/installed

.venv/installed: requirements.lock pyproject.toml
	@echo "installing the pinned packages into .venv; this takes half a minute …"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

demo: setup
	$(BIN)/arena demo

test: setup
	$(BIN)/python -m pytest

# What would make the tests above longer than ten minutes.
long: setup
	$(BIN)/python -m pytest -m long

chaos: setup
	$(BIN)/python -m pytest -m chaos tests/chaos

# Every attack in every set-up that this host can have, and docs/attacks.md; as root, two minutes.
attacks: setup
	$(BIN)/python -m tests.sandbox.attacks.page --write

# SECONDS of bad bots at the real server, and five minutes at most until their last match has ended and all is gone.
SECONDS ?= 600

soak: setup
	SOAK_SECONDS=$(SECONDS) $(BIN)/python -m pytest -m soak tests/soak

bench: setup
	$(BIN)/python -m benchmarks.wire
	$(BIN)/python -m benchmarks.block
	$(BIN)/python -m benchmarks.tournament
	$(BIN)/python -m benchmarks.pages
	$(BIN)/python -m benchmarks.sandbox

# A million results in a ledger of its own, and what is asked of it; half an hour beside other work.
bench-ledger: setup
	$(BIN)/python -m benchmarks.ledger

# The wire as the wheel has it, compiled, and as Python.
bench-wire: setup
	rm -rf build .venv-bench && mkdir -p .venv-bench/run
	ARENA_COMPILE=1 $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w .venv-bench/wheel .
	$(BIN)/python -m zipfile -e .venv-bench/wheel/*.whl .venv-bench/run
	cp -r benchmarks .venv-bench/run
	cd .venv-bench/run && $(CURDIR)/$(BIN)/python -m benchmarks.wire
	$(BIN)/python -m benchmarks.wire

# The pages in a Chromium from the system's packages; screenshots are kept in build/screenshots.
browser: setup
	$(BIN)/python -m pytest -m browser tests/whole

# The bot in JavaScript plays every game against a whole arena.
node: setup
	cd examples/node && npm ci --silent --ignore-scripts
	$(BIN)/python -m pytest -m node tests/whole

# The bot in Go, a static program, plays every game in a cell.
go: setup
	$(BIN)/python -m pytest -m go tests/whole

# The compiled engine under OpenSpiel's own algorithms and beside it, in an environment of its own.
bench-engine: setup
	rm -rf build .venv-bench && mkdir -p .venv-bench/run
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --require-hashes -r benchmarks/requirements.lock
	ARENA_COMPILE=1 $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w .venv-bench/wheel .
	.venv-bench/bin/python -m pip install --quiet --no-deps .venv-bench/wheel/*.whl
	cp -r benchmarks examples tests pyproject.toml .venv-bench/run
	cd .venv-bench/run && ../bin/python -c "import engine; assert engine.COMPILED" && ../bin/python -m pytest tests/envs/test_spiel.py
	cd .venv-bench/run && ../bin/python -m benchmarks.engine
	cd .venv-bench/run && ../bin/python -m benchmarks.worlds
	cd .venv-bench/run && ../bin/python examples/vector.py

# Engine, codec and referee as their wheel has them, compiled, in an environment of its own.
compiled: setup
	rm -rf build .venv-compiled && mkdir -p .venv-compiled/run
	$(PYTHON) -m venv .venv-compiled
	.venv-compiled/bin/python -m pip install --quiet --require-hashes -r requirements.lock
	ARENA_COMPILE=1 $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w .venv-compiled/wheel .
	.venv-compiled/bin/python -m pip install --quiet --no-deps .venv-compiled/wheel/*.whl
	cp -r benchmarks examples tests docs pyproject.toml .venv-compiled/run
	cd .venv-compiled/run && ../bin/python -c "import engine; assert engine.COMPILED" && ../bin/python -m pytest tests/engine tests/codec tests/referee tests/bot

protos: setup
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I protos --python_out=. --grpc_python_out=. --mypy_out=quiet:. --mypy_grpc_out=quiet:. protos/arena/v1/*.proto

# The generated code is what the contract says, and the contract breaks nobody who follows the commit before.
contract: protos
	$(BIN)/buf lint
	git diff --exit-code -- arena/v1
	! git rev-parse --quiet --verify HEAD~1 >/dev/null || $(BIN)/buf breaking --against '.git#ref=HEAD~1'

# The table of rules and their tests, from the pages and the tests; a test sees that it is current.
requirements: setup
	$(BIN)/python -m tests.requirements

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
