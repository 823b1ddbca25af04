package binpack

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/readlines"
	"talbot/internal/testkit/shareddata"
)

// leelaFile makes a file with the marks of Leela's scores: ±26624 for those who win, 0 at tactical positions unless
// all is false, and no score at each 17th ply.
func leelaFile(t testing.TB, zeros bool) (data []byte, chains []*Chain) {
	r := rand.New(rand.NewPCG(5, 6))
	var out bytes.Buffer
	w := NewWriter(&out)
	for range 40 {
		c := random(r, board.StartPosition(), 0, 60)
		c.eachPosition(func(ply int, p *board.Position, m board.Move) {
			won := int(c.Result)
			if ply%2 == 1 {
				won = -won
			}
			c.Scores[ply] = int16(300*won + 7)
			switch {
			case ply%17 == 16:
				c.Scores[ply] = NoScore
			case zeros && isTactical(p, m):
				c.Scores[ply] = 0
			case ply > 55 && won != 0:
				c.Scores[ply] = int16(leelaWon * won)
			}
		})
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
		chains = append(chains, c)
	}
	w.Flush()
	return out.Bytes(), chains
}

// TestLines reads chains as lines: each label is that of its ply, placeholders have none, and what may be invented is
// marked and no example.
func TestLines(t *testing.T) {
	for _, zeros := range []bool{true, false} {
		data, chains := leelaFile(t, zeros)
		r := NewLineReader(bytes.NewReader(data), "", FindUnit)
		var missing Missing
		for i, c := range chains {
			l, labels, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			missing.Add(r.Missing())
			if l.Number != int64(i+1) || l.Start != c.Start || len(l.Moves) != len(c.Moves) ||
				len(labels.Labels) != l.SampleCount() || l.Policies != nil && len(l.Policies) != l.SampleCount() {
				t.Fatalf("line %d: %d labels for %d samples", i, len(labels.Labels), l.SampleCount())
			}
			if labels.Engine != "binpack Leela, unit leela" || l.Result != c.result() {
				t.Errorf("line %d: %q, %v", i, labels.Engine, l.Result)
			}
			var tactical []bool
			c.eachPosition(func(_ int, p *board.Position, m board.Move) {
				tactical = append(tactical, isTactical(p, m))
			})
			for k, ply := range l.Samples.Plies(nil, len(l.Moves)) {
				label, v := labels.Labels[k], c.Scores[ply]
				placeholder := zeros && tactical[ply]
				if v == NoScore || placeholder != (label.Status == dataset.Missing) {
					t.Fatalf("line %d, ply %d: score %d, label %v", i, ply, v, label.Status)
				}
				if !placeholder {
					if want := dataset.Centipawns((int(v)*100 + sign(v)*104) / 208); label.Lines[0].Score != want {
						t.Fatalf("score %d is %v, want %v", v, label.Lines[0].Score, want)
					}
				}
				link := ply+1 < len(c.Scores) && c.Scores[ply+1] == NoScore
				if l.Policies != nil && link == (len(l.Policies[k]) > 0) {
					t.Fatalf("line %d, ply %d: policy %v", i, ply, l.Policies[k])
				}
			}
			if len(c.Scores) > 17 && l.Tag(TagInvented) == "" {
				t.Errorf("line %d is not marked", i)
			}
		}
		if _, _, err := r.Next(); err != io.EOF {
			t.Error(err)
		}
		if missing.None == 0 || missing.Invented == 0 || (missing.TacticalZero > 0) != zeros {
			t.Errorf("%+v", missing)
		}
	}
}

func sign(v int16) int {
	if v < 0 {
		return -1
	}
	return 1
}

