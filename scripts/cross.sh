#!/bin/sh
# Compiles for the other platforms, without XLA and ONNX Runtime. With types it only checks the types of the program and
# of all that it imports, from the source: a fifth of the time. What that does not see is a function whose assembly is
# missing.
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" = types ]; then
	temp=$(mktemp -d)
	trap 'rm -rf "$temp"' EXIT
	# Reads code as the Go that built it does, and calls the go command.
	GOTOOLCHAIN=$(sh scripts/go.sh env GOVERSION)+auto
	export GOTOOLCHAIN
	GOEXPERIMENT=simd GOBIN=$temp go install "$(sed -n 's/^deadcode=//p' scripts/lint.sh)"
fi
export CGO_ENABLED=0 GOEXPERIMENT=simd
for platform in linux/arm64 darwin/arm64 windows/amd64; do
	echo "cross: $platform"
	export GOOS=${platform%/*} GOARCH=${platform#*/}
	if [ "${1:-}" = types ]; then
		"$temp/deadcode" -tags noxla ./cmd/talbot >"$temp/unused"
	else
		sh scripts/go.sh build -buildvcs=false -o /dev/null ./cmd/talbot
	fi
done
