// Package diff explains how two datasets differ.
//
// In go two folders ([Request]), out comes a [Difference]. It starts no goroutines.
package diff
