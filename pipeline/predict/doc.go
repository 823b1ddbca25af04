// Package predict asks a network about the samples of a dataset.
//
// In go a dataset and an [Evaluator], out comes the same dataset with the network's priors over the legal moves and its
// values in a column of their own, rounded to 16 bits ([dataset.QuantizedPrior], [dataset.QuantizedValue]). It is made
// shard by shard; within a shard answers go into a journal as they come, some hundred samples at a time, so that a
// killed command loses what was being computed and asks nothing twice.
//
// The bytes do not depend on interruptions as long as an answer depends on its position alone.
//
// The package starts two goroutines, one of which prepares questions while the network answers those of the other, and
// ends them before Run returns.
package predict
