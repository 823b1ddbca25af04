// Package label has engines evaluate the samples of a dataset.
//
// [Request] reads a dataset, searches its samples and writes another dataset with the labels, shard by shard; each
// label goes into a journal as soon as it exists. Several machines can label a part each ([dataset.Part]), and [Join]
// puts the parts together. [Audit] compares labels with those of much longer searches, and [MeasureNodes] finds how
// many nodes a time limit is worth.
//
// All engines and goroutines end before the calls return.
package label
