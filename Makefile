# Everything that is done to this repository is one of these targets. Only Go is
# needed: tools are pinned in tools/go.mod and built into the build cache at
# their first use.
SHELL := /bin/bash
.DEFAULT_GOAL := help

GO   ?= go
TOOL := $(GO) tool -modfile=tools/go.mod

# Knobs: `make fuzz FUZZTIME=10m`.
FUZZTIME     ?= 30s
BENCH        ?= .
BENCHTIME    ?= 1s
ORACLE_CASES ?= 100000
MUTANTS      ?= all
KILLS        ?= 20
SEED         ?= 0

# The race detector needs a C compiler; without one the tests run all the same.
RACE := $(shell command -v $${CC:-cc} >/dev/null 2>&1 && echo -race)

# Small packages with goroutines and state run under the race detector; the
# oracle's searches would take ten times as long there and start no goroutine.
RACE_FREE := /placer/placertest$$

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z0-9_-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

.PHONY: build
build: ## build the commands into bin/
	$(GO) build -trimpath -o bin/ ./cmd/...

.PHONY: demo
demo: ## place real gangs on a small cluster, here, in two seconds
	$(GO) run ./cmd/hopwise demo

.PHONY: generate
generate: third_party ## regenerate the Go code of the contract
	$(TOOL) buf format -w proto
	$(TOOL) buf generate

.PHONY: third_party
third_party: ## fetch what the contract's files import (not committed)
	@.ci/third-party

.PHONY: fmt
fmt: ## format Go and the contract
	gofmt -w $$(.ci/go-files)
	$(TOOL) buf format -w proto

.PHONY: lint
lint: third_party ## run the linters
	$(TOOL) golangci-lint run ./...
	$(TOOL) buf lint

.PHONY: test
test: ## run all tests, with the race detector where it pays
	$(GO) vet ./...
	@[ -n '$(RACE)' ] || echo 'no C compiler: testing without the race detector'
	$(GO) test $(RACE) $$($(GO) list ./... | grep -v '$(RACE_FREE)')
	$(GO) test $$($(GO) list ./... | grep '$(RACE_FREE)')

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (30s)
	@FUZZTIME=$(FUZZTIME) .ci/fuzz

.PHONY: bench
bench: ## run the engine's benchmarks (BENCH, BENCHTIME)
	$(GO) test ./placer/... -run '^$$' -bench '$(BENCH)' -benchtime '$(BENCHTIME)' -benchmem -timeout 60m

.PHONY: oracle
oracle: ## hold the engine to exhaustive search on ORACLE_CASES (100,000) clusters
	ORACLE_CASES=$(ORACLE_CASES) $(GO) test ./placer/placertest -run Oracle -v -count 1 -timeout 120m

.PHONY: mutants
mutants: ## break the engine on purpose, one way at a time: each must be caught (MUTANTS=part of a name)
	MUTANTS='$(MUTANTS)' $(GO) test ./internal/house -run '^TestMutants$$' -v -count 1 -timeout 120m

.PHONY: verify
verify: verify-format lint verify-generated verify-tidy verify-licences verify-contract verify-vulns ## all that CI checks beside the tests

.PHONY: verify-format
verify-format:
	@out=$$(gofmt -l $$(.ci/go-files)); [ -z "$$out" ] || { echo "not formatted (make fmt):"; echo "$$out"; exit 1; }

.PHONY: verify-generated
verify-generated: third_party
	@.ci/fresh

.PHONY: verify-tidy
verify-tidy:
	$(GO) mod tidy -diff
	$(GO) -C tools mod tidy -diff

.PHONY: verify-licences
verify-licences:
	$(GO) test ./internal/house -run '^TestLicences$$' -count 1

.PHONY: verify-contract
verify-contract: third_party
	@.ci/breaking

.PHONY: verify-vulns
verify-vulns:
	@.ci/vulns

.PHONY: e2e
e2e: ## tests on a real control plane (comes later)
	@echo "e2e: comes later, with the Kubernetes source" >&2; exit 2

.PHONY: crash
crash: ## kill the server KILLS (20) times under load; nothing acknowledged may be lost (SEED)
	$(GO) test ./server/ledger/ledgertest -run '^TestCrash$$' -count 1 -timeout 60m -v -kills=$(KILLS) -seed=$(SEED)

.PHONY: bench-server
bench-server: ## durable placements a second beside empty calls, at 10,000 nodes, 64 callers and 1
	$(GO) test ./server -run '^$$' -bench '^BenchmarkDurable$$' -benchtime $(BENCHTIME) -timeout 30m
