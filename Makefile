# Setup, study and tests. `make` or `make help` lists the targets; each one sets up .venv first if needed.

PYTHON   ?= python3
VENV     ?= .venv
PROFILE  ?= quick
JOBS     ?= 2
EXECUTOR ?= local
MOMENTS  ?= 200
SCALE    ?= 1
CASES    ?= 10000
SEED     ?=
MODULES  ?=
TESTS    ?=
TIER     ?= not slow and not browser and not cluster
UV       := uv==0.13.9
WHEEL    := wheel==0.48.0
DIST     ?= dist
BIN      := $(VENV)/bin
READY    := $(VENV)/.ready

# Bytecode of the installed packages is worth keeping: without it each process compiles them anew, which takes
# longer than most commands here.
unexport PYTHONDONTWRITEBYTECODE
# `python -m tests.fuzz` and the like are found in this folder.
unexport PYTHONSAFEPATH

# Compiled kernels are cached in a folder named after the code they were compiled from, because numba does not
# notice when a kernel calls one in another file that has changed.
RUN := env NUMBA_CACHE_DIR="$$($(BIN)/python -P src/studylib/core/kernel_cache.py)" $(BIN)

.DEFAULT_GOAL := help
.PHONY: help env reproduce try test test-all nightly stress fuzz mutants notebooks docs bench lab data wheel lock clean
# Who interrupts the compiling of kernels keeps the environment.
.PRECIOUS: $(READY)

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

env: $(READY) ## Set up .venv with the locked packages, and compile the kernels
	@echo "$(VENV) is ready. Next, one of these:"
	@echo "  make reproduce                        # the study at a small scale, and its report"
	@echo "  make try DATA=my.csv TARGET=label     # the classifiers on a table of yours"
	@echo "  make lab                              # notebooks and exercises in JupyterLab"
	@echo "  . $(BIN)/activate                # then python, papermill and studylib are those of $(VENV)"

reproduce: $(READY) ## Run the study and render its report (PROFILE=quick|paper|smoke, JOBS=2, EXECUTOR=dask://host:port)
	@$(RUN)/studylib reproduce --profile $(PROFILE) --jobs $(JOBS) --executor $(EXECUTOR)

try: $(READY) ## Compare the classifiers on a table of yours (DATA=my.csv TARGET=label)
	@$(RUN)/studylib try "$(DATA)" --target "$(TARGET)" --jobs $(JOBS)

test: $(READY) ## Lint, check the layers, run what protects results: four minutes (TESTS=tests/trees)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(RUN)/python -m pytest -n $(JOBS) --dist loadscope --no-loadscope-reorder --durations=20 --durations-min=1 \
	    -m "$(TIER)" $(TESTS)

test-all: ## Run every test, those in a browser, on a cluster and under disturbance, too (TESTS=tests/study)
	@$(MAKE) --no-print-directory test TIER=

nightly: test-all stress ## Run every test, disturb 200 moments, draw 100,000 hostile cases, alter the code
	@$(MAKE) --no-print-directory fuzz CASES=100000
	@$(MAKE) --no-print-directory mutants

stress: $(READY) ## Disturb a small study at 200 random moments: kills, signals, bad disks, damaged files (MOMENTS=200)
	@$(RUN)/python -m tests.study.stress --moments $(MOMENTS)

fuzz: $(READY) ## Hostile tables, files and parameters against everything public, kernels checking bounds (CASES=10000, SEED=a fresh one)
	@NUMBA_BOUNDSCHECK=1 $(RUN)/python -m tests.fuzz --cases $(CASES) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

mutants: $(READY) ## Alter the code that judges and keeps results in memory, and see that tests notice (MODULES=study/store.py)
	@$(RUN)/python tools/mutants.py --jobs $(JOBS) $(MODULES)

notebooks: $(READY) ## Execute the notebooks in place with their defaults and renew the goldens
	@$(RUN)/python tools/notebooks.py

docs: $(READY) ## Build the user guide and the API reference into reports/docs
	@$(RUN)/studylib docs

bench: $(READY) ## Compare speed and memory with other packages (SCALE=1; minutes to hours)
	@$(RUN)/python -m benchmarks --elsewhere --scale $(SCALE)

lab: $(READY) ## Open the notebooks in JupyterLab
	@nice -n 19 $(RUN)/python tools/warm_up.py 2>/dev/null &
	@JUPYTER_CONFIG_PATH="$(CURDIR)/tools/jupyter:$$JUPYTER_CONFIG_PATH" \
	    $(BIN)/jupyter lab --FileContentsManager.preferred_dir=notebooks  # each kernel finds its cache when it starts

data: $(READY) ## Download the data sets into data/ (or $$STUDYLIB_DATA) and verify them
	@$(BIN)/studylib data

wheel: $(READY) ## Build a wheel with compiled kernels for this system and Python into dist/ (DIST=elsewhere)
	@PYTHON="$(BIN)/python" UV="$(BIN)/uv" WHEEL="$(WHEEL)" DIST="$(DIST)" sh tools/wheel.sh

lock: $(READY) ## Upgrade requirements.lock within the ranges of pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --quiet --all-extras --universal --python-version 3.11 --upgrade \
	    --constraint tools/lock.in --no-strip-extras --generate-hashes --no-header --no-annotate \
	    --no-emit-index-url --no-emit-find-links -o requirements.lock  # pip looks for extras by name

clean: ## Remove .venv, compiled kernels, wheels and rendered reports (not data/, not reports/paper/)
	@rm -rf $(VENV) dist .cache .pytest_cache .ruff_cache .hypothesis reports/smoke reports/quick
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml
	@PYTHON="$(PYTHON)" VENV="$(VENV)" UV="$(UV)" sh tools/setup.sh
	@touch $@
	@$(RUN)/python tools/warm_up.py || true
