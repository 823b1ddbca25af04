package inspect

import (
	"context"
	"errors"
	"fmt"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/pipeline"
	"talbot/shards"
)

// ErrNoSample: the dataset has no sample of that number. The caller asks for another one.
var ErrNoSample = errors.New("no such sample")

// Request asks to look at samples of a dataset.
type Request struct {
	Dir    string
	All    bool  // all samples, else the one of number Sample
	Sample int64 // counted from 0 over the dataset in order

	// Of all samples, only those that are of this source or in this split; nil means any.
	Source *dataset.Source
	Split  *dataset.Split

	Label   string // ID of the fingerprint whose labels are shown; empty: those that count in training
	Encoder encode.Encoder
	Targets encode.Targets
	Encoded bool // show [Encoded] too
}

// Sample is one sample with all that a network would read and learn of it. Squares, moves and FENs are as they are
// on the board; planes and move indices are in the mover's frame, scores and values from the side to move's view.
type Sample struct {
	Sample  int64    `json:"sample"`  // its number in the dataset, from 0
	FEN     string   `json:"fen"`     // of the sample
	Start   string   `json:"start"`   // FEN of the line's start
	Moves   []string `json:"moves"`   // from there to the sample, UCI
	History []string `json:"history"` // FENs of up to four positions before, the latest first

	Source        string `json:"source"`
	Input         string `json:"file"`          // name of the file the line was read from
	Game          int64  `json:"game"`          // number of the line in it, from 1
	Line          int64  `json:"line"`          // number of the line in the dataset, from 0
	Ply           int    `json:"ply"`           // moves played since the line's start
	Plies         int    `json:"plies"`         // moves of the line
	Reconstructed int    `json:"reconstructed"` // how many of them, at its start, are reconstructed history
	Split         string `json:"split"`

	White    string `json:"white,omitempty"`
	Black    string `json:"black,omitempty"`
	WhiteElo int    `json:"white_elo,omitempty"`
	BlackElo int    `json:"black_elo,omitempty"`
	Result   string `json:"result"`
	// of aggregated positions: the ratings of the side to move, and how often each move was played
	Band   *Band            `json:"band,omitempty"`
	Counts map[string]int64 `json:"counts,omitempty"` // by UCI

	Played      *string        `json:"played"` // the move played here on the line; nil at its end
	Policy      *PolicyMove    `json:"policy"` // the recipe's target, or the first of those with the greatest weight
	Policies    []PolicyMove   `json:"policies,omitempty"`
	Legal       map[string]int `json:"legal"`        // index of every legal move; -1 where the recipe has none
	LabelStatus string         `json:"label_status"` // of the newest label
	Label       *Label         `json:"label"`        // nil unless an engine searched the sample
	// the result by endgame tables for the side to move: win, draw or loss; nil where they do not have it
	Exact       *string      `json:"exact"`
	Value       *float32     `json:"value"`                 // the target: of an exact result, where there is one
	Predictions []Prediction `json:"predictions,omitempty"` // what networks say
	Planes      []string     `json:"planes,omitempty"`      // of bit planes: 16 hex digits each, bit i = square i
	*Encoded

	start board.Position
	moves []board.Move // from start to the sample
}

// Encoded is what the recipe's network is given and learns.
type Encoded struct {
	Input  Input `json:"input"`
	Target any   `json:"target"` // [encode.Encoder.Show]
}

// Input are the numbers that a network gets, row by row; those of planes are [plane][rank][file] from a1 in the mover's
// frame.
type Input struct {
	Shape []int     `json:"shape"`
	Data  []float32 `json:"data"`
}

// PolicyMove is a move of a policy target.
type PolicyMove struct {
	UCI    string  `json:"uci"`
	Index  int     `json:"index"`            // -1 where the recipe has none
	Weight float32 `json:"weight,omitempty"` // only where there are several
}

// Label is what an engine said. Score, variation, depth and nodes are those of its first searched line.
type Label struct {
	CP          *int     `json:"cp"`   // nil for a mate
	Mate        *int     `json:"mate"` // in moves, negative when the side to move is mated; nil for centipawns
	WDL         []int    `json:"wdl"`  // win, draw, loss per mille; nil if the engine gave none
	Best        string   `json:"best"` // the engine's bestmove
	PV          []string `json:"pv"`
	Depth       int      `json:"depth"`
	Nodes       int64    `json:"nodes"`
	Engine      string   `json:"engine"`
	Limit       string   `json:"limit"`
	Fingerprint string   `json:"fingerprint"`
	MultiPV     int      `json:"multipv"` // how many lines were searched
}

