# What can be done here; `make help` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

# A fresh machine may have Go where its installer puts it but not in the PATH.
export PATH := $(PATH):/usr/local/go/bin

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo development)

.PHONY: help
help: ## list what can be done
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: go
go:
	@command -v go >/dev/null || { echo "Bourse is built with Go 1.26 or later (https://go.dev/dl): 'go' was not found." >&2; exit 1; }

.PHONY: build
build: go web ## build bin/bourse
	@CGO_ENABLED=0 go build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/bourse ./cmd/bourse

# The docs page and those on which people sign in. They are built again only when something they are made of changed.
PAGE := internal/docs/dist/index.html
MODULES := web/docs/node_modules/.package-lock.json

.PHONY: web
web: $(PAGE) ## build the pages that are in the binary

$(PAGE): $(MODULES) $(wildcard web/docs/src/*) $(wildcard web/account/*)
	@cd web/docs && npm run --silent build
	@touch $@ # what did not change is not written

$(MODULES): web/docs/package.json web/docs/package-lock.json web/docs/.npmrc
	@$(MAKE) --no-print-directory node
	@cd web/docs && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: run
run: build ## run a living exchange of your own on http://127.0.0.1:8080 (data in ./data)
	@bin/bourse serve --demo

.PHONY: play
play: build ## play a trading session on the core and print what happens
	@bin/bourse play

# The compiler profile is for the program: where -pgo=off is missing, all that a command imports is compiled a second time.
.PHONY: lint
lint: go $(MODULES) ## check format, vet, staticcheck and types
	@unformatted=$$(go tool gofumpt -l .); test -z "$$unformatted" || { echo "run 'go tool gofumpt -w .' on:"; echo "$$unformatted"; exit 1; }
	go vet -pgo=off ./...
	GOFLAGS="$$(go env GOFLAGS) -pgo=off" go tool staticcheck ./...
	cd web/docs && npm run --silent check

# The core has no goroutines, which a test of internal/rules says, and nothing to race: its tests run with all invariants
# instead. A slow machine needs longer than the ten minutes that Go gives a package.
.PHONY: test
test: lint build needs ## run all checks and tests; what CI runs
	go test -race -pgo=off -timeout 40m $$(go list ./... | grep -v /internal/core)
	go test -tags invariants -timeout 40m ./internal/core/... ./internal/story
	go test -count=1 -timeout 40m -run 'AgainstNaive' ./internal/core -rapid.checks=100
	@$(MAKE) --no-print-directory e2e
	@$(MAKE) --no-print-directory fuzz FUZZTIME=20000x # so many inputs: a time that is up may fail a target that is fine

.PHONY: e2e
e2e: build needs ## drive the program with ccxt, a client that nobody here wrote, and with a browser
	cd e2e && npm test -- --test-reporter=dot

# A node of an Ethereum-like chain for the tests of internal/network/evm: npm brings its binary, beside what e2e needs.
CLIENTS := e2e/node_modules/.package-lock.json

.PHONY: anvil
anvil: $(CLIENTS) ## install what npm brings for the tests: clients, and anvil, a node of an Ethereum-like chain

$(CLIENTS): e2e/package.json e2e/package-lock.json e2e/.npmrc
	@$(MAKE) --no-print-directory node
	@cd e2e && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# What is missing on a Debian machine is installed.
INSTALL = if [ -n "$$missing" ]; then \
		echo "installing$$missing"; \
		sudo=""; test "$$(id -u)" = 0 || sudo=sudo; \
		$$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qq -y --no-install-recommends $$missing >/dev/null; \
	fi

# What a build needs beside Go: Node.js for the docs page.
.PHONY: node
node:
	@missing=""; \
	command -v npm >/dev/null || missing="$$missing nodejs npm"; \
	$(INSTALL)

# What the tests need beyond that: Chromium for the docs page, PostgreSQL for the history, curl,
# openssl and Python for the examples, and nodes of chains.
.PHONY: needs
needs: node btcd bitcoind anvil
	@missing=""; \
	command -v chromium >/dev/null || missing="$$missing chromium"; \
	command -v curl >/dev/null || missing="$$missing curl"; \
	command -v openssl >/dev/null || missing="$$missing openssl"; \
	command -v python3 >/dev/null || missing="$$missing python3"; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || missing="$$missing postgresql"; \
	$(INSTALL)

# Nodes of chains that the tests start. They stand in bin/tools.
BTCD := v0.26.2

.PHONY: btcd
btcd: go
	@go version -m bin/tools/btcd 2>/dev/null | grep -q 'github.com/btcsuite/btcd[[:space:]]*$(BTCD)' || \
		GOBIN=$(CURDIR)/bin/tools go install github.com/btcsuite/btcd@$(BTCD)

.PHONY: bitcoind
bitcoind:
	@deploy/bitcoind.sh bin/tools

.PHONY: chains
chains: go btcd bitcoind ## test the drivers of chains against real nodes
	go test -count=1 -timeout 20m ./internal/network/...

FUZZTIME ?= 60s
.PHONY: fuzz
fuzz: go ## fuzz each target for FUZZTIME (60s, or a number of inputs: 20000x)
	@grep -ro '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' cmd internal | sort | while IFS=: read -r file target; do \
		package=./$$(dirname "$$file") target=$${target#func }; \
		echo "fuzz $$package $$target"; \
		out=$$(go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package 2>&1 </dev/null) || { echo "$$out"; exit 1; }; \
		echo "$$out" | tail -1; \
	done

.PHONY: soak
soak: go ## drive the core against the naive exchange and simulate clusters (CHECKS=100000 each), then watch the demo live (SOAK=1h)
	go test -count=1 -timeout 12h -run 'AgainstNaive' ./internal/core -rapid.checks=$${CHECKS:-100000}
	go test -count=1 -timeout 12h -run TestSimulation ./internal/node -simulations=$${CHECKS:-100000}
	BOURSE_SOAK=$${SOAK:-1h} go test -count=1 -timeout 12h -run TestDemoStaysAlive -v ./internal/demo

.PHONY: marathon
marathon: go ## kill the program KILLS times (1000) and look for what was acknowledged
	BOURSE_KILLS=$${KILLS:-1000} go test -count=1 -timeout 12h -run 'TestMarathon' -v ./internal/drill

.PHONY: siege
siege: go ## attack the program in every way we know, at full size, and say what a neighbour felt (bin/siege.txt)
	@mkdir -p bin
	BOURSE_SIEGE=$(CURDIR)/bin/siege.txt go test -count=1 -timeout 2h -run 'TestSiege' -v ./internal/siege

.PHONY: bench
bench: build ## measure on this machine; ONLY=PREFIX for a part
	@bin/bourse bench --only "$(ONLY)" --json bin/bench.json

.PHONY: pgo
pgo: build ## record the profile of the core that the compiler optimizes by
	@bin/bourse bench --only core --cpuprofile cmd/bourse/default.pgo >/dev/null

PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
.PHONY: dist
dist: build ## pack releases for PLATFORMS into bin/dist, with checksums
	@deploy/dist.sh "$(VERSION)" bin/dist $(PLATFORMS)
	@cat bin/dist/SHA256SUMS

.PHONY: clean
clean: ## remove what was built
	rm -rf bin e2e/node_modules web/docs/node_modules internal/docs/dist/* internal/pages/dist/*
