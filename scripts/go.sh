#!/bin/sh
# Runs the go command as talbot needs it: scripts/go.sh build ./cmd/talbot. All build flags stand here.
#
# GOTOOLCHAIN=auto fetches the Go of go.mod, where some images export GOTOOLCHAIN=local. GOEXPERIMENT=simd makes the
# backend go many times faster. XLA and ONNX Runtime need cgo: a C compiler that works decides whether they are built in.
set -eu
export GOTOOLCHAIN=auto GOEXPERIMENT=simd
here=$(dirname "$0")
CGO_ENABLED=${CGO_ENABLED:-$(sh "$here/cgo.sh")}
export CGO_ENABLED
command=$1
shift
case $CGO_ENABLED/$command in
0/build | 0/install | 0/list | 0/run | 0/test | 0/vet) exec go "$command" -tags noxla "$@" ;;
*) exec go "$command" "$@" ;;
esac
