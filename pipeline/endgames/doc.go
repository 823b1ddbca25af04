// Package endgames draws endgames into a dataset.
//
// In goes what to draw ([Request]), out come the dataset's folder and a [Summary]. It starts its workers and ends them
// before it returns.
package endgames
