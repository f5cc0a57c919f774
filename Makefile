# SPDX-License-Identifier: Apache-2.0
# make         build/bin/tacho and build/dropin/, quick to build; what is installed is optimised further
# make demo    build, and look at an example
# make test    build, and run the tests that every change has to pass; FRESH=1: also if nothing has changed
# make test ROOM=questions  a room of docs/design.md: its unit tests, the suites and golden cases that cover it
# make check   make test, then once more with clang under sanitizers, and the fuzzers on their seeds; what CI does
# make bench   speed, memory and size against the bars of docs/performance.md
# make oracle  values of models against ONNX Runtime, Parquet files and traces against other engines, all of
#              which npm fetches for the moment, and every suite of kernels with every instruction set that the
#              computer has
# make check-schedules  every model on every machine against the rules of docs/schedules.md
# make torture the long tests, everything under sanitizers, fuzzers, every failing call in every verb, valgrind,
#              two builds that must be equal
# make fuzz    each fuzzer for FUZZ_SECONDS (default 60)
# make board   the runtime of aarch64 boards for 'tacho run --host', with Debian's cross compiler
# make wheel   the Python package with the library inside, to build/wheel
# make install PREFIX=/usr/local  program, library, man pages, completions, Python package
# Each installs the Debian packages it needs where they are missing. Without a judge that the archive does
# not have, the tests that need it are skipped, and named.
.DEFAULT_GOAL := all
.PHONY: all ship demo board wheel test check torture bench oracle check-schedules fuzz install format clean build-packages test-packages check-packages bench-packages

BUILD_PACKAGES = gcc libc6-dev cmake ninja-build pkg-config zlib1g-dev libzstd-dev liblz4-dev libsqlite3-dev python3
BUILD_EXTRAS = libdnnl-dev scdoc
TEST_PACKAGES = libcmocka-dev
TEST_JUDGES = clang libjansson-dev g++ protobuf-compiler jq sqlite3 mandoc \
              zstd gzip util-linux locales mlir-NN-tools chromium python3-onnx python3-pytest libonnx-testdata \
              python3-numpy python3-pandas python3-venv mypy python3-pytest-xdist $(WHEEL_PACKAGES) \
              openssh-server openssh-client openmpi-bin libopenmpi-dev slurm-wlm munge \
              ocl-icd-opencl-dev opencl-headers pocl-opencl-icd clinfo clpeak
CHECK_PACKAGES = clang libclang-rt-dev
WHEEL_PACKAGES = python3-build python3-wheel python3-setuptools
BOARD_PACKAGES = gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static openssh-server openssh-client
BENCH_PACKAGES = libsimdjson-dev g++ mawk python3-numpy python3-pandas
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

build-packages:
	@tools/install_packages.sh $(BUILD_PACKAGES)
	@tools/install_packages.sh --optional $(BUILD_EXTRAS)

test-packages: build-packages
	@tools/install_packages.sh $(TEST_PACKAGES)
	@tools/install_packages.sh --optional $(TEST_JUDGES)

check-packages: test-packages
	@tools/install_packages.sh $(CHECK_PACKAGES)

bench-packages: build-packages
	@tools/install_packages.sh $(BENCH_PACKAGES)

all: build-packages
	@cmake --preset release $(if $(wildcard build/CMakeCache.txt),,-DTACHO_TESTS=OFF) >/dev/null
	@cmake --build build --target product

# What is installed and measured: optimised as a whole when it is linked, which takes minutes.
ship: build-packages
	@cmake --preset ship -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build build-ship

demo: all
	@bash tools/demo.sh build

test: test-packages
	@bash tools/test.sh $(if $(filter undefined,$(origin ROOM)),,--room "$(ROOM)")

check: test
	@$(MAKE) --no-print-directory check-packages
	@bash tools/test.sh --sanitizers

torture: check-packages
	@tools/install_packages.sh valgrind
	@bash tools/torture.sh $(TORTURE_STAGES)

bench: bench-packages
	@cmake --preset ship -DTACHO_BENCH=ON >/dev/null
	@cmake --build build-ship
	@bash bench/run.sh build-ship/bin $(BENCH_FLAGS)

oracle: test-packages
	@{ command -v node && command -v npm; } >/dev/null || tools/install_packages.sh nodejs npm
	@cmake --preset release -DTACHO_TESTS=ON -DTACHO_BENCH=ON >/dev/null
	@cmake --build build
	@ctest --test-dir build -C Oracle -R '^isa_all' --output-on-failure --no-tests=error
	@bash tools/oracle.sh build $(ORACLE_FLAGS)
	@tools/oracle_parquet.sh build
	@tools/oracle_perfetto.sh build

check-schedules: all
	@python3 tests/schedule/check_schedules.py build/bin/tacho --made ../shared/data/models ../shared/data/mlir \
	    $(CHECK_FLAGS)

fuzz: check-packages
	@bash tools/fuzz.sh $(FUZZ_SECONDS)

# Installed beside the program of build/, where it is found, and where 'make install' takes it from.
board: all ship
	@tools/install_packages.sh $(BOARD_PACKAGES)
	@cmake --preset board >/dev/null
	@cmake --build build-board
	@cmake --install build-board --prefix build >/dev/null
	@cmake --install build-board --prefix build-ship >/dev/null
	@bash tests/remote/run.sh build --machine aarch64
	@ls build/lib/tacho/board-aarch64

wheel: ship
	@tools/install_packages.sh $(WHEEL_PACKAGES)
	@bash tools/wheel.sh build-ship build/wheel
	@ls build/wheel/*.whl

install: ship
	@cmake --install build-ship --prefix $(PREFIX)

format: test-packages
	@tools/install_packages.sh clang-format
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-ship build-board build-debug build-asan build-tsan build-msan build-fuzz build-coverage
