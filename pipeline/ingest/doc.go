// Package ingest reads games, puzzles, EPD and tables of evaluations into a dataset.
//
// In go files or standard input ([Request]), out come the dataset's folder and a [Summary]; every game or row is kept
// or counted under the reason for which it was left out. It starts its workers and ends them before it returns.
package ingest
