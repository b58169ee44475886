# Set-up, study and tests. `make` or `make help` lists the targets; each one sets up .venv first if needed.

PYTHON   ?= python3
VENV     ?= .venv
PROFILE  ?= quick
JOBS     ?= 2
UV       := uv==0.13.9
BIN      := $(VENV)/bin
READY    := $(VENV)/.ready

# Compiled kernels go to a folder named after the code they were compiled from (numba does not notice
# when a kernel calls another one that has changed in a different file).
RUN := env NUMBA_CACHE_DIR="$$($(BIN)/python -P src/studylib/core/kernel_cache.py)" $(BIN)

.DEFAULT_GOAL := help
.PHONY: help env reproduce test stress notebooks bench lab data lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

env: $(READY) ## Set up .venv with the locked packages

reproduce: $(READY) ## Run the study and render its report (PROFILE=quick|paper|smoke, JOBS=2)
	@$(RUN)/studylib reproduce --profile $(PROFILE) --jobs $(JOBS)

test: $(READY) ## Lint, unit, oracle, property, notebook and golden tests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache
	@$(RUN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

stress: $(READY) ## Kill runner, kernels and workers at 20 random moments of a small study
	@STUDYLIB_KILLS=20 $(RUN)/python -m pytest tests/study/test_kills.py -p no:nbval -o addopts=""

notebooks: $(READY) ## Execute the notebooks at their defaults in place, and renew the goldens
	@$(RUN)/python tools/notebooks.py

bench: $(READY) ## Print speed ratios against scikit-learn
	@$(RUN)/python -m benchmarks.trees
	@$(RUN)/python -m benchmarks.forests
	@$(RUN)/python -m benchmarks.pcf
	@$(RUN)/python -m benchmarks.graf

lab: $(READY) ## Open the notebooks in JupyterLab
	@$(BIN)/jupyter lab notebooks  # each kernel finds its cache when it starts

data: $(READY) ## Download the data sets into data/ (or $$STUDYLIB_DATA) and check them
	@$(BIN)/studylib data

lock: $(READY) ## Resolve requirements.lock and environment.yml anew from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --quiet --all-extras --universal --python-version 3.11 --upgrade \
	    --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links -o requirements.lock

clean: ## Remove .venv, compiled kernels and rendered reports (not data/, not reports/paper/)
	@rm -rf $(VENV) .cache .pytest_cache .ruff_cache .hypothesis reports/smoke reports/quick
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml
	@PYTHON="$(PYTHON)" VENV="$(VENV)" UV="$(UV)" sh tools/setup.sh
	@touch $@
