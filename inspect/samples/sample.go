package samples

import (
	"fmt"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
)

// Sample is one sample with all that a network reads and learns from it. Squares, moves and FENs are as they are
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
	// the time that the side to move had left, in seconds, before and after the move; nil where it is not known
	Clock       *float64 `json:"clock,omitempty"`
	ClockAfter  *float64 `json:"clock_after,omitempty"`
	TimeControl string   `json:"time_control,omitempty"` // as PGN writes it: "180+2"
	// of aggregated positions: the ratings of the side to move, and how often each move was played
	Band   *Band            `json:"band,omitempty"`
	Counts map[string]int64 `json:"counts,omitempty"` // by UCI

	Played      *string        `json:"played"` // the move played here on the line; nil after the last one
	Policy      *PolicyMove    `json:"policy"` // the recipe's target, or the first of those with the greatest weight
	Policies    []PolicyMove   `json:"policies,omitempty"`
	Legal       map[string]int `json:"legal"`        // index of every legal move; -1 where the recipe has none
	LabelStatus string         `json:"label_status"` // of the newest label
	Label       *Label         `json:"label"`        // nil unless an engine searched the sample
	// the proven result for the side to move: win, draw or loss; nil where none is stored
	Exact       *string      `json:"exact"`
	Value       *float32     `json:"value"`                 // the target: of an exact result, where there is one
	Predictions []Prediction `json:"predictions,omitempty"` // of networks
	Planes      []string     `json:"planes,omitempty"`      // of bit planes: 16 hex digits each, bit i = square i
	*Encoded

	// Labels are all labels of the sample, by ascending fingerprint.
	Labels []Labelled `json:"-"`

	line *dataset.Line
}

// Labelled is what one fingerprint says of a sample.
type Labelled struct {
	Engine, Limit, Fingerprint string
	Status                     string
	*Label                     // nil unless an engine searched it
}

