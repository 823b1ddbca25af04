package encode_test

import (
	"math"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit"
	"talbot/network/recipe"
)

// encoders are those of every recipe, also with each of its settings that are true or false turned round.
func encoders(t *testing.T) (list []encode.Encoder) {
	t.Helper()
	for _, r := range recipe.All() {
		built, err := r.Build("")
		testkit.OK(t, err)
		list = append(list, built.Encoder)
		for name, value := range r.Presets[0].Settings.Values() {
			other := map[string]string{"true": "false", "false": "true"}[value]
			if other == "" {
				continue
			}
			s, err := r.Set("", name, other)
			testkit.OK(t, err)
			if built, err = r.Build(s); err == nil { // some settings belong together
				list = append(list, built.Encoder)
			}
		}
	}
	return list
}

// TestNumberNames: every plane and number of every recipe has a name, and the planes of what stands on the board have
// that of the piece and its side.
func TestNumberNames(t *testing.T) {
	p, err := board.ParseFEN("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1")
	testkit.OK(t, err)
	kinds := map[string]board.PieceType{"pawns": board.Pawn, "knights": board.Knight, "bishops": board.Bishop,
		"rooks": board.Rook, "queens": board.Queen, "king": board.King}
	var v encode.View
	v.Play(board.NewGame(p), 1400, 1800)
	for _, e := range encoders(t) {
		l := e.Layout()
		packed, numbers := make([]uint64, l.Words), make([]float32, l.Numbers())
		e.Pack(packed, &v)
		e.Unpack(numbers, packed)
		number := 0
		for _, group := range e.NumberNames() {
			for _, name := range group.Names {
				if name == "" || group.Name == "" {
					t.Errorf("%s: number %d has no name", e.Name(), number)
				}
				if number < 12 && len(l.Shape) == 3 { // Black is to move, so that ranks are mirrored
					text := strings.ToLower(group.Name + " " + name)
					owner := board.White
					if strings.Contains(text, "own ") {
						owner = board.Black
					}
					kind := kinds[text[strings.LastIndex(text, " ")+1:]]
					for s := range 64 {
						piece := p.PieceAt(board.Square(s ^ 56))
						stands := piece != board.NoPiece && piece.Type() == kind && piece.Color() == owner
						if set := numbers[64*number+s] != 0; set != stands {
							t.Fatalf("%s: plane %d, %s: square %d", e.Name(), number, text, s)
						}
					}
				}
				number++
			}
		}
		if number != l.Shape[0] {
			t.Errorf("%s: %d names of %d", e.Name(), number, l.Shape[0])
		}
	}
}

// TestEveryInverse: where a network has values of scores, the recipe turns them back into centipawns.
func TestEveryInverse(t *testing.T) {
	for _, r := range recipe.All() {
		built, err := r.Build("")
		testkit.OK(t, err)
		for cp := -400; cp <= 400; cp += 20 {
			value, ok := built.Encoder.Value(dataset.Centipawns(cp))
			if !ok || !built.HasValue() {
				continue
			}
			inverter, ok := built.Encoder.(encode.Inverter)
			if !ok {
				t.Errorf("%s has no method Centipawns", r.Name)
				break
			}
			if got := inverter.Centipawns(value); math.Abs(got-float64(cp)) > 0.1 {
				t.Errorf("%s: %d centipawns are %g, which is worth %g", r.Name, cp, value, got)
			}
		}
	}
}

// game is a line of three positions with a result and, if labelled, labels.
func game(t *testing.T, result dataset.Result, labelled bool) (*dataset.Line, dataset.Counted) {
	t.Helper()
	l := &dataset.Line{Start: board.StartPosition(), Result: result, Source: dataset.SourceGame}
	p := l.Start
	for _, text := range []string{"e2e4", "e7e5", "g1f3"} {
		m, err := p.ParseUCI(text)
		testkit.OK(t, err)
		l.Moves = append(l.Moves, m)
		p.Play(m)
	}
	var c dataset.Counted
	if labelled {
		label := dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: dataset.Centipawns(20),
			PV: l.Moves[:1]}}}
		c.Moves, c.Value = label, label
	}
	return l, c
}

// TestEveryLearnsResults: a recipe says that its values are results of games where the target turns round
// with the result.
func TestEveryLearnsResults(t *testing.T) {
	for _, e := range encoders(t) {
		layout := e.Layout()
		at := layout.Float(encode.ValueFloat)
		if at < 0 {
			continue
		}
		for _, labelled := range []bool{false, true} {
			var values []float32
			for _, result := range []dataset.Result{dataset.WhiteWins, dataset.BlackWins} {
				var w dataset.Walker
				var v encode.View
				var target encode.Target
				line, labels := game(t, result, labelled)
				w.Reset(line)
				w.Next()
				v.Visit(&w, labels)
				target.Reset(&layout)
				e.Target(&target, &v, encode.Targets{})
				values = append(values, target.Floats[at])
			}
			if learns := encode.RecipeValue.LearnsResults(e, labelled); learns != (values[0] == -values[1]) {
				t.Errorf("%s, labelled %v: learns results %v, but the targets are %v", e.Name(), labelled, learns,
					values)
			}
		}
	}
}

// TestAllocatesNothing: what is written for each sample of a line makes no garbage, but for an encoder of several
// settings that becomes a [encode.Valuer].
func TestAllocatesNothing(t *testing.T) {
	line, labels := game(t, dataset.WhiteWins, true)
	for _, e := range encoders(t) {
		var w dataset.Walker
		var v encode.View
		var target encode.Target
		layout := e.Layout()
		packed, numbers, code := make([]uint64, layout.Words), make([]float32, layout.Numbers()),
			make([]int32, layout.Codes)
		walk := func() {
			w.Reset(line)
			for w.Next() {
				v.Visit(&w, labels)
				e.Pack(packed, &v)
				e.Unpack(numbers, packed)
				for _, m := range v.Legal() {
					e.EncodeMove(code, &v, m)
				}
				target.Reset(&layout)
				e.Target(&target, &v, encode.Targets{})
			}
		}
		walk()
		if n := testing.AllocsPerRun(10, walk); n > float64(len(line.Moves)) {
			t.Errorf("%s: %v allocations a line", e.Name(), n)
		}
	}
}
