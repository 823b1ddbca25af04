#!/bin/sh
# Checks the code, its types for the other platforms too, and runs all tests: scripts/test.sh -run NAME ./pgn passes flags
# and packages to go test.
set -eu
cd "$(dirname "$0")/.."
echo "test: first what reads the code, a few minutes (go vet, staticcheck, dead code, go.mod, formatting, then the types"
echo "test: of three other platforms); then go test, which takes longer"
sh scripts/lint.sh
sh scripts/cross.sh types
[ $# -gt 0 ] || set -- ./...
# What go test builds stays on the disk.
echo "test: go test $*; most packages take seconds, the longest minutes"
GOTMPDIR=${TMPDIR:-/tmp} TMPDIR=$(sh scripts/tmpdir.sh)
export GOTMPDIR TMPDIR
exec sh scripts/go.sh test -timeout 15m "$@"
