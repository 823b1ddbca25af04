// Package label has engines evaluate the samples of a dataset.
//
// [Request] reads a dataset, searches its samples and writes another dataset with the labels, shard by shard. A line is
// planned (which of its samples need a search), looked up (which of these searches are known or under way), searched,
// and written when it and all lines before it are complete: lines.go. Each result goes into a journal as soon as it
// exists, keyed by what was searched: journal.go; what is known, from there or from other datasets: known.go. Several
// machines can label a part each ([dataset.Part]), and [Join] puts the parts together. [Audit] compares labels with
// those of much longer searches, and [MeasureNodes] finds how many nodes a time limit is worth.
//
// All engines and goroutines end before the calls return.
package label
