//go:build goexperiment.simd && amd64

package backend

// SIMD reports whether the Go backend was built with vector instructions.
const SIMD = true
