# The front door. `make demo` and `make test` work as the first command in a fresh clone: they create .venv and build.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUST   := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
OUT    ?= demo
MACHINE := $(shell uname -m)
FUZZ_S ?= 60

# Tests start hundreds of processes: each would compile the package again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: docs gallery worst-paths images help demo dev stacks verify-stacks quick test rust-tests python-tests quick-claims check rust-check python-check wheel sbom wasm bench peers verify fuzz format generate baselines clean

help:
	@echo "make demo    simulate the demo experiment on the Abilene backbone and write $(OUT)/report.html"
	@echo "make dev     build after an edit of the Rust sources, quickly: a little slower to run, equal results;"
	@echo "             FEATURES=s2n adds s2n-cubic and s2n-bbr2"
	@echo "make stacks  build with whole transport stacks: stack:quinn/cubic, stack:noq/bbr3, stack:smoltcp/cubic ...;"
	@echo "             QUINN=../quinn takes a checkout in place of the pinned version; so do NOQ and SMOLTCP"
	@echo "make quick   lints, types and the tests that start no process: after every edit, under a minute"
	@echo "make test    all tests"
	@echo "make check   formatting, lints, types, language and licences of dependencies"
	@echo "make wheel   source distribution, and wheels for Linux with glibc and with musl, in dist"
	@echo "make sbom    software bill of materials (CycloneDX), target/mesonet.cdx.json"
	@echo "make wasm    the simulator for browsers, after a change of the Rust sources: into python/mesonet/browser/built"
	@echo "make generate  reference pages and schemas from the code"
	@echo "make baselines  numbers of all algorithms for mesonet conform, after a change that moves results"
	@echo "make docs    documentation site, offline: target/docs/site/index.html"
	@echo "make images  pictures of the README, after a change that moves results or pages; needs Chromium"
	@echo "make gallery pictures and page of docs/gallery from its entries"
	@echo "make worst-paths  matrix of docs/worst-paths: under an hour on two cores"
	@echo "make bench   benchmarks, appended to benches/RESULTS.md"
	@echo "make peers   the same workloads beside ns-2 and ns-3, where those are installed"
	@echo "make fuzz    random changes of every kind of input file, for FUZZ_S=60 s"
	@echo "make verify  slow checks against theory and published results"

demo: $(VENV)/.run
	$(BIN)/mesonet experiment run demo --out "$(OUT)"
	$(BIN)/mesonet report "$(OUT)"

# The builds that others depend on count as made: `touch` a Rust file to get the build of users back.
dev: $(VENV)/bin/maturin
	PIP_QUIET=1 $(BIN)/maturin develop --profile dev-fast --extras test --quiet $(if $(FEATURES),--features $(FEATURES))
	@touch $(VENV)/.run $(VENV)/.test

# Stacks draw from the seed of the run: the crate getrandom calls a function of crates/stacks. These flags build every
# crate once more, in a folder of their own. QUINN, NOQ and SMOLTCP name checkouts in place of the pinned versions.
CHECKOUTS := $(if $(QUINN),--quinn "$(QUINN)") $(if $(NOQ),--noq "$(NOQ)") $(if $(SMOLTCP),--smoltcp "$(SMOLTCP)")
CHECKOUTS := $(strip $(CHECKOUTS))
OF_STACKS := RUSTFLAGS='--cfg getrandom_backend="custom"'
stacks: $(if $(CHECKOUTS),$(VENV)/.test,$(VENV)/bin/maturin)
ifneq ($(CHECKOUTS),)
	$(BIN)/python -m supply.stacks $(CHECKOUTS)
else
	$(OF_STACKS) PIP_QUIET=1 $(BIN)/maturin develop --release --extras test --quiet --features stacks --target-dir target/stacks
endif
	@touch $(VENV)/.run $(VENV)/.test

verify-stacks:
	$(OF_STACKS) cargo test --package mesonet-stacks --features quinn,noq,smoltcp --target-dir target/stacks --quiet

quick: $(VENV)/.test
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n logical --dist worksteal -m "not slow and not process and not browser"

# Two at once where one of them keeps one processor busy for most of its time: the builds, and the quick claims.
test:
	@$(MAKE) --no-print-directory -j2 $(VENV)/.test rust-tests
	cargo test --workspace --quiet
	@$(MAKE) --no-print-directory -j2 python-tests quick-claims

# Two at once: Clippy builds crates that wait for each other, and mypy keeps one processor busy.
check: $(VENV)/.test
	@$(MAKE) --no-print-directory -j2 rust-check python-check

# Zig links against an old glibc, and against musl, on any Linux.
wheel: export PATH := $(CURDIR)/$(BIN):$(PATH)
wheel: $(VENV)/bin/maturin
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ziglang
	rustup target add $(MACHINE)-unknown-linux-musl 2>/dev/null || true
	$(BIN)/maturin build --release --quiet --zig --compatibility manylinux2014 --out dist
	$(BIN)/maturin build --release --quiet --zig --target $(MACHINE)-unknown-linux-musl --compatibility musllinux_1_2 --out dist
	$(BIN)/maturin sdist --out dist

sbom: $(VENV)/.test
	@mkdir -p target
	$(BIN)/python -m supply.sbom target/mesonet.cdx.json

# Needs `rustup target add wasm32-unknown-unknown` and wasm-bindgen; WASM_BINDGEN names a command that is not in PATH.
wasm:
	$(PYTHON) -m supply.wasm

