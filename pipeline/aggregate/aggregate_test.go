package aggregate

import (
	"testing"

	"talbot/dataset"
)

func TestTry(t *testing.T) {
	sum, err := Request{In: []string{"/tmp/agg/rated"}, Out: t.TempDir() + "/x", Bands: DefaultBands, MinCount: 6, MinBand: 3, Splits: dataset.DefaultSplits}.Run(t.Context())
	t.Logf("%+v %v", sum, err)
}
