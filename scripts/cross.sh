#!/bin/sh
# Compiles for the other platforms, without XLA and ONNX Runtime.
set -eu
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
for platform in linux/arm64 darwin/arm64 windows/amd64; do
	echo "cross: $platform"
	GOOS=${platform%/*} GOARCH=${platform#*/} sh scripts/go.sh build -buildvcs=false -o /dev/null ./cmd/talbot
done
