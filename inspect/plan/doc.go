// Package plan estimates what a pipeline over some inputs would take, before any work is done.
//
// [Request] reads the beginnings of the files, runs on them what reads a whole dataset, and returns an [Estimate].
package plan
