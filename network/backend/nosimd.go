//go:build !(goexperiment.simd && amd64)

package backend

// SIMD tells whether the Go backend was built with vector instructions.
const SIMD = false
