// Package overlap counts different positions, copies of positions, and positions that splits have in common.
//
// [Count] counts them by the keys of positions ([dataset.Keys]). It alone starts goroutines, which end before it
// returns.
package overlap
