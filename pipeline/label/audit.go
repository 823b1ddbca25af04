package label

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/shards"
	"talbot/stockfish"
)

// auditFactor is how many more nodes an audit gives a position.
const auditFactor = 100

// Audit searches a share of the labelled samples again with a hundred times the nodes. In and Out, Engine without
// limit, Workers and callbacks are those of Label; which samples are drawn is a function of the game and the ply.
type Audit struct {
	Request
	Share float64 // of the labelled samples
}

// AuditSummary is what audit reports: how far the labels are from those of a hundred times the nodes. No network that
// learns from the labels can be closer to the truth than they are.
type AuditSummary struct {
	Summary
	Audited string       `json:"audited"` // fingerprint of the labels
	Of      string       `json:"of"`      // their limit
	Nodes   int64        `json:"nodes"`   // of the audit
	All     AuditGroup   `json:"all"`
	Phases  []AuditGroup `json:"phases"` // opening, middlegame, endgame
	Pieces  []AuditGroup `json:"pieces"` // by the number of pieces on the board
}

// AuditGroup are the differences between the labels of some samples and those of the audit. Values are those of the
// target tanh, expectations win + draw/2 of the engine's own chances, in [0, 1].
type AuditGroup struct {
	Name     string  `json:"name"`
	Samples  int64   `json:"samples"`
	ValueMSE float64 `json:"value_mse"`
	ValueMAE float64 `json:"value_mae"`
	WDLMSE   float64 `json:"wdl_mse"` // of the expectation
	WDLMAE   float64 `json:"wdl_mae"`
	BestMove float64 `json:"best_move_changes"` // share of samples with another best move
	Sign     float64 `json:"sign_changes"`      // share of samples whose value changes its sign

	wdls int64 // samples of which both labels have chances
}

// Run searches and compares. The output is a dataset with the labels of both. Its errors are those of [Request.Run].
func (a Audit) Run(ctx context.Context) (AuditSummary, error) {
	base, fingerprint, err := a.prepare()
	if err != nil {
		return AuditSummary{}, err
	}
	r := a.Request
	r.Flags = []dataset.Tag{{Name: dataset.AuditShareFlag, Value: strconv.FormatFloat(a.Share, 'g', -1, 64)},
		{Name: dataset.AuditedFlag, Value: fingerprint.ID()}}
	r.selected = func(line *dataset.Line, hash [16]byte, sample, ply int) bool {
		columns := line.Columns([]int{base})
		return columns != nil && columns[0][sample].Status == dataset.Labelled && a.selects(hash, ply)
	}
	sum := AuditSummary{Audited: fingerprint.ID(), Of: fingerprint.Limit}
	if sum.Nodes, r.expected, err = a.survey(base, fingerprint); err != nil {
		return sum, err
	}
	r.Engine.Limit = stockfish.Nodes(sum.Nodes)
	if sum.Summary, err = r.Run(ctx); err != nil {
		return sum, err
	}
	return sum, sum.compare(ctx, a.Out, r.Warning)
}

// prepare finds the labels to audit: those of the last engine.
func (a Audit) prepare() (column int, f dataset.Fingerprint, err error) {
	m, err := dataset.ReadManifest(a.In)
	if err != nil {
		return 0, f, err
	}
	if column, err = dataset.LastEngine(m.Fingerprints); err != nil {
		return 0, f, fmt.Errorf("%q: %w", a.In, err)
	}
	return column, m.Fingerprints[column], nil
}

// survey returns the nodes for each search and how many there will be.
func (a Audit) survey(column int, f dataset.Fingerprint) (nodes, count int64, err error) {
	d, err := shards.OpenDataset(a.In, shards.Scores|shards.Effort)
	if err != nil {
		return 0, 0, err
	}
	defer d.Close()
	var sum, labelled int64
	for line, err := range d.Lines() {
		if err != nil {
			return 0, 0, err
		}
		columns := line.Columns([]int{column})
		if columns == nil {
			continue
		}
		hash := line.GameHash()
		for k, ply := range line.Samples.Plies(nil, len(line.Moves)) {
			if l := &columns[0][k]; l.Status == dataset.Labelled {
				sum, labelled = sum+l.Lines[0].Nodes, labelled+1
				if a.selects(hash, ply) {
					count++
				}
			}
		}
	}
	if labelled == 0 || count == 0 {
		return 0, 0, fmt.Errorf("%q: %w: %d, of which %d are drawn", a.In, dataset.ErrNoLabels, labelled, count)
	}
	if _, err := fmt.Sscanf(f.Limit, "nodes %d", &nodes); err != nil {
		nodes = max(sum/labelled, 1)
	}
	return auditFactor * nodes, count, nil
}

