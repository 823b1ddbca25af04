package label

import (
	"testing"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
)

// TestAuditTakesAnEngine: what a source carried and what endgame tables say is not audited.
func TestAuditTakesAnEngine(t *testing.T) {
	dir := t.TempDir()
	engine := dataset.Fingerprint{Engine: "Stockfish 15.1", Limit: "nodes 1000"}
	m := dataset.Manifest{Tool: output.Tool, Verb: "label", Splits: dataset.DefaultSplits,
		Fingerprints: []dataset.Fingerprint{
			engine, {Engine: "TCEC", Limit: dataset.ImportedLimit},
			{Engine: "Syzygy tables", Limit: dataset.ExactLimit},
		}}
	m.Counts.Rejects = map[dataset.Reason]int64{}
	testkit.OK(t, dataset.WriteManifest(dir, &m))
	column, f, err := Audit{Request: Request{In: dir}}.prepare()
	if err != nil || column != 0 || f.ID() != engine.ID() {
		t.Errorf("column %d, %+v, %v", column, f, err)
	}
}

func TestRoundNodes(t *testing.T) {
	for n, want := range map[float64]int64{1: 1, 0.2: 1, 99.4: 99, 104: 100, 17_654: 18_000, 999_999: 1_000_000} {
		if got := roundNodes(n); got != want {
			t.Errorf("%v becomes %d, want %d", n, got, want)
		}
	}
}
