#!/bin/sh
# Runs the go command as talbot needs it: scripts/go.sh build ./cmd/talbot. All build flags stand here.
#
# GOTOOLCHAIN=auto fetches the Go of go.mod, where some images export GOTOOLCHAIN=local. GOEXPERIMENT=simd makes the
# backend go many times faster. With it, math.Exp takes 130 times as long on Intel's processors once the runtime has
# interrupted a goroutine to share the core (it leaves the upper halves of the vector registers in use), so goroutines
# are interrupted only where they call functions; and simd.sh mends what else is wrong with it. XLA and ONNX Runtime need
# cgo: a C compiler that works decides whether they are built in.
set -eu
export GOTOOLCHAIN=auto GOEXPERIMENT=simd
export GOFLAGS="-ldflags=-X=runtime.godebugDefault=asyncpreemptoff=1 ${GOFLAGS:-}"
here=$(dirname "$0")
CGO_ENABLED=${CGO_ENABLED:-$(sh "$here/cgo.sh")}
export CGO_ENABLED
simd=$(sh "$here/simd.sh")
if [ -n "$simd" ]; then
	export GOROOT="$simd/goroot" GOTOOLCHAIN=local GOFLAGS="'-overlay=$simd/overlay.json' $GOFLAGS"
	export PATH="$GOROOT/bin:$PATH"
fi
command=$1
shift
case $CGO_ENABLED/$command in
0/build | 0/install | 0/list | 0/run | 0/test | 0/vet) exec go "$command" -tags noxla "$@" ;;
*) exec go "$command" "$@" ;;
esac
