#!/bin/sh
# Checks formatting, go.mod and dead code, and runs go vet and staticcheck.
set -eu
cd "$(dirname "$0")/.."
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
deadcode=golang.org/x/tools/cmd/deadcode@v0.52.0

CGO_ENABLED=$(sh scripts/cgo.sh)
export CGO_ENABLED
tags=
[ "$CGO_ENABLED" = 1 ] || tags="-tags=noxla"
go="sh scripts/go.sh"

echo "lint: go vet"
$go vet ./...
# These read code as the Go that built them does; alone, go run would take that of their own modules.
GOTOOLCHAIN=$($go env GOVERSION)+auto
GOEXPERIMENT=simd
export GOTOOLCHAIN GOEXPERIMENT
echo "lint: staticcheck"
go run $staticcheck $tags ./...
# Without XLA more is dead.
if [ "$CGO_ENABLED" = 1 ]; then
	echo "lint: dead code"
	DEADCODE="go run $deadcode" sh scripts/deadcode.sh
fi
echo "lint: go.mod and formatting"
go mod tidy -diff
unformatted=$("$(go env GOROOT)/bin/gofmt" -l .)
if [ -n "$unformatted" ]; then
	echo "not formatted (run gofmt -w):" >&2
	echo "$unformatted" >&2
	exit 1
fi
