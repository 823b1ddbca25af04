//go:build !linux

package main

import "math"

// memory is 0: it is not known here.
func memory() int64 { return 0 }

// addressSpace has no limit here.
func addressSpace() uint64 { return math.MaxUint64 }

// fileSystem is 0: it is not known here.
func fileSystem(string) (free, total int64) { return 0, 0 }
