// Package diff explains how two datasets differ.
//
// [Request] compares two folders and returns a [Difference]. It starts no goroutines.
package diff
