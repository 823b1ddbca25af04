#!/bin/sh
# Checks the code, its types for the other platforms too, and runs all tests: scripts/test.sh -run NAME ./pgn passes flags
# and packages to go test.
set -eu
cd "$(dirname "$0")/.."
sh scripts/lint.sh
sh scripts/cross.sh types
[ $# -gt 0 ] || set -- ./...
# What go test builds stays on the disk.
echo "test: go test $*; most packages take seconds, the longest minutes"
GOTMPDIR=${TMPDIR:-/tmp} TMPDIR=$(sh scripts/tmpdir.sh)
export GOTMPDIR TMPDIR
exec sh scripts/go.sh test -timeout 15m "$@"
