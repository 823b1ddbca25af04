package main

import (
	"math"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/network/predict/tinyrun"
	"talbot/play/people"
	"talbot/stockfish"
)

// What is counted of a position: the likeliest move, and each that many play.
func TestRead(t *testing.T) {
	if len(encode.PriorBands) != bands {
		t.Fatal(len(encode.PriorBands))
	}
	p := board.StartPosition()
	legal := p.LegalMoves(nil)
	shares := make([]float64, len(legal))
	shares[3], shares[5], shares[7] = 0.5, people.Many, people.Many-0.001
	v := people.NewView([]int{1500}, legal, [][]float64{shares})
	var c counts
	c.read(1, v, legal[5], false)
	c.read(1, v, legal[3], true)
	c.read(2, v, legal[0], true)
	m := &measurement{counts: []counts{c, c}}
	all := m.sum(m.counts)
	all[1].many.said = math.Round(1e6*all[1].many.said) / 1e6
	if b := all[1]; b.positions != 4 || b.judged != 2 || b.many != (claim{said: 2.4, made: 8, played: 4}) ||
		b.first != (claim{said: 2, made: 4, played: 2}) || b.traps.made != 0 {
		t.Errorf("%+v", b)
	}
	if b := all[2]; b.positions != 2 || b.first.played != 0 || b.many.made != 4 {
		t.Errorf("%+v", b)
	}
}

// The interval of a rate over games that do not differ is that rate; over independent games it is close to the normal
// one; and games that are wholly alike inside have a wider one than their positions alone.
func TestInterval(t *testing.T) {
	of := func(c *counts) *claim { return &c[0].many }
	make2 := func(games, made int, played func(i int) int) (list []counts) {
		for i := range games {
			var c counts
			c[0].many = claim{made: made, played: played(i)}
			list = append(list, c)
		}
		return list
	}
	if low, high := interval(make2(50, 10, func(int) int { return 3 }), of, 1); low != 0.3 || high != 0.3 {
		t.Errorf("%g to %g", low, high)
	}
	low, high := interval(make2(400, 1, func(i int) int { return i % 2 }), of, 1)
	if want := 1.96 * 0.5 / 20; math.Abs(high-0.5-want) > 0.01 || math.Abs(0.5-low-want) > 0.01 {
		t.Errorf("%g to %g", low, high)
	}
	low, high = interval(make2(40, 10, func(i int) int { return 10 * (i % 2) }), of, 1)
	if want := 1.96 * 0.5 / math.Sqrt(40); math.Abs(high-0.5-want) > 0.03 || math.Abs(0.5-low-want) > 0.03 {
		t.Errorf("%g to %g", low, high)
	}
	if low, _ := interval(make2(3, 0, func(int) int { return 0 }), of, 1); !math.IsNaN(low) {
		t.Error(low)
	}
}

// A game is read whole, and the engine is asked at some of its positions.
func TestMeasure(t *testing.T) {
	if _, err := stockfish.Find(""); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	c := tinyrun.Config(t, "prior", "blocks=1", "filters=4")
	dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	l := &dataset.Line{Start: board.StartPosition(), WhiteElo: 1200, BlackElo: 2600}
	p := l.Start
	for range 6 {
		m := p.LegalMoves(nil)[0]
		l.Moves = append(l.Moves, m)
		p.Play(m)
	}
	m := measurement{engine: "stockfish", nodes: 200, every: 2, seed: 1}
	m.config.Path, m.config.Backend = dir, "go"
	if err := m.measure(t.Context(), []*dataset.Line{l}); err != nil {
		t.Fatal(err)
	}
	all := m.counts[0]
	if all[0].positions != 3 || all[3].positions != 3 || all[1].positions != 0 || all[bands].positions != 6 ||
		all[bands].judged != 3 || all[bands].first.made != 6 {
		t.Errorf("%+v", all)
	}
	var text strings.Builder
	if err := m.write(&text); err != nil || strings.Count(text.String(), "the likeliest move") != 3 ||
		strings.Contains(text.String(), "NaN") {
		t.Errorf("%v: %s", err, text.String())
	}
}
