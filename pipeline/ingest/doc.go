// Package ingest reads games, puzzles, EPD and tables of evaluations into a dataset.
//
// [Request] reads files or standard input, writes the dataset's folder and returns a [Summary]. Every game or row is
// kept, or counted under the reason why it was left out. The workers end before Run returns.
package ingest
