# Vera's commands. `make demo` and `make test` do everything on a fresh machine.

PORT ?= 8000
VENV := .venv
PY := $(VENV)/bin/python
PYTEST := $(PY) -m pytest -n $(or $(TEST_PROCESSES),2) --dist loadgroup
# pip's own byte-compiling takes longer than the download; Python compiles what is imported, when it is.
PIP := $(PY) -m pip install --disable-pip-version-check --quiet --no-compile --require-hashes
# The browser tests look for barriers with axe-core, fetched by npm and checked against this sum.
AXE := 4.14.1
AXE_SHA256 := e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745
export LITELLM_LOCAL_MODEL_COST_MAP := True
# Compiled modules are kept, whatever the environment says: without, each worker compiles 3 000 files when it starts.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check soak bench screenshots run worker migrate format requirements clean

demo: $(VENV)/.installed ## the example, running: pages, worker, scripted jurors
	$(PY) manage.py demo --port $(PORT)

test: $(VENV)/.installed-dev $(VENV)/axe/$(AXE).js ## all tests, on SQLite or on DATABASE_URL and REDIS_URL where they are set
	$(PYTEST)

soak: $(VENV)/.installed-dev ## long runs, everything killed on the way, on servers of its own; ONLY=outage: one part
	env -u DATABASE_URL -u REDIS_URL $(PY) -m pytest -n 0 -s tests/faults/soak_runs.py tests/faults/soak_memory.py \
		$(if $(ONLY),-k "$(ONLY)")

bench: $(VENV)/.installed-dev ## measure against baselines, write docs/benchmarks.md; ONLY=import: one part; FULL=1: 100 000 rows, too
	env -u DATABASE_URL -u REDIS_URL $(PY) -m tests.benchmarks --only "$(ONLY)" $(if $(SMALL),--small) $(if $(FULL),--full)

screenshots: $(VENV)/.installed-dev ## take the README's pictures from a demo of their own; needs Chromium
	$(PY) -m demo.pictures

check: $(VENV)/.installed-dev ## style, types, import contracts, templates, migrations, deploy check
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/djlint templates --lint --quiet
	$(PY) manage.py makemigrations --check --dry-run
	VERA_PRODUCTION=1 VERA_HOSTS=vera.example.org VERA_SECRET_KEY=$$($(PY) -c "import secrets; print(secrets.token_urlsafe(60))") \
		$(PY) manage.py check --deploy --fail-level WARNING

run: $(VENV)/.installed migrate ## the pages at http://127.0.0.1:8000
	$(VENV)/bin/granian --interface wsgi --host 127.0.0.1 --port $(PORT) --workers 2 \
		--workers-kill-timeout 5 --blocking-threads 1 vera_site.wsgi:application

worker: $(VENV)/.installed ## a worker
	$(VENV)/bin/celery -A vera_site worker

migrate: $(VENV)/.installed
	$(PY) manage.py migrate --verbosity 0

format: $(VENV)/.installed-dev
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

requirements: ## lock the dependencies again (needs uv)
	uv pip compile -q --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.12 \
		--universal pyproject.toml -o requirements.txt
	uv pip compile -q --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.12 \
		--universal --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt

clean:
	rm -rf $(VENV) var .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The first Python that is new enough, or a sentence that says what to install.
$(PY):
	@for python in python3 python3.14 python3.13 python3.12; do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then \
			echo "Making $(VENV) with $$($$python --version)"; exec $$python -m venv $(VENV); \
		fi; \
	done; \
	echo "Vera needs Python 3.12 or newer, and none was found. Install one (such as Debian's python3.13) and try again." >&2; \
	exit 1

$(VENV)/.installed: requirements.txt | $(PY)
	@echo "Installing the locked requirements"
	@$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt | $(PY)
	@echo "Installing the locked requirements for development"
	@$(PIP) -r requirements-dev.txt
	@touch $@ $(VENV)/.installed

# Only the one file that tests load into pages, and only where its package is the one that was pinned.
AXE_PACKAGE := $(VENV)/axe/axe-core-$(AXE).tgz
$(VENV)/axe/$(AXE).js: | $(PY)
	@command -v npm >/dev/null || { \
		echo "The browser tests need axe-core, which npm fetches. Install npm (such as Debian's npm) and try again." >&2; exit 1; }
	@echo "Fetching axe-core $(AXE)"
	@rm -rf $(@D) && mkdir -p $(@D)
	@npm pack --silent --ignore-scripts --pack-destination $(@D) axe-core@$(AXE) >/dev/null || { \
		echo "npm could not fetch axe-core $(AXE). Look at what \"npm pack axe-core@$(AXE)\" says." >&2; exit 1; }
	@$(PY) -c "import hashlib, sys; sys.exit(hashlib.sha256(open('$(AXE_PACKAGE)', 'rb').read()).hexdigest() != '$(AXE_SHA256)')" || { \
		echo "What npm fetched is not the axe-core $(AXE) that was pinned: its SHA-256 differs." >&2; exit 1; }
	@tar -xzf $(AXE_PACKAGE) -C $(@D) package/axe.min.js && mv $(@D)/package/axe.min.js $@