// Encoded is what the recipe's network is given and learns.
type Encoded struct {
	Input  Input `json:"input"`
	Target any   `json:"target"` // [encode.Describe]
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

// bitPlanes is an encoder whose input is planes of bits.
type bitPlanes interface {
	Planes(dst []uint64, g *board.Game)
}

// describe describes the walker's present sample of l.
func (v *viewer) describe(l located) *Sample {
	w, e := &v.walker, v.options.Encoder
	p, ply := w.Position(), w.Ply()
	s := &Sample{
		Sample: l.first + int64(w.Sample()), Line: l.number,
		Split: v.Manifest().Splits.Of(dataset.SplitKey(l.Line)).String(),
		FEN:   p.FEN(), Start: l.Start.FEN(), Moves: uci(l.Moves[:ply]), History: []string{},
		Source: l.Source.String(), Game: l.Number, Ply: ply, Plies: len(l.Moves), Reconstructed: l.Reconstructed,
		White: l.Tag("White"), Black: l.Tag("Black"), WhiteElo: l.WhiteElo, BlackElo: l.BlackElo,
		Result: l.Result.String(), TimeControl: l.TimeControl(),
		Input: v.Manifest().InputName(l.Input), Legal: map[string]int{}, line: new(*l.Line),
	}
	if tenths, ok := l.ClockBefore(ply); ok {
		s.Clock = new(float64(tenths) / 10)
	}
	if tenths, ok := l.ClockAfter(ply); ok {
		s.ClockAfter = new(float64(tenths) / 10)
	}
	if ply < len(l.Moves) {
		s.Played = new(l.Moves[ply].String())
	}
	for k := 1; k <= 4; k++ {
		if q := w.Game().Previous(k); q != nil {
			s.History = append(s.History, q.FEN())
		}
	}
	counted := v.counting.Of(l.Line, w.Sample())
	v.view.Visit(w, counted)
	for _, m := range v.view.Legal() {
		s.Legal[m.String()] = v.index(m)
	}
	label := counted.Moves
	s.LabelStatus = label.Status.String()
	if label.Status == dataset.Labelled {
		s.Label = v.label(&label, counted.Column)
	}
	if exact, ok := l.Exact(w.Sample(), v.Manifest().Fingerprints); ok {
		class, _ := exact.Class()
		s.Exact = new(class.String())
	}
	for _, c := range l.Labels {
		said := &c.Labels[w.Sample()]
		if said.Status == dataset.Missing {
			continue
		}
		f := &v.Manifest().Fingerprints[c.Fingerprint]
		one := Labelled{Engine: f.Engine, Limit: f.Limit, Fingerprint: v.prints[c.Fingerprint],
			Status: said.Status.String()}
		if said.Status == dataset.Labelled {
			one.Label = v.label(said, c.Fingerprint)
		}
		s.Labels = append(s.Labels, one)
	}
	s.Value = v.value()
	v.policy(s)
	v.band(s, l.Line)
	v.predictions(s, l.Line)
	if e, ok := e.(bitPlanes); ok {
		planes := make([]uint64, v.layout.Shape[0])
		e.Planes(planes, w.Game())
		for _, b := range planes {
			s.Planes = append(s.Planes, fmt.Sprintf("%016x", b))
		}
	}
	if v.options.Encoded {
		packed, numbers := make([]uint64, v.layout.Words), make([]float32, v.layout.Numbers())
		e.Pack(packed, &v.view)
		e.Unpack(numbers, packed)
		s.Encoded = &Encoded{Input{v.layout.Shape, numbers}, encode.Describe(e, &v.view, v.options.Targets)}
	}
	return s
}

// Band is a range of ratings: From and below To, 0 = no limit.
type Band struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// band sets the ratings and counts of an aggregated position.
func (v *viewer) band(s *Sample, l *dataset.Line) {
	bands, own := v.Manifest().BandsOf(l)
	if bands == nil || v.view.Sample >= len(l.Policies) {
		return
	}
	s.Band, s.Counts = &Band{bands[own].From, bands[own].To}, map[string]int64{}
	for _, m := range l.Policies[v.view.Sample] {
		s.Counts[m.Move.String()] = int64(m.Weight)
	}
}

// value returns the value target; nil if there is none. For a recipe that learns no value it is that of its formula.
func (v *viewer) value() *float32 {
	x, ok := v.options.Targets.ValueOf(v.options.Encoder, &v.view)
	if i := v.layout.Float(encode.ValueFloat); i >= 0 {
		var target encode.Target
		target.Reset(&v.layout)
		v.options.Encoder.Target(&target, &v.view, v.options.Targets)
		x = target.Floats[i]
		ok = x == x
	}
	if !ok {
		return nil
	}
	return &x
}

// index returns the recipe's index of a legal move; -1 if the recipe codes moves otherwise.
func (v *viewer) index(m board.Move) int {
	if v.layout.Codes != 1 {
		return -1
	}
	return int(v.view.EncodeMove(v.options.Encoder, 1, m)[0])
}

// policy sets the policy target.
func (v *viewer) policy(s *Sample) {
	if v.layout.Moves == encode.NoMoves {
		return
	}
	targets := encode.Policy(nil, v.options.Encoder, v.options.Targets, &v.view)
	for i, t := range targets {
		move := PolicyMove{UCI: t.Move.String(), Index: v.index(t.Move)}
		if len(targets) > 1 {
			move.Weight = t.Weight
			s.Policies = append(s.Policies, move)
		}
		if i == 0 || t.Weight > s.Policy.Weight {
			s.Policy = &move
		}
	}
}

// label describes the label of a searched position.
func (v *viewer) label(l *dataset.Label, column int) *Label {
	first := &l.Lines[0]
	f := &v.Manifest().Fingerprints[column]
	s := &Label{Best: l.Best.String(), PV: uci(first.PV), Depth: first.Depth, Nodes: first.Nodes, MultiPV: len(l.Lines),
		Engine: f.Engine, Limit: f.Limit, Fingerprint: v.prints[column]}
	if n, ok := first.Score.Mate(); ok {
		s.Mate = &n
	} else if cp, ok := first.Score.Centipawns(); ok {
		s.CP = &cp
	}
	if w := first.WDL; w != (dataset.WDL{}) {
		s.WDL = []int{int(w.Win), int(w.Draw), int(w.Loss)}
	}
	return s
}

// Past returns the start of the sample's line and the moves from there to the sample.
func (s *Sample) Past() (start board.Position, moves []board.Move) {
	return s.line.Start, s.line.Moves[:s.Ply]
}

// Of returns the sample's line, which is not to be changed.
func (s *Sample) Of() *dataset.Line { return s.line }

// uci writes moves as UCI does.
func uci(moves []board.Move) []string {
	names := make([]string, len(moves))
	for i, m := range moves {
		names[i] = m.String()
	}
	return names
}
