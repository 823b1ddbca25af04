package job

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"talbot/encode"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/table"
	"talbot/network/builtin"
	"talbot/network/model"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
	"talbot/train/report"
)

// ReportName is the file of a run's folder that shows what it learned. Training writes it with the curves, an
// evaluation with all.
const ReportName = run.PageName

// ReportName is the file of a run's folder that the page of the evaluation is written to unless another is named: what
// shows another network, or less to it, does not replace the page.
func (e Eval) ReportName() string {
	name := strings.TrimSuffix(ReportName, ".html")
	if e.NoHistory {
		name += "-no-history"
	}
	if e.Weights == "raw" {
		name += "-raw"
	}
	return name + ".html"
}

// CardName is the file of a run's folder that has the card of its last evaluation, a [report.Card] as JSON.
const CardName = "eval.json"

// maxCard is the longest card that is read, in bytes.
const maxCard = 1 << 20

// ReadCard returns the card of a run's last evaluation; [fs.ErrNotExist] without any.
func ReadCard(dir string) (*report.Card, error) {
	path := filepath.Join(dir, CardName)
	text, err := durable.ReadFile(path, maxCard)
	if err != nil {
		return nil, err
	}
	var c report.Card
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return &c, nil
}

// writeReport writes the page of the run in dir, and its card with the page of an evaluation that stands in the run's
// folder; e is nil without an evaluation. warn is called for metrics that are not whole.
func writeReport(path, dir string, c run.Config, backend string, e *report.Eval, warn func(error)) error {
	r, err := ReportOf(dir, c, warn)
	if err != nil {
		return err
	}
	r.Backend, r.Eval = backend, e
	page, err := r.Page()
	if err != nil {
		return err
	}
	if err := output.WritePage(path, page); err != nil || e == nil ||
		filepath.Clean(path) != filepath.Join(dir, ReportName) {
		return err
	}
	text, err := json.MarshalIndent(r.Card(), "", "  ")
	if err != nil {
		return err
	}
	return output.WriteFile(filepath.Join(dir, CardName), append(text, '\n'))
}

// ReportOf returns what the page of the run in dir shows, without an evaluation. What the run is trained on is left
// out where the folder does not tell. warn, if not nil, is called for metrics that are not whole.
func ReportOf(dir string, c run.Config, warn func(error)) (r report.Run, err error) {
	name := output.Target(dir)
	r = report.Run{Config: c, Command: fmt.Sprintf("talbot eval --run %s --data DIR", name)}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	r.Name = filepath.Base(name)
	if dir != builtin.Name && run.IsFile(dir) {
		dir = runOf(name)
	}
	if r.Lines, err = train.ReadMetrics(dir, warn); err != nil {
		return r, err
	}
	if info, err := os.Stat(filepath.Join(dir, run.MetricsName)); err == nil {
		r.Trained = info.ModTime()
	}
	built, err := c.Build()
	if err != nil {
		return r, err
	}
	r.Network, r.Parameters = built.Network.String(), model.CountTrainable(built.Network.Params())
	switch l := built.Encoder.Layout(); {
	case l.Candidates > 0:
		r.Among = "candidate"
	case l.Moves == encode.LegalMoves, c.LegalMask():
		r.Among = "legal move"
	}
	id, err := loader.ReadIdentity(dir)
	if err != nil && !errors.Is(err, loader.ErrNoIdentity) {
		return r, err
	}
	if len(id.Sets) > 0 {
		if r.Fingerprint, err = fingerprint(c, id); err != nil {
			return r, err
		}
	}
	settings, err := settings(dir, c, false)
	for _, f := range settings {
		r.Settings = append(r.Settings, table.Fact{Name: f.Name, Text: f.Value})
	}
	return r, err
}

// fingerprint identifies what a run computes: the first 16 hex digits of the SHA-256 of its settings and of the
// manifests that it is trained on. Where its folders lie does not count.
func fingerprint(c run.Config, id loader.Identity) (string, error) {
	c.From.Path = ""
	var sets []loader.SetIdentity
	for _, s := range id.Sets {
		sets = append(sets, loader.SetIdentity{CardData: run.CardData{Weight: s.Weight, Manifest: s.Manifest}})
	}
	text, err := json.Marshal([]any{c, id.Splits, id.Label, id.MaxCopies, id.MinClock, sets})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}
