// Package overlap counts different positions, copies of positions, and positions that splits have in common.
//
// In go the keys of positions ([dataset.Keys]), out come counts. It starts goroutines only in [Count], and ends them
// before that returns.
package overlap