format: $(VENV)/.test
	cargo fmt --all
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

generate: $(VENV)/.test
	$(BIN)/python docs/generate.py

# Warnings are errors. The sample report is made again after a change of the code.
SAMPLE := experiment run demo --duration "10 s" --out target/docs/sample
docs: $(VENV)/.docs
	$(BIN)/mesonet $(SAMPLE) > /dev/null 2>&1 || { rm -rf target/docs/sample; $(BIN)/mesonet $(SAMPLE) > /dev/null; }
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --nitpicky -c docs/sphinx . target/docs/site
	@mkdir -p target/docs/site/sample
	$(BIN)/mesonet report target/docs/sample --out target/docs/site/sample/report.html > /dev/null
	$(BIN)/python docs/sphinx/check_links.py target/docs/site

# Numbers of all algorithms that `mesonet conform` compares with: after a change that moves results. Ten minutes.
baselines: $(VENV)/.test
	for name in $$($(BIN)/python -c "from mesonet import core; print(*core.algorithms())"); do \
	  $(BIN)/mesonet conform $$name --write-baseline python/mesonet/conform/baselines/$$name.json || exit 1; \
	done

images: $(VENV)/.test
	$(BIN)/python docs/images/make.py target/docs/demo

gallery: $(VENV)/.test
	$(BIN)/python docs/gallery/make.py

worst-paths: $(VENV)/.test
	$(BIN)/python docs/worst-paths/make.py

bench: $(VENV)/.test
	$(BIN)/python benches/run.py
	$(BIN)/python benches/acknowledgements.py
	$(BIN)/python benches/plugins.py
	$(BIN)/python benches/batches.py
	$(BIN)/python benches/captures.py
	$(BIN)/python benches/score.py
	$(BIN)/python benches/wasm.py
	$(BIN)/python benches/instructions.py
	$(BIN)/python benches/threads.py
	$(BIN)/python benches/goals.py
	$(BIN)/python benches/peers.py "45 Mb/s" "2,000 web flows"
	cd benches/kernels && cargo bench --quiet
	$(BIN)/python benches/campaign.py
	$(BIN)/python benches/evidence.py

peers: $(VENV)/.test
	$(BIN)/python benches/peers.py

rust-tests:
	cargo test --workspace --quiet --no-run

rust-check:
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

python-check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_language.py tests/test_docstrings.py
	$(BIN)/python -m supply.check

python-tests: $(VENV)/.test
	$(BIN)/python -m pytest -n $(shell $(BIN)/python -c "from mesonet.processes import processors; print(processors() + 2)") --dist worksteal

quick-claims: $(VENV)/.test
	rm -rf target/verify
	$(BIN)/mesonet verify --quick --campaigns target/verify > /dev/null || { echo "quick claims failed" >&2; exit 1; }

verify: $(VENV)/.test
	cargo test --workspace --quiet -- --ignored
	cargo test --package mesonet-production --features s2n --quiet
	@$(MAKE) --no-print-directory verify-stacks
	$(BIN)/python -m pytest --timeout 1800 verification
	cargo check --quiet --manifest-path fuzz/Cargo.toml
	cargo check --quiet --benches --manifest-path benches/kernels/Cargo.toml

# Passes of 2000 new changes of every kind of file for FUZZ_S seconds, then the contract of congestion controls and the
# readers of captures, which need a nightly compiler and cargo-fuzz.
fuzz: $(VENV)/.test
	end=$$(($$(date +%s) + $(FUZZ_S))); while :; do \
	  HYPOTHESIS_PROFILE=search $(BIN)/python -m pytest -n logical --timeout 1800 tests/test_fuzz.py || exit 1; \
	  [ $$(date +%s) -lt $$end ] || break; \
	done
	@if cargo +nightly fuzz --version > /dev/null 2>&1; \
	  then mkdir -p fuzz/corpus/captures; cargo +nightly fuzz run contract -- -max_total_time=$(FUZZ_S) && \
	  cargo +nightly fuzz run captures fuzz/corpus/captures tests/captures -- -max_total_time=$(FUZZ_S); \
	  else echo "no cargo-fuzz: neither controls nor readers of captures were fuzzed by coverage"; fi

clean:
	rm -rf target $(VENV) python/mesonet/_core*.so

# The environment: once for users, with the test tools on top for developers. Building again after a change of the
# Rust sources is part of both.
$(VENV)/bin/maturin:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "mesonet needs Python 3.11 or later; name one with: make PYTHON=python3.12 ..." >&2; exit 2; }
	@command -v cargo >/dev/null || { echo "mesonet needs Rust (cargo) to build its simulator" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'maturin>=1.7,<2'

$(VENV)/.run: $(VENV)/bin/maturin pyproject.toml $(RUST)
	PIP_QUIET=1 PIP_NO_COMPILE=1 $(BIN)/maturin develop --release --quiet --extras viz
	@touch $@

$(VENV)/.test: $(VENV)/bin/maturin pyproject.toml $(RUST)
	PIP_QUIET=1 PIP_NO_COMPILE=1 $(BIN)/maturin develop --release --quiet --extras test
	@touch $@ $(VENV)/.run

$(VENV)/.docs: $(VENV)/.test
	PIP_QUIET=1 PIP_NO_COMPILE=1 $(BIN)/maturin develop --release --quiet --extras test,docs
	@touch $@