// selects reports whether a sample is in the share. It has nothing to do with the fraction that was labelled.
func (a Audit) selects(hash [16]byte, ply int) bool {
	return dataset.Uniform("audit", hash, ply) < a.Share
}

// pieceEdges are the greatest numbers of pieces of the groups of audits.
var pieceEdges = [...]int{5, 8, 16, 24, 32}

// compare goes through the labels of both.
func (s *AuditSummary) compare(ctx context.Context, dir string, warn func(error)) error {
	d, err := shards.OpenDataset(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	audit, err := dataset.AuditOf(d.Manifest)
	if err != nil {
		return fmt.Errorf("%q: %w", dir, err)
	}
	a, b := d.Manifest.Fingerprints[audit.Labels], d.Manifest.Fingerprints[audit.Truth]
	if a.Build != b.Build {
		warn(fmt.Errorf("the labels were made by %s (build %s), the audit by %s (build %s)", a.Engine, a.Build,
			b.Engine, b.Build))
	}
	groups := []AuditGroup{{Name: "all"}} // and the phases, and the numbers of pieces
	for f := board.Opening; f <= board.Endgame; f++ {
		groups = append(groups, AuditGroup{Name: f.String()})
	}
	pieces, from := len(groups), 2
	for _, edge := range pieceEdges {
		groups = append(groups, AuditGroup{Name: fmt.Sprintf("%d–%d pieces", from, edge)})
		from = edge + 1
	}
	if err := audit.Each(ctx, d.Lines(), func(w *dataset.Walker, label, truth *dataset.Label) {
		p := w.Position()
		edge, _ := slices.BinarySearch(pieceEdges[:], p.Occupied().Len())
		for _, i := range []int{0, 1 + int(p.Phase()), pieces + edge} {
			groups[i].add(p, label, truth)
		}
	}); err != nil {
		return err
	}
	for i := range groups {
		groups[i].finish()
	}
	s.All, s.Phases, s.Pieces = groups[0], groups[1:pieces], groups[pieces:]
	return nil
}

// add compares two labels of a position.
func (p *AuditGroup) add(at *board.Position, label, truth *dataset.Label) {
	p.Samples++
	if label.Best != truth.Best {
		p.BestMove++
	}
	a, _ := encode.Value(encode.TalbotBot{}, encode.RecipeValue, at, *label)
	b, _ := encode.Value(encode.TalbotBot{}, encode.RecipeValue, at, *truth)
	e := float64(a) - float64(b)
	p.ValueMSE, p.ValueMAE = p.ValueMSE+e*e, p.ValueMAE+math.Abs(e)
	if a*b < 0 {
		p.Sign++
	}
	if x, y := label.Lines[0].WDL, truth.Lines[0].WDL; x != (dataset.WDL{}) && y != (dataset.WDL{}) {
		e := (float64(x.Win) + float64(x.Draw)/2 - float64(y.Win) - float64(y.Draw)/2) / 1000
		p.WDLMSE, p.WDLMAE, p.wdls = p.WDLMSE+e*e, p.WDLMAE+math.Abs(e), p.wdls+1
	}
}

// finish turns sums into means; 0 for groups without samples.
func (p *AuditGroup) finish() {
	n, m := float64(max(p.Samples, 1)), float64(max(p.wdls, 1))
	for x, n := range map[*float64]float64{&p.ValueMSE: n, &p.ValueMAE: n, &p.BestMove: n, &p.Sign: n, &p.WDLMSE: m,
		&p.WDLMAE: m} {
		*x /= n
	}
}
