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
