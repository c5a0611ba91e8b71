# Two commands suffice on a fresh machine: `make pack` runs the main job, `make test` the tests.
GAME ?= fixtures/games/playtech-7-e-mezzo/game.toml
OUT ?= build/pack
PACKS ?= build/packs
PROFILE ?= standard
REPLAY ?= family
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.complete
# Every command would compile some six hundred modules anew where the machine forbids Python to keep them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help env browser pack packs test slow budget advisories lint docs wheel try-wheel bench clean

help:
	@echo "make pack   certify the published 7 e Mezzo and write the signed pack to $(OUT)"
	@echo "make packs  certify every game of fixtures/games into $(PACKS), verify each, repeat the run of one of every third family"
	@echo "make test   run the tests"
	@echo "make slow   run the exhaustive tests too"
	@echo "make budget hold every room to its statements and files, tests to their recorded CPU seconds"
	@echo "make advisories  hold the locked dependencies against published advisories"
	@echo "make lint   ruff, mypy and the layer contracts"
	@echo "make docs   build the documentation site into build/docs; a broken link ends it"
	@echo "make wheel  build dist/certify-VERSION-py3-none-any.whl, to install elsewhere"
	@echo "make try-wheel  install the wheel into an empty environment and begin a game with it"
	@echo "make bench  print the benchmarks as ratios"
	@echo "make env    only build .venv with everything in it"

env: $(STAMP)

$(STAMP): requirements.lock pyproject.toml tools/environment
	tools/environment $(VENV)
	touch $@

pack: env
	@status=0; $(BIN)/certify run $(GAME) --out $(OUT) --profile $(PROFILE) || status=$$?; \
	$(BIN)/python tools/packs.py --ended $$status --game $(GAME) --out $(OUT)

# A pack for each game, as CI makes them; `make packs PROFILE=standard REPLAY=every` for more than a first look.
packs: PROFILE = quick
packs: env
	$(BIN)/python tools/packs.py --out $(PACKS) --profile $(PROFILE) --replay $(REPLAY) -- $(SIGN)

# Tests of the HTML twin look at it in a real browser; without one they are skipped and say so.
browser:
	@tools/browser

test: env browser
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

slow: env
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "slow or not slow"

# Statements and files by room: rows of tools/budget.toml, which only fall. CPU seconds of tests: tests/costs.csv.
budget: env
	$(BIN)/python tools/budget.py

# The locked dependencies against published advisories: those of today, or the dated list of tools/advisories.toml.
advisories: env
	$(BIN)/python tools/advisories.py

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: env
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict -f tools/docs.yml
	@echo "open $(CURDIR)/build/docs/index.html"

# The locked hatchling builds it, without network: the fixtures lie inside, as games to start from.
wheel: env
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/certify-*.whl

# As docs/how-to/install.md says it: the locked dependencies, then the wheel, in an environment with nothing else.
# Nothing is compiled ahead: three commands load a part of what the dependencies hold.
try-wheel: wheel
	rm -rf build/wheel-try && $(BIN)/python -m venv build/wheel-try
	build/wheel-try/bin/pip install --quiet --no-compile --require-hashes -r requirements.lock
	build/wheel-try/bin/pip install --quiet --no-deps dist/certify-*.whl
	cd build/wheel-try && bin/certify doctor && bin/certify new-game --like red-dog --out game && bin/certify analyze game

# The benchmarks compile hand-written C loops to compare the kernels with.
bench: env
	@command -v gcc >/dev/null || tools/packages gcc libc6-dev
	for bench in benchmarks/bench_*.py; do $(BIN)/python $$bench || exit 1; done

clean:
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
