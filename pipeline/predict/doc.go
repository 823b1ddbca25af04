// Package predict stores what a network predicts for the samples of a dataset.
//
// [Request] reads a dataset and writes it again with the priors over the legal moves and the values of an [Evaluator]
// in a column of their own, rounded to 16 bits ([dataset.QuantizedPrior], [dataset.QuantizedValue]). It works shard by
// shard. Within a shard predictions go into a journal as they come, a few hundred samples at a time, so that a killed
// command loses only what was being computed.
//
// The bytes do not depend on interruptions as long as a prediction depends on its position alone.
//
// Two goroutines take turns, so that one encodes positions while the network evaluates those of the other. Both end
// before Run returns.
package predict
