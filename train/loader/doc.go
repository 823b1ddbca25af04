// Package loader reads datasets for training and evaluation.
//
// From the folders of datasets, each with its share ([Spec]), it makes a [train.Source] of batches
// ([Loader]), the fixed batches of validation ([Survey.Val]) and the samples of a split ([Data.Samples]). A sample
// without value label has only its policy target, and the other way round; one with neither is left out and counted.
//
// # Order of training
//
// What is drawn depends on the data, the seed and the shares alone, not on the number of workers. Each dataset is a
// stream of its own that gives every usable train sample exactly once an epoch: the blocks of all its shards, or parts
// of them where a group has few blocks, are permuted, put into groups of about the same size and up to a million
// samples, and the samples of a group are permuted. A draw first picks the dataset by its share. A [State] is a place
// in all streams, so a restored loader continues at the same sample.
//
// # Cost
//
// A [Data.Survey] reads all of the data once before training: only then are counts exact. The pieces of a group are
// replayed line by line and packed one after the other, 192 bytes a sample of talbotbot and 4 of the order it is drawn
// in; two groups of each dataset are in memory, of a million samples each over all datasets: 0.4 GB. A batch is
// gathered from there (go test ./train/loader -bench . says how fast). What the size of the data adds is one bit a
// sample with a cap on copies, and some numbers for each block.
//
// # Goroutines
//
// All that reads or encodes uses up to the given number of workers and leaves none behind, but for a Loader, which
// reads the next group in the background until [Loader.Close].
package loader