// TestUnits refuses what is not stated or cannot be.
func TestUnits(t *testing.T) {
	leela, _ := leelaFile(t, true)
	other, chains := leelaFile(t, false)
	var plain, turned bytes.Buffer
	w, v := NewWriter(&plain), NewWriter(&turned)
	for _, c := range chains {
		for i, s := range c.Scores {
			if s == leelaWon || s == -leelaWon {
				c.Scores[i] = 31990
			}
		}
		w.Write(c)
		for i, s := range c.Scores {
			if s != NoScore {
				c.Scores[i] = -s
			}
		}
		v.Write(c)
	}
	w.Flush()
	v.Flush()
	for _, test := range []struct {
		name string
		data []byte
		unit Unit
		ok   bool
	}{
		{"found", leela, FindUnit, true}, {"found", other, FindUnit, true}, {"stated", leela, Leela, true},
		{"Leela's as internal", leela, Internal, false}, {"Leela's as centipawns", leela, Centipawns, false},
		{"not stated", plain.Bytes(), FindUnit, false}, {"mates of Leela", plain.Bytes(), Leela, false},
		{"internal", plain.Bytes(), Internal, true}, {"turned", turned.Bytes(), Internal, false},
		{"any", turned.Bytes(), AnyUnit, true},
	} {
		_, _, err := NewLineReader(bytes.NewReader(test.data), "", test.unit).Next()
		if (err == nil) != test.ok || err != nil && !errors.Is(err, ErrUnit) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestScores converts scores of each unit.
func TestScores(t *testing.T) {
	for _, test := range []struct {
		unit Unit
		v    int16
		want dataset.Score
	}{
		{Leela, 208, dataset.Centipawns(100)}, {Leela, -661, dataset.Centipawns(-318)},
		{Leela, leelaWon, dataset.Centipawns(12800)}, {Internal, 31999, dataset.MateIn(1)},
		{Internal, -31998, dataset.MateIn(-1)}, {Internal, 31997, dataset.MateIn(2)},
		{Internal, -32000, dataset.MateIn(0)}, {Internal, 31508, dataset.Centipawns(15148)},
		{Centipawns, 69, dataset.Centipawns(69)},
		{Centipawns, -31998, dataset.MateIn(-1)},
	} {
		if got, ok := test.unit.score(test.v); !ok || got != test.want {
			t.Errorf("%s %d: %v, want %v", test.unit, test.v, got, test.want)
		}
	}
	for _, v := range []int16{NoScore, -NoScore, 32001, -32768, 32767} {
		if s, ok := Internal.score(v); ok {
			t.Errorf("%d is the score %v", v, s)
		}
	}
}

// TestLinesOutside reads a real file: the counts of placeholders.
func TestLinesOutside(t *testing.T) {
	r := NewLineReader(bytes.NewReader(shareddata.Read(t, "formats/small.binpack")), "", FindUnit)
	var missing Missing
	labels, lines := 0, 0
	for {
		l, im, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		missing.Add(r.Missing())
		lines++
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		for _, label := range im.Labels {
			if label.Status == dataset.Labelled {
				labels++
			}
		}
	}
	if lines != 4304 || missing.None != 10_200 || int64(labels) != 434_921-missing.None-missing.TacticalZero {
		t.Errorf("%d lines, %d labels, %+v", lines, labels, missing)
	}
	t.Logf("%d labels, %+v", labels, missing)
}

// FuzzLineReader reads anything as lines: each is legal, has as many labels as samples, and stands behind the one
// before; damage does not end the reading.
func FuzzLineReader(f *testing.F) {
	for _, zeros := range []bool{true, false} {
		data, _ := leelaFile(f, zeros)
		f.Add(data, uint8(0))
		f.Add(data[:len(data)/2], uint8(4))
	}
	units := []Unit{FindUnit, Leela, Internal, Centipawns, AnyUnit}
	f.Fuzz(func(t *testing.T, data []byte, unit uint8) {
		r := NewLineReader(bytes.NewReader(data), "T", units[int(unit)%len(units)])
		items, err := readlines.All(t, r)
		if err != nil && !errors.Is(err, ErrUnit) {
			t.Fatal(err)
		}
		for i := range items {
			if l := &items[i].Line; items[i].Reject == nil && len(l.Labels) == 0 && l.SampleCount() > 0 {
				t.Fatalf("line %d: no labels for %d samples", l.Number, l.SampleCount())
			}
		}
		if n := len(items); n > 0 && items[n-1].Line.Number != int64(n) {
			t.Fatalf("%d lines and damages, the last has number %d", n, items[n-1].Line.Number)
		}
	})
}
