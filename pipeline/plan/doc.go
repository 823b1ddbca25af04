// Package plan estimates what a pipeline over some inputs would take, before any work.
//
// In go files ([Request]), of which it reads the beginnings, out comes an [Estimate]. It starts no goroutines.
package plan
