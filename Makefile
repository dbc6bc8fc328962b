# Everything a newcomer needs; each target sets up what it wants by itself.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 2

.PHONY: venv demo test lint types proto bench clean

venv: $(STAMP)

$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is not installed; set PYTHON=..." >&2; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: venv
	$(BIN)/python examples/demo.py demo-output

test: venv lint types
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv
	$(BIN)/mypy

proto: venv
	$(BIN)/python -m grpc_tools.protoc -I proto --python_out=proto --pyi_out=proto --grpc_python_out=proto \
		proto/molokini/proto/v1/*.proto

bench: venv
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo-output bench-output .mypy_cache .ruff_cache .pytest_cache .hypothesis
