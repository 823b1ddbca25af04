package job

import (
	"iter"

	"talbot/train"
	"talbot/train/model"
)

// withoutHistory clears the planes of the past of each sample, as if its game had begun with it.
func withoutHistory(samples iter.Seq2[train.Sample, error]) iter.Seq2[train.Sample, error] {
	return func(yield func(train.Sample, error) bool) {
		for s, err := range samples {
			clear(s.Planes[model.Past:])
			if !yield(s, err) {
				return
			}
		}
	}
}
