# Everything a newcomer needs; each target sets up what it wants by itself.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CLIENTS := .venv-clients
# One more than cores: tests that wait share a worker.
WORKERS ?= $(shell expr $$(nproc) + 1)
PART ?= 1/8
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder -q --minutes
HOURS ?= 8
ROUNDS ?= 3

.PHONY: venv clients clients-deep system demo dist man pages pictures test quick deep explore lint types proto bench beside-slurm fidelity torture-short torture clean

venv: $(STAMP)

$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is not installed; set PYTHON=..." >&2; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable '.[dev]'
	@# On all cores, which pip does not do; not what no test of ours imports. Some of it is no Python 3.11, and does not matter.
	-@$(BIN)/python -m compileall -q -j 0 -x '/(tests?|pip|mypy)/' $(VENV)/lib >/dev/null 2>&1
	touch $@

# Programs of others that call qsub, bsub and sbatch, for the tests that run them as they are; in an environment of
# their own, since what they need is none of our business. Without it these tests skip by name.
clients: $(CLIENTS)/.installed

$(CLIENTS)/.installed: tests/third_party/requirements.txt
	$(call install_clients,$<)

# More of them, 350 MB.
clients-deep: $(CLIENTS)/.installed-deep

$(CLIENTS)/.installed-deep: tests/third_party/requirements-deep.txt
	$(call install_clients,$<)
	-@touch $(CLIENTS)/.installed

define install_clients
-@test -x $(CLIENTS)/bin/python || $(PYTHON) -m venv $(CLIENTS)
-@$(CLIENTS)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -r $< && touch $@ \
	|| echo "make: clients of other projects could not be installed; their tests will skip" >&2
endef

# What some tests need beside Python; without root, or without the packages, they skip by name.
system:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& ! { ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && command -v strace >/dev/null \
			&& command -v chromium >/dev/null; }; then \
		mkdir -p /etc/postgresql-common; \
		echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf; \
		apt-get update -qq; \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql strace \
			chromium >/dev/null \
			|| echo "make: PostgreSQL, strace or Chromium could not be installed; their tests will skip" >&2; \
	fi

# The wheel and the source distribution, in dist/.
dist: venv
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist

# Man pages of all commands: MANPATH=build/man man molokini
man: venv
	$(BIN)/python -m molokini.clients.manual build/man

# Documents that are made from code.
pages: venv
	mkdir -p build
	$(BIN)/python -m tests.architecture.faces > build/page && mv build/page docs/api.md
	$(BIN)/python -m molokini.compat.table > build/page && mv build/page docs/batch-commands.md
	$(BIN)/python -m molokini.server.config.documentation > build/page && mv build/page docs/configuration.md
	$(BIN)/python -m molokini.model.field_pages > build/page && mv build/page docs/job-fields.md

# Every view of the page, narrow and wide, light and dark, in build/pictures
pictures: venv system
	$(BIN)/python -m tests.page.pictures build/pictures

# Python that has the programs of others, for the tests that run them.
WITH_CLIENTS = if [ -e $(CLIENTS)/.installed ]; then \
	export MOLOKINI_CLIENTS_PYTHON="$(abspath $(CLIENTS))/bin/python"; fi;

demo: venv
	$(BIN)/python examples/demo.py demo-output

# What guards a promise, in ten minutes; lint and types run beside the tests.
test: venv clients system
	$(MAKE) --no-print-directory -j3 lint types quick

quick:
	$(BIN)/python -m tests.kit.compiling
	$(WITH_CLIENTS) $(PYTEST) -m "not deep"

# The same properties with many examples, whole logs, long stories, torture; in parts: make deep PART=3/8
deep: export MOLOKINI_DEEP = 1
deep: venv clients-deep system
	$(BIN)/python -m tests.kit.compiling
	$(WITH_CLIENTS) $(PYTEST) -m "deep or hypothesis" --part $(PART) \
		|| { echo "make: this repeats it: make deep PART=$(PART)" >&2; exit 1; }

# New examples of every property; make test draws the same ones each time.
explore: venv system
	for round in $$(seq $(ROUNDS)); do \
		$(PYTEST) -m hypothesis --hypothesis-profile=anew || exit 1; \
	done

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv
	$(BIN)/mypy

proto: venv
	$(BIN)/python -m grpc_tools.protoc -I proto --python_out=proto --pyi_out=proto --grpc_python_out=proto \
		proto/molokini/proto/v1/*.proto
	mkdir -p build
	$(BIN)/python -m molokini.proto.repeating > build/module && mv build/module clients/molokini/compat/repeating.py

bench: venv
	$(BIN)/python -m benchmarks

# Command lines beside Debian's Slurm 22.05, on loopback, by hand: what differs, and docs/beside-slurm.md.
beside-slurm: venv
	$(BIN)/python -m benchmarks.beside docs/beside-slurm.md

# Small jobs through Debian's Slurm 22.05 on loopback, twice, and our replays of both: docs/slurm-fidelity.md.
fidelity: venv
	$(BIN)/python -m benchmarks.fidelity docs/slurm-fidelity.md

# Real processes, real kills: ten minutes, or as long as HOURS says.
torture-short: venv system
	$(BIN)/python -m tests.torture.real_kills --kills 100
	$(BIN)/python -m tests.torture --minutes 10

torture: venv system
	$(BIN)/python -m tests.torture.real_kills --kills 100
	$(BIN)/python -m tests.torture --minutes $$(( $(HOURS) * 60 ))

clean:
	rm -rf $(VENV) $(CLIENTS) build dist demo-output bench-output .mypy_cache .ruff_cache .pytest_cache .hypothesis
