// Package label has engines value the samples of a dataset.
//
// In go a dataset and an engine ([Request]), out comes another dataset with the labels, made shard by shard; labels go
// into a journal as soon as they are made. Several machines label a part each ([Part]), and [Join] puts the parts
// together. [Audit] says how far labels are from better ones, [MeasureNodes] how many nodes a time is worth.
//
// It starts engines and goroutines and ends them before it returns.
package label
