package job

import (
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// calibrationBatches draws the train samples that averaged weights take their running statistics from, if there is an
// average: some of the first ones in an order of their own, which is the same after a resumption.
func calibrationBatches(c run.Config, survey *loader.Survey) ([]train.Batch, error) {
	if c.EMA == 0 {
		return nil, nil
	}
	const count, group = 16, 1 << 17
	source := survey.NewLoader(loader.LoaderOptions{Batch: min(c.Batch, valBatch), Seed: ^c.Seed, GroupSamples: group})
	defer source.Close()
	batches := make([]train.Batch, count)
	for i := range batches {
		if err := source.Next(&batches[i]); err != nil {
			return nil, err
		}
	}
	return batches, nil
}