// Run calls show with one sample or with all of them in order, as the encoder sees them; show may keep what it is
// given, and an error it returns ends Run. One sample is found from the shards' footers, reading one block.
//
// The label of a sample is the one that counts in training too (see [dataset.Counting]). Errors: [dataset.ErrNoLabels],
// [ErrNoSample], a line that cannot be replayed ([dataset.ErrDamaged]), those of [shards.OpenDataset], or the
// context's.
func (o Request) Run(ctx context.Context, show func(*Sample) error) error {
	d, err := shards.OpenDataset(o.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	counting, err := dataset.NewCounting(d.Manifest.Fingerprints, o.Label)
	if err != nil {
		return fmt.Errorf("%q: %w", o.Dir, err)
	}
	if n := o.Encoder.Layout().Candidates; n > 0 {
		if counting, err = counting.WithCandidates(d.Manifest, n); err != nil {
			return fmt.Errorf("%q: %w", o.Dir, err)
		}
	}
	in := &inspector{Request: o, counting: counting, dataset: d, show: show, layout: o.Encoder.Layout()}
	for _, f := range d.Manifest.Fingerprints {
		in.prints = append(in.prints, f.ID())
	}
	if !o.All {
		if total := d.Manifest.Counts.Samples; o.Sample < 0 || o.Sample >= total {
			return fmt.Errorf("sample %d of %q: %w: the dataset has %s, numbered from 0", o.Sample, o.Dir, ErrNoSample,
				pipeline.Count(total, "sample"))
		}
	}
	var lines []dataset.Line
	for _, ref := range d.Blocks() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("reading %q: %w", o.Dir, err)
		}
		r := d.Shards[ref.Shard]
		b := r.Block(ref.Block)
		if !o.All {
			if o.Sample < in.sample {
				break
			}
			if o.Sample >= in.sample+int64(b.Samples) {
				in.sample, in.line = in.sample+int64(b.Samples), in.line+int64(b.Lines)
				continue
			}
		}
		if lines, err = r.ReadBlock(ref.Block, lines[:0]); err != nil {
			return err
		}
		for i := range lines {
			if err := in.inspectLine(&lines[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// inspector goes through the lines of a dataset.
type inspector struct {
	Request
	dataset  *shards.Dataset
	counting dataset.Counting
	show     func(*Sample) error
	prints   []string // IDs of the fingerprints

	sample int64 // samples before the line
	line   int64 // lines before it
	walker dataset.Walker
	view   encode.View
	layout encode.Layout
}

// bitPlanes is a recipe whose input is planes of bits.
type bitPlanes interface {
	Planes(dst []uint64, g *board.Game)
}

// inspectLine shows those samples of the next line that are asked for.
func (in *inspector) inspectLine(l *dataset.Line) error {
	n := int64(l.SampleCount())
	first, number := in.sample, in.line
	in.sample, in.line = in.sample+n, in.line+1
	split := in.dataset.Manifest.Splits.Of(dataset.SplitKey(l))
	if in.All {
		if n == 0 || in.Source != nil && *in.Source != l.Source || in.Split != nil && *in.Split != split {
			return nil
		}
	} else if in.Sample < first || in.Sample >= in.sample {
		return nil
	}
	if err := l.Check(); err != nil {
		return fmt.Errorf("%q: line %d: %w: %w", in.Dir, number, dataset.ErrDamaged, err)
	}
	in.walker.Reset(l)
	for in.walker.Next() {
		k := first + int64(in.walker.Sample())
		if !in.All && k != in.Sample {
			continue
		}
		s := in.inspect(l)
		s.Sample, s.Line, s.Split = k, number, split.String()
		if err := in.show(s); err != nil {
			return err
		}
	}
	return nil
}

// inspect describes the walker's present sample of l.
func (in *inspector) inspect(l *dataset.Line) *Sample {
	w, e := &in.walker, in.Encoder
	p, ply := w.Position(), w.Ply()
	s := &Sample{
		FEN: p.FEN(), Start: l.Start.FEN(), Moves: uci(l.Moves[:ply]), History: []string{},
		Source: l.Source.String(), Game: l.Number, Ply: ply, Plies: len(l.Moves), Reconstructed: l.Reconstructed,
		White: l.Tag("White"), Black: l.Tag("Black"), WhiteElo: l.WhiteElo, BlackElo: l.BlackElo,
		Result: l.Result.String(),
		Legal:  map[string]int{}, start: l.Start, moves: l.Moves[:ply],
	}
	if inputs := in.dataset.Manifest.Inputs; l.Input < len(inputs) {
		s.Input = inputs[l.Input].Name
	}
	if ply < len(l.Moves) {
		played := l.Moves[ply].String()
		s.Played = &played
	}
	for k := 1; k <= 4; k++ {
		if q := w.Game().Previous(k); q != nil {
			s.History = append(s.History, q.FEN())
		}
	}
	counted := in.counting.Of(l, w.Sample())
	in.view.Visit(w, counted)
	for _, m := range in.view.Legal() {
		s.Legal[m.String()] = in.index(m)
	}
	label := counted.Moves
	s.LabelStatus = label.Status.String()
	if label.Status == dataset.Labelled {
		s.Label = in.label(&label, counted.Column)
	}
	if exact, ok := l.Exact(w.Sample(), in.dataset.Manifest.Fingerprints); ok {
		class, _ := exact.Class()
		name := class.String()
		s.Exact = &name
	}
	s.Value = in.value()
	in.policy(s)
	in.band(s, l)
	in.predictions(s, l)
	if e, ok := e.(bitPlanes); ok {
		planes := make([]uint64, in.layout.Shape[0])
		e.Planes(planes, w.Game())
		for _, b := range planes {
			s.Planes = append(s.Planes, fmt.Sprintf("%016x", b))
		}
	}
	if in.Request.Encoded {
		packed, numbers := make([]uint64, in.layout.Words), make([]float32, in.layout.Numbers())
		e.Pack(packed, &in.view)
		e.Numbers(numbers, packed)
		s.Encoded = &Encoded{Input{in.layout.Shape, numbers}, e.Show(&in.view, in.Targets)}
	}
	return s
}

// Band is a range of ratings: From and below To, 0 = no limit.
type Band struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// band sets what is known of an aggregated position.
func (in *inspector) band(s *Sample, l *dataset.Line) {
	bands, own := in.dataset.Manifest.BandsOf(l)
	if bands == nil || in.view.Sample >= len(l.Policies) {
		return
	}
	s.Band, s.Counts = &Band{bands[own].From, bands[own].To}, map[string]int64{}
	for _, m := range l.Policies[in.view.Sample] {
		s.Counts[m.Move.String()] = int64(m.Weight)
	}
}

// value is the value target of the view; nil if there is none. That of a recipe that learns no value is its formula's.
func (in *inspector) value() *float32 {
	v, ok := encode.Value(in.Encoder, in.Targets.Value, in.view.Position(), in.view.Labels.Value)
	if i := in.layout.Float(encode.ValueFloat); i >= 0 {
		var target encode.Target
		target.Reset(&in.layout)
		in.Encoder.Learn(&target, &in.view, in.Targets)
		v = target.Floats[i]
		ok = v == v
	}
	if !ok {
		return nil
	}
	return &v
}

// index is the number that the recipe gives a legal move; -1 if it is not one number.
func (in *inspector) index(m board.Move) int {
	if in.layout.Codes != 1 {
		return -1
	}
	return int(in.view.Code(in.Encoder, 1, m)[0])
}

// policy sets the policy target.
func (in *inspector) policy(s *Sample) {
	if in.layout.Moves == encode.NoMoves {
		return
	}
	targets := encode.Policy(nil, in.Encoder, in.Targets, &in.view)
	for i, t := range targets {
		move := PolicyMove{UCI: t.Move.String(), Index: in.index(t.Move)}
		if len(targets) > 1 {
			move.Weight = t.Weight
			s.Policies = append(s.Policies, move)
		}
		if i == 0 || t.Weight > s.Policy.Weight {
			s.Policy = &move
		}
	}
}

// label describes a label that was searched.
func (in *inspector) label(l *dataset.Label, column int) *Label {
	first := &l.Lines[0]
	s := &Label{Best: l.Best.String(), PV: uci(first.PV), Depth: first.Depth, Nodes: first.Nodes,
		MultiPV: len(l.Lines)}
	if n, ok := first.Score.Mate(); ok {
		s.Mate = &n
	} else if cp, ok := first.Score.Centipawns(); ok {
		s.CP = &cp
	}
	if w := first.WDL; w != (dataset.WDL{}) {
		s.WDL = []int{int(w.Win), int(w.Draw), int(w.Loss)}
	}
	if column < len(in.prints) {
		f := in.dataset.Manifest.Fingerprints[column]
		s.Engine, s.Limit, s.Fingerprint = f.Engine, f.Limit, in.prints[column]
	}
	return s
}

// uci writes moves as UCI does.
func uci(moves []board.Move) []string {
	names := make([]string, len(moves))
	for i, m := range moves {
		names[i] = m.String()
	}
	return names
}
