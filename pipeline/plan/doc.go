// Package plan estimates what a pipeline over some inputs would take, before any work is done.
//
// [Request] reads the beginnings of the files and returns an [Estimate]. It starts no goroutines.
package plan
