#!/bin/sh
# Builds bin/talbot, with XLA and ONNX Runtime where a C compiler is found, and says what it downloads and how far it is.
set -eu
cd "$(dirname "$0")/.."

fail() {
	echo "build: error: $1" >&2
	echo "build: hint: $2" >&2
	exit 1
}

command -v go >/dev/null || fail "go is missing" "install Go 1.25.10 or newer from https://go.dev/dl/"
CGO_ENABLED=${CGO_ENABLED:-$(sh scripts/cgo.sh)}
export CGO_ENABLED
[ "$CGO_ENABLED" = 1 ] || echo "build: no working C compiler found: without XLA and ONNX Runtime (the backend go is always there)"
# Git refuses to describe a folder of another user, which would stop the build.
stamp=false
git status >/dev/null 2>&1 && stamp=auto

# What needs to be compiled is known when all is downloaded; go build -v names each package as it is compiled.
packages=$(sh scripts/go.sh list -deps ./cmd/talbot | wc -l)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
trap 'exit 130' INT TERM
{
	sh scripts/go.sh build -v -buildvcs=$stamp -o bin/talbot ./cmd/talbot 2>&1 || echo $? >"$temp/failed"
} | awk -v all="$packages" '
	/^[a-z0-9.]+(\/[A-Za-z0-9_.~@-]+)*$/ {
		if (++n == 1) print "build: compiling; the first time " all " packages, a few minutes"
		if (n % 100 == 0) print "build: " n " packages compiled"
		next
	}
	{ print }
	{ fflush() }'
[ ! -s "$temp/failed" ] || fail "go build failed" "see above"
echo "build: bin/talbot"
